"""From ranked memories, now read, to the hits of a page.

Owns: what only the memory itself tells (does it ask or tell, is it of the time that is asked for,
is it pinned), the groups of a turn and its facts, and the variety of the page. May not read the
bank. Nothing is dropped here but what another hit stands for, and that hit names it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from cognid.protocol.values import Provenance
from cognid_daemon.bank.fold import fold_query
from cognid_daemon.bank.rows import Event, Memory
from cognid_daemon.bank.view import overlap
from cognid_daemon.intake.instants import instant_of
from cognid_daemon.recall.moments import Stretch
from cognid_daemon.recall.ranking import Ranked, adjusted
from cognid_daemon.recall.weights import WEIGHTS

RESERVE: Final = 10
"""Memories that are read beyond a page, for what folds or steps back."""

_ALIKE_ON_A_PAGE: Final = 3
"""Hits that say the same, before those that say something else come first."""

_SAYS_ONE_THING: Final = 300
"""Characters of a text that may say the same as another; a longer one says something else too."""

_SAME_WORDS: Final = 0.75
_OVERTAKES: Final = 0.5
"""Of the score of a statement, what a newer one that says nearly the same must have to go first."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that was found, and the ids of those of its group that it stands for.

    `asks`: it is a turn that ends in a question, or a fact of such a turn.
    """

    memory: Memory
    event: Event | None
    ranked: Ranked
    folded: tuple[str, ...] = ()
    asks: bool = False


AreAlike = Callable[[int, int], bool]
Alike = Callable[[Sequence[Found]], AreAlike]
"""Of some memories, known by their places: whether two of them say nearly the same."""


def select(
    found: Sequence[Found], stretch: Stretch | None, alike: Alike, limit: int
) -> list[Found]:
    """Give the page: at most `limit` of what was found, best first."""
    beside = any(one.ranked.is_literal for one in found)
    weighed: list[Found] = []
    for one in found:
        ranked = adjusted(one.ranked, _change(one, stretch), beside=beside)
        if ranked is not one.ranked:
            one = Found(one.memory, one.event, ranked, one.folded, one.asks)
        weighed.append(one)
    weighed.sort(key=_place, reverse=True)
    return _newest_first(_varied(_folded(weighed), alike, limit))


def same_words(found: Sequence[Found]) -> AreAlike:
    """Whether, of two short texts, the shorter says little that the longer does not."""

    @cache
    def words_of(place: int) -> frozenset[str]:
        text = found[place].memory.text or ""
        return frozenset(fold_query(text)) if _is_short(found[place]) else frozenset()

    def are_same(one: int, other: int) -> bool:
        words, others = words_of(one), words_of(other)
        least = min(len(words), len(others))
        return least > 1 and len(words & others) >= _SAME_WORDS * least

    return are_same


def _place(found: Found) -> tuple[bool, float, bool, int]:
    """What orders: a fact is before its turn, and the newest before the others."""
    ranked = found.ranked
    return ranked.is_literal, ranked.score, found.memory.is_fact, ranked.revision_rowid


def _change(found: Found, stretch: Stretch | None) -> float:
    """What a memory itself adds to its score, in parts of the whole."""
    memory = found.memory
    change = WEIGHTS.pinned * memory.pinned
    change += WEIGHTS.explicit * (memory.provenance is Provenance.EXPLICIT)
    if found.asks:
        change -= WEIGHTS.question
    if stretch is not None:
        event = found.event
        stamp = memory.event_time or (None if event is None else event.occurred_at)
        if stamp is not None:
            change += WEIGHTS.moment * stretch.share(instant_of(stamp))
    return change


def asks(text: str) -> bool:
    """Whether a text ends in a question."""
    return text[-20:].rstrip().endswith(("?", "\uff1f", "\u061f"))


def _folded(found: Sequence[Found]) -> list[Found]:
    """One hit for a turn and the facts inside it: the best of them, which names the others.

    Two facts of one turn are two hits, unless the turn itself is better than either. A fact that is
    most of its turn stands for it even where the turn is better: nothing is lost by that.
    """
    shown: list[Found] = []
    heads: dict[int, list[int]] = {}
    for one in found:
        event_rowid = one.memory.event_rowid
        if event_rowid is None:
            shown.append(one)
            continue
        places = heads.setdefault(event_rowid, [])
        place = next((p for p in places if _are_grouped(one.memory, shown[p].memory)), None)
        if place is None:
            places.append(len(shown))
            shown.append(one)
        else:
            head, other = shown[place], one
            if _is_most_of(one.memory, head.memory):
                better = head.ranked._replace(revision_rowid=one.ranked.revision_rowid)
                head, other = replace(one, ranked=better, folded=head.folded), head
            shown[place] = replace(head, folded=(*head.folded, other.memory.memory_id))
    return shown


def _is_most_of(fact: Memory, turn: Memory) -> bool:
    """Whether a fact has at least half of the characters of the turn that it stands in."""
    return fact.is_fact and 2 * len(fact.text or "") >= len(turn.text or "")


def _are_grouped(one: Memory, other: Memory) -> bool:
    """Whether, of two memories of one event, one is a turn and the other a fact inside it."""
    return one.is_fact is not other.is_fact and overlap(one, other)


def _varied(found: Sequence[Found], alike: Alike, limit: int) -> list[Found]:
    """Let what says the same for the fourth time wait for what says something else."""
    are_alike = alike(found)
    short = [_is_short(one) for one in found]
    first: list[int] = []
    waiting: list[int] = []
    for place, one in enumerate(found):
        if len(first) == limit:
            break
        is_said = (
            place >= _ALIKE_ON_A_PAGE
            and short[place]
            and not one.ranked.is_literal
            and sum(short[other] and are_alike(place, other) for other in first) >= _ALIKE_ON_A_PAGE
        )
        (waiting if is_said else first).append(place)
    return [found[place] for place in (*first, *waiting)[:limit]]


def _is_short(found: Found) -> bool:
    return len(found.memory.text or "") <= _SAYS_ONE_THING


def _newest_first(found: list[Found]) -> list[Found]:
    """Of two hits side by side that say nearly the same the newer comes first: where they disagree
    it is the one that holds."""
    are_same = same_words(found)
    ordered = list(enumerate(found))
    for place in range(1, len(ordered)):
        at = place
        while at:
            (before, older), (after, newer) = ordered[at - 1 : at + 1]
            # Whether they are the same is asked last: both texts are folded for it.
            if not (_may_overtake(newer, older) and are_same(before, after)):
                break
            first = replace(newer, ranked=newer.ranked._replace(score=older.ranked.score))
            ordered[at - 1 : at + 1] = [(after, first), (before, older)]
            at -= 1
    return [one for _, one in ordered]


def _may_overtake(after: Found, before: Found) -> bool:
    return (
        after.ranked.revision_rowid > before.ranked.revision_rowid
        and after.ranked.score >= _OVERTAKES * before.ranked.score
        and before.ranked.is_literal is after.ranked.is_literal
        and before.memory.pinned <= after.memory.pinned
        and not asks(after.memory.text or "")
    )
