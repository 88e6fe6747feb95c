"""The reranker's file: found by its content in what a person gives, and copied whole."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cognid.paths import Places
from cognid.protocol.errors import CognidError
from cognid.protocol.link import RerankerView
from cognid.reranker import find_reranker, install_reranker, remove_reranker

CONTENT = b"weights" * 1_000
WANTED = RerankerView(
    state="absent",
    name="small",
    file="small.onnx",
    bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A home of its own."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return Places(folder / "data", folder / "config", folder / "s.sock")


def as_file(folder: Path) -> Path:
    """Under another name."""
    file = folder / "model.onnx"
    file.write_bytes(CONTENT)
    return file


def as_folder(folder: Path) -> Path:
    """Beside other files, one of its size."""
    (folder / "a.onnx").write_bytes(CONTENT[::-1])
    (folder / "b").mkdir()
    as_file(folder)
    return folder


def as_wheel(folder: Path) -> Path:
    """Deep inside a wheel, beside one of its size."""
    wheel = folder / "some-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("some/a.onnx", CONTENT[::-1])
        archive.writestr("some/data/reranker_en/model.onnx", CONTENT)
    return wheel


@pytest.mark.parametrize("form", [as_file, as_folder, as_wheel])
def test_it_is_found_in(tmp_path: Path, form: Callable[[Path], Path]) -> None:
    """A file, a folder, a wheel; under any name."""
    assert find_reranker(form(tmp_path), WANTED) == CONTENT


def _other(folder: Path) -> Path:
    file = folder / "small.onnx"
    file.write_bytes(CONTENT[:-1] + b"X")
    return file


def _nothing(folder: Path) -> Path:
    return folder / "nowhere"


def _torn(folder: Path) -> Path:
    wheel = as_wheel(folder)
    content = bytearray(wheel.read_bytes())
    content[100:140] = bytes(40)
    wheel.write_bytes(content)
    return wheel


def _empty(folder: Path) -> Path:
    return folder


@pytest.mark.parametrize("form", [_other, _nothing, _torn, _empty])
def test_anything_else_is_refused(tmp_path: Path, form: Callable[[Path], Path]) -> None:
    """One other byte, no file, a damaged wheel, an empty folder."""
    with pytest.raises(CognidError) as caught:
        find_reranker(form(tmp_path), WANTED)
    assert caught.value.code == "invalid_argument"


def test_it_lies_there_for_us_alone(places: Places) -> None:
    """0600 in a folder of 0700, and nothing else beside it; once more takes its place."""
    for content in (b"old", CONTENT):
        path = install_reranker(places, WANTED, content)
    assert path == places.data / "reranker" / "small.onnx"
    assert path.read_bytes() == CONTENT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["small.onnx"]


def test_a_link_in_its_place_is_refused(places: Places, tmp_path: Path) -> None:
    """The folder must be ours, and no link to somewhere else."""
    places.data.mkdir(mode=0o700)
    (places.data / "reranker").symlink_to(tmp_path)
    with pytest.raises(CognidError, match="folder_unsafe"):
        install_reranker(places, WANTED, CONTENT)
    assert not (tmp_path / "small.onnx").exists()


def test_removing_says_whether_it_was_there(places: Places) -> None:
    """Once it was, twice it was not."""
    assert not remove_reranker(places, WANTED)
    install_reranker(places, WANTED, CONTENT)
    assert remove_reranker(places, WANTED)
    assert not remove_reranker(places, WANTED)
