"""The table of operations: name, request, answer, right, default deadline. There is no other.

Owns: `OPERATIONS`. The daemon's dispatch, the client and `docs/protocol.md` are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from cognid.protocol import (
    authority,
    banks,
    bounds,
    doctor,
    grants,
    index,
    intake,
    knowledge,
    link,
    recall,
    transfer,
)
from cognid.protocol import configure as manager
from cognid.protocol import operations as resolving
from cognid.protocol.values import Right


class Reach(StrEnum):
    """What an operation is about, and so what its grant is checked for."""

    LINK = "link"
    """The connection itself: any proven credential."""
    BANK = "bank"
    """One owner and agent, named in the request: both must lie in the grant."""
    DAEMON = "daemon"
    """The whole daemon: the right alone decides."""


@dataclass(frozen=True)
class Operation:
    """One row of the table. `right` None: any proven credential may; `or_rights` do as well."""

    name: str
    request: Any
    reply: Any
    reach: Reach
    right: Right | None
    mutates: bool
    deadline_ms: int
    or_rights: tuple[Right, ...] = ()

    @cached_property
    def read_request(self) -> TypeAdapter[Any]:
        """The validator of its request."""
        return _adapter(self.request)

    @cached_property
    def read_reply(self) -> TypeAdapter[Any]:
        """The validator of its answer."""
        return _adapter(self.reply)


def _adapter(of: Any) -> TypeAdapter[Any]:
    """The validator of a model or a union of models, which never quotes its input.

    A model that is not built yet lends its adapter no configuration, and a union has none.
    """
    if isinstance(of, type) and issubclass(of, BaseModel):
        of.model_rebuild()
        return TypeAdapter(of)
    return TypeAdapter(of, config=ConfigDict(hide_input_in_errors=True))


_WRITES: Final = {
    "bank.ensure",
    "memory.remember",
    "memory.add",
    "memory.correct",
    "memory.forget",
    "memory.tool_correct",
    "memory.tool_forget",
    "bank.set_enabled",
    "bank.delete_all",
    "import",
    "operation.resolve",
    "grant.create",
    "grant.revoke",
}


_LONG: Final = {"bank.set_enabled", "bank.delete_all"}
"""Cutoffs: they end what is in flight first."""


def _row(
    name: str,
    request: Any,
    reply: Any,
    reach: Reach,
    right: Right | None = None,
    or_rights: tuple[Right, ...] = (),
) -> Operation:
    if right is Right.ADMIN or name in _LONG:
        deadline = bounds.DEADLINE_MS_ADMIN
    elif name in ("memory.recall", "memory.search"):
        deadline = bounds.DEADLINE_MS_RECALL
    else:
        deadline = bounds.DEADLINE_MS_WRITE
    return Operation(name, request, reply, reach, right, name in _WRITES, deadline, or_rights)


_ROWS: Final = (
    _row("ping", link.Ping, link.Pong, Reach.LINK),
    _row("status", link.Status, link.StatusReply, Reach.LINK),
    _row("cancel", link.Cancel, link.Cancelled, Reach.LINK),
    _row("shutdown", link.Shutdown, link.ShuttingDown, Reach.DAEMON, Right.ADMIN),
    _row("bank.ensure", banks.BankEnsure, banks.BankEnsured, Reach.BANK, Right.REMEMBER),
    _row("bank.status", banks.BankStatus, banks.BankStatusReply, Reach.BANK, Right.RECALL),
    _row("bank.list", banks.BankList, banks.BankListReply, Reach.LINK),
    _row("memory.remember", intake.Remember, intake.IntakeOutcome, Reach.BANK, Right.REMEMBER),
    _row("memory.add", intake.Add, intake.IntakeOutcome, Reach.BANK, Right.REMEMBER),
    _row("memory.recall", recall.Recall, recall.RecallOutcome, Reach.BANK, Right.RECALL),
    _row("memory.search", recall.Search, recall.RecallOutcome, Reach.BANK, Right.RECALL),
    _row(
        "configure.open", manager.ConfigureOpen, manager.ManagerHandle, Reach.BANK, Right.CONFIGURE
    ),
    _row("memory.inspect", manager.Inspect, manager.InspectReply, Reach.BANK, Right.CONFIGURE),
    _row(
        "memory.correct",
        authority.Correct,
        authority.CorrectOutcome,
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row("memory.forget", authority.Forget, authority.ForgetOutcome, Reach.BANK, Right.CONFIGURE),
    _row(
        "memory.forget_preview",
        authority.ForgetPreview,
        authority.Preview,
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "bank.set_enabled",
        authority.SetEnabled,
        authority.CutoffOutcome,
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "bank.delete_all",
        authority.DeleteAll,
        authority.CutoffOutcome,
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "memory.tool_forget",
        authority.ToolForget,
        authority.ForgetOutcome,
        Reach.BANK,
        Right.TOOL_FORGET,
    ),
    _row(
        "memory.tool_forget_preview",
        authority.ToolForgetPreview,
        authority.Preview,
        Reach.BANK,
        Right.TOOL_FORGET,
    ),
    _row(
        "memory.tool_correct",
        authority.ToolCorrect,
        authority.CorrectOutcome,
        Reach.BANK,
        Right.TOOL_CORRECT,
    ),
    _row(
        "memory.tool_correct_preview",
        authority.ToolCorrectPreview,
        authority.CorrectPreviewReply,
        Reach.BANK,
        Right.TOOL_CORRECT,
    ),
    _row(
        "operation.resolve",
        resolving.Resolve,
        resolving.Resolution,
        Reach.BANK,
        Right.REMEMBER,
        # Whoever may change something may ask what became of it.
        (Right.CONFIGURE, Right.TOOL_FORGET, Right.TOOL_CORRECT, Right.ADMIN),
    ),
    _row("index.status", index.IndexStatus, index.IndexView, Reach.BANK, Right.RECALL),
    _row("export", transfer.Export, transfer.ExportPage, Reach.BANK, Right.ADMIN),
    _row("import", transfer.Import, transfer.ImportOutcome, Reach.BANK, Right.ADMIN),
    _row("doctor", doctor.Doctor, doctor.DoctorReply, Reach.BANK, Right.ADMIN),
    _row("grant.create", grants.GrantCreate, grants.GrantCreated, Reach.DAEMON, Right.ADMIN),
    _row("grant.list", grants.GrantList, grants.GrantListReply, Reach.DAEMON, Right.ADMIN),
    _row("grant.revoke", grants.GrantRevoke, grants.GrantRevoked, Reach.DAEMON, Right.ADMIN),
)

OPERATIONS: Final[dict[str, Operation]] = {row.name: row for row in _ROWS}

KNOWLEDGE_PREFIX: Final = "knowledge."
KNOWLEDGE: Final = _row("knowledge.*", knowledge.Knowledge, knowledge.Unsupported, Reach.LINK)
HANDSHAKE: Final[dict[str, Operation]] = {
    "hello": _row("hello", link.Hello, link.HelloReply, Reach.LINK),
    "prove": _row("prove", link.Prove, link.Proven, Reach.LINK),
}


def find_operation(method: str) -> Operation | None:
    """The row of an operation, by its name on the wire."""
    if method.startswith(KNOWLEDGE_PREFIX):
        return KNOWLEDGE
    return OPERATIONS.get(method)
