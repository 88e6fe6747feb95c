"""Fusion: two pipelines' scores become one order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cognid_daemon.recall.lexical import LexicalMatches
from cognid_daemon.recall.ranking import rank

SCORES = st.dictionaries(st.integers(1, 30), st.floats(0, 50), max_size=20)


def words(scores: dict[int, float], literal: frozenset[int] = frozenset()) -> LexicalMatches:
    """What the lexical pipeline gave."""
    return LexicalMatches(scores, literal)


def order(lexical: LexicalMatches | None, vector: dict[int, float] | None) -> list[int]:
    """The candidates, best first."""
    return [one.revision_rowid for one in rank(lexical, vector, 100)]


def test_both_pipelines_count() -> None:
    """What both find is before what either finds alone."""
    assert order(words({1: 9.0, 2: 8.0}), {2: 0.89, 3: 0.9, 4: 0.7})[0] == 2


def test_one_pipeline_is_enough() -> None:
    """Where one did not answer, the other's order is the order, and its part is the score."""
    ranked = rank(None, {1: 0.7, 2: 0.9}, 10)
    assert [(one.revision_rowid, one.score, one.lexical) for one in ranked] == [
        (2, 1.0, None),
        (1, 0.0, None),
    ]
    assert order(words({1: 1.0, 2: 3.0}), None) == [2, 1]


def test_no_candidates_is_no_hits() -> None:
    """Pipelines that found nothing give nothing."""
    assert rank(words({}), {}, 10) == []
    assert rank(None, None, 10) == []


def test_equal_scores_are_newest_first() -> None:
    """Ties go by the order of storing, which no clock can change."""
    assert order(words({1: 2.0, 3: 2.0, 2: 2.0}), None) == [3, 2, 1]


def test_a_literal_match_beats_any_likeness() -> None:
    """A memory that holds the query's rare identifier is first, whatever else is near."""
    lexical = words({1: 1.0, 2: 9.0, 3: 9.0}, frozenset({1}))
    assert order(lexical, {2: 0.95, 3: 0.9, 4: 0.8})[0] == 1


@given(SCORES, SCORES, st.frozensets(st.integers(1, 30)))
def test_scores_and_parts_are_shares(
    lexical: dict[int, float], vector: dict[int, float], literal: frozenset[int]
) -> None:
    """Scores and their parts lie between 0 and 1 and fall from first to last."""
    ranked = rank(words(lexical, literal & lexical.keys()), vector, 100)
    assert {one.revision_rowid for one in ranked} == lexical.keys() | vector.keys()
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    for one in ranked:
        for value in (one.score, one.lexical, one.vector):
            assert value is not None
            assert 0.0 <= value <= 1.0
