"""Screening: which filter looks at what, and what a conversation withholds.

The filters themselves are `credentials` and `withholding`; what they say is a list of rule ids.
They look at the text as it was said and change nothing in it: a text is stored byte for byte, or
not at all.

Owns: that choice, the state of a conversation after each turn, and the sentences for a person.
Pure; may not read or write a bank.

The filters, like the extraction, are imported where they are used: their tables take a third of a
second of CPU (measured), which is too much on the way to the first recall of a new process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cognid.protocol.transfer import Record
from cognid.protocol.values import Role
from cognid_daemon.bank.rows import Withholding

if TYPE_CHECKING:
    from cognid_daemon.intake.withholding import Reading

ROLE_RULE: Final = "role_not_kept"
"""The rule that keeps out turns of roles that the settings do not keep."""
NEXT_RULE: Final = "withheld.after_request"
"""The rule that keeps out the turn that the one before it asked not to be remembered."""
SESSION_RULE: Final = "withheld.in_session"
"""The rule that keeps out what is said in a session of which nothing is to be remembered."""
REPLY_RULE: Final = "withheld.reply"
"""The rule that keeps out what answers a withheld turn: an answer repeats what it answers."""

_NOTES: Final = {
    NEXT_RULE: "This message was not stored, as the one before it asked.",
    SESSION_RULE: "Nothing of this session is stored, as was asked in it, until the user says that"
    " it may be again.",
}
_CREDENTIAL_NOTE: Final = (
    "It looks like a credential. memory.add and memory.correct store one where they are told to"
    " (allow_credentials)."
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a turn comes to in its conversation: rules against storing it, and what holds next."""

    rules: tuple[str, ...]
    state: Withholding


def credentials_in(text: str) -> tuple[str, ...]:
    """The ids of the rules by which a text holds credentials, each once."""
    from cognid_daemon.intake.credentials import find_credentials

    return tuple(dict.fromkeys(found.rule for found in find_credentials(text)))


def request_in(text: str) -> Reading:
    """What of a user's turn is a request about remembering."""
    from cognid_daemon.intake.withholding import read_request

    return read_request(text)


def rules_against(text: str) -> tuple[str, ...]:
    """The ids of all rules that keep a text out by itself."""
    return (*credentials_in(text), *_withheld(request_in(text)))


def rules_against_record(record: Record) -> tuple[str, ...]:
    """The ids of the rules that keep a record of an import out, whichever of its revisions they
    mean. Only of what the user said is a request not to be remembered one."""
    look = rules_against if record.role is Role.USER else credentials_in
    return tuple(dict.fromkeys(rule for one in record.revisions for rule in look(one.text)))


def heard(state: Withholding, role: Role, reading: Reading | None) -> Heard:
    """What a turn comes to, and what is withheld after it.

    Args:
        state: what is withheld before it.
        reading: of the user's turns; None of the others', whose words are no request.
    """
    if reading is None or role is not Role.USER:
        rules = [SESSION_RULE] if state.whole_session else [REPLY_RULE] if state.replies else []
        return Heard(tuple(rules), state)
    in_session = state.whole_session and not reading.lifts
    rules = [*_withheld(reading)]
    if in_session:
        rules.append(SESSION_RULE)
    elif state.next_turn:
        rules.append(NEXT_RULE)
    return Heard(
        tuple(rules),
        Withholding(
            next_turn=reading.withholds and reading.scope == "next",
            whole_session=in_session or (reading.withholds and reading.scope == "session"),
            replies=bool(rules),
        ),
    )


def _withheld(reading: Reading) -> tuple[str, ...]:
    return (reading.rule,) if reading.withholds and reading.rule is not None else ()


def conversation_of(session_id: str | None, stream: str) -> str:
    """Where a request not to be remembered holds: in the session, or else in the stream."""
    return f"stream {stream}" if session_id is None else f"session {session_id}"


def note_of(rules: Sequence[str]) -> str | None:
    """What a person should be told about a rejection, beside its rules."""
    from cognid_daemon.intake.withholding import DOUBT, FORGET, Intent, Reading, Scope, note_for

    requests = {
        f"withheld.{scope}": Reading(Intent.NO_STORE, scope, withholds=True) for scope in Scope
    }
    requests[FORGET] = Reading(Intent.FORGET, None, FORGET, withholds=True)
    requests[DOUBT] = Reading(Intent.NO_STORE, None, DOUBT, withholds=True)
    for rule in rules:
        if rule in _NOTES:
            return _NOTES[rule]
        if rule in requests:
            return note_for(requests[rule])
    return _CREDENTIAL_NOTE if any(one.startswith("credential.") for one in rules) else None
