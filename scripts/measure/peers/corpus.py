"""What every store is told and asked: LoCoMo's turns among others that are no answer, in one bank.

The others are BEAM's messages cut to the length of turns, as far as there are any, then made-up
ones. They are spread evenly among LoCoMo's, so that who weighs age favours neither.

Owns: which texts those are and in which order. Knows no store.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from measure.datasets import DataError, Question, read_data
from measure.peers.serving import Said
from measure.texts import Texts

CANARY: Final = "The lighthouse keeper Zbrxqvw counts 7305113 gulls before breakfast."
"""A text that is in no data set: where it can be read in a store's files, so can all."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_LEAST, _MOST = 30, 240  # characters of a cut message; LoCoMo's turns have 20 to 300


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts in the order of their telling, and questions; `Question.gold` names places in it."""

    said: tuple[Said, ...]
    questions: tuple[Question, ...]
    turns: int
    """How many of the texts are LoCoMo's."""
    cut: int
    """How many are BEAM's."""

    def with_speakers(self) -> Corpus:
        """The same with each speaker's name before the text, for who knows texts only."""
        said = tuple(
            replace(one, text=f"{one.speaker}: {one.text}") if one.speaker else one
            for one in self.said
        )
        return replace(self, said=said)


def read_corpus(folder: Path, size: int, questions: int | None) -> Corpus:
    """Read `locomo*.json` and, where it is there, `beam*.json` of a folder.

    Args:
        size: how many texts there are in all; LoCoMo's are always all there.
        questions: so many of them; None: all.

    Raises:
        DataError: no LoCoMo there, or a file that is not what its name says.
    """
    turns, asked = _locomo(folder)
    wanted = max(0, size - len(turns) - 1)
    cut = _beam(folder)
    cut = cut[:: max(1, len(cut) // wanted)][:wanted] if wanted else []
    made = Texts(seed=1).turns(wanted - len(cut))
    others = [*cut, *(_other("made-up", n, text) for n, text in enumerate(made, 1))]
    others.insert(len(others) // 2, _other("canary", 1, CANARY))
    said, moved = _spread(turns, others)
    asked = [replace(one, gold=frozenset(moved[key] for key in one.gold)) for one in asked]
    # In no order, so that the first of them are like all of them. Not for secrets.
    asked = random.Random(1).sample(asked, len(asked) if questions is None else questions)  # noqa: S311
    return Corpus(tuple(said), tuple(asked), len(turns), len(cut))


def _locomo(folder: Path) -> tuple[list[Said], list[Question]]:
    """Its turns, and the questions of its headline's categories with gold by place among them."""
    found = sorted(folder.glob("locomo*.json"))
    if not found:
        raise DataError(f"{folder}: no locomo*.json there")
    data = read_data("locomo", found[0])
    turns: list[Said] = []
    asked: list[Question] = []
    for conversation in data.conversations:
        places = {}
        for sequence, told in enumerate(conversation.told, 1):
            places[told.key] = str(len(turns))
            turns.append(
                Said(
                    text=told.text,
                    stream=conversation.name,
                    sequence=sequence,
                    role=told.role.value,
                    speaker=told.speaker,
                    session=f"{conversation.name}-{told.session}",
                    at=None if told.at is None else told.at.isoformat(),
                )
            )
        asked += (
            replace(one, gold=frozenset(places[key] for key in one.gold))
            for one in conversation.questions
            if one.category in data.headline
        )
    return turns, asked


def _beam(folder: Path) -> list[Said]:
    """BEAM's messages, both sides', in pieces as long as turns; each once."""
    cut: dict[str, Said] = {}
    for path in sorted(folder.glob("beam*.json"))[:1]:
        for chat in read_data("beam", path, "both").conversations:
            for told in chat.told:
                for text in _pieces(told.text):
                    role = told.role.value
                    one = Said(text, f"beam-{chat.name}", 0, role, session=told.session)
                    cut.setdefault(text, one)
    return list(cut.values())


def _pieces(text: str) -> Iterator[str]:
    held = ""
    for sentence in _SENTENCE.split(text):
        joined = f"{held} {sentence.strip()}".strip()
        if len(joined) <= _MOST:
            held = joined
            continue
        if len(held) >= _LEAST:
            yield held
        held = sentence.strip() if len(sentence) <= _MOST else ""
    if len(held) >= _LEAST:
        yield held


def _other(stream: str, sequence: int, text: str) -> Said:
    return Said(text, stream, sequence, "user")


def _spread(turns: list[Said], others: list[Said]) -> tuple[list[Said], dict[str, str]]:
    """Both in their orders, mixed evenly, sequences counted anew; and where each turn went."""
    keyed = [(place / max(1, len(turns)), place, True) for place in range(len(turns))]
    keyed += [(place / max(1, len(others)), place, False) for place in range(len(others))]
    said: list[Said] = []
    moved: dict[str, str] = {}
    sequences: dict[str, int] = {}
    for _, place, is_turn in sorted(keyed):
        one = turns[place] if is_turn else others[place]
        if is_turn:
            moved[str(place)] = str(len(said))
        sequences[one.stream] = sequences.get(one.stream, 0) + 1
        said.append(replace(one, sequence=sequences[one.stream]))
    return said, moved
