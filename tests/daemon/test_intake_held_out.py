"""The two text filters on lines that were written without sight of their rules.

The first run gave 48, 50, 44 and 50 of fifty (docs/benchmarks.md). The kinds that were missed were
mended afterwards, so the floors, which are today's figures, guard against a step back and are
evidence of nothing. Lines and labels stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.held_out_lines import HARMLESS, KEPT, SECRETS, WITHHELD, Line

from cognid_daemon.intake.credentials import find_credentials
from cognid_daemon.intake.withholding import read_request


def _holds_secret(text: str) -> bool:
    return bool(find_credentials(text))


def _is_withheld(text: str) -> bool:
    return read_request(text).withholds


@pytest.mark.parametrize(
    ("lines", "judge", "expected", "floor"),
    [
        pytest.param(SECRETS, _holds_secret, True, 49, id="secrets-caught"),
        pytest.param(HARMLESS, _holds_secret, False, 50, id="harmless-passed"),
        pytest.param(WITHHELD, _is_withheld, True, 50, id="requests-withheld"),
        pytest.param(KEPT, _is_withheld, False, 50, id="others-kept"),
    ],
)
def test_the_filters_are_no_worse_than_they_were(
    lines: tuple[Line, ...], judge: Callable[[str], bool], expected: bool, floor: int
) -> None:
    """As many of the fifty held-out lines are judged rightly as before."""
    wrong = [line for line in lines if judge(line.text) is not expected]
    assert len({line.text for line in lines}) == 50
    assert 50 - len(wrong) >= floor, wrong
