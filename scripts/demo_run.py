"""The main job shown: remember a conversation, restart the daemon, ask in other words.

Runs under any Python that has `cognid[daemon]` installed; scripts/demo sets one up first.
Everything happens in a scratch home that is removed at the end, and nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Final

from measure.evaluation import StuckError, wait_indexed
from measure.scratch import DaemonError, ScratchDaemon, scratch_home

from cognid.client import AsyncClient
from cognid.protocol.recall import Hit, Hits
from cognid.rendering import dated

AGENT: Final = "demo"
STREAM: Final = "kitchen-talk"
BEGAN: Final = datetime(2026, 3, 2, 18, 30, tzinfo=UTC)
CONVERSATION: Final = (
    ("user", "Mira", "My daughter Juno turns seven on the ninth of May, and she wants a party."),
    ("assistant", None, "How lovely! Shall it be at home or somewhere outside?"),
    ("user", "Mira", "Outside, down by the lake. But no nuts in the cake, Juno is allergic."),
    ("assistant", None, "Noted: a cake without nuts. I can suggest a lemon sponge."),
    ("user", "Mira", "My brother Tomas brings his telescope so the kids can look at Saturn."),
    ("user", "Mira", "At work I moved the invoices to PostgreSQL 17 last week, what a relief."),
    ("assistant", None, "Then the nightly export job KLM-204 can be switched off."),
    ("user", "Mira", "I do not drive any more, I take the number 12 tram everywhere."),
)
QUESTIONS: Final = (
    "What food must we avoid for the child's birthday?",
    "Who will show the children the night sky?",
    "Which public transport does Mira use?",
)
SHOWN: Final = 2


def _say(text: str = "") -> None:
    print(text, flush=True)


async def _remember(client: AsyncClient) -> None:
    await client.ensure_bank(agent=AGENT, enabled=True)
    for sequence, (role, speaker, text) in enumerate(CONVERSATION, 1):
        outcome = await client.remember(
            role=role,
            content=text,
            speaker=speaker,
            stream=STREAM,
            sequence=sequence,
            occurred_at=BEGAN + timedelta(minutes=sequence),
            session_id="monday-evening",
            agent=AGENT,
        )
        _say(f"  {outcome.outcome:9} {STREAM}#{sequence}  {speaker or role}: {text}")


async def _ask(client: AsyncClient) -> bool:
    """Ask every question; True where each was answered."""
    answered = True
    for question in QUESTIONS:
        began = time.perf_counter()
        answer = await client.recall(question, agent=AGENT, limit=SHOWN, deadline_ms=2_000)
        took = (time.perf_counter() - began) * 1000
        _say(f"\n  ? {question}   ({took:.0f} ms)")
        if isinstance(answer, Hits):
            for hit in answer.hits:
                _show(hit)
        else:
            _say(f"    {answer.outcome}")
            answered = False
    return answered


def _show(hit: Hit) -> None:
    event = hit.source.event
    origin = f"{event.stream}#{event.sequence}" if event else "asserted"
    # A fact that names a time bears that, all else the time when it was said.
    _say(f"    {hit.score:.2f}  {hit.kind}: {hit.text}")
    when = f"of {dated(hit):%Y-%m-%d %H:%M} UTC"
    _say(f"          {hit.speaker or hit.role} ({hit.role}), {when}, from {origin}")


async def _show_all() -> bool:
    with scratch_home() as home:
        daemon = ScratchDaemon(home)
        _say(f"1. Starting a daemon in a scratch home, {home}")
        async with daemon.running() as client:
            _say(f"   It listens on {daemon.places.socket}; the bank is encrypted.")
            _say("\n2. A conversation goes in; `committed` means it is on disk:")
            await _remember(client)
            await wait_indexed(client, AGENT)
        _say("\n3. Stopping the daemon and starting it again")
        async with daemon.running() as client:
            await wait_indexed(client, AGENT)
            _say("\n4. Asking in other words; best hits first, with where each came from:")
            return await _ask(client)


def main() -> int:
    """Show it; 1 where something did not work."""
    _say("Cognid remembers what agents are told, on this machine alone.\n")
    try:
        answered = asyncio.run(_show_all())
    except (DaemonError, StuckError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    _say("\n5. The scratch home is gone again. For good it is installed with")
    _say("     uv tool install 'cognid[daemon]'     (or: pip install 'cognid[daemon]')")
    _say("     cognid service install               starts it with your session")
    _say("   then: cognid remember …, cognid recall …, cognid status")
    if not answered:
        print("demo: a question found nothing", file=sys.stderr)
    return 0 if answered else 1


if __name__ == "__main__":
    sys.exit(main())
