"""The master key: its order of backends, its making, and what is refused."""

import os
import stat
from pathlib import Path

import pytest

from cognid_daemon.bank.errors import MissingKeyError, UnsafeFileError, WrongKeyError
from cognid_daemon.master_key import CREDENTIAL_NAME, FILE_NAME, find_master_key

KEY = bytes(range(32))


def test_a_key_is_made_once(tmp_path: Path) -> None:
    """The first start makes a key file of ours alone; later ones read it."""
    before = os.umask(0)
    try:
        made = find_master_key(tmp_path / "c", {}, data_exists=False)
    finally:
        os.umask(before)
    path = tmp_path / "c" / FILE_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert made.backend == "key-file"
    assert len(made.key) == 32
    assert path.read_text() == f"{made.key.hex()}\n"
    assert find_master_key(tmp_path / "c", {}, data_exists=True) == made
    assert find_master_key(tmp_path / "other", {}, data_exists=False).key != made.key


def test_no_key_is_made_over_data(tmp_path: Path) -> None:
    """With data there and no key, the places that were looked at are named and nothing is made."""
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path / "credentials")}
    with pytest.raises(MissingKeyError) as caught:
        find_master_key(tmp_path / "c", environ, data_exists=True)
    assert str(tmp_path / "c" / FILE_NAME) in str(caught.value)
    assert str(tmp_path / "credentials" / CREDENTIAL_NAME) in str(caught.value)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("content", [KEY, KEY.hex().encode(), KEY.hex().upper().encode() + b"\n"])
def test_a_systemd_credential_comes_first(tmp_path: Path, content: bytes) -> None:
    """The credential is taken before the key file, as 32 raw bytes or 64 hex digits."""
    find_master_key(tmp_path / "c", {}, data_exists=False)
    (tmp_path / CREDENTIAL_NAME).write_bytes(content)
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    found = find_master_key(tmp_path / "c", environ, data_exists=True)
    assert (found.key, found.backend) == (KEY, "systemd-credential")


@pytest.mark.parametrize(
    "content", [b"", b"k" * 31, b"k" * 64, KEY.hex().encode()[:-1], b"\xff" * 64]
)
def test_what_is_no_key_is_refused_without_quoting_it(tmp_path: Path, content: bytes) -> None:
    """A file that holds no key is refused, and neither message nor context quotes it."""
    path = tmp_path / "c" / FILE_NAME
    path.parent.mkdir(mode=0o700)
    path.write_bytes(content)
    with pytest.raises(WrongKeyError) as caught:
        find_master_key(tmp_path / "c", {}, data_exists=False)
    assert caught.value.__suppress_context__
    assert not content or content.decode("latin-1") not in repr(caught.value)
    assert path.read_bytes() == content


def test_a_loose_key_file_is_tightened(tmp_path: Path) -> None:
    """A key file that others could read is made ours alone."""
    made = find_master_key(tmp_path / "c", {}, data_exists=False)
    path = tmp_path / "c" / FILE_NAME
    path.chmod(0o644)
    assert find_master_key(tmp_path / "c", {}, data_exists=True) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("dangling", [True, False])
def test_a_linked_key_file_is_refused(tmp_path: Path, dangling: bool) -> None:
    """A symbolic link is not followed, neither to read a key nor to make one."""
    (tmp_path / "c").mkdir(mode=0o700)
    target = tmp_path / "elsewhere"
    if not dangling:
        target.write_text(KEY.hex())
    (tmp_path / "c" / FILE_NAME).symlink_to(target)
    with pytest.raises(UnsafeFileError):
        find_master_key(tmp_path / "c", {}, data_exists=False)
    assert target.exists() is not dangling


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a file away")
@pytest.mark.root
def test_a_key_file_of_someone_else_is_refused(tmp_path: Path) -> None:
    """A key file that another user owns is refused."""
    find_master_key(tmp_path / "c", {}, data_exists=False)
    os.chown(tmp_path / "c" / FILE_NAME, 65534, 65534)
    with pytest.raises(UnsafeFileError):
        find_master_key(tmp_path / "c", {}, data_exists=True)


def test_a_repr_does_not_show_the_key(tmp_path: Path) -> None:
    """The key stays out of the repr."""
    made = find_master_key(tmp_path / "c", {}, data_exists=False)
    assert made.key.hex() not in repr(made)
    assert str(made.key) not in repr(made)
