"""session.append, session.messages and session.clear: raw turns of one conversation.

The filters look at each message before it is stored, as at a turn of intake. What a conversation
withholds is tracked apart from intake's own account of it, since the same turns may be told both
ways; a session of which nothing is to be remembered withholds here whoever was told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, TypeAdapter

from cognid.protocol import bounds
from cognid.protocol.sessions import (
    FORGOTTEN,
    Appended,
    AppendedMessage,
    AppendOutcome,
    Cleared,
    ClearOutcome,
    MessagesOutcome,
    MessageView,
    SessionAppend,
    SessionClear,
    SessionConflict,
    SessionMessages,
    SessionPage,
    SessionUnaffected,
    TurnEvent,
)
from cognid.protocol.sessions import NewMessage as Told
from cognid.protocol.values import Role
from cognid_daemon.authority.receipts import keep, met, note
from cognid_daemon.bank import sessions
from cognid_daemon.bank.rows import Withholding
from cognid_daemon.bank.sessions import NewMessage, SessionMessage
from cognid_daemon.bank.transaction import Transaction
from cognid_daemon.banks import Lease
from cognid_daemon.cursors import make_cursor, read_cursor
from cognid_daemon.dispatch import Call, Handler
from cognid_daemon.intake.admission import Order
from cognid_daemon.intake.instants import instant_of, microseconds
from cognid_daemon.intake.screening import (
    conversation_of,
    credentials_in,
    heard,
    request_in,
)
from cognid_daemon.operations.reading import read_whole
from cognid_daemon.operations.writing import (
    committed,
    committed_with_ballast,
    order_of,
    scrubbed,
    to_the_end,
)
from cognid_daemon.recall.overlap import overlaps

if TYPE_CHECKING:
    from sqlcipher3.dbapi2 import Connection

    from cognid_daemon.intake.withholding import Reading

SEARCHED: Final = 5_000
"""Messages of a session that a query looks through, the newest."""
SEARCHED_BYTES: Final = 2 * 1024 * 1024
"""Of text that a query looks through; folding it takes about 0.1 s."""
_APPENDS: Final[TypeAdapter[AppendOutcome]] = TypeAdapter(
    AppendOutcome, config=ConfigDict(hide_input_in_errors=True)
)
_CLEARS: Final[TypeAdapter[ClearOutcome]] = TypeAdapter(
    ClearOutcome, config=ConfigDict(hide_input_in_errors=True)
)


@dataclass(frozen=True, slots=True)
class _Screened:
    """What the filters say of one message by itself; no reading of what is no user's."""

    credentials: tuple[str, ...]
    reading: Reading | None


async def _append(call: Call, request: SessionAppend) -> AppendOutcome:
    screen = partial(_screen, request.messages)
    screened = await call.daemon.screening.screen(request, screen, call.deadline)
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        order = order_of(call, request, lease)
        write = lease.bank.submit(appending(order, request, screened), deadline=call.deadline)
        return await committed(write)


def _screen(messages: Sequence[Told]) -> list[_Screened]:
    return [
        _Screened(
            credentials_in(one.content),
            request_in(one.content) if one.role is Role.USER else None,
        )
        for one in messages
    ]


def appending(
    order: Order, request: SessionAppend, screened: Sequence[_Screened]
) -> Callable[[Transaction], AppendOutcome]:
    """The write of some messages, to be run in the bank's transaction."""

    def apply(tx: Transaction) -> AppendOutcome:
        operation_id = order.operation_id
        known = met(tx, order, _APPENDS, SessionConflict(operation_id=operation_id))
        if known is not None:
            return known
        # Where the request's text is not stored, no digest of it is either: hence `holds_text`.
        if order.has_ended:
            ended = SessionUnaffected(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended, holds_text=True)
        if not order.enabled:
            disabled = SessionUnaffected(operation_id=operation_id, reason="disabled")
            return keep(tx, order, disabled, holds_text=True)
        messages = _filtered(tx, request, screened)
        ids = sessions.add(tx, request.session_id, messages, operation_id)
        withheld = [message.rules for message in messages if message.rules]
        note(tx, order, [], messages=ids, withheld=len(withheld))
        appended = Appended(
            operation_id=operation_id,
            messages=[
                AppendedMessage(
                    message_id=message_id, index=index, withheld=list(one.rules) or None
                )
                for index, (message_id, one) in enumerate(zip(ids, messages, strict=True))
            ],
        )
        # With a text of it withheld no digest of the request is kept; else it goes with the texts.
        return keep(tx, order, appended, holds_text=bool(withheld))

    return apply


def _filtered(
    tx: Transaction, request: SessionAppend, screened: Sequence[_Screened]
) -> list[NewMessage]:
    """The messages as they are stored; notes what the session withholds from now on."""
    own = f"messages {request.session_id}"
    before = state = tx.withholding(own)
    intake = tx.withholding(conversation_of(request.session_id, "")).whole_session
    messages: list[NewMessage] = []
    for told, one in zip(request.messages, screened, strict=True):
        now = heard(_either(state, intake), told.role, one.reading)
        lifted = one.reading is not None and one.reading.lifts
        intake = intake and not lifted
        state = now.state
        rules = (*one.credentials, *now.rules)
        event = None if told.event is None else (told.event.stream, told.event.sequence)
        if event is not None and tx.bars_event(*event):
            rules = (*rules, FORGOTTEN)
        messages.append(
            NewMessage(
                role=told.role,
                text=told.content,
                name=told.name,
                rules=rules,
                event=event,
                occurred_at=microseconds(told.occurred_at),
            )
        )
    if state != before:
        tx.withhold(own, state)
    return messages


def _either(state: Withholding, whole_session: bool) -> Withholding:
    return Withholding(state.next_turn, state.whole_session or whole_session, state.replies)


async def _messages(call: Call, request: SessionMessages) -> MessagesOutcome:
    read = _found if request.query is not None else _page
    return await read_whole(call, request, read)


async def _page(call: Call, request: SessionMessages, lease: Lease) -> SessionPage:
    record, bank = lease.record, lease.bank
    listing = {"session": request.session_id}
    before = None
    if request.before is not None:
        before = read_cursor(request.before, record.bank_id, record.epoch, listing)
    page = await bank.read(
        lambda connection: sessions.page(
            connection,
            request.session_id,
            before=before,
            limit=request.limit,
            text_bytes=bounds.REPLY_TEXT_BYTES,
            keeping=bank.keeping,
        ),
        deadline=call.deadline,
    )
    cursor = None
    if page.more:
        first = page.messages[0].message_rowid
        cursor = make_cursor(first, record.bank_id, record.epoch, listing)
    return SessionPage(
        session_id=request.session_id,
        messages=[message_view(one) for one in page.messages],
        total=page.total,
        cursor=cursor,
        epoch=record.epoch,
    )


async def _found(call: Call, request: SessionMessages, lease: Lease) -> SessionPage:
    bank = lease.bank

    def read(connection: Connection) -> tuple[list[tuple[float, SessionMessage]], int]:
        newest = sessions.newest(
            connection,
            request.session_id,
            limit=SEARCHED,
            text_bytes=SEARCHED_BYTES,
            keeping=bank.keeping,
        )
        scores = overlaps(request.query or "", [one.text or "" for one in newest])
        found = [(score, one) for score, one in zip(scores, newest, strict=True) if score]
        # A stable sort: of equal scores the newest first.
        return sorted(found, key=lambda pair: -pair[0]), len(newest)

    found, searched = await bank.read(read, deadline=call.deadline)
    messages: list[MessageView] = []
    size = 0
    for score, one in found[: request.limit]:
        size += len((one.text or "").encode("utf-8"))
        if messages and size > bounds.REPLY_TEXT_BYTES:
            break
        messages.append(message_view(one, score))
    return SessionPage(
        session_id=request.session_id,
        messages=messages,
        total=len(found),
        cursor=None,
        searched=searched,
        epoch=lease.record.epoch,
    )


def message_view(message: SessionMessage, score: float | None = None) -> MessageView:
    """A message, as a caller sees it."""
    event = message.event
    return MessageView(
        message_id=message.message_id,
        role=message.role,
        name=message.name,
        content=message.text,
        withheld=None if message.rules is None else list(message.rules),
        occurred_at=instant_of(message.occurred_at),
        created_at=instant_of(message.created_at),
        event=None if event is None else TurnEvent(stream=event[0], sequence=event[1]),
        score=score,
    )


async def _clear(call: Call, request: SessionClear) -> ClearOutcome:
    async with call.daemon.banks.lease(request.owner, request.agent, call.deadline) as lease:
        writing = partial(clearing, session_id=request.session_id)
        outcome = await committed_with_ballast(call, request, lease, writing)
        if not isinstance(outcome, Cleared) or not outcome.count:
            return outcome
        return outcome.model_copy(update={"erased": await to_the_end(scrubbed(lease))})


def clearing(order: Order, session_id: str) -> Callable[[Transaction], ClearOutcome]:
    """The write that takes a session's messages away, to be run in the bank's transaction.

    It works while the bank is disabled, as a forget does.
    """

    def apply(tx: Transaction) -> ClearOutcome:
        operation_id = order.operation_id
        known = met(tx, order, _CLEARS, SessionConflict(operation_id=operation_id))
        if known is not None:
            return known
        if order.has_ended:
            ended = SessionUnaffected(operation_id=operation_id, reason="epoch_ended")
            return keep(tx, order, ended)
        count = sessions.clear(tx, session_id)
        if count:
            note(tx, order, [], messages_cleared=count)
        return keep(tx, order, Cleared(operation_id=operation_id, count=count))

    return apply


HANDLERS: Final[dict[str, Handler]] = {
    "session.append": _append,
    "session.messages": _messages,
    "session.clear": _clear,
}
