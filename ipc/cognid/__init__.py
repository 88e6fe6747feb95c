"""Cognid, a local-first memory daemon for agents: the caller's side of its socket.

`AsyncClient` and `Client` are the two faces of the client, `AsyncAgentConfigure` and
`AgentConfigure` those of one agent's memory in its person's hands; the rest are what they answer
and raise. Importing `cognid` loads none of it: each name is fetched when it is first used, so that
a program pays for the client only where it uses it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cognid.aliases import Aliases as Aliases
    from cognid.client import UNSET as UNSET
    from cognid.client import AsyncClient as AsyncClient
    from cognid.client import Client as Client
    from cognid.cognis import AsyncCognis as AsyncCognis
    from cognid.cognis import Cognis as Cognis
    from cognid.configure import AgentConfigure as AgentConfigure
    from cognid.configure import AsyncAgentConfigure as AsyncAgentConfigure
    from cognid.credentials import Credential as Credential
    from cognid.extractor import Extractor as Extractor
    from cognid.extractor import ExtractorError as ExtractorError
    from cognid.protocol.authority import AlreadyAbsent as AlreadyAbsent
    from cognid.protocol.authority import Changed as Changed
    from cognid.protocol.authority import CorrectOutcome as CorrectOutcome
    from cognid.protocol.authority import CorrectPreview as CorrectPreview
    from cognid.protocol.authority import CutoffOutcome as CutoffOutcome
    from cognid.protocol.authority import CutoffPending as CutoffPending
    from cognid.protocol.authority import ForgetOutcome as ForgetOutcome
    from cognid.protocol.authority import Preview as Preview
    from cognid.protocol.authority import Projection as Projection
    from cognid.protocol.authority import Target as Target
    from cognid.protocol.authority import TargetForgotten as TargetForgotten
    from cognid.protocol.authority import TargetsConflict as TargetsConflict
    from cognid.protocol.authority import TargetsNotFound as TargetsNotFound
    from cognid.protocol.authority import TextRejected as TextRejected
    from cognid.protocol.authority import Unaffected as Unaffected
    from cognid.protocol.banks import BankEnsured as BankEnsured
    from cognid.protocol.banks import BankStatusReply as BankStatusReply
    from cognid.protocol.banks import BankView as BankView
    from cognid.protocol.banks import QuotaView as QuotaView
    from cognid.protocol.configure import ForgottenMemory as ForgottenMemory
    from cognid.protocol.configure import History as History
    from cognid.protocol.configure import ManagerHandle as ManagerHandle
    from cognid.protocol.configure import NotFound as NotFound
    from cognid.protocol.configure import Page as Page
    from cognid.protocol.configure import Recently as Recently
    from cognid.protocol.configure import Shown as Shown
    from cognid.protocol.context import Assembled as Assembled
    from cognid.protocol.context import ContextOutcome as ContextOutcome
    from cognid.protocol.doctor import DoctorReply as DoctorReply
    from cognid.protocol.errors import CognidError as CognidError
    from cognid.protocol.errors import OutcomeUnknownError as OutcomeUnknownError
    from cognid.protocol.evidence import Evidence as Evidence
    from cognid.protocol.evidence import EvidenceAccepted as EvidenceAccepted
    from cognid.protocol.evidence import EvidenceConflict as EvidenceConflict
    from cognid.protocol.evidence import EvidenceOutcome as EvidenceOutcome
    from cognid.protocol.evidence import EvidenceRecovered as EvidenceRecovered
    from cognid.protocol.evidence import EvidenceRejected as EvidenceRejected
    from cognid.protocol.evidence import EvidenceReplayed as EvidenceReplayed
    from cognid.protocol.evidence import EvidenceSkipped as EvidenceSkipped
    from cognid.protocol.evidence import EvidenceUnavailable as EvidenceUnavailable
    from cognid.protocol.evidence import TypedRejection as TypedRejection
    from cognid.protocol.evidence import evidence_root as evidence_root
    from cognid.protocol.evidence import parse_rejection as parse_rejection
    from cognid.protocol.explain import ExplainReply as ExplainReply
    from cognid.protocol.index import IndexReport as IndexReport
    from cognid.protocol.index import IndexView as IndexView
    from cognid.protocol.index import RebuildOutcome as RebuildOutcome
    from cognid.protocol.intake import Candidate as Candidate
    from cognid.protocol.intake import Committed as Committed
    from cognid.protocol.intake import Conflict as Conflict
    from cognid.protocol.intake import DeliveryGap as DeliveryGap
    from cognid.protocol.intake import Duplicate as Duplicate
    from cognid.protocol.intake import Forgotten as Forgotten
    from cognid.protocol.intake import IntakeOutcome as IntakeOutcome
    from cognid.protocol.intake import NoEffect as NoEffect
    from cognid.protocol.intake import Rejected as Rejected
    from cognid.protocol.lanes import DropOutcome as DropOutcome
    from cognid.protocol.lanes import LaneUnit as LaneUnit
    from cognid.protocol.lanes import Omission as Omission
    from cognid.protocol.lanes import QueryOutcome as QueryOutcome
    from cognid.protocol.lanes import ReplaceOutcome as ReplaceOutcome
    from cognid.protocol.lanes import Snapshot as Snapshot
    from cognid.protocol.link import StatusReply as StatusReply
    from cognid.protocol.operations import Resolution as Resolution
    from cognid.protocol.recall import Disabled as Disabled
    from cognid.protocol.recall import Hit as Hit
    from cognid.protocol.recall import Hits as Hits
    from cognid.protocol.recall import MemoryView as MemoryView
    from cognid.protocol.recall import NoHits as NoHits
    from cognid.protocol.recall import RecallOutcome as RecallOutcome
    from cognid.protocol.recall import Unavailable as Unavailable
    from cognid.protocol.retention import Pinned as Pinned
    from cognid.protocol.retention import PinOutcome as PinOutcome
    from cognid.protocol.sessions import AppendOutcome as AppendOutcome
    from cognid.protocol.sessions import ClearOutcome as ClearOutcome
    from cognid.protocol.sessions import MessagesOutcome as MessagesOutcome
    from cognid.protocol.sessions import NewMessage as NewMessage
    from cognid.protocol.sessions import SessionPage as SessionPage
    from cognid.protocol.sessions import TurnEvent as TurnEvent
    from cognid.protocol.transfer import Imported as Imported
    from cognid.protocol.transfer import ImportOutcome as ImportOutcome
    from cognid.protocol.transfer import Record as Record
    from cognid.protocol.values import Kind as Kind
    from cognid.protocol.values import Lifecycle as Lifecycle
    from cognid.protocol.values import Pipeline as Pipeline
    from cognid.protocol.values import Provenance as Provenance
    from cognid.protocol.values import Right as Right
    from cognid.protocol.values import Role as Role

__version__ = "0.1.0"

_HOMES = {
    "cognid.aliases": "Aliases",
    "cognid.client": "UNSET AsyncClient Client",
    "cognid.cognis": "AsyncCognis Cognis",
    "cognid.configure": "AgentConfigure AsyncAgentConfigure",
    "cognid.credentials": "Credential",
    "cognid.extractor": "Extractor ExtractorError",
    "cognid.protocol.authority": (
        "AlreadyAbsent Changed CorrectOutcome CorrectPreview CutoffOutcome CutoffPending "
        "ForgetOutcome Preview Projection Target TargetForgotten TargetsConflict TargetsNotFound "
        "TextRejected Unaffected"
    ),
    "cognid.protocol.banks": "BankEnsured BankStatusReply BankView QuotaView",
    "cognid.protocol.configure": (
        "ForgottenMemory History ManagerHandle NotFound Page Recently Shown"
    ),
    "cognid.protocol.context": "Assembled ContextOutcome",
    "cognid.protocol.doctor": "DoctorReply",
    "cognid.protocol.errors": "CognidError OutcomeUnknownError",
    "cognid.protocol.evidence": (
        "Evidence EvidenceAccepted EvidenceConflict EvidenceOutcome EvidenceRecovered "
        "EvidenceRejected EvidenceReplayed EvidenceSkipped EvidenceUnavailable TypedRejection "
        "evidence_root parse_rejection"
    ),
    "cognid.protocol.explain": "ExplainReply",
    "cognid.protocol.index": "IndexReport IndexView RebuildOutcome",
    "cognid.protocol.intake": (
        "Candidate Committed Conflict DeliveryGap Duplicate Forgotten IntakeOutcome NoEffect "
        "Rejected"
    ),
    "cognid.protocol.lanes": ("DropOutcome LaneUnit Omission QueryOutcome ReplaceOutcome Snapshot"),
    "cognid.protocol.link": "StatusReply",
    "cognid.protocol.operations": "Resolution",
    "cognid.protocol.recall": "Disabled Hit Hits MemoryView NoHits RecallOutcome Unavailable",
    "cognid.protocol.retention": "Pinned PinOutcome",
    "cognid.protocol.sessions": (
        "AppendOutcome ClearOutcome MessagesOutcome NewMessage SessionPage TurnEvent"
    ),
    "cognid.protocol.transfer": "Imported ImportOutcome Record",
    "cognid.protocol.values": "Kind Lifecycle Pipeline Provenance Right Role",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'cognid' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
