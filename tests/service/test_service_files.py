"""The files of the service: an upgrade on a full disk, a unit that is masked,
and a daemon that does not stop."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cognid.paths import Places
from cognid.protocol.errors import CognidError
from cognid.service import launchd, systemd

OLD = "the older version's\n"


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond a hundred bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with programs for service managers that say yes to all."""
    tmp_path.chmod(0o700)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "launchctl"):
        (programs / name).write_text("#!/bin/sh\necho running\n")
        (programs / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


@pytest.mark.parametrize("manager", [systemd, launchd])
def test_a_full_disk_leaves_the_older_service(home: Path, manager: object) -> None:
    """What was installed goes on as it was: half a unit, or an empty one, would start nothing."""
    assert manager in (systemd, launchd)
    is_systemd = manager is systemd
    file = systemd.user_folder() / "cognid.socket" if is_systemd else launchd.agent_path()
    file.parent.mkdir(parents=True)
    file.write_text(OLD)
    places = Places(home / "data", home / "config", home / "run/bridge.sock")
    install = systemd.install if is_systemd else launchd.install
    with full_disk(), pytest.raises(CognidError, match=file.name) as caught:
        install(home / "bin/cognid", places)
    assert caught.value.code == "service_failed"
    assert file.read_text() == OLD
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_masked_unit_is_left_masked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written through the link: root would change what it leads to, for everybody."""
    nothing = home / "null"
    nothing.touch()
    nothing.chmod(0o666)
    monkeypatch.setattr(os, "devnull", str(nothing))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(systemd, "SYSTEM_FOLDER", home / "system")
    monkeypatch.setattr(systemd, "_HIDDEN", ())
    unit = home / "system/cognid@.service"
    unit.parent.mkdir()
    unit.symlink_to(nothing)
    with pytest.raises(CognidError, match="masked"):
        systemd.install_system(home / "bin/cognid")
    assert stat.S_IMODE(nothing.stat().st_mode) == 0o666
    assert nothing.read_bytes() == b""


def test_a_service_that_does_not_stop_is_not_called_stopped(home: Path) -> None:
    """Where the manager fails to stop it, the report says that it runs on."""
    (home / "bin/systemctl").write_text("#!/bin/sh\necho ActiveState=active\nexit 1\n")
    file = systemd.user_folder() / "cognid.service"
    file.parent.mkdir(parents=True)
    file.write_text(OLD)
    places = Places(home / "data", home / "config", home / "run/bridge.sock")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systemd, "_call", lambda *_: None)
        report = systemd.uninstall(places)
    assert not any("stopped" in line for line in report.done)
    assert any("runs on" in line for line in report.notes)
