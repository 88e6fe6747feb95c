"""Writing: what a host remembers, asserts and deletes, as operations of the bridge.

A session's messages become events of the stream `session:` and the session's name, so that they
never stand among the events that a host reports under streams of its own; the daemon numbers them.
Where the credential has the right, they are also put behind the session's messages, each bound to
its event, so that forgetting a memory takes the message along.

What the contract gives no room to say is an error: a deliberate memory that was not stored, a
delete that did not happen. A turn that a filter kept out, or that came while memory is switched
off, is none: that is what was asked for.

Owns: these translations, and which operation ids a repeated call uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from cognid.aliases import Aliases, is_alias
from cognid.client import AsyncClient
from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    ForgetOutcome,
    Target,
    TargetsConflict,
    TargetsNotFound,
    Unaffected,
)
from cognid.protocol.errors import CognidError
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    EventReference,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
)
from cognid.protocol.sessions import NewMessage, SessionConflict, TurnEvent
from cognid.protocol.values import Right
from cognid.provider.attempts import Attempt, Attempts
from cognid.provider.messages import Turn

_SPENT: Final = frozenset({"operation_sealed", "operation_expired"})
"""Errors that say that an operation id can be used no more."""


class Writer:
    """Writes under one policy.

    Args:
        client: under that policy.
        policy_fingerprint: of that policy.
        attempts: the writes that are not through; shared by all policies.
    """

    def __init__(self, client: AsyncClient, policy_fingerprint: str, attempts: Attempts) -> None:
        self._client = client
        self._policy_fingerprint = policy_fingerprint
        self._attempts = attempts

    async def remember(self, session_id: str, turns: Sequence[Turn], labels: list[str]) -> None:
        """Report a session's messages, one after the other, and put them behind the session's."""
        if not turns:
            return
        told = [turn.model_dump(mode="json") for turn in turns]
        attempt = self._begin(len(turns) + 1, "remember", session_id, told, labels)
        try:
            events = [
                await self._report(session_id, turn, labels, operation_id, attempt)
                for turn, operation_id in zip(turns, attempt.operation_ids, strict=False)
            ]
            await self._append(session_id, turns, events, attempt)
        except CognidError as error:
            if error.code in _SPENT:
                self._attempts.end(attempt)
            raise
        self._attempts.end(attempt)

    async def add(
        self,
        content: str,
        *,
        kind: str,
        categories: list[str],
        importance: float | None,
        role: str,
        pinned: bool,
        labels: list[str],
    ) -> str:
        """Assert a memory; gives its id.

        Raises:
            CognidError: `memory_refused` where it was not stored, with the rules or the reason.
        """
        told = (content, kind, categories, importance, role, pinned, labels)
        attempt = self._begin(1, "add", *told)
        try:
            outcome = await self._client.add(
                content,
                kind=kind,
                categories=categories,
                importance=importance,
                role=role,
                pinned=pinned,
                labels=labels,
                policy_fingerprint=attempt.policy_fingerprint,
                operation_id=attempt.operation_ids[0],
            )
        except CognidError as error:
            if error.code in _SPENT or error.code == "invalid_argument":
                self._attempts.end(attempt)
            raise
        self._attempts.end(attempt)
        return _stored(outcome)

    def _begin(self, requests: int, *arguments: object) -> Attempt:
        return self._attempts.begin(requests, self._policy_fingerprint, *arguments)

    async def _report(
        self,
        session_id: str,
        turn: Turn,
        labels: list[str],
        operation_id: str,
        attempt: Attempt,
    ) -> EventReference | None:
        outcome = await self._client.remember(
            role=turn.role,
            content=turn.content,
            speaker=turn.name,
            occurred_at=turn.occurred_at,
            stream=f"session:{session_id}",
            session_id=session_id,
            labels=labels,
            policy_fingerprint=attempt.policy_fingerprint,
            operation_id=operation_id,
        )
        match outcome:
            case Committed() | Duplicate() | Rejected() | Forgotten():
                return outcome.event
            case NoEffect():
                return None
            case Conflict():
                raise CognidError("memory_refused", f"{outcome.outcome}: {outcome.reason}")
            case DeliveryGap():
                raise CognidError("memory_refused", outcome.outcome)
            case _:
                assert_never(outcome)

    async def _append(
        self,
        session_id: str,
        turns: Sequence[Turn],
        events: Sequence[EventReference | None],
        attempt: Attempt,
    ) -> None:
        proven = await self._client.connect()
        if Right.SESSION not in proven.grant.rights:
            return
        messages = [
            NewMessage(
                role=turn.role,
                content=turn.content,
                name=turn.name,
                occurred_at=turn.occurred_at,
                event=None
                if event is None
                else TurnEvent(stream=event.stream, sequence=event.sequence),
            )
            for turn, event in zip(turns, events, strict=True)
        ]
        outcome = await self._client.append_messages(
            messages,
            session_id=session_id,
            policy_fingerprint=attempt.policy_fingerprint,
            operation_id=attempt.operation_ids[-1],
        )
        if isinstance(outcome, SessionConflict):
            raise CognidError("memory_refused", f"{outcome.outcome}: {outcome.reason}")


async def forget_as_tool(client: AsyncClient, memory: str, aliases: Aliases | None) -> None:
    """Forget a memory by the right that an agent has of its own: what its preview lists, whole.

    Raises:
        CognidError: `forbidden` without the right `tool_forget`; `memory_refused` where it was not
            forgotten; the errors of aliases.
    """
    target = _target(memory, aliases)
    preview = await client.tool_forget_preview([target])
    if preview.unknown or preview.stale:
        raise CognidError("memory_refused", "not_found" if preview.unknown else "revision_stale")
    if preview.preview_token is None:
        return  # it was forgotten before
    affected = [one.memory_id for one in preview.affected]
    outcome = await client.tool_forget(affected, preview_token=preview.preview_token)
    if aliases is not None and isinstance(outcome, Changed):
        aliases.invalidate(outcome.affected)
    check_forgotten(outcome)


def check_forgotten(outcome: ForgetOutcome) -> None:
    """Take a forget for done, or say why it is not.

    Raises:
        CognidError: `memory_refused`.
    """
    match outcome:
        case Changed() | AlreadyAbsent():
            return
        case TargetsNotFound():
            raise CognidError("memory_refused", outcome.outcome)
        case TargetsConflict() | Unaffected():
            raise CognidError("memory_refused", f"{outcome.outcome}: {outcome.reason}")
        case _:
            assert_never(outcome)


def _target(memory: str, aliases: Aliases | None) -> str | Target:
    if not is_alias(memory):
        return memory
    if aliases is None:
        raise CognidError("memory_alias_unknown", "no session's aliases were given")
    memory_id, revision = aliases.precondition(memory)
    return Target(memory_id=memory_id, expected_revision=revision)


def _stored(outcome: IntakeOutcome) -> str:
    match outcome:
        case Committed() | Duplicate():
            return outcome.memories[0].memory_id
        case Rejected():
            raise _refused(outcome.outcome, outcome.rules)
        case NoEffect() | Conflict():
            raise _refused(outcome.outcome, [outcome.reason])
        case Forgotten() | DeliveryGap():
            raise _refused(outcome.outcome)
        case _:
            assert_never(outcome)


def _refused(outcome: str, reasons: Iterable[str] = ()) -> CognidError:
    told = ", ".join(reasons)
    return CognidError("memory_refused", f"{outcome}: {told}" if told else outcome)
