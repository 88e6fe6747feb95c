"""The reranker's file: found in what a person gives, proven, and put into its place.

The daemon says which file it takes and proves it once more before it runs it. Nothing is fetched.

Owns: the looking and the copying. May not talk to the daemon.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import error as ZlibError

from cognid.paths import Places, make_folder, sync_folder, write_private
from cognid.protocol.errors import CognidError
from cognid.protocol.link import RerankerView

FOLDER: Final = "reranker"
"""Of the data folder; the daemon looks there."""


def find_reranker(given: Path, wanted: RerankerView) -> bytes:
    """Find it in the file itself, a folder that holds it, or a zip file or wheel with it inside.

    By its content: it may have any name.

    Raises:
        CognidError: `invalid_argument` where it is not there, or nothing can be read.
    """
    try:
        for content in _contents(given, wanted.bytes):
            if hashlib.sha256(content).hexdigest() == wanted.sha256:
                return content
    except OSError as error:
        raise CognidError("invalid_argument", f"{given}: {error.strerror}") from None
    except (zipfile.BadZipFile, ZlibError, NotImplementedError, RuntimeError):
        raise CognidError("invalid_argument", f"{given}: damaged, or packed otherwise") from None
    raise CognidError(
        "invalid_argument",
        f"{given}: no file of {wanted.bytes} bytes with the sha256 {wanted.sha256} in it",
    )


def _contents(given: Path, size: int) -> Iterator[bytes]:
    """What has that size."""
    if given.is_dir():
        for file in sorted(given.iterdir()):
            if file.is_file():
                yield from _of_size(file, size)
    elif zipfile.is_zipfile(given):
        with zipfile.ZipFile(given) as archive:
            for member in archive.infolist():
                if member.file_size == size:
                    with archive.open(member) as stream:
                        yield stream.read(size)
    else:
        yield from _of_size(given, size)


def _of_size(file: Path, size: int) -> Iterator[bytes]:
    if file.stat().st_size == size:
        with file.open("rb") as stream:
            yield stream.read(size)


def install_reranker(places: Places, wanted: RerankerView, content: bytes) -> Path:
    """Put it into its place, whole or not at all, durably and for us alone.

    Raises:
        CognidError: `folder_unsafe` where the place is not ours alone, or cannot be written.
    """
    folder = places.data / FOLDER
    make_folder(folder)
    path = folder / wanted.file
    try:
        write_private(path, content)
    except OSError as error:
        raise CognidError("folder_unsafe", f"{path}: {error.strerror}") from None
    return path


def remove_reranker(places: Places, wanted: RerankerView) -> bool:
    """Take it away; False where there is none.

    Raises:
        CognidError: `folder_unsafe` where the place cannot be written.
    """
    path = places.data / FOLDER / wanted.file
    try:
        path.unlink()
        sync_folder(path.parent)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CognidError("folder_unsafe", f"{path}: {error.strerror}") from None
    return True
