"""Aliases: short names (`m1`, `m2`, …) by which a model speaks of the memories it was shown.

An alias names one *revision* of one memory. There is one table a session; a name is given once and
never again. When a changed record is shown it gets a new alias, and the old one is stale: a
correction or a forget through it is refused here, before anything is sent, with the advice to
search again. A mutation through a live alias carries the revision that was shown, so that the
daemon refuses it where the memory has changed unseen.

`plan` looks and changes nothing; `apply` takes a whole plan or none of it; a host that keeps the
plans in its own log gets the same table back with `replay`. A plan holds ids and revisions, no
text.

Owns: the names, what they stand for, and their three errors. Calls no daemon.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from cognid.protocol.errors import CognidError
from cognid.protocol.values import Message

LIVE_ALIASES: Final = 4_096
"""Aliases that can be used at one time; of more the oldest become stale. What a model was shown
this many memories ago does not stand in its context any more."""

_ALIAS: Final = re.compile(r"m[1-9][0-9]{0,14}", re.ASCII)
_REVISION_FIELDS: Final = ("revision_id", "revision", "version", "provenance_id")
_VOLATILE: Final = frozenset(
    {"access_count", "checked_at", "last_accessed", "last_accessed_at", "score"}
)
"""What a mere read may change: it makes no new revision."""

Record = BaseModel | Mapping[str, Any]
"""A memory as it was shown: a `MemoryView`, a hit, or the object that stands for one in JSON."""


class Bind(Message):
    """A new alias, the next number of its table."""

    change: Literal["bind"] = "bind"
    memory_id: str
    revision: str
    """The revision as text, or `sha256:` and the digest of a record that names none."""
    expected_revision: int | None
    """The revision as a mutation can carry it; None where the record named none of that form."""


class Drop(Message):
    """No alias of this memory can be used any more."""

    change: Literal["drop"] = "drop"
    memory_id: str


Change = Annotated[Bind | Drop, Field(discriminator="change")]


class Plan(Message):
    """Changes that take one table from the state they were planned for to the next."""

    session_id: str
    base: int
    """The plans that the table had taken before."""
    changes: list[Change]
    aliases: list[str]
    """The alias of each record, in their order."""


@dataclass(frozen=True, slots=True)
class AliasTable:
    """The aliases of one session at one time; never changed, only followed by another."""

    session_id: str
    applied: int = 0
    issued: int = 0
    live: Mapping[str, Bind] = field(default_factory=dict)
    """What each usable alias stands for, oldest first."""
    of_memory: Mapping[str, str] = field(default_factory=dict)
    """The usable alias of each memory."""


def is_alias(text: str) -> bool:
    """Whether a text has the form of an alias; no memory id has."""
    return _ALIAS.fullmatch(text) is not None


def find(table: AliasTable, alias: str) -> Bind:
    """What an alias stands for.

    Raises:
        CognidError: `memory_alias_unknown` where this table never gave it, `memory_alias_stale`
            where its memory has changed or gone since.
    """
    if not is_alias(alias):
        raise CognidError("memory_alias_unknown", "no alias has this form")  # it may be any text
    found = table.live.get(alias)
    if found is None:
        given = int(alias[1:]) <= table.issued
        raise CognidError("memory_alias_stale" if given else "memory_alias_unknown", alias)
    return found


def precondition(table: AliasTable, alias: str) -> tuple[str, int]:
    """The memory of an alias and the revision that a mutation through it must carry.

    Raises:
        CognidError: as `find`, and `memory_alias_precondition_unavailable` where the record that
            was shown named no revision that the daemon could check.
    """
    found = find(table, alias)
    if found.expected_revision is None:
        raise CognidError("memory_alias_precondition_unavailable", alias)
    return found.memory_id, found.expected_revision


def plan(table: AliasTable, records: Iterable[Record]) -> Plan:
    """Plan names for the records that are to be shown. Changes nothing.

    A record that is shown again as it was keeps its alias. An older revision than the one that was
    shown gets a name that is stale from the start.

    Raises:
        ValueError: a record has no id.
    """
    binds: list[Bind] = []
    aliases: list[str] = []
    shown: dict[str, tuple[str, Bind]] = {}  # those of this plan
    for record in records:
        bind = _bind(record)
        held = table.of_memory.get(bind.memory_id)
        before = shown.get(bind.memory_id) or (None if held is None else (held, table.live[held]))
        if before is not None and before[1].revision == bind.revision:
            aliases.append(before[0])
            continue
        binds.append(bind)
        aliases.append(f"m{table.issued + len(binds)}")
        if before is None or not _is_older(bind, before[1]):
            shown[bind.memory_id] = aliases[-1], bind
    return Plan(
        session_id=table.session_id, base=table.applied, changes=list(binds), aliases=aliases
    )


def plan_drop(table: AliasTable, memory_ids: Iterable[str]) -> Plan:
    """Plan that these memories' aliases can be used no more. Changes nothing."""
    known = (memory_id for memory_id in memory_ids if memory_id in table.of_memory)
    drops: list[Change] = [Drop(memory_id=memory_id) for memory_id in known]
    return Plan(session_id=table.session_id, base=table.applied, changes=drops, aliases=[])


def apply(table: AliasTable, planned: Plan) -> AliasTable:
    """The table after a plan; the one given stays as it is.

    Raises:
        ValueError: the plan was made for another session, or for another state of this table.
    """
    if planned.session_id != table.session_id or planned.base != table.applied:
        raise ValueError("the plan was made for another state of the aliases")
    live, of_memory, issued = dict(table.live), dict(table.of_memory), table.issued
    for change in planned.changes:
        before = of_memory.get(change.memory_id)
        if isinstance(change, Drop):
            if before is not None:
                del of_memory[change.memory_id], live[before]
            continue
        issued += 1
        if before is not None:
            if _is_older(change, live[before]):
                continue
            del live[before]
        of_memory[change.memory_id] = f"m{issued}"
        live[f"m{issued}"] = change
    while len(live) > LIVE_ALIASES:
        oldest = next(iter(live))
        del of_memory[live.pop(oldest).memory_id]
    return AliasTable(table.session_id, table.applied + 1, issued, live, of_memory)


def replay(session_id: str, plans: Iterable[Plan]) -> AliasTable:
    """The table of a session, made again from all its plans in their order.

    Raises:
        ValueError: one is missing, stands twice, or belongs to another session.
    """
    table = AliasTable(session_id)
    for planned in plans:
        table = apply(table, planned)
    return table


class Aliases:
    """The aliases of a session that is going on; for any number of threads.

    Args:
        session_id: whose; a host keeps one of these for each session.
        table: where it begins, after a `replay`.
    """

    def __init__(self, session_id: str, table: AliasTable | None = None) -> None:
        self._table = table or AliasTable(session_id)
        if self._table.session_id != session_id:
            raise ValueError("the table belongs to another session")
        self._guard = threading.Lock()

    @property
    def table(self) -> AliasTable:
        """The aliases as they stand now."""
        return self._table

    def take(self, planned: Plan) -> None:
        """Take a plan, whole.

        Raises:
            ValueError: the aliases have changed since it was made; plan again.
        """
        with self._guard:
            self._table = apply(self._table, planned)

    def name(self, records: Sequence[Record]) -> Plan:
        """Name the records that are to be shown; `aliases` of the answer gives each one's."""
        return self._change(lambda table: plan(table, records))

    def invalidate_memory(self, memory_id: str) -> Plan:
        """Let the alias of a memory be stale from now on: it was changed or forgotten."""
        return self.invalidate([memory_id])

    def invalidate(self, memory_ids: Iterable[str] | None = None) -> Plan:
        """The same for several; for all without any."""
        return self._change(
            lambda table: plan_drop(
                table, tuple(table.of_memory) if memory_ids is None else memory_ids
            )
        )

    def precondition(self, alias: str) -> tuple[str, int]:
        """The memory and revision for a mutation; see the function of that name."""
        return precondition(self._table, alias)

    def _change(self, make: Callable[[AliasTable], Plan]) -> Plan:
        with self._guard:
            planned = make(self._table)
            self._table = apply(self._table, planned)
            return planned


def _bind(record: Record) -> Bind:
    fields = record.model_dump(mode="json") if isinstance(record, BaseModel) else record
    memory_id = fields.get("memory_id") or fields.get("id")
    if not isinstance(memory_id, str):
        raise ValueError("a record without an id has no alias")
    native = _native_revision(fields)
    if native is None:
        return Bind(memory_id=memory_id, revision=_digest(fields), expected_revision=None)
    expected = native if isinstance(native, int) and native > 0 else None
    return Bind(memory_id=memory_id, revision=str(native), expected_revision=expected)


def _native_revision(fields: Mapping[str, Any]) -> int | str | None:
    """The first of the fields that name a revision, at the top or in the metadata."""
    metadata = fields.get("metadata")
    provenance = metadata.get("provenance") if isinstance(metadata, Mapping) else None
    for place in (fields, metadata, provenance):
        if not isinstance(place, Mapping):
            continue
        for name in _REVISION_FIELDS:
            value = place.get(name)
            if isinstance(value, int | str) and not isinstance(value, bool) and value != "":
                return value
    return None


def _digest(fields: Mapping[str, Any]) -> str:
    """A digest of a whole record, but for what a mere read changes at any depth."""
    form = json.dumps(_steady(fields), sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{hashlib.sha256(form.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _steady(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _steady(part) for k, part in value.items() if k not in _VOLATILE}
    if isinstance(value, list | tuple):
        return [_steady(part) for part in value]
    return value


def _is_older(bind: Bind, other: Bind) -> bool:
    mine, theirs = bind.expected_revision, other.expected_revision
    return mine is not None and theirs is not None and mine < theirs
