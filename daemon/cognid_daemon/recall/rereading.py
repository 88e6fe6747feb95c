"""Rereading: the page of a thorough recall, ranked anew by the word of the reranker.

Owns: the steps that such a recall has beyond a fast one. It begins with the fast answer in hand, so
whatever is late or fails here costs nothing but the better order.
"""

from __future__ import annotations

from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.errors import BankError, DeadlineError
from cognid_daemon.recall.answer import LATE, State
from cognid_daemon.recall.hydration import FoundBy, Hydrated, hydrate, to_rerank
from cognid_daemon.recall.reranker import RerankerHost
from cognid_daemon.recall.reranking import shares_of


async def reread(
    bank: Bank,
    reranker: RerankerHost,
    found: Hydrated,
    found_by: FoundBy,
    until: float,
    deadline: float,
) -> tuple[State, Hydrated]:
    """Have the best candidates read, as many as there is time for, and read the page anew.

    Args:
        found: the fast answer, and what it was found by.
        until: when the reranker has to stop, in seconds of the loop's clock.

    Returns:
        How the reranker stood, and the better page, else the fast one.
    """
    try:
        candidates = await bank.read(lambda c: to_rerank(c, *found_by), deadline=until)
        query = found_by[0].query.text
        scored = await reranker.score(query, [one.text for one in candidates], until)
        shares = shares_of(candidates, scored.logits)
        if shares:
            found = await bank.read(lambda c: hydrate(c, *found_by, shares), deadline=deadline)
    except DeadlineError:
        return LATE, found
    except BankError as error:
        return State("failed", error.code), found
    return scored.state, found
