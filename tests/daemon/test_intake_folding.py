"""Folding in a real bank by a clock of the test's own: what was said again is kept anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.bank_room import opened
from support.clock import Clock, keeping

from cognid.protocol.ids import new_operation_id
from cognid.protocol.intake import Add, Event, IntakeOutcome, Remember
from cognid.protocol.values import Kind, Lifecycle, Role
from cognid_daemon.bank.bank import Bank
from cognid_daemon.bank.check import check
from cognid_daemon.bank.likeness import likeness
from cognid_daemon.bank.listing import facts_like
from cognid_daemon.bank.retention import sweep
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.assertion import asserting
from cognid_daemon.intake.promotion import Told, prepare
from cognid_daemon.intake.remember import remembering

TEXT = "The ferry leaves at nine."
_WHOSE: Any = {"owner": "local", "agent": None}


def _order(bank: Bank, operation: str) -> Order:
    operation_id, epoch = new_operation_id(), bank.fence.epoch
    return Order(operation_id, operation, b"", "test", None, epoch, True, 0, bank.fence)


async def _asserted(bank: Bank) -> IntakeOutcome:
    order = _order(bank, "memory.add")
    request = Add(**_WHOSE, operation_id=order.operation_id, text=TEXT, kind=Kind.CONTEXT)
    return await bank.submit(asserting(order, request, ())).outcome()


async def _said(bank: Bank) -> IntakeOutcome:
    order = _order(bank, "memory.remember")
    data = {"role": "user", "content": TEXT}
    event = Event(stream="chat", data=data)
    request = Remember.model_validate(
        {
            **_WHOSE,
            "operation_id": order.operation_id,
            "event": event,
            "candidates": [
                {"text": TEXT, "kind": "context", "provenance": "explicit", "span": [0, len(TEXT)]}
            ],
        }
    )
    told = Told(Role.USER, TEXT, candidates=tuple(request.candidates or ()))
    prepared = prepare(told, extracts=True)
    return await bank.submit(remembering(order, request, told, prepared, frozenset(Role))).outcome()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The tank holds 10\u00b3 litres.", "The tank holds 103 litres.", False),
        ("The field has 4\u00b2 rows.", "The field has 42 rows.", False),
        ("The tank holds 10\u00b3 litres.", "the tank holds 10^3  litres.", True),
        ("It is CO\u2082.", "It is CO2.", True),
        ("\uff24oor 12", "door 12", True),
        ("Caf\u00e9 at nine", "Cafe\u0301 at nine", True),
    ],
)
def test_only_what_says_the_same_is_alike(one: str, other: str, same: bool) -> None:
    """A power is no digit of the number before it; how it is typed makes no other fact."""
    assert (likeness(one) == likeness(other)) is same


async def _current(bank: Bank) -> list[Lifecycle]:
    return [one.lifecycle for one in await bank.read(lambda c: facts_like(c, TEXT))]


@pytest.mark.parametrize("say", [_asserted, _said])
async def test_a_fact_that_is_said_again_is_kept_as_long_as_a_new_one(
    tmp_path: Path, say: Any
) -> None:
    """On the sixth day of its seven it is told that it is there; so it is six days later, swept or
    not, and gone when the term is over that began then."""
    clock = Clock()
    async with opened(tmp_path, keeping=keeping(clock)) as bank:
        assert (await say(bank)).outcome == "committed"
        clock.turn(6)
        again = await say(bank)
        assert again.outcome == "duplicate" or len(again.folded) == 1
        clock.turn(6)
        assert await _current(bank) == [Lifecycle.CURRENT]
        await bank.submit(sweep).outcome()
        assert await _current(bank) == [Lifecycle.CURRENT]
        clock.turn(1)
        assert await _current(bank) == []
        assert (await check(bank)).sound


async def test_a_clock_that_was_set_back_makes_no_term_shorter(tmp_path: Path) -> None:
    """What is said again by a clock of last week is kept as long as it would have been."""
    clock = Clock()
    async with opened(tmp_path, keeping=keeping(clock)) as bank:
        await _asserted(bank)
        clock.turn(-3)
        assert (await _asserted(bank)).outcome == "duplicate"
        clock.turn(9)
        assert await _current(bank) == [Lifecycle.CURRENT]
