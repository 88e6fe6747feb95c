from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cognid_daemon.logs import Level, Log, fault_fields


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    """Standard error, as the log writes it."""
    return capfd


def test_line_has_time_level_event_and_fields(lines: pytest.CaptureFixture[str]) -> None:
    """A line is time, level, event and key=value fields; odd values are quoted."""
    Log().info("ready", count=3, took_ms=1.23456789, path="/a b", none=None)
    line = lines.readouterr().err
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z info ready "
        r'count=3 took_ms=1\.23457 path="/a b" none=None\n',
        line,
    )


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_level_is_a_threshold(
    lines: pytest.CaptureFixture[str], level: Level, expected: list[str]
) -> None:
    """Lines below the level are not written."""
    log = Log(level)
    for say in (log.debug, log.info, log.warning, log.error):
        say("event")
    written = [line.split()[1] for line in lines.readouterr().err.splitlines()]
    assert written == expected


def test_line_breaks_cannot_forge_a_line(lines: pytest.CaptureFixture[str]) -> None:
    """A value cannot end its line, its quotes or grow without bound."""
    Log().info("event", value='a\nerror forged x="1', long="y" * 1000)
    written = lines.readouterr().err
    assert written.count("\n") == 1
    assert 'value="a?error forged x=\\"1"' in written
    assert len(written) < 500


def test_journal_gets_priorities(
    lines: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where systemd reads standard error, a line begins with its priority and has no time."""
    status = os.fstat(2)
    monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
    log = Log()
    log.error("bad")
    log.info("good")
    assert lines.readouterr().err == "<3>bad\n<6>good\n"


def test_fault_is_logged_by_type_and_place_only() -> None:
    """Of an exception the type, its cause's type and the places are kept, never its words."""
    try:
        try:
            raise KeyError("CANARY-77")
        except KeyError as inner:
            raise ValueError("CANARY-78") from inner
    except ValueError as error:
        fields = fault_fields(error)
    assert fields["type"] == "ValueError"
    assert fields["cause"] == "KeyError"
    assert str(fields["at"]).startswith(f"{Path(__file__).name}:")
    assert "CANARY" not in str(fields)
