"""`Client`: the same methods, blocking, for any number of threads at once.

It runs one `AsyncClient` on a private event-loop thread. The other way, a blocking socket a
thread, would save the hop to that thread (about 0.1 ms a call) and cost a second implementation
of handshake, deadlines and the three fates of a write; being right in one place is worth more.

Each method is its `AsyncClient` namesake, made by `blocking`, which keeps the signature for type
checkers and editors. The thread itself is `loop_thread.py`'s.
"""

from __future__ import annotations

from pathlib import Path

from cognid.client.asynchronous import AsyncClient
from cognid.client.closing import Closing
from cognid.client.loop_thread import Blocking, LoopThread, blocking
from cognid.credentials import Credential


class Client(Blocking[AsyncClient], Closing):
    """A client of the daemon for threads. See `AsyncClient` for the arguments and the methods.

    It may not be used in a process that was forked after it was made: make one there.
    """

    def __init__(
        self,
        socket: Path | str | None = None,
        credential: Credential | Path | str | None = None,
        owner: str = "local",
        agent: str | None = None,
        session_id: str | None = None,
    ) -> None:
        super().__init__(AsyncClient(socket, credential, owner, agent, session_id), LoopThread())

    connect = blocking(AsyncClient.connect)
    call = blocking(AsyncClient.call)
    ping = blocking(AsyncClient.ping)
    status = blocking(AsyncClient.status)
    shutdown = blocking(AsyncClient.shutdown)
    ensure_bank = blocking(AsyncClient.ensure_bank)
    bank_status = blocking(AsyncClient.bank_status)
    banks = blocking(AsyncClient.banks)
    remember = blocking(AsyncClient.remember)
    add = blocking(AsyncClient.add)
    explain = blocking(AsyncClient.explain)
    remember_evidence = blocking(AsyncClient.remember_evidence)
    remember_user_event = blocking(AsyncClient.remember_user_event)
    recover = blocking(AsyncClient.recover)
    recall = blocking(AsyncClient.recall)
    search = blocking(AsyncClient.search)
    append_messages = blocking(AsyncClient.append_messages)
    session_messages = blocking(AsyncClient.session_messages)
    clear_session = blocking(AsyncClient.clear_session)
    replace_lane = blocking(AsyncClient.replace_lane)
    query_lanes = blocking(AsyncClient.query_lanes)
    drop_lane = blocking(AsyncClient.drop_lane)
    assemble_context = blocking(AsyncClient.assemble_context)
    open_configure = blocking(AsyncClient.open_configure)
    inspect_list = blocking(AsyncClient.inspect_list)
    inspect_get = blocking(AsyncClient.inspect_get)
    inspect_history = blocking(AsyncClient.inspect_history)
    inspect_recent = blocking(AsyncClient.inspect_recent)
    correct = blocking(AsyncClient.correct)
    pin = blocking(AsyncClient.pin)
    forget_preview = blocking(AsyncClient.forget_preview)
    forget = blocking(AsyncClient.forget)
    set_enabled = blocking(AsyncClient.set_enabled)
    delete_all = blocking(AsyncClient.delete_all)
    tool_forget_preview = blocking(AsyncClient.tool_forget_preview)
    tool_forget = blocking(AsyncClient.tool_forget)
    tool_correct_preview = blocking(AsyncClient.tool_correct_preview)
    tool_correct = blocking(AsyncClient.tool_correct)
    export = blocking(AsyncClient.export)
    import_records = blocking(AsyncClient.import_records)
    doctor = blocking(AsyncClient.doctor)
    resolve = blocking(AsyncClient.resolve)
    index_status = blocking(AsyncClient.index_status)
    rebuild_indexes = blocking(AsyncClient.rebuild_indexes)
    create_grant = blocking(AsyncClient.create_grant)
    grants = blocking(AsyncClient.grants)
    revoke_grant = blocking(AsyncClient.revoke_grant)

    @property
    def owner(self) -> str:
        """Whose memories, where a call names no one else."""
        return self._face.owner

    @property
    def agent(self) -> str | None:
        """Which agent's, where a call names no other."""
        return self._face.agent

    @property
    def session_id(self) -> str | None:
        """The conversation, where a call names no other."""
        return self._face.session_id

    def close(self) -> None:
        """End the connection and the thread. Calls in flight fail as `AsyncClient.close` says."""
        self._thread.close(self._face.close)
