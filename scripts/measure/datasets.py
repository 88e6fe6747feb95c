"""The public data sets as one shape: what is told to the daemon, what is asked, what is gold.

Owns: reading LoCoMo, BEAM and PrefEval files (docs/benchmarks.md names their sources). Knows
nothing of the daemon.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from cognid.protocol.values import Role

Roles = Literal["user", "both"]

_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_SESSION: Final = re.compile(r"session_(\d+)")
_LOCOMO_TIME: Final = "%I:%M %p on %d %B, %Y"
_TURN: Final = timedelta(seconds=30)  # LoCoMo dates sessions only; turns follow each other in them


class DataError(Exception):
    """A file that is missing or is not the data set it should be."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing told to the daemon. `key` is how the gold names it."""

    key: str
    text: str
    role: Role
    session: str | None = None
    speaker: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the keys that answer it."""

    text: str
    category: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What goes into one bank and is asked of it. `turns`: as events, else as preferences."""

    name: str
    turns: bool
    told: tuple[Told, ...]
    questions: tuple[Question, ...]
    skipped: int
    """Questions without evidence among what is told: nothing could be right."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A whole data set; `headline` names the categories that its top figures are over."""

    name: str
    conversations: tuple[Conversation, ...]
    headline: frozenset[str]


def _conversation(
    name: str, told: list[Told], asked: Iterator[tuple[str, str, set[str]]], *, turns: bool = True
) -> Conversation:
    keys = {one.key for one in told}
    questions, skipped = [], 0
    for text, category, evidence in asked:
        gold = frozenset(evidence & keys)
        if gold:
            questions.append(Question(text, category, gold))
        else:
            skipped += 1
    return Conversation(name, turns, tuple(told), tuple(questions), skipped)


def _locomo(content: Any, _: Roles) -> DataSet:
    conversations = []
    for sample in content:
        talk = sample["conversation"]
        told = []
        sessions = sorted(
            (int(found[1]), name) for name in talk if (found := _SESSION.fullmatch(name))
        )
        for number, name in sessions:
            began = datetime.strptime(talk[f"{name}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC)
            for place, turn in enumerate(talk[name]):
                user = turn["speaker"] == talk["speaker_a"]
                told.append(
                    Told(
                        key=turn["dia_id"],
                        text=turn["text"],
                        role=Role.USER if user else Role.ASSISTANT,
                        session=f"session-{number}",
                        speaker=turn["speaker"],
                        at=began + place * _TURN,
                    )
                )
        asked = (
            (qa["question"], str(qa["category"]), _dialogue_ids(qa.get("evidence") or []))
            for qa in sample["qa"]
        )
        conversations.append(_conversation(sample["sample_id"], told, asked))
    return DataSet("locomo", tuple(conversations), frozenset("1234"))


def _dialogue_ids(evidence: list[str]) -> set[str]:
    """The turns that LoCoMo names: `D1:3`, also `D:1:3` and several in one string."""
    return {f"D{session}:{turn}" for text in evidence for session, turn in _EVIDENCE.findall(text)}


def _beam(content: Any, roles: Roles) -> DataSet:
    conversations = []
    abilities = set()
    for chat in content:
        told = [
            Told(
                str(turn["id"]), turn["content"], Role(turn["role"]), session=f"chat-{chat['chat']}"
            )
            for turn in chat["turns"]
            if roles == "both" or turn["role"] == Role.USER
        ]
        asked = (
            (qa["question"], qa["ability"], {str(key) for key in qa["evidence_ids"]})
            for qa in chat["questions"]
        )
        conversations.append(_conversation(f"chat-{chat['chat']}", told, asked))
        abilities |= {qa["ability"] for qa in chat["questions"]}
    return DataSet("beam", tuple(conversations), frozenset(abilities))


def _prefeval(content: Any, _: Roles) -> DataSet:
    pairs = [
        (f"{topic}-{place}", topic, pair)
        for topic, found in content.items()
        for place, pair in enumerate(found)
    ]
    told = [Told(key, pair["preference"], Role.USER) for key, _, pair in pairs]
    asked = ((pair["question"], topic, {key}) for key, topic, pair in pairs)
    bank = _conversation("preferences", told, asked, turns=False)
    return DataSet("prefeval", (bank,), frozenset(content))


READERS: Final[dict[str, Callable[[Any, Roles], DataSet]]] = {
    "locomo": _locomo,
    "beam": _beam,
    "prefeval": _prefeval,
}


def read_data(name: str, path: Path, roles: Roles = "user") -> DataSet:
    """Read a data set. `roles` says whose turns of BEAM are told; LoCoMo's are always both.

    Raises:
        DataError: no such file, or it does not have that data set's form.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise DataError(f"{path}: not JSON") from None
    try:
        return READERS[name](content, roles)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: not {name} ({type(error).__name__}: {error})") from None


def read_commands(path: Path, count: int) -> list[str]:
    """Read a JSON list of short commands to an assistant, and give every n-th, `count` in all.

    Raises:
        DataError: no such file, or it is no list of strings.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise DataError(f"{path}: not JSON") from None
    if not isinstance(content, list) or not all(isinstance(one, str) for one in content):
        raise DataError(f"{path}: not a list of commands")
    return content[:: max(1, len(content) // count)][:count]
