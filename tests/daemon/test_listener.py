from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cognid.protocol.errors import CognidError
from cognid_daemon.listener import listen


@pytest.fixture
def folder() -> Iterator[Path]:
    """A 0700 folder with a short path."""
    with tempfile.TemporaryDirectory(prefix="cg-", dir="/tmp") as name:
        yield Path(name)


def leftover(path: Path) -> None:
    """Leave a socket file behind, as a killed daemon does."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(os.fspath(path))


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_socket_is_0600_in_a_0700_folder(folder: Path, umask: int) -> None:
    """Whatever the umask, only we can reach the socket, and the umask comes back."""
    before = os.umask(umask)
    try:
        listener = listen(folder / "in/bridge.sock")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "in/bridge.sock").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "in").stat().st_mode) == 0o700
    listener.socket.close()


def test_loose_folder_of_ours_is_tightened(folder: Path) -> None:
    """A folder of ours that others can enter is closed to them."""
    (folder / "in").mkdir()
    (folder / "in").chmod(0o777)
    listen(folder / "in/bridge.sock").socket.close()
    assert stat.S_IMODE((folder / "in").stat().st_mode) == 0o700


def test_leftover_socket_is_replaced(folder: Path) -> None:
    """A socket file that a killed daemon left is removed, and callers reach the new one."""
    path = folder / "bridge.sock"
    leftover(path)
    listener = listen(path)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(os.fspath(path))
    listener.remove()
    assert not path.exists()
    listener.socket.close()


def test_a_socket_that_took_our_place_is_left_alone(folder: Path) -> None:
    """A daemon whose socket's file was removed takes nobody else's away when it stops."""
    path = folder / "bridge.sock"
    first = listen(path)
    path.unlink()
    second = listen(path)
    first.remove()
    first.socket.close()
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(os.fspath(path))
    second.remove()
    assert not path.exists()
    second.socket.close()


def test_what_is_no_socket_is_left_alone(folder: Path) -> None:
    """A file, a folder or a link in the socket's place is refused, not removed."""
    path = folder / "bridge.sock"
    kinds: tuple[tuple[Callable[[], None], Callable[[], None]], ...] = (
        (path.touch, path.unlink),
        (path.mkdir, path.rmdir),
        (lambda: path.symlink_to(folder / "elsewhere"), path.unlink),
    )
    for make, undo in kinds:
        make()
        with pytest.raises(CognidError) as caught:
            listen(path)
        assert caught.value.code == "folder_unsafe"
        undo()


def test_symlinked_folder_is_refused(folder: Path) -> None:
    """A link in the place of the socket's folder is refused."""
    (folder / "real").mkdir(mode=0o700)
    (folder / "in").symlink_to(folder / "real")
    with pytest.raises(CognidError) as caught:
        listen(folder / "in/bridge.sock")
    assert caught.value.code == "folder_unsafe"


def test_touch_keeps_the_file_young(folder: Path) -> None:
    """The watchdog's tick renews the socket file's times; a vanished file is no fault."""
    path = folder / "bridge.sock"
    listener = listen(path)
    os.utime(path, (1, 1))
    listener.touch()
    assert path.stat().st_mtime > 1
    path.unlink()
    listener.touch()
    listener.remove()
    listener.socket.close()


def test_variables_of_another_process_are_not_ours(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LISTEN_FDS that was meant for another process is ignored and not handed on."""
    monkeypatch.setenv("LISTEN_PID", str(os.getpid() + 1))
    monkeypatch.setenv("LISTEN_FDS", "1")
    listener = listen(folder / "bridge.sock")
    assert listener.path == folder / "bridge.sock"
    assert "LISTEN_FDS" not in os.environ
    listener.socket.close()
