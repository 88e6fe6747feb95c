"""The built wheel, and an environment that holds it, what it declares, and nothing else.

The dependencies come without any network: as copies of the files that this environment has, found
by following the wheel's own metadata. So what is not declared is missing, as on a fresh machine.

Imported, it serves the tests; run as a program (`wheel.py FOLDER WHEEL BASE [EXTRA …]`) it makes
the environment for another user, who must be able to read this environment.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[2]


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=60,
    )
    (wheel,) = folder.glob("cognid-*.whl")
    return wheel


def make_environment(
    folder: Path, wheel: Path, extras: Sequence[str] = (), base: str = sys.executable
) -> Path:
    """Make an empty environment of the Python `base`, install the wheel with these extras.

    Returns:
        The environment's Python.
    """
    subprocess.run(
        [base, "-m", "venv", "--without-pip", folder],
        check=True,
        capture_output=True,
        timeout=30,
    )
    python = folder / "bin" / "python"
    words = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, *words, wheel],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
    (packages,) = folder.glob("lib/python*/site-packages")
    (info,) = packages.glob("cognid-*.dist-info")
    for distribution in _closure(metadata.Distribution.at(info), extras):
        for name in _top_names(distribution):
            _copy(Path(str(distribution.locate_file(name))), packages / name)
    return python


def _closure(root: metadata.Distribution, extras: Sequence[str]) -> Iterator[metadata.Distribution]:
    """Give every distribution that the root needs here with these extras, each once."""
    seen: set[tuple[str, str]] = set()
    given: set[str] = set()
    waiting = [(root, extra) for extra in ("", *extras)]
    while waiting:
        distribution, extra = waiting.pop()
        for text in distribution.requires or ():
            wanted = Requirement(text)
            if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(wanted.name)
            found = metadata.distribution(name)
            for asked in ("", *wanted.extras):
                if (name, asked) not in seen:
                    seen.add((name, asked))
                    waiting.append((found, asked))
            if name not in given:
                given.add(name)
                yield found


def _copy(part: Path, to: Path) -> None:
    """Copy, not link: a service's sandbox hides folders such as /tmp, where a checkout may lie."""
    if part.is_dir():
        shutil.copytree(part, to, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(part, to)


def _top_names(distribution: metadata.Distribution) -> set[str]:
    return {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}


if __name__ == "__main__":
    make_environment(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[4:], sys.argv[3])
