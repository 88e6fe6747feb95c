"""Drawn event envelopes: whatever stands in one, the answer is typed, and it was taken whole or not
at all."""

from __future__ import annotations

import shutil
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError
from support.authority_room import AuthorityRoom, RefusedError, operation, scratch

from cognid.protocol.frames import FrameError, parse_request, request_line
from cognid.protocol.table import OPERATIONS

OUTCOMES = {
    "committed",
    "duplicate",
    "rejected",
    "forgotten",
    "conflict",
    "delivery_gap",
    "no_effect",
}
REFUSALS = {"invalid_argument", "identity_mismatch"}
WORDS = [
    "I moved to Porto.",
    "What is the weather?",
    "Please don't remember this.",
    "Do not log the next message.",
    "You can save things again.",
    "My password is hunter2!",
    "我住在里昂。",
    "Ich esse kein Fleisch.",
    "x" * 700,
    "naïve – “quoted” ✓",
    "\u202eevil",
    "a\u0301",
    "",
    " ",
]
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**53,
    2**70,
    "",
    " ",
    "user",
    "\ud83d",
    "a\0b",
    [],
    {},
    [[[]]],
    {"owner": "somebody"},
    "x" * 600,
]


def _text(draw: Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(1, 4)))


def _candidate(draw: Random, content: str) -> Any:
    start = draw.randint(0, max(len(content), 1))
    made: dict[str, Any] = {
        "text": content[start : start + 20] if draw.random() < 0.7 else _text(draw),
        "span": draw.choice([None, [start, start + 20], [0, len(content)], [5, 5], [-1, 2]]),
        "provenance": draw.choice(["explicit", "inferred", "synthesized", "guessed"]),
        "sources": draw.choice([[], [], ["mem_" + "a" * 32]]),
        "kind": draw.choice(["fact", "preference", "remark"]),
    }
    if made["provenance"] != "synthesized" and draw.random() < 0.8:
        del made["sources"]
    return made if draw.random() < 0.95 else draw.choice(ODD)


def envelope(draw: Random) -> dict[str, Any]:
    """The parameters of a memory.remember, mostly right."""
    content = _text(draw)
    data: dict[str, Any] = {"role": draw.choice(["user", "assistant", "tool"]), "content": content}
    event: dict[str, Any] = {"stream": draw.choice("ab"), "data": data}
    if draw.random() < 0.7:
        event["sequence"] = draw.randint(0, 40)
        if draw.random() < 0.3:
            event["after"] = event["sequence"] - draw.randint(0, 2)
    params: dict[str, Any] = {"event": event, "session_id": draw.choice([None, "s", "t"])}
    if draw.random() < 0.4:
        params["candidates"] = [_candidate(draw, content) for _ in range(draw.randint(0, 4))]
    if draw.random() < 0.3:
        part = draw.choice([params, event, data])
        part[draw.choice([*part, "more", "hash", "type", "labels", "speaker"])] = draw.choice(ODD)
    return params


async def _takes(count: int, seed: int) -> set[str]:
    """Send so many; gives what they came to."""
    draw, seen = Random(seed), set()
    home = scratch()
    room = AuthorityRoom(home)
    await room.open()
    try:
        held = await room.ask("bank.status")
        for _ in range(count):
            params = envelope(draw)
            made = 0
            try:
                answer = await room.ask("memory.remember", **params, **operation())
                said = answer["outcome"]
                assert said in OUTCOMES
                made = len(answer["memories"]) if said == "committed" else 0
                taken = said in ("committed", "rejected")
            except RefusedError as refused:
                said, taken = refused.code, False
                assert said in REFUSALS, params
            seen.add(said)
            now = await room.ask("bank.status")
            assert now["memories"] - held["memories"] == made
            assert 0 <= now["events"] - held["events"] <= taken
            assert now["ledger_entries"] - held["ledger_entries"] == (said == "committed")
            held = now
    finally:
        await room.close()
        shutil.rmtree(home, ignore_errors=True)
    return seen


async def test_a_drawn_envelope_is_taken_whole_or_not_at_all() -> None:
    """400 of them: every outcome is typed, and the counts of the bank agree with it."""
    seen = await _takes(400, seed=4)
    assert {"committed", "rejected", "conflict", "delivery_gap", "invalid_argument"} <= seen


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_5000_drawn_envelopes() -> None:
    """The same, at length."""
    await _takes(5_000, seed=5)


def _fuzz(count: int, seed: int) -> None:
    draw = Random(seed)
    read = OPERATIONS["memory.remember"].read_request
    for number in range(count):
        params = {"owner": "local", "agent": "a", **envelope(draw), **operation()}
        try:
            line = bytearray(request_line(number, "memory.remember", params))
        except (ValueError, UnicodeEncodeError):
            continue  # half a surrogate pair has no form in UTF-8
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(line))
            line[at : at + draw.randint(0, 2)] = bytes(draw.choices(range(256), k=1))
        try:
            read.validate_python(parse_request(bytes(line)).params)
        except (FrameError, ValidationError):
            continue


def test_a_fuzzed_line_is_read_or_refused() -> None:
    """Bytes changed at random: a request, or one of the two errors; never another exception."""
    _fuzz(3_000, seed=6)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_200000_fuzzed_lines() -> None:
    """The same, at length."""
    _fuzz(200_000, seed=7)


def test_a_duplicate_key_in_an_events_data_is_no_json() -> None:
    """Two contents in one event would have two hashes: the line is refused."""
    data = b'{"role":"user","content":"one","content":"two"}'
    line = b'{"jsonrpc":"2.0","id":1,"method":"memory.remember","params":{"event":{"data":%s}}}'
    with pytest.raises(FrameError) as refused:
        parse_request(line % data)
    assert refused.value.code == "parse_error"
