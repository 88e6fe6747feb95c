"""Process: what this process takes from itself before it touches anything of the person's.

Owns: umask, core dumps, ptrace and /proc access by the same user, the limit of open files, how
long a thread may keep the interpreter from the others, on how many threads numpy multiplies, when
Python looks for garbage, and the hooks through which it would print an exception. May not open or
read a file.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import resource
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Final

from cognid_daemon.logs import Log, locate

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_PR_SET_DUMPABLE: Final = 4  # <sys/prctl.h>
_OPEN_FILES: Final = 8192
"""Soft limit of open files to ask for: an open bank has three connections of three files each."""


_TURN_SECONDS: Final = 0.0005
"""How long a thread that computes in Python keeps the interpreter while another asks for it. A
recall changes threads and statements some twenty times and may have to ask each time: with Python's
own 5 ms a writer or a fold beside it could take all of a deadline of 50 ms."""


def share_turns() -> None:
    """Let the threads of this process take shorter turns than Python's own."""
    sys.setswitchinterval(_TURN_SECONDS)


def multiply_on_one_thread() -> None:
    """Let numpy multiply matrices on the thread that asks, and make none of its own for it. Only
    before numpy is imported.

    The products here are of fifty rows and take microseconds. From that size on OpenBLAS wakes its
    other thread, which then spins for 10 ms and more: of two cores a busy daemon wasted half of
    one, a third of the CPU of a recall (measured). Accelerate is what numpy may have on a Mac.
    """
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = "1"


def look_for_no_garbage() -> None:
    """Put off Python's search for garbage in cycles while everything is loaded."""
    gc.disable()


def keep_what_is_loaded() -> None:
    """Search for garbage from now on, among what comes: to look through all that is loaded held up
    every thread for 20 to 30 ms each time (75,000 objects, measured).

    And more rarely: a recall or a write makes some thousands of objects and no cycles, and to look
    through each 700 of them was a twentieth of its CPU. Through 10,000 takes half a millisecond
    (measured).
    """
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


def harden() -> None:
    """Make new files ours alone, and this process neither dumpable nor traceable."""
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    if sys.platform == "linux":
        # Also closes /proc/PID/{mem,environ,fd} to other programs of the same user.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def silence_exceptions(log: Log) -> None:
    """Put our log in place of every hook that would print an exception's text or a warning's."""

    def of_process(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        log.error("uncaught", type=kind.__name__, at=locate(error))

    def of_thread(args: threading.ExceptHookArgs) -> None:
        where = locate(args.exc_value) if args.exc_value else ""
        log.error("uncaught_in_thread", type=args.exc_type.__name__, at=where)

    def of_finalizer(args: UnraisableHookArgs) -> None:
        where = locate(args.exc_value) if args.exc_value else ""
        log.error("uncaught_in_finalizer", type=args.exc_type.__name__, at=where)

    sys.excepthook = of_process
    threading.excepthook = of_thread
    sys.unraisablehook = of_finalizer
    # A library's own words could hold what it was given: only that it spoke is logged.
    logging.captureWarnings(True)
    logging.basicConfig(handlers=[_Muffler(log)], level=logging.WARNING, force=True)


class _Muffler(logging.Handler):
    """Logs which library spoke and how loudly, never what it said."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record of a library without its message."""
        at = f"{os.path.basename(record.pathname)}:{record.lineno}"  # noqa: PTH119 - hot and pure
        self._log.warning("library_spoke", logger=record.name, level=record.levelname, at=at)
