"""Cognid as a person has it: installed from the wheel, a service of the person's own systemd.

Owns: what the tests do with it as that person. May not reach into the daemon.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Final

from support.servicemanager import HOME, RUNTIME, ServiceManager

UNITS: Final = HOME / ".config/systemd/user"
DROP_INS: Final = UNITS / "cognid.service.d"
SOCKET: Final = RUNTIME / "cognid/bridge.sock"
ENVIRONMENT: Final = HOME / "environment"
# What a runtime does, over the socket, with the client of the wheel.
CALLER: Final = """
import json, sys
from cognid.client import Client
verb, text = sys.argv[1:]
with Client(agent="service") as client:
    if verb == "ping":
        client.ping()
        answer = {"outcome": "pong"}
    elif verb == "add":
        client.ensure_bank(enabled=True)
        answer = json.loads(client.add(text=text, kind="fact").model_dump_json())
    else:
        answer = json.loads(client.recall(text, deadline_ms=5000).model_dump_json())
print(json.dumps(answer))
"""


# The cheapest caller: one line there, one line back. No import of ours, so a tenth of the time.
KNOCK: Final = """
import socket, sys
with socket.socket(socket.AF_UNIX) as caller:
    caller.settimeout(15)
    caller.connect(sys.argv[1])
    caller.sendall(b'{"jsonrpc": "2.0", "id": 7, "method": "hello", "params": {}}\\n')
    print(caller.makefile().readline())
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """Cognid in the home of the user whose manager runs."""

    manager: ServiceManager

    def cognid(
        self, *words: str, check: bool = True, environment: dict[str, str] | None = None
    ) -> CompletedProcess[str]:
        """Run the installed command as the user."""
        argv: Sequence[str | Path] = [ENVIRONMENT / "bin/cognid", *words]
        return self.manager.run(argv, check=check, timeout=50, environment=environment)

    def call(self, verb: str, text: str = "") -> dict[str, Any]:
        """Be a caller: connect, do one thing, give the answer."""
        python = ENVIRONMENT / "bin/python"
        done = self.manager.run([python, "-c", CALLER, verb, text], timeout=30)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def answers(self) -> bool:
        """Whether the daemon answers a line at the socket; starts it as any caller does."""
        python = ENVIRONMENT / "bin/python"
        done = self.manager.run([python, "-ISc", KNOCK, SOCKET], check=False)
        return done.returncode == 0 and json.loads(done.stdout)["id"] == 7

    def drop_in(self, content: str) -> None:
        """Change the service for one test."""
        self.manager.write(DROP_INS / "test.conf", f"[Service]\n{content}\n")
        self.manager.systemctl("daemon-reload")

    def reset(self) -> None:
        """Bring the units back to how installing leaves them: listening, not running."""
        systemctl = self.manager.systemctl
        systemctl("stop", "cognid.socket", "cognid.service", check=False)
        self.manager.run(["rm", "-rf", DROP_INS, HOME / ".config/cognid/config.toml"])
        self.manager.write(DROP_INS / "log.conf", f"[Service]\nStandardError=append:{HOME}/log\n")
        systemctl("daemon-reload")
        systemctl("reset-failed", check=False)
        systemctl("start", "cognid.socket")
