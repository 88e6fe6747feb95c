"""The check of a bank: does the file decrypt, parse and agree with itself?

Owns: the list of findings. It reads everything and changes nothing; it runs between two groups of
the writer, since page authentication raises false alarms while the WAL is in use (measured).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from cognid_daemon.bank import ledger
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.connection import SQLITE_ERRORS
from cognid_daemon.bank.shelves import SIZE

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection


_TAKEN_APART: Final = re.compile(r"\blexical_old\b")


class Fault(StrEnum):
    """What a check can find."""

    BUSY = "wal_busy"
    PAGES = "pages_not_authentic"
    STRUCTURE = "structure"
    REFERENCES = "references"
    LEXICAL = "lexical_index"
    LEDGER = "ledger"
    CURRENT = "current_revisions"
    TEXTS = "texts_missing"
    TALLIES = "tallies"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault and how often it was found (for the ledger: the first entry that does not fit)."""

    fault: Fault
    number: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found, and how much it looked at."""

    findings: tuple[Finding, ...]
    memories: int
    revisions: int
    embeddings: int
    ledger_entries: int

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


_SHELVED: Final = (
    f"SELECT l.value, m.memory_rowid / {SIZE} AS shelf, m.kind, r.lifecycle, m.provenance,"  # noqa: S608 # fixed words only
    " count(DISTINCT m.memory_rowid) FROM memories AS m JOIN revisions AS r"
    " ON r.memory_rowid = m.memory_rowid AND r.revision = m.revision"
    " JOIN json_each(json_insert(m.labels, '$[#]', '')) AS l GROUP BY 1, 2, 3, 4, 5"
)

# Each counts rows that must not be there.
_COUNTS: Final = (
    # A memory's revision is the newest it has, and no other revision is current.
    (
        Fault.CURRENT,
        "SELECT count(*) FROM memories AS m WHERE m.revision IS NOT (SELECT max(revision)"
        " FROM revisions AS r WHERE r.memory_rowid = m.memory_rowid)",
    ),
    (
        Fault.CURRENT,
        "SELECT count(*) FROM revisions AS r JOIN memories AS m USING (memory_rowid)"
        " WHERE r.lifecycle = 'current' AND r.revision <> m.revision",
    ),
    # An expired revision is marked; of a memory that is marked no revision is current.
    (
        Fault.CURRENT,
        "SELECT count(*) FROM revisions AS r JOIN memories AS m USING (memory_rowid)"
        " WHERE (r.lifecycle = 'expired' AND m.expired_at IS NULL)"
        " OR (r.lifecycle = 'current' AND m.expired_at IS NOT NULL)",
    ),
    (
        Fault.TEXTS,
        "SELECT count(*) FROM revisions AS r LEFT JOIN texts AS t USING (revision_rowid)"
        " WHERE (r.lifecycle = 'forgotten') = (t.text IS NOT NULL)",
    ),
    (
        Fault.TEXTS,
        "SELECT count(*) FROM session_messages AS m LEFT JOIN message_texts AS t"
        " USING (message_rowid) WHERE (m.rules IS NULL) <> (t.text IS NOT NULL)",
    ),
    (
        Fault.TALLIES,
        "SELECT count(*) FROM tallies AS t WHERE t.count <> (SELECT count(*) FROM memories AS m"
        " JOIN revisions AS r USING (memory_rowid) WHERE m.kind = t.kind"
        " AND r.lifecycle = 'current')",
    ),
    (
        Fault.TALLIES,
        "SELECT count(*) FROM tallies AS t WHERE t.held <> (SELECT count(*) FROM memories AS m"
        " WHERE m.kind = t.kind)",
    ),
    (
        Fault.TALLIES,
        "SELECT count(*) FROM memories WHERE kind NOT IN (SELECT kind FROM tallies)",
    ),
    # Every memory is counted on its shelf, and nothing else is.
    (
        Fault.TALLIES,
        f"WITH there AS ({_SHELVED}), counted AS (SELECT label, shelf, kind, lifecycle, provenance,"  # noqa: S608 # fixed words only
        " count FROM shelves) SELECT (SELECT count(*) FROM (SELECT * FROM there EXCEPT"
        " SELECT * FROM counted)) + (SELECT count(*) FROM (SELECT * FROM counted EXCEPT"
        " SELECT * FROM there))",
    ),
    (
        Fault.LEXICAL,
        "SELECT abs((SELECT count(*) FROM lexical_docsize)"
        " - (SELECT count(*) FROM revisions WHERE lifecycle = 'current'))",
    ),
)


def _count(connection: Connection, statement: str) -> int:
    number: int = connection.execute(statement).fetchone()[0]
    return number


def _lexical_agrees(connection: Connection) -> bool:
    """Whether the index holds exactly the tokens of the current texts."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("INSERT INTO lexical(lexical, rank) VALUES ('integrity-check', 1)")
    except SQLITE_ERRORS:
        return False
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return True


def _is_fault(line: str) -> bool:
    """Whether a line of SQLite's own check is a fault: words that a rebuild has replaced are taken
    apart page by page (`generations.remove_old_words`), and are no whole table meanwhile."""
    return line != "ok" and _TAKEN_APART.search(line) is None


def _check(connection: Connection) -> CheckReport:
    findings: list[Finding] = []

    def found(fault: Fault, number: int) -> None:
        if number:
            findings.append(Finding(fault, number))

    sizes = (0, 0, 0, 0)
    try:
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        found(Fault.BUSY, busy)
        if not busy:
            rows = connection.execute("PRAGMA cipher_integrity_check").fetchall()
            found(Fault.PAGES, len(rows))
        rows = connection.execute("PRAGMA integrity_check(100)").fetchall()
        found(Fault.STRUCTURE, len([row for row in rows if _is_fault(row[0])]))
        rows = connection.execute("PRAGMA foreign_key_check").fetchall()
        found(Fault.REFERENCES, len(rows))
        found(Fault.LEXICAL, not _lexical_agrees(connection))
        for fault, statement in _COUNTS:
            found(fault, _count(connection, statement))
        found(Fault.LEDGER, ledger.verify(connection) or 0)
        sizes = (
            _count(connection, "SELECT count(*) FROM memories"),
            _count(connection, "SELECT count(*) FROM revisions"),
            _count(connection, "SELECT count(*) FROM embeddings"),
            _count(connection, "SELECT count(*) FROM ledger"),
        )
    except SQLITE_ERRORS:
        found(Fault.UNREADABLE, 1)
    return CheckReport(tuple(findings), *sizes)


async def check(bank: Bank) -> CheckReport:
    """Check a whole bank. Writes wait meanwhile; reads go on."""
    return await bank.alone(_check)
