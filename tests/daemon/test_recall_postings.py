"""What postings leave out of their sorting changes no result."""

from __future__ import annotations

import numpy as np
import pytest

from cognid_daemon.recall.kept_rows import numbers
from cognid_daemon.recall.ordered import distinct
from cognid_daemon.recall.postings import _best, _promising


@pytest.mark.parametrize("count", [1, 7, 9_142, 9_143, 9_144, 60_000])
def test_long_lists_are_read_in_parts(count: int) -> None:
    """However many rowids a term has, each is read once and whole."""
    listed = ",".join(str(1_000_000 + number) for number in range(count))
    assert np.array_equal(numbers(listed), np.arange(1_000_000, 1_000_000 + count))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_are_the_best(seed: int) -> None:
    """They have the totals that sorting all of them would give, however many terms there are."""
    source = np.random.default_rng(seed)
    total = np.zeros(3_000, np.float32)
    found = []
    for _ in range(source.integers(1, 5)):
        rowids = np.sort(source.choice(3_000, source.integers(1, 2_500), replace=False))
        total[rowids] += source.random(len(rowids), dtype=np.float32)
        found.append(rowids)
    total[source.random(3_000) < (0.0, 0.5, 0.97)[seed % 3]] = 0.0  # what a filter leaves out
    best = np.sort(total[_best(total, _promising(total, found, 150), 150)])
    assert np.array_equal(best, np.sort(total[total > 0.0])[-150:])


def test_each_once() -> None:
    """Numbers in order, each once; none of none."""
    assert distinct(np.array([5, 1, 5, 3, 1])).tolist() == [1, 3, 5]
    assert distinct(np.zeros(0, np.int64)).tolist() == []
