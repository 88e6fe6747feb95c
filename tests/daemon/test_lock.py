from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cognid.protocol.errors import CognidError
from cognid_daemon.lock import take_lock


def test_second_taker_is_told_who_holds_it(tmp_path: Path) -> None:
    """The lock can be taken once; who comes second learns the holder's process id."""
    lock = take_lock(tmp_path)
    with pytest.raises(CognidError) as caught:
        take_lock(tmp_path)
    assert caught.value.code == "already_running"
    assert f"process {os.getpid()} " in caught.value.detail
    lock.release()


def test_lock_ends_with_its_descriptor(tmp_path: Path) -> None:
    """A released lock can be taken again; its file stays."""
    take_lock(tmp_path).release()
    assert (tmp_path / "lock").exists()
    take_lock(tmp_path).release()


@pytest.mark.parametrize("content", [b"1\n", b"%d\n" % os.getppid(), b"", b"rubbish", b"-4\n"])
def test_process_id_in_the_file_decides_nothing(tmp_path: Path, content: bytes) -> None:
    """A process id left in the file, living or not, does not keep the lock."""
    (tmp_path / "lock").write_bytes(content)
    lock = take_lock(tmp_path)
    assert (tmp_path / "lock").read_bytes() == b"%d\n" % os.getpid()
    lock.release()


def test_holder_without_a_readable_id_is_still_a_holder(tmp_path: Path) -> None:
    """Where the file holds no process id the refusal stands all the same."""
    lock = take_lock(tmp_path)
    (tmp_path / "lock").write_bytes(b"")
    with pytest.raises(CognidError, match="a process holds"):
        take_lock(tmp_path)
    lock.release()


def test_file_is_ours_alone(tmp_path: Path) -> None:
    """The lock file is 0600 whatever the umask is."""
    before = os.umask(0)
    try:
        take_lock(tmp_path).release()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


def test_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    """A link in the place of the lock file is refused and its target left alone."""
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "lock").symlink_to(target)
    with pytest.raises(OSError, match="symbolic"):
        take_lock(tmp_path)
    assert target.read_text() == "mine"
