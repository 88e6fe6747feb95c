"""The package's face: what it exports, and what importing it costs."""

from __future__ import annotations

import importlib.metadata
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
BankEnsured BankStatusReply BankView ForgottenMemory History ManagerHandle NotFound Page Recently
Shown DoctorReply CognidError OutcomeUnknownError IndexView IndexReport RebuildOutcome Committed
Conflict DeliveryGap Duplicate Forgotten IntakeOutcome NoEffect Rejected StatusReply Resolution
Disabled Hit Hits
MemoryView NoHits RecallOutcome Unavailable Imported ImportOutcome Record Kind Lifecycle Pipeline
Provenance Right Role Candidate ExplainReply Extractor ExtractorError Evidence EvidenceAccepted
EvidenceConflict EvidenceOutcome EvidenceRecovered EvidenceRejected EvidenceReplayed EvidenceSkipped
AsyncCognis Cognis EvidenceUnavailable TypedRejection evidence_root parse_rejection Assembled
ContextOutcome AppendOutcome ClearOutcome MessagesOutcome NewMessage SessionPage TurnEvent
DropOutcome LaneUnit Omission QueryOutcome ReplaceOutcome Snapshot
Pinned PinOutcome QuotaView
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
    "memory.remember_evidence": "remember_evidence",
    "memory.explain": "explain",
    "memory.recall": "recall",
    "memory.search": "search",
    "context.assemble": "assemble_context",
    "session.append": "append_messages",
    "session.messages": "session_messages",
    "session.clear": "clear_session",
    "lane.replace": "replace_lane",
    "lane.query": "query_lanes",
    "lane.drop": "drop_lane",
    "configure.open": "open_configure",
    "memory.inspect": "inspect_list",
    "memory.correct": "correct",
    "memory.pin": "pin",
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
    "index.rebuild": "rebuild_indexes",
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


def test_using_the_client_loads_few_distributions() -> None:
    """The package and its client load modules of at most 12 distributions, itself included."""
    named = importlib.metadata.packages_distributions()
    loaded = modules_after("import cognid; from cognid import AsyncClient, Client; AsyncClient()")
    top = {name.partition(".")[0] for name in loaded}
    distributions = {one for name in top for one in named.get(name, ())}
    distributions.add("cognid")  # installed editable, it names no modules
    assert "pydantic" in distributions
    assert len(distributions) <= 12, distributions


def test_the_client_loads_only_what_it_is_asked_for() -> None:
    """The messages of an operation are loaded when it is called first, and not before."""
    loaded = modules_after("from cognid import AsyncClient; AsyncClient()")
    families = {operation.request_name.partition(".")[0] for operation in OPERATIONS.values()}
    loaded_families = {name for name in families if f"cognid.protocol.{name}" in loaded}
    assert loaded_families <= {"link", "grants"}  # the handshake's


def test_every_operation_has_a_method() -> None:
    """Each operation of the table has its method, on both clients and with one signature."""
    assert _NAMESAKES.keys() == OPERATIONS.keys()
    methods = {name for name in _NAMESAKES.values() if name}
    methods |= {"inspect_get", "inspect_history", "inspect_recent", "connect", "call"}
    methods |= {"remember_user_event", "recover"}
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
