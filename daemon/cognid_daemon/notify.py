"""Notify: tells systemd how the service stands (sd_notify(3)); does nothing where none listens.

Owns: the datagrams to `$NOTIFY_SOCKET` and the watchdog's tick, which comes from the event loop
so that a loop that hangs is restarted. May not decide when the daemon is ready.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable


class Notifier:
    """Sends states to the service manager.

    The address and the watchdog's period are taken from the environment and removed from it, so
    that no process of ours can speak in our name.
    """

    def __init__(self) -> None:
        self._address = os.environ.pop("NOTIFY_SOCKET", None)
        self._period = _watchdog_seconds()
        self._tick: asyncio.TimerHandle | None = None

    def send(self, *states: str) -> None:
        """Send assignments such as `READY=1`; a manager that is gone is not our trouble."""
        if not self._address:
            return
        # "@" stands for the NUL of an abstract address (sd_notify(3)).
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(states).encode("utf-8"), address)
        except OSError:
            pass

    def start_watchdog(self, on_tick: Callable[[], None]) -> None:
        """Send `WATCHDOG=1` at half the period asked for; `on_tick` runs with each."""
        if self._period:
            self._beat(asyncio.get_running_loop(), self._period / 2, on_tick)

    def stop_watchdog(self) -> None:
        """Send no more."""
        if self._tick:
            self._tick.cancel()

    def _beat(
        self, loop: asyncio.AbstractEventLoop, seconds: float, on_tick: Callable[[], None]
    ) -> None:
        self.send("WATCHDOG=1")
        on_tick()
        self._tick = loop.call_later(seconds, self._beat, loop, seconds, on_tick)


def _watchdog_seconds() -> float:
    """The period that the manager asked of this process, or 0 (sd_watchdog_enabled(3))."""
    micros = os.environ.pop("WATCHDOG_USEC", "")
    process = os.environ.pop("WATCHDOG_PID", "")
    if not micros.isdigit() or (process and process != str(os.getpid())):
        return 0.0
    return int(micros) / 1_000_000
