"""Context: which items go into a text of so many tokens, and how the rest is accounted for.

The budget goes from section to section in the order of the text. Each may take its share of what
the sections before it have left (`_SHARES`, over the sections that were asked for); the last one
takes all that is left, and what it leaves goes to older messages. So the first section depends on
nothing but itself and the budget: the same bytes, turn after turn.

An item goes in whole or not at all. Costs are counted item by item, with its marks and line ends,
and their sum is what the text costs. It is never less than the text has when it is counted at
once: no token spans the end of a line (`cognid_models/windows.py`), and where a piece of many
characters without a break is cut elsewhere, the floor (`LEAST_BYTES`) is above the difference.

Owns: that choice. Pure but for the counter it is given; may not read the bank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from cognid.protocol.context import ContextItem, ContextSection, Omitted, SectionName, WhyNot
from cognid.rendering import (
    CLOSING,
    OPENING,
    PREAMBLE,
    Entry,
    Part,
    entry_lines,
    fenced,
    heading_line,
)

LEAST_BYTES: Final = 6
"""Bytes that a token stands for at most, on the average of an item. A tokenizer takes a run of what
it does not know (emoji, encoded data, a script) for one token; a model that reads it does not."""
_REMEMBERED: Final = 8_192
"""Items whose cost is known; about 1 MB a bank."""
NAMED: Final = 50
"""Ids of one omission that are named."""

HEADINGS: Final[dict[SectionName, str]] = {
    "standing": "Standing: pinned memories and preferences",
    "lanes": "Sources from this agent's lanes",
    "messages": "The last messages of this session",
    "recalled": "Recalled for this turn, best first",
}
ORDER: Final[tuple[SectionName, ...]] = ("standing", "lanes", "messages", "recalled")
_SHARES: Final[dict[SectionName, int]] = {"standing": 3, "lanes": 2, "messages": 2, "recalled": 3}

Counter = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may go in. `item` has no tokens yet; `turn` is the event that it reports."""

    item: ContextItem
    entry: Entry = field(repr=False)
    turn: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What one section could have, best first, and what is already known to be missing from it.

    Messages are offered newest first, and stand in the text oldest first.
    """

    name: SectionName
    candidates: Sequence[Candidate]
    missing: tuple[Omitted, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitted:
    """The text, how many tokens it has, what stands in it, and what does not."""

    text: str = field(repr=False)
    tokens: int
    sections: tuple[ContextSection, ...]
    omitted: tuple[Omitted, ...]


def omitted(
    section: SectionName, reason: WhyNot, ids: Sequence[str] = (), count: int | None = None
) -> Omitted:
    """An omission of these ids, or of so many that are not all named."""
    number = len(ids) if count is None and ids else count
    return Omitted(section=section, reason=reason, count=number, ids=list(ids[:NAMED]))


def by_bytes(text: str) -> int:
    """An upper bound of the tokens of a text, where there is no tokenizer to ask."""
    return len(text.encode("utf-8"))


def with_floor(count: Counter) -> Counter:
    """A tokenizer's count, but at least one token for every `LEAST_BYTES` bytes."""
    return lambda text: max(count(text), _least(text))


class Costs:
    """What items cost, from one turn to the next: most of them come again, and counting is most of
    the work. It holds hashes of this process alone and no text, so a forget need not know of it."""

    def __init__(self) -> None:
        self._costs: dict[int, int] = {}

    def remembered(self, space_id: str, count: Counter) -> Counter:
        """The count of a model's tokenizer, each text counted once."""

        def cost_of(text: str) -> int:
            key = hash((space_id, text))
            cost = self._costs.get(key)
            if cost is None:
                cost = count(text)
                if len(self._costs) >= _REMEMBERED:
                    self._costs.clear()
                self._costs[key] = cost
            return cost

        return cost_of


def _least(text: str) -> int:
    return -(-len(text.encode("utf-8")) // LEAST_BYTES)


def fit(offers: Sequence[Offer], budget: int, count: Counter) -> Fitted:
    """Choose what goes in.

    Args:
        offers: of the sections that were asked for, in any order.
        budget: tokens of the whole text at most.
        count: tokens of some lines; never less than `_least` says.
    """
    chooser = _Chooser(count, budget)
    asked = sorted(offers, key=lambda offer: ORDER.index(offer.name))
    for number, offer in enumerate(asked):
        weights = [_SHARES[one.name] for one in asked[number:]]
        share = chooser.left * weights[0] // sum(weights)
        chooser.take(offer, share)
    for offer in asked:
        if offer.name == "messages":
            chooser.take(offer, chooser.left)
    return chooser.result(asked)


@dataclass(slots=True)
class _Taken:
    """What a section has taken: candidates in the order they were offered, and their tokens."""

    candidates: list[Candidate] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    tried: int = 0
    in_messages: list[str] = field(default_factory=list)


class _Chooser:
    """The budget as it is spent."""

    def __init__(self, count: Counter, budget: int) -> None:
        self._count = count
        self._budget = budget
        self._taken: dict[SectionName, _Taken] = {}
        self.left = budget - count("\n".join((OPENING, PREAMBLE, CLOSING)))

    def take(self, offer: Offer, share: int) -> None:
        """Let a section take of its share; a second time it goes on where it stopped."""
        taken = self._taken.setdefault(offer.name, _Taken())
        taken.tried = 0 if not taken.candidates else len(taken.candidates)
        share = min(share, self.left)
        if not taken.candidates:
            share -= (heading := self._cost(heading_line(HEADINGS[offer.name])))
        else:
            heading = 0
        here, turns = self._there()  # no candidate is in twice, no turn is told twice
        for candidate in offer.candidates[taken.tried :]:
            if candidate.item.id in here and offer.name == "recalled":
                continue
            if offer.name == "recalled" and candidate.turn in turns:
                taken.in_messages.append(candidate.item.id)
                continue
            cost = self._cost_within(entry_lines(candidate.entry), share)
            if cost is None:
                if offer.name == "messages":
                    break  # a conversation with a hole in it says something else
                continue
            share -= cost
            self.left -= cost + heading
            heading = 0
            taken.candidates.append(candidate)
            taken.tokens.append(cost)

    def _there(self) -> tuple[set[str], set[tuple[str, int] | None]]:
        """The ids that are in, and the turns that the messages among them report."""
        chosen = [one for taken in self._taken.values() for one in taken.candidates]
        messages = self._taken.get("messages", _Taken()).candidates
        return (
            {one.item.id for one in chosen},
            {one.turn for one in messages} - {None},
        )

    def _cost_within(self, text: str, share: int) -> int | None:
        """What a text costs, None where that is more than there is; of one that is surely too long
        nothing is counted."""
        if _least(text) > share:
            return None
        cost = self._cost(text)
        return cost if cost <= share else None

    def _cost(self, text: str) -> int:
        return self._count(f"{text}\n")

    def result(self, offers: Sequence[Offer]) -> Fitted:
        """What was chosen, as one text."""
        text = fenced(
            Part(HEADINGS[name], [one.entry for one, _ in self._in_order(name)]) for name in ORDER
        )
        sections = tuple(
            ContextSection(
                name=name,
                items=[
                    one.item.model_copy(update={"tokens": cost})
                    for one, cost in self._in_order(name)
                ],
            )
            for name in ORDER
            if self._taken.get(name, _Taken()).candidates
        )
        tokens = self._budget - self.left if text else 0
        return Fitted(text, tokens, sections, tuple(self._omissions(offers)))

    def _in_order(self, name: SectionName) -> list[tuple[Candidate, int]]:
        """A section's items as they stand in the text."""
        taken = self._taken.get(name, _Taken())
        pairs = list(zip(taken.candidates, taken.tokens, strict=True))
        if name == "standing":
            return sorted(pairs, key=lambda pair: pair[0].item.id)
        return pairs[::-1] if name == "messages" else pairs

    def _omissions(self, offers: Sequence[Offer]) -> Iterator[Omitted]:
        """What is not in the text, section by section."""
        here, _ = self._there()
        for offer in offers:
            yield from offer.missing
            covered = self._taken.get(offer.name, _Taken()).in_messages
            if covered:
                yield omitted(offer.name, "in_messages", covered)
            known = here.union(covered)
            out = [one.item.id for one in offer.candidates if one.item.id not in known]
            if out:
                yield omitted(offer.name, "budget", out)
