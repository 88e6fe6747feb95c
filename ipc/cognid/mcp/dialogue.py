"""The client's own confirmation dialogue: the person is asked, not the model.

Up to the protocol of 2025-11-25 the server asks the client in the middle of the call. From
2026-07-28 on it answers that input is required, and the client calls again with the person's
answer; the plan's code is the state that comes back then, and the model never sees it.

Owns: both ways. Decides nothing about memory.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cognid.mcp.memory import Question
from cognid.protocol import bounds

Action = Literal["accept", "decline", "cancel"]
Context = ServerRequestContext[Any, Any]
_KEY: Final = "confirm"
_NO_FIELDS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""Accepting is the answer; there is nothing to be filled in."""


def has_dialogue(context: Context) -> bool:
    """Whether the client can show a form; one that declares nothing more precise can."""
    capabilities = context.session.client_capabilities
    offered = None if capabilities is None else capabilities.elicitation
    return offered is not None and (offered.form is not None or offered.url is None)


def asks_by_answer(context: Context) -> bool:
    """Whether the person is asked by the call's answer, and not in the middle of it."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def input_required(question: Question) -> types.InputRequiredResult:
    """The answer that makes the client ask the person and call again."""
    return types.InputRequiredResult(
        input_requests={
            _KEY: types.ElicitRequest(
                params=types.ElicitRequestFormParams(
                    message=question.said, requested_schema=_NO_FIELDS
                )
            )
        },
        request_state=question.code,
    )


def answered(params: types.CallToolRequestParams) -> Action:
    """What the person said to that; an answer that is not there is no yes."""
    reply = (params.input_responses or {}).get(_KEY)
    return reply.action if isinstance(reply, types.ElicitResult) else "cancel"


async def ask(context: Context, question: Question) -> Action:
    """Ask the person now, and wait as long as the preview is good; only a yes is one."""
    try:
        async with asyncio.timeout(bounds.PREVIEW_SECONDS):
            reply = await context.session.elicit_form(
                question.said, _NO_FIELDS, related_request_id=context.request_id
            )
    except (TimeoutError, MCPError):
        return "cancel"
    return reply.action
