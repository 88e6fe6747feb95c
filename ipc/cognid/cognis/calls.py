"""What a `Cognis` changes: add, update, delete and clear.

Owns: the order of the operations behind each, and how a caller's messages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, assert_never

from cognid.client.arguments import make
from cognid.cognis.link import AT_ONCE, Scope, all_of, batches, known, there
from cognid.cognis.reads import CognisReads
from cognid.cognis.shapes import Added, Done, MemoryDict, Updated, Withheld, shown_dict
from cognid.protocol import bounds
from cognid.protocol.authority import (
    AlreadyAbsent,
    Changed,
    TargetForgotten,
    TargetsConflict,
    TargetsNotFound,
    TextRejected,
    Unaffected,
)
from cognid.protocol.intake import (
    Committed,
    Conflict,
    DeliveryGap,
    Duplicate,
    Forgotten,
    IntakeOutcome,
    NoEffect,
    Rejected,
)
from cognid.protocol.sessions import Appended, Cleared, NewMessage, TurnEvent
from cognid.protocol.values import Kind, Role
from cognid.starting import Home

_ROLES = [role.value for role in Role]


@dataclass(frozen=True, slots=True)
class Said:
    """A message that a caller gave, and its place in the caller's list."""

    index: int
    message: NewMessage = field(repr=False)


class CognisCalls(CognisReads):
    """All calls, over one connection."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._made: set[tuple[str, str | None]] = set()

    async def add(
        self, scope: Scope, messages: Sequence[Said], blank: Sequence[int], at: datetime | None
    ) -> Added:
        """Report each message as an event, then put all of them into the session."""
        client = await self._connected()
        if scope.bank not in self._made:
            await client.ensure_bank(enabled=True, **scope.whose)
            self._made.add(scope.bank)
        outcomes: list[IntakeOutcome] = []
        for some in batches(messages, AT_ONCE):
            outcomes += await all_of(
                client.remember(
                    role=one.message.role,
                    content=one.message.content,
                    speaker=one.message.name,
                    stream=f"cognis:{scope.session}",
                    occurred_at=at,
                    session_id=scope.session,
                    **scope.whose,
                )
                for one in some
            )
        self._unsettled.add(scope.bank)
        kept = await self._append(scope, messages, outcomes, at)
        ids: dict[str, None] = {}
        withheld: list[Withheld] = [{"index": index, "rules": ["blank"]} for index in blank]
        for one, outcome in zip(messages, outcomes, strict=True):
            ids.update(dict.fromkeys(_stored(outcome)))
            if rules := _rules(outcome):
                withheld.append({"index": one.index, "rules": rules})
        memories = await self._shown(scope, list(ids))
        return _added(len(messages) + len(blank), kept, memories, withheld)

    async def _append(
        self,
        scope: Scope,
        messages: Sequence[Said],
        outcomes: Sequence[IntakeOutcome],
        at: datetime | None,
    ) -> int:
        """Put messages into the session, each with its event; gives how many stand there."""
        kept = 0
        for some in batches(list(zip(messages, outcomes, strict=True)), bounds.MESSAGES):
            appended = await self._client.append_messages(
                [_with_event(one, outcome, at) for one, outcome in some],
                session_id=scope.session,
                **scope.whose,
            )
            kept += len(appended.messages) if isinstance(appended, Appended) else 0
        return kept

    async def _shown(self, scope: Scope, ids: Sequence[str]) -> list[MemoryDict]:
        found: list[MemoryDict] = []
        for some in batches(ids, AT_ONCE):
            views = await all_of(self._get(scope, memory_id) for memory_id in some)
            found += [shown_dict(view, *scope.bank) for view in views if view is not None]
        return found

    async def delete(self, scope: Scope, memory_id: str) -> Done:
        """Forget one memory for good."""
        await self._connected()
        outcome = await there(
            self._managed(
                scope,
                lambda handle: self._client.forget(
                    handle, [memory_id], confirmed=True, **scope.whose
                ),
            )
        )
        match outcome:
            case Changed():
                return {"success": True, "message": f"Memory {memory_id} deleted"}
            case None | AlreadyAbsent() | TargetsNotFound():
                return {"success": False, "message": f"Memory {memory_id} not found"}
            case TargetsConflict() | Unaffected():
                return {"success": False, "message": f"Nothing deleted: {outcome.reason}"}
            case _:
                assert_never(outcome)

    async def update(self, scope: Scope, memory_id: str, content: str) -> Updated:
        """Correct one memory; what it said before stays in its history."""
        await self._connected()
        shown = await self._get(scope, memory_id)
        if shown is None:
            message = f"Memory {memory_id} not found"
            return {"success": False, "message": message, "memory": None}
        outcome = await self._managed(
            scope,
            lambda handle: self._client.correct(
                handle,
                memory_id,
                content,
                expected_revision=shown.memory.revision,
                **scope.whose,
            ),
        )
        match outcome:
            case Changed():
                message = f"Memory {memory_id} updated"
                self._unsettled.add(scope.bank)
            case TargetsNotFound() | TargetForgotten():
                message = f"Memory {memory_id} not found"
            case TargetsConflict() | Unaffected():
                message = f"Nothing updated: {outcome.reason}"
            case TextRejected():
                message = f"Nothing updated: {', '.join(outcome.rules)}"
            case _:
                assert_never(outcome)
        now = await self._get(scope, memory_id)
        return {
            "success": isinstance(outcome, Changed),
            "message": message,
            "memory": None if now is None else shown_dict(now, *scope.bank),
        }

    async def clear(self, scope: Scope) -> Done:
        """Take the messages of one session away."""
        client = await self._connected()
        outcome = await known(client.clear_session(session_id=scope.session, **scope.whose))
        if outcome is None or isinstance(outcome, Cleared):
            count = 0 if outcome is None else outcome.count
            return {"success": True, "message": f"Deleted {count} messages"}
        return {"success": False, "message": f"Nothing deleted: {outcome.reason}"}


def read_messages(messages: Iterable[Mapping[str, Any]]) -> tuple[list[Said], list[int]]:
    """Read a caller's messages; gives those that say something, and the places of the others.

    Raises:
        ValueError: one has no text, or a role that there is not.
        CognidError: `invalid_argument` where one is longer than a memory can be.
    """
    said: list[Said] = []
    blank: list[int] = []
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise ValueError(f"messages[{index}] must be a dict")
        content, role, name = (message.get(key) for key in ("content", "role", "name"))
        if not isinstance(content, str):
            raise ValueError(f"messages[{index}]: content must be text")
        if role not in (None, *_ROLES):
            raise ValueError(f"messages[{index}]: role must be one of {', '.join(_ROLES)}")
        if not any(one.isprintable() and not one.isspace() for one in content):
            blank.append(index)
            continue
        made = make(NewMessage, role=role or Role.USER.value, content=content, name=name)
        said.append(Said(index, made))
    return said, blank


def with_zone(instant: datetime | None) -> datetime | None:
    """An instant with a time zone; one without is taken for UTC.

    Raises:
        ValueError: it is something else.
    """
    if instant is not None and not isinstance(instant, datetime):
        raise ValueError("reference_time must be a datetime")
    if instant is None or instant.tzinfo is not None:
        return instant
    return instant.replace(tzinfo=UTC)


def _added(count: int, kept: int, memories: list[MemoryDict], withheld: list[Withheld]) -> Added:
    message = f"Extracted {len(memories)} memories from {count} messages"
    if withheld:
        rules = sorted({rule for one in withheld for rule in one["rules"]})
        message += f"; withheld {len(withheld)} ({', '.join(rules)})"
    added: Added = {
        # Whoever reads this alone must not take nothing for something.
        "success": len(withheld) < count or not count,
        "message": message,
        "session_message_count": kept,
        "memories": memories,
    }
    if withheld:
        added["withheld"] = withheld
    return added


def _with_event(said: Said, outcome: IntakeOutcome, at: datetime | None) -> NewMessage:
    event = None if isinstance(outcome, Conflict | DeliveryGap | NoEffect) else outcome.event
    linked = None if event is None else TurnEvent(stream=event.stream, sequence=event.sequence)
    return said.message.model_copy(update={"occurred_at": at, "event": linked})


def _stored(outcome: IntakeOutcome) -> list[str]:
    """The ids of what a turn became: its facts, also those that were there; else its remark."""
    if not isinstance(outcome, Committed | Duplicate):
        return []
    met = outcome.folded if isinstance(outcome, Committed) else []
    stored = [*outcome.memories, *met]
    facts = [one.memory_id for one in stored if one.kind is not Kind.REMARK]
    return facts or [one.memory_id for one in stored]


def _rules(outcome: IntakeOutcome) -> list[str]:
    """Why a turn became no memory, unless the settings keep no such role."""
    match outcome:
        case Committed() | Duplicate():
            return []
        case Rejected():
            return [rule for rule in outcome.rules if rule != "role_not_kept"]
        case Forgotten():
            return ["forgotten"]
        case NoEffect() | Conflict():
            return [outcome.reason]
        case DeliveryGap():
            return ["delivery_gap"]
        case _:
            assert_never(outcome)
