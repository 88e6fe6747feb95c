"""The package's face: what it exports, and what importing it costs."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import cognid
from cognid import AsyncClient, Client
from cognid.configure import AgentMemory, AsyncAgentMemory
from cognid.protocol.table import OPERATIONS

_FACE = """
__version__ UNSET Aliases AsyncClient Client AgentConfigure AsyncAgentConfigure Credential
AlreadyAbsent Changed CorrectOutcome CorrectPreview CutoffOutcome CutoffPending ForgetOutcome
Preview Projection Target TargetForgotten TargetsConflict TargetsNotFound TextRejected Unaffected
BankEnsured BankStatusReply BankView ForgottenMemory History ManagerHandle NotFound Page Shown
DoctorReply CognidError OutcomeUnknownError IndexView Committed Conflict DeliveryGap
Duplicate Forgotten IntakeOutcome NoEffect Rejected StatusReply Resolution Disabled Hit Hits
MemoryView NoHits RecallOutcome Unavailable Imported ImportOutcome Record Kind Lifecycle Pipeline
Provenance Right Role
"""
_NAMESAKES = {
    "ping": "ping",
    "status": "status",
    "cancel": None,  # sent where an await is cancelled
    "shutdown": "shutdown",
    "bank.ensure": "ensure_bank",
    "bank.status": "bank_status",
    "bank.list": "banks",
    "memory.remember": "remember",
    "memory.add": "add",
    "memory.recall": "recall",
    "memory.search": "search",
    "configure.open": "open_configure",
    "memory.inspect": "inspect_list",
    "memory.correct": "correct",
    "memory.forget": "forget",
    "memory.forget_preview": "forget_preview",
    "bank.set_enabled": "set_enabled",
    "bank.delete_all": "delete_all",
    "memory.tool_forget": "tool_forget",
    "memory.tool_forget_preview": "tool_forget_preview",
    "memory.tool_correct": "tool_correct",
    "memory.tool_correct_preview": "tool_correct_preview",
    "operation.resolve": "resolve",
    "index.status": "index_status",
    "export": "export",
    "import": "import_records",
    "doctor": "doctor",
    "grant.create": "create_grant",
    "grant.list": "grants",
    "grant.revoke": "revoke_grant",
}


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after a statement."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return set(json.loads(ran.stdout))


def test_face_is_frozen() -> None:
    """The package exports exactly these names, and each of them is there."""
    assert set(cognid.__all__) == set(_FACE.split())
    for name in cognid.__all__:
        assert getattr(cognid, name) is not None
        assert name in dir(cognid)


def test_importing_the_package_is_cheap() -> None:
    """`import cognid` loads neither pydantic, typer, asyncio nor anything of the daemon."""
    loaded = modules_after("import cognid")
    assert not loaded & {"pydantic", "typer", "rich", "asyncio", "cognid_daemon", "cognid_models"}


def test_client_needs_no_part_of_the_daemon_or_the_command_line() -> None:
    """Using the client loads nothing heavier than pydantic."""
    loaded = modules_after("from cognid import AsyncClient, Client, CognidError; AsyncClient()")
    assert not loaded & {
        *("typer", "rich", "numpy", "onnxruntime", "usearch", "aiosqlite", "sqlcipher3"),
        *("cryptography", "structlog", "tokenizers", "cognid_daemon", "cognid_models"),
    }


def test_every_operation_has_a_method() -> None:
    """Each operation of the table has its method, on both clients and with one signature."""
    assert _NAMESAKES.keys() == OPERATIONS.keys()
    methods = {name for name in _NAMESAKES.values() if name}
    methods |= {"inspect_get", "inspect_history", "connect", "call"}
    for name in methods:
        there = inspect.signature(getattr(AsyncClient, name))
        assert inspect.signature(getattr(Client, name)) == there


def test_both_faces_of_configure_are_the_same() -> None:
    """Each method of an agent's memory is there on both faces, with one signature."""
    methods = {name for name in vars(AsyncAgentMemory) if not name.startswith("_")}
    assert methods == {name for name in vars(AgentMemory) if not name.startswith("_")}
    for name in methods:
        there = inspect.signature(getattr(AsyncAgentMemory, name))
        assert inspect.signature(getattr(AgentMemory, name)) == there
