"""What a person is told where the fate of a write is not known yet: how to ask for it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from support.command import COMMAND
from support.scripted_daemon import ScriptedConnection, ScriptedDaemon

from cognid.credentials import save_credential
from cognid.protocol.frames import Request


async def _call(daemon: ScriptedDaemon, *words: str) -> tuple[int | None, str, str]:
    """Run a verb against a daemon; gives status, output and errors."""
    file = daemon.folder / "credentials/owner.json"
    save_credential(daemon.credential, file)
    environment = {
        **os.environ,
        "COGNID_SOCKET": str(daemon.socket),
        "COGNID_CREDENTIAL": str(file),
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        COMMAND, *words, env=environment, stdout=pipe, stderr=pipe
    )
    output, errors = await process.communicate()
    return process.returncode, output.decode(), errors.decode()


async def test_a_wipe_that_is_not_done_yet_says_how_to_ask_for_it(tmp_path: Path) -> None:
    """The command names the very bank: another one would seal the id and say it never arrived."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        handle = {
            "handle": "mgr_" + "0" * 64,
            "expires_at": "2030-01-01T00:00:00Z",
            "epoch": "epo_x",
            "enabled": True,
        }
        if request.method == "configure.open":
            connection.reply(request, handle)
        else:
            operation_id = request.params["operation_id"]
            pending = {"outcome": "pending", "operation_id": operation_id, "handle": handle}
            connection.reply(request, pending)

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon:
        status, output, errors = await _call(
            daemon, "wipe", "--agent", "my helper", "--owner", "ann", "--confirm", "my helper"
        )
        operation_id = daemon.requests[-1].params["operation_id"]
    assert (status, errors) == (0, "")
    command = output.splitlines()[1].strip()
    assert command == f"cognid resolve {operation_id} --owner ann --agent 'my helper'"


async def test_a_write_whose_answer_is_lost_says_whom_to_ask(tmp_path: Path) -> None:
    """The operation, and that resolve has to name the same bank."""

    def answer(request: Request, connection: ScriptedConnection) -> None:
        connection.hang_up()

    async with ScriptedDaemon(tmp_path / "run", answer) as daemon:
        status, output, errors = await _call(daemon, "remember", "tea", "--agent", "helper")
        operation_id = daemon.requests[-1].params["operation_id"]
    assert (status, output) == (75, "")
    assert f"  operation {operation_id}\n" in errors
    assert "the same --owner and --agent" in errors
