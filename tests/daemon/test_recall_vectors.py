"""The vector index: exact, compact, without tombstones."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from cognid_daemon.recall import matrix
from cognid_daemon.recall.matrix import Windows, pack
from cognid_daemon.recall.vectors import VectorIndex

DIMENSION = 64


def unit(count: int, seed: int = 1) -> NDArray[np.float32]:
    """Random directions."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def packed(owners: list[int], vectors: NDArray[np.float32]) -> Windows:
    """Vectors ready for an index; the span tells the row."""
    spans = [(place, place + 1) for place in range(len(owners))]
    return pack(owners, spans, vectors.astype("<f2").tobytes(), DIMENSION)


def filled(owners: list[int], vectors: NDArray[np.float32]) -> VectorIndex:
    """An index that holds them."""
    index = VectorIndex(DIMENSION)
    index.add(packed(owners, vectors))
    return index


def test_the_nearest_are_the_exact_nearest() -> None:
    """Over several blocks, the best ten by int8 are the best ten by float32 but for near ties."""
    vectors = unit(10_000)
    index = filled(list(range(1, 10_001)), vectors)
    kept = 0
    for query in unit(20, seed=2):
        exact = set((np.argsort(-(vectors @ query))[:10] + 1).tolist())
        kept += len(exact & set(index.search(query, 40).rowids.tolist()))
    assert kept == 200


def test_scores_are_cosines() -> None:
    """A score is the cosine to within the int8 rounding."""
    vectors = unit(100)
    query = unit(1, seed=2)[0]
    matches = filled(list(range(100)), vectors).search(query, 100)
    assert len(matches) == 100
    assert matches.cosines == pytest.approx(vectors[matches.rowids] @ query, abs=0.01)


def test_windows_fold_to_their_memory() -> None:
    """A memory of many windows takes one place, by its best window, and hides no other memory."""
    vectors = unit(1_000)
    query = vectors[7]
    owners = [1] * 997 + [2, 3, 4]
    matches = filled(owners, vectors).search(query, 4)
    assert sorted(matches.rowids.tolist()) == [1, 2, 3, 4]
    assert matches.rowids[0] == 1
    assert matches.spans[0].tolist() == [7, 8]


def test_only_the_allowed_answer() -> None:
    """A filter costs no neighbours: the best of those allowed are found however far they are."""
    vectors = unit(1_000)
    index = filled(list(range(1_000)), vectors)
    matches = index.search(vectors[0], 10, [500, 700, 5_000])
    assert set(matches.rowids.tolist()) == {500, 700}


@pytest.mark.parametrize("removed", [{1}, {10_000}, {1, 2, 9_999, 10_000}, set(range(1, 10_001))])
def test_removal_leaves_the_others(removed: set[int]) -> None:
    """What is removed is gone, what stays is found as before, and the memory shrinks."""
    vectors = unit(10_000)
    index = filled(list(range(1, 10_001)), vectors)
    for rowid in removed:
        index.remove(rowid)
    index.settle()
    assert len(index) == 10_000 - len(removed)
    for probe in (1, 2, 5_000, 9_999, 10_000):
        found = index.search(vectors[probe - 1], 1).rowids.tolist()
        assert (found == [probe]) == (probe not in removed)


def test_nothing_of_a_removed_vector_stays() -> None:
    """Its codes are overwritten, and so is the place it leaves at the end."""
    vectors = unit(3)
    index = filled([1, 2, 3], vectors)
    index.settle()
    codes = packed([2], vectors[1:2]).codes[0]
    index.remove(2)
    index.settle()
    assert not any((block == codes).all(axis=1).any() for block in index._matrix._blocks)
    assert not index._matrix._blocks[0][2:].any()


def test_several_removed_at_once() -> None:
    """In any order, the last ones and unknown ones among them; all others stay."""
    vectors = unit(5_000)
    index = filled(list(range(1, 5_001)), vectors)
    gone = [5_000, 1, 4_097, 4_096, 17, 9_999, 4_999]
    for owner in gone:
        index.remove(owner)
    assert set(index.owners().tolist()) == set(range(1, 5_001)) - set(gone)
    for owner in (2, 4_095, 4_998):
        assert index.search(vectors[owner - 1], 1).rowids.tolist() == [owner]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, 3.0])
def test_unsound_vectors_are_refused(bad: float) -> None:
    """A vector that is not finite and of length 1 never enters."""
    vectors = unit(3)
    vectors[1] = bad
    index = filled([1, 2, 3], vectors)
    index.settle()
    assert len(index) == 2
    found = set(index.search(vectors[0], 3).rowids.tolist())
    assert found == {1, 3}


def test_an_empty_index_answers() -> None:
    """No vectors, no matches, no error."""
    assert len(VectorIndex(DIMENSION).search(unit(1)[0], 10)) == 0
    assert len(pack([], [], b"", DIMENSION).owners) == 0


def test_a_vector_takes_few_bytes() -> None:
    """Below 450 bytes a vector at 384 dimensions (issue of scale), blocks half full included."""
    index = VectorIndex(384)
    count = 20_000
    rows = np.random.default_rng(1).standard_normal((count, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index.add(pack(range(count), [(0, 1)] * count, rows.astype("<f2").tobytes(), 384))
    index.settle()
    columns = (index._matrix._owners, index._matrix._spans, index._matrix._scales)
    size = sum(block.nbytes for block in index._matrix._blocks) + sum(c.nbytes for c in columns)
    assert size / count < 450


def test_searches_and_changes_on_several_threads() -> None:
    """Adds and removes while others search: no error, and the end is what was asked for."""
    vectors = unit(2_000)
    index = VectorIndex(DIMENSION)
    failures: list[BaseException] = []

    def search() -> None:
        try:
            for query in unit(200, seed=3):
                matches = index.search(query, 20)
                assert len(set(matches.rowids.tolist())) == len(matches)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for start in range(0, 2_000, 50):
        index.add(packed(list(range(start, start + 50)), vectors[start : start + 50]))
        for rowid in range(start, start + 25):
            index.remove(rowid)
    for thread in threads:
        thread.join()
    index.settle()
    assert failures == []
    assert len(index) == 1_000


def test_two_threads_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large index is scanned in halves; the answer is the same, filtered or not."""
    vectors = unit(20_000)
    index = filled(list(range(1, 20_001)), vectors)
    allowed = list(range(3, 20_001, 7))

    def both(query: NDArray[np.float32]) -> list[list[list[float]]]:
        found = (index.search(query, 40), index.search(query, 40, allowed))
        return [[one.rowids.tolist(), one.cosines.tolist(), one.spans.tolist()] for one in found]

    for query in unit(5, seed=4):
        alone = both(query)
        with monkeypatch.context() as patch:
            patch.setattr(matrix, "_SHARED", 2)
            assert both(query) == alone


def test_a_search_ends_at_its_deadline() -> None:
    """Past its time a scan gives up, and one that waits for the lock does so too."""
    index = filled(list(range(1, 20_001)), unit(20_000))
    query = unit(1, seed=5)[0]
    with pytest.raises(TimeoutError):
        index.search(query, 10, until=time.monotonic() - 1)
    with index._lock:
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            index.search(query, 10, until=begun + 0.05)
        assert time.monotonic() - begun < 0.5
    assert len(index.search(query, 10, until=time.monotonic() + 10)) == 10
