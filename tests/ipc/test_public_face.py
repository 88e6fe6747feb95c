"""The package's face: what it exports, and what importing it costs."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import cognid
from cognid import AsyncClient, Client
from cognid.protocol.table import OPERATIONS

_FACE = """
__version__ UNSET AsyncClient Client Credential BankEnsured BankStatusReply BankView ManagerHandle
NotFound Page Shown CognidError OutcomeUnknownError IndexView Committed Conflict DeliveryGap
Duplicate Forgotten IntakeOutcome NoEffect Rejected StatusReply Resolution Disabled Hit Hits
MemoryView NoHits RecallOutcome Unavailable Kind Lifecycle Pipeline Provenance Right Role
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
    "operation.resolve": "resolve",
    "index.status": "index_status",
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
    methods = {name for name in _NAMESAKES.values() if name} | {"inspect_get", "connect", "call"}
    for name in methods:
        there = inspect.signature(getattr(AsyncClient, name))
        assert inspect.signature(getattr(Client, name)) == there
