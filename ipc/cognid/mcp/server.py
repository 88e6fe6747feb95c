"""The server: the tools, resources and prompt of one memory, as the SDK serves them.

Owns: what the protocol's requests become, and what is said of each on standard error. Faults of our
own are answered by the name of their class: their words could quote a memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

import cognid
from cognid.mcp import answers
from cognid.mcp.answers import Answer
from cognid.mcp.arguments import (
    CorrectArguments,
    ForgetArguments,
    InspectArguments,
    RecallArguments,
    RememberArguments,
    StatusArguments,
    read_arguments,
    schema_of,
)
from cognid.mcp.dialogue import (
    Context,
    answered,
    ask,
    asks_by_answer,
    has_dialogue,
    input_required,
)
from cognid.mcp.memory import Memory
from cognid.mcp.table import INSTRUCTIONS, TOOLS, ToolRow
from cognid.protocol import bounds
from cognid.protocol.context import Assembled
from cognid.protocol.errors import CognidError
from cognid.protocol.values import Right

LIST_URI: Final = "cognid://memories"
PROMPT: Final = "memory_context"

Say = Callable[[str], None]
"""Writes one line to standard error, where that is wanted. Never memory text."""


class MemoryServer:
    """The handlers. One for each process."""

    def __init__(self, memory: Memory, say: Say) -> None:
        self._memory = memory
        self._say = say

    def build(self) -> Server[Any]:
        """Make the SDK's server."""
        return Server(
            "cognid",
            version=cognid.__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(row) for row in TOOLS.values()])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        row = TOOLS.get(params.name)
        if row is None:
            raise MCPError(types.INVALID_PARAMS, "there is no tool of that name")
        began = time.monotonic()
        try:
            answer = await self._answer(context, params, row)
        except CognidError as error:
            answer = await self._memory.failed(error, row.right)
        except Exception as fault:
            # Whatever it is, the session goes on.
            answer = answers.fault_of(type(fault).__name__)
        self._say(f"{row.name} {_outcome(answer)} {(time.monotonic() - began) * 1000:.0f} ms")
        if isinstance(answer, types.InputRequiredResult):
            return answer
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=answer.data,
            is_error=answer.failed,
        )

    async def _answer(
        self, context: Context, params: types.CallToolRequestParams, row: ToolRow
    ) -> Answer | types.InputRequiredResult:
        match read_arguments(row.arguments, params.arguments):
            case RememberArguments() as asked:
                return await self._memory.remember(asked)
            case RecallArguments() as asked:
                return await self._memory.recall(asked)
            case InspectArguments() as asked:
                return await self._memory.inspect(asked)
            case CorrectArguments() | ForgetArguments() as asked:
                return await self._change(context, params, asked)
            case StatusArguments():
                return await self._memory.status()
            case other:
                raise AssertionError(type(other).__name__)

    async def _change(
        self,
        context: Context,
        params: types.CallToolRequestParams,
        asked: CorrectArguments | ForgetArguments,
    ) -> Answer | types.InputRequiredResult:
        """Preview, have it confirmed, do it: by the client's dialogue where it has one, so that
        a model cannot confirm for its user; else by a second call with the preview's code."""
        memory, by_dialogue = self._memory, has_dialogue(context)
        code = params.request_state if by_dialogue else asked.confirmation
        plan = None if code is None else memory.confirmed(code, asked)
        if plan is not None:
            action = answered(params) if by_dialogue else "accept"
            if action != "accept":
                return answers.unconfirmed(action)
            return await memory.carry_out(plan)
        question = await memory.plan(asked)
        if isinstance(question, Answer):
            return question
        if not by_dialogue:
            return Answer(
                f"{question.shown}\nNothing was changed yet. Show this to the user. If they agree,"
                f" call it again with the same arguments and confirmation {question.code}",
                {**question.data, "outcome": "confirmation_needed", "confirmation": question.code},
            )
        if asks_by_answer(context):
            return input_required(question)
        action = await ask(context, question)
        plan = memory.confirmed(question.code, asked) if action == "accept" else None
        return answers.unconfirmed(action) if plan is None else await memory.carry_out(plan)

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        memories = types.Resource(
            uri=LIST_URI,
            name="memories",
            title="Memories",
            description="What is remembered, newest first, a page at a time.",
            mime_type="text/plain",
        )
        return types.ListResourcesResult(resources=[memories])

    async def _list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        one = types.ResourceTemplate(
            uri_template=f"{LIST_URI}/{{memory_id}}",
            name="memory",
            title="Memory",
            description="One memory, whole.",
            mime_type="text/plain",
        )
        page = types.ResourceTemplate(
            uri_template=f"{LIST_URI}{{?cursor}}",
            name="memories_page",
            title="Memories, further pages",
            description="The page that a cursor of the page before names.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[one, page])

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        address = urlsplit(params.uri)
        if address.scheme != "cognid" or address.netloc != "memories":
            raise MCPError(types.INVALID_PARAMS, "there is no such resource")
        memory_id = address.path.removeprefix("/")
        try:
            if memory_id:
                answer = await self._one(memory_id)
            else:
                (cursor,) = parse_qs(address.query).get("cursor", [None])[:1]
                page = await self._memory.page(cursor)
                answer = answers.nothing_yet() if page is None else answers.of_page(page)
        except Exception as error:
            raise await self._raised(error, Right.CONFIGURE) from None
        self._say(f"{LIST_URI} {_outcome(answer)}")
        contents = types.TextResourceContents(
            uri=params.uri, mime_type="text/plain", text=answer.text
        )
        return types.ReadResourceResult(contents=[contents])

    async def _one(self, memory_id: str) -> Answer:
        shown = await self._memory.one(memory_id)
        return answers.nothing_yet() if shown is None else answers.of_shown(shown, 0, None)

    async def _list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        prompt = types.Prompt(
            name=PROMPT,
            title="Memory context",
            description="What memory holds for this turn: what always applies, and what is"
            " remembered about a topic.",
            arguments=[
                types.PromptArgument(name="topic", description="What the turn is about."),
                types.PromptArgument(
                    name="budget_tokens",
                    description=f"Tokens at most; {bounds.CONTEXT_TOKENS_DEFAULT} unless given.",
                ),
            ],
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, "there is no prompt of that name")
        given = {name: value for name, value in (params.arguments or {}).items() if value}
        try:
            topic = given.pop("topic", None)
            budget = _budget(given.pop("budget_tokens", str(bounds.CONTEXT_TOKENS_DEFAULT)))
            if given:
                raise CognidError("invalid_argument", "topic and budget_tokens, and no others")
            outcome = await self._memory.context(topic, budget)
        except Exception as error:
            raise await self._raised(error, Right.RECALL) from None
        if outcome is None:
            text = answers.nothing_yet().text
        elif isinstance(outcome, Assembled):
            text = outcome.text or "Memory holds nothing about this."
        else:
            text = f"Memory gave nothing for this turn: {outcome.outcome}."
        self._say(f"{PROMPT} {'no_bank' if outcome is None else outcome.outcome}")
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description="Memory, as data", messages=[message])

    async def _raised(self, error: Exception, right: Right) -> MCPError:
        """An error where the protocol has no room for one in the answer.

        One of our own is told here too: the SDK would send its words.
        """
        if not isinstance(error, CognidError):
            error = CognidError("internal", type(error).__name__)
        failure = await self._memory.failed(error, right)
        ours = error.code == "invalid_argument"
        code = types.INVALID_PARAMS if ours else types.INTERNAL_ERROR
        self._say(f"error {error.code}")
        return MCPError(code, failure.text, failure.data["error"])


def _tool(row: ToolRow) -> types.Tool:
    return types.Tool(
        name=row.name,
        title=row.title,
        description=row.description,
        input_schema=schema_of(row.arguments),
        annotations=types.ToolAnnotations(
            read_only_hint=row.read_only,
            # Of what only reads these two mean nothing.
            destructive_hint=None if row.read_only else row.destructive,
            idempotent_hint=None if row.read_only else row.idempotent,
            open_world_hint=False,
        ),
    )


def _budget(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= 6):
        raise CognidError("invalid_argument", "budget_tokens: a number")
    return int(given)


def _outcome(answer: Answer | types.InputRequiredResult) -> str:
    if isinstance(answer, types.InputRequiredResult):
        return answer.result_type
    if answer.failed:
        return f"error {answer.data.get('error', answer.data).get('code', 'unavailable')}"
    return str(answer.data["outcome"])
