"""The memory behind the tools: one owner, agent and session, and one connection to the daemon.

Where no daemon runs when the first tool is called, one is started, as `cognid.Cognis` does it.
After that none is: one that was stopped stays so until somebody starts it, and is found again then.
A bank is made, switched on, when the first memory is to be stored in it.

Owns: the calls of each tool, previews and what confirms them, and the writes whose outcome is not
known. Knows nothing of the SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from cognid.client import AsyncClient
from cognid.configure import AsyncAgentMemory
from cognid.mcp import answers
from cognid.mcp.answers import Answer
from cognid.mcp.arguments import (
    CorrectArguments,
    ForgetArguments,
    InspectArguments,
    RecallArguments,
    RememberArguments,
)
from cognid.mcp.plans import Plan, Plans, plan_of
from cognid.protocol import bounds
from cognid.protocol.authority import CorrectPreview
from cognid.protocol.banks import BankStatusReply
from cognid.protocol.configure import ForgottenMemory, NotFound, Page, Shown
from cognid.protocol.context import ContextOutcome
from cognid.protocol.errors import ERRORS, CognidError, OutcomeUnknownError
from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import IntakeOutcome
from cognid.protocol.values import Kind, Right, Role
from cognid.rendering import quoted
from cognid.starting import Home, have_daemon

_NOWHERE: Final = frozenset({"unreachable", "credential_missing"})
_RECALL_MS: Final = 2_000
"""A model waits for its tool, and not a turn for its memories; the machine may be busy."""
_UNKNOWN_KEPT: Final = 32
_SAID_TARGETS: Final = 10
"""As many memories as a dialogue names; the rest are counted."""
_SAID_CHARACTERS: Final = 200
_REMEDIES: Final = {
    "outcome_unknown": "Do not repeat it: memory_status tells what became of it.",
    "preview_invalid": "Call it again without a confirmation, to see what would be done now.",
    "handle_invalid": "Call it again.",
    "cursor_invalid": "Call it again without a cursor.",
    "unreachable": "The user can start it: cognid serve, or cognid service install.",
}
"""What a model or its user can do; the other remedies of the table do for them too."""

_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Serving:
    """Whose memory a process serves; nothing that a client sends changes it."""

    home: Home
    owner: str = "local"
    agent: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What has to be confirmed before it is done.

    `code` confirms it. `said` is for the person, `shown` and `data` for the model.
    """

    code: str = field(repr=False)
    said: str = field(repr=False)
    shown: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)


class Memory:
    """The memory that one process serves. Belongs to the event loop it is first used on."""

    def __init__(self, serving: Serving) -> None:
        self._home = serving.home
        self._client = AsyncClient(
            serving.home.places.socket,
            serving.home.credential,
            serving.owner,
            serving.agent,
            serving.session_id,
        )
        self._managed = AsyncAgentMemory(self._client, None)
        self._found = False
        self._plans = Plans()
        self._unknown: dict[str, None] = {}

    async def close(self) -> None:
        """End the connection."""
        await self._client.close()

    async def remember(self, asked: RememberArguments) -> Answer:
        """Store what the model asserts: it says so, not the user, so it is `inferred`."""
        is_long = len(asked.text) > bounds.FACT_CHARACTERS
        kind = asked.kind or (Kind.REMARK if is_long else Kind.FACT)
        operation_id = new_operation_id()

        async def add() -> IntakeOutcome:
            return await self._client.add(
                asked.text,
                kind=kind,
                role=Role.ASSISTANT,
                labels=asked.labels,
                operation_id=operation_id,
            )

        await self._connected()
        outcome = await self._known(add())
        if outcome is None:
            await self._written(self._client.ensure_bank(enabled=True))
            outcome = await self._written(add())
        return answers.of_intake(outcome)

    async def recall(self, asked: RecallArguments) -> Answer:
        """Find what answers a query."""
        await self._connected()
        outcome = await self._known(
            self._client.recall(
                asked.query,
                limit=asked.limit,
                kinds=asked.kinds,
                exclude=asked.exclude,
                deadline_ms=_RECALL_MS,
            )
        )
        return answers.nothing_yet() if outcome is None else answers.of_recall(outcome)

    async def inspect(self, asked: InspectArguments) -> Answer:
        """Show one memory, or a page of the list."""
        if asked.memory_id is not None:
            shown = await self.one(asked.memory_id)
            if shown is None:
                return answers.nothing_yet()
            return answers.of_shown(shown, asked.start, answers.SHOWN_CHARACTERS)
        page = await self.page(asked.cursor, asked.contains)
        return answers.nothing_yet() if page is None else answers.of_page(page)

    async def page(self, cursor: str | None, contains: str | None = None) -> Page | None:
        """A page of what is current, newest first; None where there is no bank."""
        await self._connected()
        return await self._known(self._managed.inspect(cursor=cursor, text=contains))

    async def one(self, memory_id: str) -> Shown | ForgottenMemory | NotFound | None:
        """One memory; None where there is no bank."""
        await self._connected()
        return await self._known(self._managed.get(memory_id))

    async def context(self, query: str | None, budget_tokens: int) -> ContextOutcome | None:
        """What belongs before the model for one turn; None where there is no bank."""
        await self._connected()
        return await self._known(
            self._client.assemble_context(
                query, budget_tokens=budget_tokens, deadline_ms=_RECALL_MS
            )
        )

    async def plan(self, asked: ForgetArguments | CorrectArguments) -> Question | Answer:
        """Preview a forget or a correct; an answer where there is nothing to be confirmed."""
        await self._connected()
        if isinstance(asked, ForgetArguments):
            planned = await self._known(self._plan_forget(asked))
        else:
            planned = await self._known(self._plan_correct(asked))
        return answers.nothing_yet() if planned is None else planned

    async def _plan_forget(self, asked: ForgetArguments) -> Question | Answer:
        preview = await self._client.tool_forget_preview(list(dict.fromkeys(asked.memory_ids)))
        if preview.preview_token is None:
            return answers.of_nothing_to_forget(preview)
        targets = tuple(one.memory_id for one in preview.affected)
        code = self._plans.keep(plan_of(asked, targets, preview.preview_token))
        shown, data = answers.of_forget_preview(preview)
        lines = [f"Erase {len(targets)} from memory for good? It cannot be undone."]
        lines += [f"- {quoted(one.excerpt)}" for one in preview.affected[:_SAID_TARGETS]]
        if len(targets) > _SAID_TARGETS:
            lines.append(f"and {len(targets) - _SAID_TARGETS} more")
        return Question(code, "\n".join(lines), shown, data)

    async def _plan_correct(self, asked: CorrectArguments) -> Question | Answer:
        preview = await self._client.tool_correct_preview(asked.memory_id)
        if not isinstance(preview, CorrectPreview):
            data = preview.model_dump(mode="json")
            return Answer(f"Nothing was done: {asked.memory_id} is {preview.outcome}.", data)
        code = self._plans.keep(plan_of(asked, (asked.memory_id,), preview.preview_token))
        shown, data = answers.of_correct_preview(preview, asked.text)
        said = f"Change in memory\n{_excerpt(preview.memory.text)}\nto\n{_excerpt(asked.text)}\n?"
        return Question(code, said, shown, data)

    def confirmed(self, code: str, asked: ForgetArguments | CorrectArguments) -> Plan | None:
        """Give the plan that a code confirms, once; None where it does not confirm this."""
        return self._plans.take(code, asked)

    async def carry_out(self, plan: Plan) -> Answer:
        """Do what was confirmed."""
        await self._connected()
        if isinstance(plan.asked, ForgetArguments):
            forgotten = await self._written(
                self._client.tool_forget(plan.targets, preview_token=plan.preview_token)
            )
            return answers.of_change(forgotten, "Forgotten")
        corrected = await self._written(
            self._client.tool_correct(
                plan.asked.memory_id, plan.asked.text, preview_token=plan.preview_token
            )
        )
        return answers.of_change(corrected, "Corrected")

    async def status(self) -> Answer:
        """Tell how memory stands, and settle the writes whose outcome is not known."""
        await self._connected()
        rights = await self._rights()
        daemon = await self._client.status()
        bank = await self._known(self._client.bank_status()) if Right.RECALL in rights else None
        settled = await self._settle()
        data = {
            "outcome": "status",
            "health": daemon.health,
            "findings": [finding.code for finding in daemon.findings],
            "owner": self._client.owner,
            "agent": self._client.agent,
            "session": self._client.session_id,
            "rights": sorted(rights),
            "bank": None if bank is None else _bank(bank),
            "writes": settled,
        }
        lines = [
            f"Memory of {_whose(self._client.owner, self._client.agent)}: health {daemon.health}.",
            *(f"{one.level}: {one.message} {one.remedy}" for one in daemon.findings),
            _bank_line(bank),
            f"Rights: {', '.join(sorted(rights))}.",
            *(f"Write {one}: {outcome}." for one, outcome in settled.items()),
        ]
        return Answer("\n".join(lines), data)

    async def _settle(self) -> dict[str, str]:
        """Ask what became of each write whose answer was lost; what is known then is not kept."""
        settled: dict[str, str] = {}
        for operation_id in list(self._unknown):
            resolution = await self._known(self._client.resolve(operation_id))
            # Without a bank nothing was stored, not by the first write of all either.
            settled[operation_id] = "no_bank" if resolution is None else resolution.outcome
            if resolution is None or resolution.outcome != "pending":
                self._unknown.pop(operation_id, None)
        return settled

    async def _connected(self) -> None:
        """Connect; where no daemon has been found yet and none runs, start one."""
        try:
            await self._client.connect()
        except CognidError as error:
            if self._found or error.code not in _NOWHERE:
                raise
            await have_daemon(self._home)
            await self._client.connect()
        self._found = True

    async def failed(self, error: CognidError, right: Right | None) -> Answer:
        """Tell of an error, and what can be done here. `right`: the one that the tool needs."""
        remedy = _REMEDIES.get(error.code)
        if error.code == "forbidden" and right is not None:
            remedy = await self._how_to_grant(right)
        return answers.failure(error, remedy)

    async def _rights(self) -> frozenset[Right]:
        return frozenset((await self._client.connect()).grant.rights)

    async def _how_to_grant(self, right: Right) -> str:
        try:
            rights = await self._rights()
        except CognidError:
            return ERRORS["forbidden"].remedy
        if right in rights:
            return "This server's owner or agent is not in the grant of its credential."
        given = " ".join(f"--right {one}" for one in [*sorted(rights - {Right.ADMIN}), right])
        return (
            f"The right {right} is off unless the user gives it: cognid pair NAME {given} (and"
            " --agent as here), then this server with COGNID_CREDENTIAL naming the file it prints."
        )

    async def _known(self, asked: Awaitable[_R]) -> _R | None:
        """Wait for an answer; None where there is no such bank."""
        try:
            return await self._written(asked)
        except CognidError as error:
            if error.code != "unknown_bank":
                raise
            return None

    async def _written(self, asked: Awaitable[_R]) -> _R:
        """Wait for an answer; the id of a write whose answer is lost is kept."""
        try:
            return await asked
        except OutcomeUnknownError as error:
            if error.operation_id is not None:
                while len(self._unknown) >= _UNKNOWN_KEPT:
                    del self._unknown[next(iter(self._unknown))]
                self._unknown[error.operation_id] = None
            raise


def _bank(bank: BankStatusReply) -> dict[str, Any]:
    return {"enabled": bank.enabled, "memories": bank.memories, "by_kind": bank.by_kind}


def _bank_line(bank: BankStatusReply | None) -> str:
    if bank is None:
        return "Nothing has been remembered here yet, or it may not be read."
    count = "1 memory" if bank.memories == 1 else f"{bank.memories:,} memories"
    return f"{'On' if bank.enabled else 'Switched off'}; {count}."


def _whose(owner: str, agent: str | None) -> str:
    return f"owner {quoted(owner)}, {'no agent' if agent is None else f'agent {quoted(agent)}'}"


def _excerpt(text: str) -> str:
    cut = "" if len(text) <= _SAID_CHARACTERS else f" … ({len(text)} characters)"
    return f"{quoted(text[:_SAID_CHARACTERS])}{cut}"
