"""What a bank must hold after any row of changes, as plain dicts: the model that the real thing is
compared with. It knows the rules of the contract and nothing of how they are kept."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

Event = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Told:
    """One memory; `texts` are those of all its revisions, oldest first."""

    texts: tuple[str, ...]
    revision: int
    is_fact: bool
    is_current: bool
    event: Event | None
    origin: str

    @property
    def text(self) -> str:
        """The newest text."""
        return self.texts[-1]

    def corrected(self, text: str) -> Told:
        """With a new current revision."""
        texts = (*self.texts, text)
        return replace(self, texts=texts, revision=self.revision + 1, is_current=True)


@dataclass
class Model:
    """One bank. `barriers` gives the origin of every id that was forgotten; `wiped` are the others
    that went."""

    memories: dict[str, Told] = field(default_factory=dict)
    barriers: dict[str, str] = field(default_factory=dict)
    wiped: dict[str, None] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    enabled: bool = True

    def put(self, memory_id: str, told: Told) -> None:
        """Have a memory."""
        assert memory_id not in self.barriers, f"{memory_id} was forgotten"
        self.memories[memory_id] = told
        self.wiped.pop(memory_id, None)
        self.said.update(told.texts)

    @property
    def current(self) -> dict[str, Told]:
        """What may be recalled."""
        return {one: told for one, told in self.memories.items() if told.is_current}

    @property
    def gone(self) -> list[str]:
        """Ids that must not be met any more, in the order of their going."""
        return [*self.barriers, *self.wiped]

    @property
    def dead(self) -> list[str]:
        """Texts that nothing holds any more, in a fixed order."""
        return sorted(self.said.difference(*(told.texts for told in self.memories.values())))

    def closure(self, targets: Iterable[str]) -> set[str]:
        """The targets that are there, and what a forget takes along."""
        named = {one for one in targets if one in self.memories}
        found = set(named)
        for one in named:
            told = self.memories[one]
            for other, its in self.memories.items():
                related = its.event == told.event and its.is_fact is not told.is_fact
                if told.event is not None and related:
                    found.add(other)
        return found

    def forget(self, memory_ids: set[str]) -> None:
        """Have exactly these no more, for good."""
        for memory_id in [one for one in self.memories if one in memory_ids]:
            self.barriers[memory_id] = self.memories.pop(memory_id).origin

    def correct(self, memory_id: str, text: str) -> set[str]:
        """Give a memory a new text; gives the remarks that are superseded with it."""
        told = self.memories[memory_id]
        self.put(memory_id, told.corrected(text))
        if not told.is_fact:
            return set()
        superseded = {
            one
            for one in self.closure([memory_id]) - {memory_id}
            if not self.memories[one].is_fact and self.memories[one].is_current
        }
        for one in superseded:
            self.memories[one] = replace(self.memories[one], is_current=False)
        return superseded

    def wipe(self) -> None:
        """Have nothing."""
        self.wiped.update(dict.fromkeys(self.memories))
        self.memories.clear()

    def bars(self, record: dict[str, Any]) -> bool:
        """Whether a record is of something that was forgotten."""
        known = {*self.barriers, *self.barriers.values()}
        return record["memory_id"] in known or record["origin_id"] in known

    def held(self) -> Model:
        """A copy."""
        return copy.deepcopy(self)

    def put_back(self, older: Model) -> None:
        """An older file is in the bank's place: what was since is lost, what was forgotten stays
        so."""
        self.memories = {
            one: told for one, told in older.memories.items() if one not in self.barriers
        }


def told_of(record: dict[str, Any]) -> Told:
    """A record of an export, as the model has it."""
    newest, event = record["revisions"][-1], record["event"]
    return Told(
        texts=tuple(one["text"] for one in record["revisions"]),
        revision=newest["revision"],
        is_fact=record["kind"] != "remark",
        is_current=newest["lifecycle"] == "current",
        event=None if event is None else (event["stream"], event["sequence"]),
        origin=record["origin_id"],
    )
