"""Figures and their bars."""

from measure.figures import Figure


def test_a_figure_is_over_only_above_its_bar() -> None:
    """At the bar it is ok; without a bar there is no verdict."""
    assert Figure("a", 2.0, "x", 2.0).verdict == "ok"
    assert Figure("a", 2.01, "x", 2.0).verdict == "over"
    assert Figure("a", 2.0, "x").verdict == ""


def test_a_least_bar_is_missed_below_it() -> None:
    """The rate of 32 clients has to reach its bar."""
    assert Figure("a", 11.0, "x", 11.0, least=True).verdict == "ok"
    assert Figure("a", 10.9, "x", 11.0, least=True).verdict == "under"


def test_what_was_not_run_is_printed_with_its_reason() -> None:
    """A figure that cannot be measured here is never left out."""
    figure = Figure("writes", None, "x", 1.3, not_run="no cc")
    assert figure.verdict == "not run"
    assert figure.line().endswith("not run: no cc")
    assert figure.as_json()["not_run"] == "no cc"
