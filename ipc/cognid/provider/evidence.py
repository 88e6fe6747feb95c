"""Evidence as a host hands it over, and what became of it.

A host may give the body itself, or the object that it is in JSON, read as strictly as the body.

Owns: how that object is read, and that a lost answer is an outcome and no second attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from cognid import evidence as outcomes
from cognid.client import AsyncClient
from cognid.protocol.errors import CognidError
from cognid.protocol.evidence import Evidence, EvidenceOutcome, EvidenceRejected
from cognid.protocol.validation import describe
from cognid.provider.identity import Identity

Body = Evidence | Mapping[str, Any]


def admitted(identity: Identity, evidence: Body, operation_id: str) -> Evidence | EvidenceRejected:
    """Read an evidence, or reject what lies outside the bounds.

    Raises:
        CognidError: `invalid_argument` for what is no evidence, `identity_mismatch` for one of
            another owner.
    """
    rejected = outcomes.over_bound(_content_of(evidence), operation_id)
    if rejected is not None:
        return rejected
    body = _read(evidence)
    if body.actor.owner_id != identity.owner:
        raise CognidError(
            "identity_mismatch", "evidence.actor.owner_id is not the provider's owner"
        )
    return body


async def remember_evidence(
    client: AsyncClient, body: Evidence, occurred_at: datetime | None, operation_id: str
) -> EvidenceOutcome:
    """Send an evidence once, and tell what became of it."""
    try:
        answer = await client.remember_evidence(
            body, occurred_at=occurred_at, operation_id=operation_id
        )
    except CognidError as error:
        return outcomes.of_error(error, operation_id)
    return outcomes.of_answer(answer)


def _read(evidence: Body) -> Evidence:
    if isinstance(evidence, Evidence):
        return evidence
    try:
        return Evidence.model_validate(evidence)
    except ValidationError as error:
        # From None: the message could quote the text.
        raise CognidError("invalid_argument", f"evidence.{describe(error)}") from None


def _content_of(evidence: Body) -> str:
    """What the user said, where it stands where it should; else nothing, which no bound rejects."""
    if isinstance(evidence, Evidence):
        return evidence.content
    messages = evidence.get("messages")
    if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], Mapping):
        content = messages[0].get("content")
        return content if isinstance(content, str) else ""
    return ""
