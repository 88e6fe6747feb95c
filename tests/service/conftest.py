"""The built wheel, and a user's own systemd with Cognid installed into it as a person would."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.installed import ENVIRONMENT, Installed
from support.servicemanager import missing, service_manager
from support.wheel import ROOT, build_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built once, readable for the user who installs it."""
    folder = tmp_path_factory.mktemp("wheel")
    folder.chmod(0o755)
    return build_wheel(folder)


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """A user manager in which `cognid service install` was run."""
    reason = missing()
    if reason:
        pytest.skip(f"no user manager: {reason}")
    visible = [Path(sys.base_prefix), ROOT, wheel.parent]
    log = tmp_path_factory.mktemp("manager") / "log"
    with service_manager("user", visible, log) as manager:
        program = ROOT / "tests/support/wheel.py"
        made = manager.run(
            [sys.executable, program, ENVIRONMENT, wheel, sys.executable, "daemon"],
            check=False,
            timeout=60,
        )
        if "Permission denied" in made.stderr:
            pytest.skip("no user manager: this checkout cannot be read by other users")
        assert made.returncode == 0, made.stderr
        installed = Installed(manager)
        installed.cognid("service", "install")
        yield installed


@pytest.fixture
def service(installed: Installed) -> Installed:
    """The installed service, listening and not running."""
    installed.reset()
    return installed
