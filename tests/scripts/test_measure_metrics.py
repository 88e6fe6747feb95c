"""The formulae of scripts/measure/metrics.py against values worked out by hand."""

import math

import pytest
from measure.metrics import (
    Scored,
    all_at,
    any_at,
    frac_at,
    mean_of_folds,
    ndcg_at,
    percentile,
    reciprocal_rank,
    score,
    summarize,
)

GOLD = frozenset({"a", "b", "c"})
# Gold at ranks 2 and 6; the second `a` only takes up room.
RANKING = ["x", "a", "w", "a", "y", "b", "z"]


def test_gold_is_found_at_its_first_place() -> None:
    """An id that stands in a ranking twice counts once, at its first place."""
    assert score("1", RANKING, GOLD).places == (1, 5)


def test_any_frac_and_all_count_what_stands_before_the_cut() -> None:
    """At 5 one of three is found, at 10 two of three, and never all of them."""
    scored = score("1", RANKING, GOLD)
    assert (any_at(scored, 5), any_at(scored, 1)) == (1.0, 0.0)
    assert [frac_at(scored, 5), frac_at(scored, 10)] == pytest.approx([1 / 3, 2 / 3])
    assert all_at(scored, 10) == 0.0
    assert all_at(score("1", ["c", "b", "a"], GOLD), 5) == 1.0


def test_a_place_at_the_cut_is_outside() -> None:
    """Rank 5 is within 5, rank 6 is not."""
    assert any_at(score("1", ["x"] * 4 + ["a"], GOLD), 5) == 1.0
    assert any_at(score("1", ["x"] * 5 + ["a"], GOLD), 5) == 0.0


def test_ndcg_is_the_gain_over_the_best_gain() -> None:
    """Ranks 2 and 6 of three gold items: (1/log2 3 + 1/log2 7) / (1 + 1/log2 3 + 1/2) = .4633."""
    best = 1 + 1 / math.log2(3) + 0.5
    expected = (1 / math.log2(3) + 1 / math.log2(7)) / best
    assert ndcg_at(score("1", RANKING, GOLD), 10) == pytest.approx(expected)
    assert expected == pytest.approx(0.4633, abs=1e-4)
    assert ndcg_at(score("1", ["a", "b", "c"], GOLD), 10) == pytest.approx(1.0)


def test_ndcg_is_1_where_more_is_gold_than_fits() -> None:
    """With 12 gold items and 10 of them in the first 10 places nothing better was possible."""
    gold = frozenset(str(number) for number in range(12))
    assert ndcg_at(score("1", [str(n) for n in range(10)], gold), 10) == pytest.approx(1.0)


def test_reciprocal_rank_is_that_of_the_first_gold() -> None:
    """Rank 2 gives a half; nothing found gives 0."""
    assert reciprocal_rank(score("1", RANKING, GOLD)) == 0.5
    assert reciprocal_rank(score("1", ["x"], GOLD)) == 0.0


def test_summary_is_the_mean_over_questions() -> None:
    """One question answered at rank 1 and one not at all: every figure is a half."""
    one = frozenset({"a"})
    summary = summarize([score("1", ["a"], one), score("1", [], one)])
    assert summary.pop("questions") == 2
    assert set(summary.values()) == {0.5}
    assert summarize([]) == {"questions": 0}


def test_percentile_is_the_nearest_rank() -> None:
    """Of 1 to 100 the median is 50, the 99th percentile 99, the 100th 100."""
    values = [float(number) for number in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.5, 0.99, 1.0)] == [50, 99, 100]
    assert percentile([7.0], 0.99) == 7.0


def test_folds_count_alike_whatever_they_hold() -> None:
    """The mean of folds is over their means; a session counts where its turn does not."""
    some = [
        Scored("a", (0,), 1, fold="one", near=(0,)),
        Scored("a", (), 1, fold="one", near=(3,)),
        Scored("a", (), 1, fold="one", near=(7,)),
        Scored("a", (0,), 1, fold="two", near=(0,)),
    ]
    means = mean_of_folds(some)
    assert means["folds"] == 2
    assert means["any@5"] == pytest.approx((1 / 3 + 1) / 2)
    assert means["session_any@5"] == pytest.approx((2 / 3 + 1) / 2)
    assert "session_any@5" not in summarize([Scored("a", (0,), 1)])
    assert mean_of_folds([]) == {"folds": 0}
