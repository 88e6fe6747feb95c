"""Fusion: two pipelines' scores become one order, and a word on whether it is worth an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognid_daemon.recall.fusion import Fusion, Nearness
from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.places import Places, Standing
from cognid_daemon.recall.ranking import Ranked, Ranking, adjusted, rank_words
from cognid_daemon.recall.terms import is_identifier
from cognid_models import Calibration, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

CALIBRATION = Calibration(Scale(0.5, 0.2, 0.9), Scale(0.5, 0.1, 0.9))
SCORES = st.dictionaries(st.integers(1, 30), st.floats(0, 50), max_size=20)
COSINES = st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=20)


def words(
    scores: dict[int, float],
    literal: frozenset[int] = frozenset(),
    whole: float | None = None,
    held: dict[int, float] | None = None,
    rows: int = 500,
) -> LexicalMatches:
    """What the lexical pipeline gave."""
    shares = [] if held is None else [held.get(rowid, 0.0) for rowid in scores]
    return LexicalMatches(list(scores), list(scores.values()), literal, whole, shares, rows)


def near(cosines: dict[int, float]) -> Nearness:
    """What the vector pipeline gave."""
    rowids = np.fromiter(cosines, np.int64, len(cosines))
    return Nearness(rowids, np.fromiter(cosines.values(), np.float64, len(cosines)), CALIBRATION)


class FixedPlaces(Places):
    """Session, speaker and whether a statement, by rowid; and of which turn which facts are."""

    def __init__(
        self, rows: dict[int, tuple[int, int, bool]], facts: dict[int, list[int]] | None = None
    ) -> None:
        super().__init__()
        self._rows = rows
        self._turns_of_facts = {fact: turn for turn, some in (facts or {}).items() for fact in some}
        self._said = frozenset(facts or {})
        self.names = {speaker for _, speaker, _ in rows.values()}

    def of(self, rowids: NDArray[np.int64]) -> Standing:
        """Where the test has put them."""
        rows = [self._rows.get(rowid, (0, 0, False)) for rowid in rowids.tolist()]
        return Standing(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.int64),
            np.array([row[2] for row in rows], np.bool_),
            np.array([self._turn(rowid) for rowid in rowids.tolist()], np.uint64),
            np.array([rowid in self._turns_of_facts for rowid in rowids.tolist()], np.bool_),
        )

    def _turn(self, rowid: int) -> int:
        return rowid if rowid in self._said else self._turns_of_facts.get(rowid, 0)


def fused(
    lexical: LexicalMatches | None,
    nearness: Nearness | None,
    places: Places,
    named: frozenset[int] = frozenset(),
    count: int = 9,
) -> Ranking:
    """The order; that of the places alone is the same."""
    fusion = Fusion(lexical, nearness, places, named)
    ranking = fusion.ranking(count)
    rowids = [one.revision_rowid for one in ranking.best]
    assert fusion.best(count) == (rowids, ranking.is_evident)
    return ranking


def ranked(
    lexical: LexicalMatches | None,
    vector: dict[int, float] | None,
    standing: dict[int, tuple[int, int, bool]] | None = None,
    named: frozenset[int] = frozenset(),
) -> Ranking:
    """Rank what the pipelines gave."""
    nearness = None if vector is None else near(vector)
    return fused(lexical, nearness, FixedPlaces(standing or {}), named, 100)


def order(
    lexical: LexicalMatches | None,
    vector: dict[int, float] | None,
    standing: dict[int, tuple[int, int, bool]] | None = None,
    named: frozenset[int] = frozenset(),
) -> list[int]:
    """The candidates, best first."""
    return [one.revision_rowid for one in ranked(lexical, vector, standing, named).best]


def test_both_pipelines_count() -> None:
    """What both find is before what either finds alone."""
    assert order(words({1: 9.0, 2: 8.0}), {2: 0.64, 3: 0.65, 4: 0.5})[0] == 2


def test_one_pipeline_is_enough() -> None:
    """Where one did not answer, the other's order is the order, and its part is left out."""
    best = ranked(None, {1: 0.5, 2: 0.7}).best
    assert [(one.revision_rowid, one.lexical, one.vector) for one in best] == [
        (2, None, pytest.approx(1.0)),
        (1, None, 0.0),
    ]
    assert order(words({1: 1.0, 2: 3.0}), None) == [2, 1]


def test_no_candidates_is_no_hits() -> None:
    """Pipelines that found nothing give nothing."""
    assert ranked(words({}), {}).best == []
    assert ranked(None, None).best == []


def test_equal_scores_are_newest_first() -> None:
    """Ties go by the order of storing, which no clock can change."""
    assert order(words({1: 2.0, 3: 2.0, 2: 2.0}), None) == [3, 2, 1]


def test_a_literal_match_beats_any_likeness() -> None:
    """A memory that holds the query's rare identifier is first, whatever else is near."""
    lexical = words({1: 1.0, 2: 9.0, 3: 9.0}, frozenset({1}))
    best = ranked(lexical, {2: 0.7, 3: 0.69, 4: 0.6}).best
    assert best[0].revision_rowid == 1
    assert best[0].is_literal
    assert best[0].score >= 0.5 >= best[1].score


def test_a_statement_is_measured_by_its_own_scale() -> None:
    """The same cosine is worth more where unrelated texts and sure matches lie closer together."""
    standing = {1: (0, 0, False), 2: (0, 0, True)}
    parts = {
        one.revision_rowid: one.vector for one in ranked(None, {1: 0.6, 2: 0.6}, standing).best
    }
    assert parts[1] is not None
    assert parts[2] is not None
    assert abs(parts[1] - 0.5) < 1e-9
    assert abs(parts[2] - 1.0) < 1e-9


def test_a_speaker_who_is_named_is_before_the_other() -> None:
    """Of two equal turns the one of the person that the query names comes first."""
    standing = {1: (0, 77, False), 2: (0, 88, False)}
    assert order(None, {1: 0.6, 2: 0.6}, standing) == [2, 1]
    assert order(None, {1: 0.6, 2: 0.6}, standing, frozenset({77})) == [1, 2]


def test_a_turn_gains_by_its_session() -> None:
    """Of two equal turns the one whose session holds the best match comes first."""
    standing = {1: (5, 0, False), 3: (5, 0, False), 4: (6, 0, False)}
    assert order(None, {1: 0.68, 3: 0.55, 4: 0.55}, standing) == [1, 3, 4]
    assert order(None, {1: 0.68, 3: 0.55, 4: 0.55}) == [1, 4, 3]


def test_a_memory_of_no_session_is_not_behind() -> None:
    """What was stated outside of sessions speaks for itself, as the best of a session does."""
    standing = {1: (5, 0, False), 2: (0, 0, False)}
    assert order(None, {1: 0.6, 2: 0.6}, standing) == [2, 1]


def test_a_fact_ranks_with_its_turn() -> None:
    """However near it is, it is no higher than its turn; of three facts the best two are ranked."""
    cosines = {1: 0.55, 2: 0.6, 11: 0.7, 12: 0.69, 13: 0.68}
    best = fused(None, near(cosines), FixedPlaces({}, {1: [11, 12, 13]})).best
    assert [one.revision_rowid for one in best] == [2, 12, 11, 1]


def test_a_fact_of_a_turn_that_is_no_candidate_speaks_for_itself() -> None:
    """So does one whose turn is only known to have stood beside another: it may be gone by now."""
    places = FixedPlaces({}, {1: [11, 12, 13]})
    cosines = {2: 0.6, 11: 0.7, 12: 0.69, 13: 0.68}
    best = fused(None, near(cosines), places).best
    assert [one.revision_rowid for one in best] == [11, 12, 13, 2]
    lent = words({1: 1.0, 2: 2.0, 11: 9.0}, held={1: 0.0, 2: 0.1, 11: 0.4})
    best = fused(lent, near(cosines), places).best
    assert best[0].revision_rowid == 11


def test_a_fact_is_evidence_by_its_turn() -> None:
    """A near fact of a turn that is far away is no evidence; without that turn it is."""
    lexical = words({}, whole=9.0)
    beside = FixedPlaces({}, {1: [11]})
    assert not fused(lexical, near({1: 0.52, 11: 0.66}), beside).is_evident
    assert fused(lexical, near({2: 0.52, 11: 0.66}), beside).is_evident


def test_no_evidence_is_said() -> None:
    """Far vectors and a common word are no evidence; a near one, half of the query, or a
    pipeline without an answer is, or may be."""
    far = {1: 0.52, 2: 0.51}
    common = words({1: 2.0}, whole=20.0, held={1: 0.1})
    assert not ranked(common, far).is_evident
    assert ranked(common, {1: 0.52, 2: 0.66}).is_evident
    assert ranked(words({1: 2.0}, whole=4.0, held={1: 0.5}), far).is_evident
    assert ranked(common, far, {1: (0, 7, False)}, frozenset({7})).is_evident
    assert ranked(None, far).is_evident
    assert ranked(words({1: 2.0}), far).is_evident


def test_of_a_few_less_is_asked() -> None:
    """The best of many is near by chance, the best of five is not."""
    some = {1: 0.58, 2: 0.51}
    assert not ranked(words({}, whole=9.0), some).is_evident
    assert ranked(words({}, whole=9.0, rows=5), some).is_evident


@given(SCORES, COSINES, st.frozensets(st.integers(1, 30)))
def test_scores_and_parts_are_shares(
    lexical: dict[int, float], vector: dict[int, float], literal: frozenset[int]
) -> None:
    """Scores and their parts lie between 0 and 1 and fall from first to last."""
    best = ranked(words(lexical, literal & lexical.keys()), vector).best
    assert {one.revision_rowid for one in best} == lexical.keys() | vector.keys()
    scores = [one.score for one in best]
    assert scores == sorted(scores, reverse=True)
    for one in best:
        for value in (one.score, one.lexical, one.vector):
            assert value is not None
            assert 0.0 <= value <= 1.0


@given(st.floats(0, 1), st.floats(-3, 3), st.booleans())
def test_an_adjusted_score_stays_on_its_side(score: float, change: float, is_literal: bool) -> None:
    """No salience lifts a memory above a literal match, or drops that below another."""
    score = max(score, 0.5) if is_literal else min(score, 0.5)
    changed = adjusted(Ranked(1, score, None, None, is_literal), change, beside=True).score
    assert (0.5 <= changed <= 1.0) if is_literal else (0.0 <= changed <= 0.5)


@given(SCORES, st.frozensets(st.integers(1, 30)))
def test_words_alone_give_the_same_order(
    lexical: dict[int, float], literal: frozenset[int]
) -> None:
    """Before numpy is there the order is that of the fusion of words alone."""
    found = words(lexical, literal & lexical.keys())
    alone = rank_words(found, 100)
    assert alone.is_evident
    assert [one.revision_rowid for one in alone.best] == order(found, None)
    assert all(0.0 <= one.score <= 1.0 for one in alone.best)


@pytest.mark.parametrize("term", ["klm204", "12\u00b77", "9f3c1ab", "48213", "b2"])
def test_an_identifier(term: str) -> None:
    """Tickets, versions, hashes and long numbers name one thing."""
    assert is_identifier(term)


@pytest.mark.parametrize("term", ["2023", "204", "15th", "9am", "1990s", "word", "th"])
def test_no_identifier(term: str) -> None:
    """Words, years, days and hours do not."""
    assert not is_identifier(term)
