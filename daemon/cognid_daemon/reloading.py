"""Reloading: what becomes of a changed model file or `config.toml` while the daemon runs.

A thread waits for the folders to change (inotify or its like through watchfiles; where that cannot
be had, by polling) and looks once a minute in any case, since a watch can miss what happens while a
folder is made anew. What counts is only whether the files are others than before. A model is proven
by its hashes and loaded beside the one in use, which goes on to answer; another space means that
the banks embed anew. A setting that can be changed in a running daemon is, another is named.

Owns: the watching thread, and what is done with a change. Nothing here may end the daemon: what
cannot be used is said in a finding, and what was in use stays so.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from cognid.protocol.errors import CognidError
from cognid.protocol.link import Finding
from cognid_daemon.daemon import Daemon
from cognid_daemon.settings import Settings, read_settings, settings_table
from cognid_models import PACKAGE_FOLDER, ModelError, load, read_manifest

APPLIED: Final = frozenset({"log.level", "intake.roles", "model.folder"})
"""Settings that a running daemon takes over; the others hold from the next start on."""

_STEP_MILLISECONDS: Final = 250
"""Between two looks of the watch at what the system has told it: 0.02 % of a core (measured)."""

_LOOK_SECONDS: Final = 60
_POLL_MILLISECONDS: Final = 10_000

_Prints = tuple[tuple[int, int, int] | None, ...]


class Reloader:
    """Follows the files of one daemon. `run` is the task; its owner cancels and awaits it."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        """Act on each change until cancelled."""
        # Each looked at before it is read: what changes behind that, while a model is loaded for
        # seconds, is another file again.
        folder = self._folder
        seen = _model_prints(folder)
        settings_seen = _prints([self._settings_file])
        with suppress(Exception):  # no model: its files may come yet
            await self._daemon.embedder.ready()
        while True:
            ended = threading.Event()
            watching = threading.Thread(
                target=self._watch, args=(folder, (seen, settings_seen), ended), daemon=True
            )
            watching.name = "watch files"
            watching.start()
            try:
                await self._changed.wait()
            finally:
                ended.set()
            self._changed.clear()
            before, settings_seen = settings_seen, _prints([self._settings_file])
            if settings_seen != before:
                self._take_settings()
            model_before, folder = (folder, seen), self._folder
            seen = _model_prints(folder)
            if (folder, seen) != model_before:
                await self._take_model()

    @property
    def _folder(self) -> Path:
        folder = self._daemon.settings.model.folder
        return Path(folder) if folder else PACKAGE_FOLDER

    @property
    def _settings_file(self) -> Path:
        return self._daemon.places.configuration / "config.toml"

    def _watch(self, folder: Path, seen: tuple[_Prints, _Prints], ended: threading.Event) -> None:
        """Wait on a thread until a file is another than it was."""

        def is_changed() -> bool:
            return (_model_prints(folder), _prints([self._settings_file])) != seen

        _wait_for_change([folder, self._settings_file.parent], is_changed, ended)
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._changed.set)

    def _take_settings(self) -> None:
        health = self._daemon.health
        try:
            read = read_settings(self._daemon.places.configuration)
        except CognidError as error:
            health.report(_unreadable(error.detail or ""))
            return
        health.clear("configuration_invalid")
        self._daemon.settings, left = _merged(self._daemon.settings, read)
        self._daemon.log.set_level(self._daemon.settings.log.level)
        self._daemon.log.info("settings_read", left=", ".join(left))
        if left:
            health.report(_next_start(left))
        else:
            health.clear("restart_needed")

    async def _take_model(self) -> None:
        code = await self._daemon.embedder.reload(partial(load, self._folder))
        self._daemon.log.info("model_reloaded", code=code, space=self._daemon.embedder.space_id)
        if code is not None and self._daemon.embedder.state == "ready":
            self._daemon.health.report(_unusable(code))
        else:
            self._daemon.health.clear("model_kept")


def _wait_for_change(
    folders: list[Path], is_changed: Callable[[], bool], ended: threading.Event
) -> None:
    """Return once something is changed or `ended` is set."""
    from watchfiles import watch

    polls = False
    while not ended.is_set() and not is_changed():
        there = [folder for folder in folders if folder.is_dir()]
        try:
            for _ in watch(
                *there,
                watch_filter=None,
                debounce=4 * _STEP_MILLISECONDS,
                step=_STEP_MILLISECONDS,
                stop_event=ended,
                rust_timeout=_LOOK_SECONDS * 1000,
                yield_on_timeout=True,
                force_polling=polls,
                poll_delay_ms=_POLL_MILLISECONDS,
                recursive=False,
            ):
                if is_changed():
                    return
                if any(folder.is_dir() != (folder in there) for folder in folders):
                    break  # watch what is there now
        except (OSError, RuntimeError):
            # No inotify, or no watch left: watchfiles does not fall back by itself.
            if polls and ended.wait(_LOOK_SECONDS):
                return
            polls = True


def _prints(paths: list[Path]) -> _Prints:
    """What tells a file from another one in its place; None where there is none."""
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _model_prints(folder: Path) -> _Prints:
    names = ["manifest.toml"]
    with suppress(ModelError):
        manifest = read_manifest(folder)
        names += [manifest.model.file, manifest.tokenizer.file]
    return _prints([folder / name for name in names])


def _merged(now: Settings, read: Settings) -> tuple[Settings, list[str]]:
    """The settings with what can be taken over, and the names of what cannot."""
    sections = dict(now)
    left: list[str] = []
    for row in settings_table():
        section, name = row.name.split(".", 1)
        value = getattr(getattr(read, section), name)
        if value == getattr(getattr(now, section), name):
            continue
        if row.name in APPLIED:
            sections[section] = sections[section].model_copy(update={name: value})
        else:
            left.append(row.name)
    return Settings(**sections), left


def _unreadable(detail: str) -> Finding:
    return Finding(
        code="configuration_invalid",
        level="yellow",
        message=f"The settings as they stand now cannot be read: {detail}",
        remedy="Mend config.toml. Until then the settings from before hold; a start would fail.",
    )


def _next_start(names: list[str]) -> Finding:
    return Finding(
        code="restart_needed",
        level="yellow",
        message=f"Changed, and in force from the next start on: {', '.join(names)}.",
        remedy="Restart the daemon: cognid stop; a service manager starts it again.",
    )


def _unusable(code: str) -> Finding:
    return Finding(
        code="model_kept",
        level="yellow",
        message=f"The model's files have changed and cannot be used ({code}); the model that was"
        " loaded stays in use as long as the daemon runs.",
        remedy="Put the files back, or install cognid[daemon] again.",
    )
