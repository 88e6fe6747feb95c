"""The bench of the vector index alone: it comes to its end, and each figure can be printed."""

from __future__ import annotations

import pytest
from measure import exactness
from measure.exactness import measure_exactness

from cognid_daemon.recall.graph_build import BREADTHS


async def test_every_figure_is_measured_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """At small sizes all of the true neighbours are kept, and the graph finds what a scan finds."""
    monkeypatch.setattr(exactness, "_SIZES", (2_000, 5_000))
    monkeypatch.setattr(exactness, "_QUERIES", 20)
    figures = {figure.name: figure for figure in await measure_exactness(quick=True)}
    assert all(name in figure.line() for name, figure in figures.items())
    shares = [figure.value for name, figure in figures.items() if name.startswith("of the ")]
    assert len(shares) == 2 + len(BREADTHS)
    assert all(share is not None and share >= 99.0 for share in shares)
