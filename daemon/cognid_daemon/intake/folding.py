"""Folding: when a fact is there already, so that nothing is lost by not adding it.

Owns: that comparison, and that a fact which was said again is kept for as long as one that is new:
who was told that it is there does not lose it the next day. Only the text is compared after
normalization; everything else that was said of a fact must stand there as it is. Remarks never
fold, and nothing ever folds by similarity.
"""

from __future__ import annotations

from cognid.protocol.values import Kind
from cognid_daemon.bank.listing import facts_like
from cognid_daemon.bank.retention import renew
from cognid_daemon.bank.rows import Memory, NewMemory
from cognid_daemon.bank.transaction import Transaction


def folded_into(tx: Transaction, memory: NewMemory) -> Memory | None:
    """The current fact that says the same as one that is to be made, if there is one; its term
    begins anew."""
    if memory.kind is Kind.REMARK:
        return None
    for twin in facts_like(tx.connection, memory.text):
        if _says_the_same(twin, memory):
            renew(tx, twin)
            return twin
    return None


def _says_the_same(twin: Memory, memory: NewMemory) -> bool:
    """Whether nothing would be lost: another date, label, kind or source makes another memory."""
    return (
        twin.kind is memory.kind
        and twin.role is memory.role
        and twin.speaker == memory.speaker
        and twin.provenance is memory.provenance
        and (twin.pinned or not memory.pinned)
        and twin.labels == memory.labels
        and twin.categories == memory.categories
        and twin.sources == memory.sources
        and twin.event_time == memory.event_time
        and twin.valid_from == memory.valid_from
        and twin.valid_until == memory.valid_until
    )
