"""Lifecycle: the daemon's life in order, from a bare process to its exit status.

Start: harden the process, folders, lock, settings, grants, master key, catalog, socket, READY; the
model loads behind that. Stop (SIGTERM, SIGINT, SIGHUP or `shutdown`): no new work, what is in
flight finishes, banks close, the process ends in less than five seconds. A second signal ends it at
once, which loses nothing that was acknowledged.

The exit status is that of the error table: 73 another daemon runs, 74 disk, 78 what only a person
can put right (so that a service manager need not try again).

Owns: the order, the signals and the exit status. Nothing heavy may be imported on the way to READY.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import cognid
from cognid.paths import Places, find_places, make_folder
from cognid.protocol.errors import ERRORS, CognidError
from cognid.protocol.link import Finding
from cognid.protocol.values import Kind
from cognid_daemon.arrears import pay
from cognid_daemon.bank.errors import BankError
from cognid_daemon.bank.keeping import DAY, Keeping
from cognid_daemon.banks import Banks
from cognid_daemon.catalog import Catalog, data_exists
from cognid_daemon.daemon import Daemon
from cognid_daemon.faults import storage_fault
from cognid_daemon.grants import Grants
from cognid_daemon.health import Health
from cognid_daemon.listener import listen
from cognid_daemon.lock import DataLock, take_lock
from cognid_daemon.logs import Log, fault_fields
from cognid_daemon.master_key import find_master_key
from cognid_daemon.notify import Notifier
from cognid_daemon.operations import HANDLERS
from cognid_daemon.process import (
    harden,
    keep_what_is_loaded,
    look_for_no_garbage,
    multiply_on_one_thread,
    share_turns,
    silence_exceptions,
)
from cognid_daemon.recall.models import EmbedderHost, EmbedderUnavailableError
from cognid_daemon.reloading import Reloader
from cognid_daemon.server import Server
from cognid_daemon.settings import Settings, read_settings
from cognid_models import load

DRAIN_SECONDS: Final = 3.5
"""For requests in flight; the server needs up to 0.5 s more, and then the banks close."""
STOP_SECONDS: Final = 4.8
"""From the signal to the end of the process, whatever still hangs then."""
_CALM_SECONDS: Final = 0.01
"""Without a recall before a bit of that work: a runtime that asks and asks again is not held up."""
WARM_SECONDS: Final = 5.0
"""From the model's loading to the making of what is not needed before the first write: a second of
CPU, which a daemon of a few seconds need not spend."""
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOT_OURS: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


def main() -> int:
    """Run the daemon until it is told to stop.

    Returns:
        The exit status.
    """
    began = time.monotonic()
    log = Log()
    harden()
    look_for_no_garbage()
    share_turns()
    multiply_on_one_thread()
    silence_exceptions(log)
    notifier = Notifier()
    try:
        places = find_places()
        lock = _own(places)
    except (CognidError, OSError) as error:
        return _failed(log, notifier, error)
    try:
        settings = read_settings(places.configuration)
        log.set_level(settings.log.level)
        asyncio.run(_live(places, settings, log, notifier, began))
    except Exception as error:  # the process's edge
        return _failed(log, notifier, error)
    finally:
        lock.release()
    log.info("stopped")
    return 0


def _own(places: Places) -> DataLock:
    """Make the folders ours and take the data folder."""
    make_folder(places.data)
    make_folder(places.configuration)
    make_folder(places.credentials)
    return take_lock(places.data)


def _failed(log: Log, notifier: Notifier, error: Exception) -> int:
    """Say why the daemon could not start or go on, and give the exit status."""
    match error:
        case CognidError() | BankError():
            code, detail = error.code, error.detail
        case OSError() if error.errno in _NOT_OURS:
            code, detail = "folder_unsafe", f"{error.filename}: {error.strerror}"
        case OSError():
            fault = storage_fault(error)
            code, detail = fault.code, fault.detail
        case _:
            log.error("died", **fault_fields(error))
            return ERRORS["internal"].exit
    kind = ERRORS[code]
    log.error("not_started", code=code, detail=detail, remedy=kind.remedy)
    notifier.send(f"STATUS={code}: {detail}")
    return kind.exit


async def _live(
    places: Places, settings: Settings, log: Log, notifier: Notifier, began: float
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(partial(_log_loop_fault, log))
    async with _parts(places, settings, log) as daemon:
        server = daemon.server = Server(daemon, HANDLERS)
        listener = listen(places.socket)
        daemon.state = "ready"
        _obey_signals(loop, daemon)
        server.start(listener)
        took_ms = (time.monotonic() - began) * 1000
        log.info("ready", version=cognid.__version__, instance=daemon.instance, took_ms=took_ms)
        notifier.send("READY=1", "STATUS=Ready")
        notifier.start_watchdog(listener.touch)
        daemon.embedder.start()
        beside = [
            asyncio.create_task(_warm(daemon), name="warm"),
            asyncio.create_task(Reloader(daemon).run(), name="reload"),
            asyncio.create_task(pay(daemon.banks, places.data), name="arrears"),
        ]
        await daemon.stopping.wait()
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        _end_in_time(log)
        notifier.send("STOPPING=1", "STATUS=Finishing what is in flight")
        log.info("stopping", in_flight=server.in_flight)
        await server.drain(DRAIN_SECONDS)
        notifier.stop_watchdog()


async def _warm(daemon: Daemon) -> None:
    """Do what the first write would have to wait for, once the first recalls are answered."""
    try:
        with suppress(EmbedderUnavailableError):
            await daemon.embedder.ready()
        await asyncio.sleep(WARM_SECONDS)
        await daemon.screening.warm(partial(daemon.embedder.quiet, _CALM_SECONDS))
    finally:
        keep_what_is_loaded()


@asynccontextmanager
async def _parts(places: Places, settings: Settings, log: Log) -> AsyncIterator[Daemon]:
    """Open what the daemon is made of, and close it in the opposite order."""
    health = Health()
    async with AsyncExitStack() as stack:
        grants = Grants.load(places.data)
        stack.callback(grants.close)
        if grants.settle_owner(places):
            log.warning("owner_credential_replaced")
        known = data_exists(places.data)
        master = find_master_key(places.configuration, os.environ, data_exists=known)
        catalog = await Catalog.open(places.data, master.key)
        stack.push_async_callback(catalog.close)
        if catalog.restored:
            log.warning("catalog_restored", path=str(catalog.restored))
            health.report(_restored(catalog.restored))
        folder = settings.model.folder
        embedder = EmbedderHost(partial(load, Path(folder) if folder else None))
        stack.push_async_callback(embedder.close)
        banks = Banks(catalog, embedder, _keeping_of(settings))
        stack.push_async_callback(banks.close)
        await banks.start()
        daemon = Daemon(places, settings, log, health, grants, banks, embedder, master.backend)
        stack.push_async_callback(daemon.reranker.close)
        stack.callback(daemon.screening.close)
        yield daemon


def _keeping_of(settings: Settings) -> Keeping:
    """What the banks keep by the settings, where 0 stands for no bound."""
    days = settings.retention.model_dump()
    return Keeping(
        terms={kind: days[kind.value] * DAY for kind in Kind if days[kind.value]},
        messages=days["message"] * DAY or None,
        memories=settings.quota.memories or None,
        file_bytes=settings.quota.bytes or None,
    )


def _restored(path: Path) -> Finding:
    return Finding(
        code="catalog_restored",
        level="yellow",
        message="The catalog was damaged or missing and was taken from its second copy.",
        remedy=f"Look at the disk. What was damaged is kept beside it: {path}",
    )


def _obey_signals(loop: asyncio.AbstractEventLoop, daemon: Daemon) -> None:
    """The first signal stops the daemon in order, the second at once."""
    seen: list[int] = []

    def obey(number: int) -> None:
        if seen:
            os._exit(128 + number)
        seen.append(number)
        daemon.stop()

    for number in _STOPPING:
        loop.add_signal_handler(number, obey, number)


def _end_in_time(log: Log) -> None:
    """End the process `STOP_SECONDS` from now, even if a thread or the loop hangs by then.

    What was acknowledged is on disk; only the banks' last checkpoint may be missing.
    """

    def give_up() -> None:
        log.error("stop_overran", seconds=STOP_SECONDS)
        os._exit(ERRORS["internal"].exit)

    timer = threading.Timer(STOP_SECONDS, give_up)
    timer.daemon = True
    timer.start()


def _log_loop_fault(
    log: Log, loop: asyncio.AbstractEventLoop, context: Mapping[str, object]
) -> None:
    """Log what the loop could hand to nobody, without the words that come with it."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        log.error("loop_fault", **fault_fields(error))
    else:
        log.error("loop_fault", type=None)
