"""What every test has: a clean environment, a fresh daemon on demand, and a header that names what
this machine cannot do, so that a skip is visible."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, RawConnection, running
from support.talk import Agent

DATA_VARIABLE = "COGNID_DATA"
RERANKER_VARIABLE = "COGNID_RERANKER"
_ROOT = Path(__file__).parent.parent


def data_folder() -> Path | None:
    """The folder of public data sets: `$COGNID_DATA`, else `../shared/data` beside the checkout."""
    named = os.environ.get(DATA_VARIABLE)
    folder = Path(named) if named else _ROOT.parent / "shared/data"
    return folder if folder.is_dir() else None


def reranker_folder() -> Path | None:
    """The folder of the optional reranker: `$COGNID_RERANKER`, else `../shared/models/reranker`
    beside the data sets or the checkout."""
    named = os.environ.get(RERANKER_VARIABLE)
    data = data_folder()
    beside = _ROOT.parent / "shared" if data is None else data.parent
    folder = Path(named) if named else beside / "models/reranker"
    return folder if folder.is_dir() else None


_DATA = data_folder()
_RERANKER = reranker_folder()
_CAPABILITIES = {
    "root": os.geteuid() == 0,
    "unshare": shutil.which("unshare") is not None,
    "setpriv": shutil.which("setpriv") is not None,
    "systemd": Path("/lib/systemd/systemd").exists(),
    "strace": shutil.which("strace") is not None,
    "gcc": shutil.which("gcc") is not None,
    "linux": sys.platform == "linux",
    "data": _DATA is not None,
    "reranker": _RERANKER is not None,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--slow` runs the tests that take minutes."""
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")


def pytest_report_header() -> str:
    """Name what is missing here."""
    missing = [name for name, there in _CAPABILITIES.items() if not there]
    return f"cognid: missing here: {', '.join(missing) or 'nothing'}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what was not asked for or cannot run here, and say why. Side by side run files, but for
    those that start a systemd each."""
    slow = pytest.mark.skip(reason="takes minutes; run with --slow")
    root = pytest.mark.skip(reason="needs root")
    for item in items:
        if "slow" in item.keywords and not config.getoption("--slow"):
            item.add_marker(slow)
        if "root" in item.keywords and not _CAPABILITIES["root"]:
            item.add_marker(root)
        own = item.path.name if item.path.parent.name != "service" else "service"
        item.add_marker(pytest.mark.xdist_group(own))


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away every variable by which a person's own Cognid could reach into a test, and the
    width of the terminal that a runner of tests names."""
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in tuple(os.environ):
        if name.startswith(("COGNID_", "XDG_", "LISTEN_", "NOTIFY_", "WATCHDOG_")):
            monkeypatch.delenv(name)


@pytest.fixture
def data() -> Path:
    """The folder of public data sets; skips where there is none."""
    if _DATA is None:
        pytest.skip(f"no data sets: set {DATA_VARIABLE}")
    return _DATA


@pytest.fixture(scope="session")
def reranker_source() -> Path:
    """The folder that holds the reranker's file; skips where there is none."""
    if _RERANKER is None:
        pytest.skip(f"no reranker: set {RERANKER_VARIABLE}")
    return _RERANKER


@pytest.fixture
def daemon() -> Iterator[DaemonProcess]:
    """A started daemon in a home of its own. A traceback in its log fails the test."""
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def shared_daemon() -> Iterator[DaemonProcess]:
    """One real daemon for a module of tests, each with a bank of its own. A folder or a module that
    needs other settings has a `shared_daemon` of its own."""
    with running(settings=WITHOUT_MODEL) as started:
        yield started


@pytest.fixture
def connection(shared_daemon: DaemonProcess) -> Iterator[RawConnection]:
    """A connection of the owner."""
    with shared_daemon.connect() as connected:
        yield connected


@pytest.fixture
def bank(connection: RawConnection) -> Agent:
    """An empty bank of an agent that no other test knows."""
    return Agent(connection)
