"""The table of operations: name, request, answer, right, default deadline. There is no other.

Owns: `OPERATIONS`. The daemon's dispatch, the client and `docs/protocol.md` are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from cognid.protocol import bounds
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
    request_name: str
    """`module.Model`: loaded when it is first used, so that a caller pays for what it calls."""
    reply_name: str
    reach: Reach
    right: Right | None
    mutates: bool
    deadline_ms: int
    or_rights: tuple[Right, ...] = ()

    @cached_property
    def request(self) -> Any:
        """Its request: a model, or a union of them."""
        return _named(self.request_name)

    @cached_property
    def reply(self) -> Any:
        """Its answer: a model, or a union of them."""
        return _named(self.reply_name)

    def deadline_ms_of(self, request: object) -> int:
        """Milliseconds that a request has: its own, else the default, which a thorough recall
        has more of."""
        named: int | None = getattr(request, "deadline_ms", None)
        if named is not None:
            return named
        thorough = getattr(request, "effort", None) == "thorough"
        return bounds.DEADLINE_MS_THOROUGH if thorough else self.deadline_ms

    @cached_property
    def read_request(self) -> TypeAdapter[Any]:
        """The validator of its request."""
        return _adapter(self.request)

    @cached_property
    def read_reply(self) -> TypeAdapter[Any]:
        """The validator of its answer."""
        return _adapter(self.reply)


def _named(model: str) -> Any:
    module, _, name = model.partition(".")
    return getattr(import_module(f"cognid.protocol.{module}"), name)


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
    "memory.remember_evidence",
    "memory.correct",
    "memory.pin",
    "memory.forget",
    "memory.tool_correct",
    "memory.tool_forget",
    "session.append",
    "session.clear",
    "lane.replace",
    "lane.drop",
    "bank.set_enabled",
    "bank.delete_all",
    "import",
    "index.rebuild",
    "operation.resolve",
    "grant.create",
    "grant.revoke",
}


RECALLS: Final = frozenset({"memory.recall", "memory.search", "context.assemble"})
"""They stand in a turn's way: a short deadline, and what is late is named."""
_LONG: Final = {"bank.set_enabled", "bank.delete_all"}
"""Cutoffs: they end what is in flight first."""


def _row(
    name: str,
    request: str,
    reply: str,
    reach: Reach,
    right: Right | None = None,
    or_rights: tuple[Right, ...] = (),
) -> Operation:
    if right is Right.ADMIN or name in _LONG:
        deadline = bounds.DEADLINE_MS_ADMIN
    elif name in RECALLS:
        deadline = bounds.DEADLINE_MS_RECALL
    else:
        deadline = bounds.DEADLINE_MS_WRITE
    return Operation(name, request, reply, reach, right, name in _WRITES, deadline, or_rights)


_ROWS: Final = (
    _row("ping", "link.Ping", "link.Pong", Reach.LINK),
    _row("status", "link.Status", "link.StatusReply", Reach.LINK),
    _row("cancel", "link.Cancel", "link.Cancelled", Reach.LINK),
    _row("shutdown", "link.Shutdown", "link.ShuttingDown", Reach.DAEMON, Right.ADMIN),
    _row("bank.ensure", "banks.BankEnsure", "banks.BankEnsured", Reach.BANK, Right.REMEMBER),
    _row("bank.status", "banks.BankStatus", "banks.BankStatusReply", Reach.BANK, Right.RECALL),
    _row("bank.list", "banks.BankList", "banks.BankListReply", Reach.LINK),
    _row("memory.remember", "intake.Remember", "intake.IntakeOutcome", Reach.BANK, Right.REMEMBER),
    _row("memory.add", "intake.Add", "intake.IntakeOutcome", Reach.BANK, Right.REMEMBER),
    _row(
        "memory.remember_evidence",
        "evidence.RememberEvidence",
        "intake.IntakeOutcome",
        Reach.BANK,
        Right.REMEMBER,
    ),
    _row("memory.explain", "explain.Explain", "explain.ExplainReply", Reach.BANK, Right.REMEMBER),
    _row("memory.recall", "recall.Recall", "recall.RecallOutcome", Reach.BANK, Right.RECALL),
    _row("memory.search", "recall.Search", "recall.RecallOutcome", Reach.BANK, Right.RECALL),
    _row(
        "context.assemble", "context.Assemble", "context.ContextOutcome", Reach.BANK, Right.RECALL
    ),
    _row(
        "session.append",
        "sessions.SessionAppend",
        "sessions.AppendOutcome",
        Reach.BANK,
        Right.SESSION,
    ),
    _row(
        "session.messages",
        "sessions.SessionMessages",
        "sessions.MessagesOutcome",
        Reach.BANK,
        Right.SESSION,
    ),
    _row(
        "session.clear", "sessions.SessionClear", "sessions.ClearOutcome", Reach.BANK, Right.SESSION
    ),
    _row("lane.replace", "lanes.LaneReplace", "lanes.ReplaceOutcome", Reach.BANK, Right.LANE),
    _row("lane.query", "lanes.LaneQuery", "lanes.QueryOutcome", Reach.BANK, Right.LANE),
    _row("lane.drop", "lanes.LaneDrop", "lanes.DropOutcome", Reach.BANK, Right.LANE),
    _row(
        "configure.open",
        "configure.ConfigureOpen",
        "configure.ManagerHandle",
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "memory.inspect", "configure.Inspect", "configure.InspectReply", Reach.BANK, Right.CONFIGURE
    ),
    _row(
        "memory.correct",
        "authority.Correct",
        "authority.CorrectOutcome",
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row("memory.pin", "retention.Pin", "retention.PinOutcome", Reach.BANK, Right.CONFIGURE),
    _row(
        "memory.forget", "authority.Forget", "authority.ForgetOutcome", Reach.BANK, Right.CONFIGURE
    ),
    _row(
        "memory.forget_preview",
        "authority.ForgetPreview",
        "authority.Preview",
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "bank.set_enabled",
        "authority.SetEnabled",
        "authority.CutoffOutcome",
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "bank.delete_all",
        "authority.DeleteAll",
        "authority.CutoffOutcome",
        Reach.BANK,
        Right.CONFIGURE,
    ),
    _row(
        "memory.tool_forget",
        "authority.ToolForget",
        "authority.ForgetOutcome",
        Reach.BANK,
        Right.TOOL_FORGET,
    ),
    _row(
        "memory.tool_forget_preview",
        "authority.ToolForgetPreview",
        "authority.Preview",
        Reach.BANK,
        Right.TOOL_FORGET,
    ),
    _row(
        "memory.tool_correct",
        "authority.ToolCorrect",
        "authority.CorrectOutcome",
        Reach.BANK,
        Right.TOOL_CORRECT,
    ),
    _row(
        "memory.tool_correct_preview",
        "authority.ToolCorrectPreview",
        "authority.CorrectPreviewReply",
        Reach.BANK,
        Right.TOOL_CORRECT,
    ),
    _row(
        "operation.resolve",
        "operations.Resolve",
        "operations.Resolution",
        Reach.BANK,
        Right.REMEMBER,
        # Whoever may change something may ask what became of it.
        (
            Right.CONFIGURE,
            Right.TOOL_FORGET,
            Right.TOOL_CORRECT,
            Right.SESSION,
            Right.LANE,
            Right.ADMIN,
        ),
    ),
    _row("index.status", "index.IndexStatus", "index.IndexReport", Reach.BANK, Right.RECALL),
    _row("index.rebuild", "index.IndexRebuild", "index.RebuildOutcome", Reach.BANK, Right.ADMIN),
    _row("export", "transfer.Export", "transfer.ExportPage", Reach.BANK, Right.ADMIN),
    _row("import", "transfer.Import", "transfer.ImportOutcome", Reach.BANK, Right.ADMIN),
    _row("doctor", "doctor.Doctor", "doctor.DoctorReply", Reach.BANK, Right.ADMIN),
    _row("grant.create", "grants.GrantCreate", "grants.GrantCreated", Reach.DAEMON, Right.ADMIN),
    _row("grant.list", "grants.GrantList", "grants.GrantListReply", Reach.DAEMON, Right.ADMIN),
    _row("grant.revoke", "grants.GrantRevoke", "grants.GrantRevoked", Reach.DAEMON, Right.ADMIN),
)

OPERATIONS: Final[dict[str, Operation]] = {row.name: row for row in _ROWS}

KNOWLEDGE_PREFIX: Final = "knowledge."
KNOWLEDGE: Final = _row("knowledge.*", "knowledge.Knowledge", "knowledge.Unsupported", Reach.LINK)
HANDSHAKE: Final[dict[str, Operation]] = {
    "hello": _row("hello", "link.Hello", "link.HelloReply", Reach.LINK),
    "prove": _row("prove", "link.Prove", "link.Proven", Reach.LINK),
}


def find_operation(method: str) -> Operation | None:
    """The row of an operation, by its name on the wire."""
    if method.startswith(KNOWLEDGE_PREFIX):
        return KNOWLEDGE
    return OPERATIONS.get(method)
