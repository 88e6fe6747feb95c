"""Errors: what never reached memory. One table of codes, each with an effect and a remedy.

Owns: `ERRORS` (the table that `docs/errors.md` is checked against) and `CognidError`, the one root
of everything the caller's side raises. An outcome (`conflict`, `no_hits`, …) is not an error.

No message here may hold memory text, a query, a key or a credential: a detail names a field, a
bound, an id or a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Effect = Literal["none", "unknown"]


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One row of the table. `number` is the JSON-RPC code, `exit` the command line's status."""

    code: str
    number: int
    exit: int
    retryable: bool
    effect: Effect
    meaning: str
    remedy: str


_ROWS: Final = (
    # The first four numbers are JSON-RPC's own; the rest follow -32000 downwards, never reused.
    ErrorKind(
        "parse_error", -32700, 65, False, "none",
        "The line is not one JSON object in UTF-8.",
        "Send one JSON object a line, in UTF-8, without duplicate keys.",
    ),
    ErrorKind(
        "invalid_request", -32600, 65, False, "none",
        "The object is not a JSON-RPC 2.0 request.",
        'Send {"jsonrpc": "2.0", "id": …, "method": …, "params": {…}}; batches are not taken.',
    ),
    ErrorKind(
        "unknown_operation", -32601, 64, False, "none",
        "This daemon has no operation of that name.",
        "See the operations in docs/protocol.md; a newer daemon may be needed.",
    ),
    ErrorKind(
        "invalid_argument", -32602, 64, False, "none",
        "A field is missing, unknown, of the wrong type or outside its bound.",
        "Correct the field that the error names.",
    ),
    ErrorKind(
        "internal", -32603, 70, False, "unknown",
        "The daemon met a fault of its own.",
        "Ask operation.resolve for the fate of a write (`cognid resolve ID`); report the fault "
        "with the log's entry.",
    ),
    ErrorKind(
        "line_too_long", -32000, 65, False, "none",
        "The line is longer than the bridge takes; the connection closes.",
        "Keep a line within 4 KiB before the proof and 8 MiB after it.",
    ),
    ErrorKind(
        "unauthenticated", -32001, 77, False, "none",
        "The handshake did not prove a known credential.",
        "Use a credential that `cognid pair` made and that was not revoked.",
    ),
    ErrorKind(
        "handshake_timeout", -32002, 77, True, "none",
        "The proof did not come in time.",
        "Connect and prove within two seconds.",
    ),
    ErrorKind(
        "version_unsupported", -32003, 76, False, "none",
        "Caller and daemon have no protocol version in common.",
        "Upgrade the older side; both versions stand in the error.",
    ),
    ErrorKind(
        "forbidden", -32004, 77, False, "none",
        "The grant does not allow this operation, owner or agent.",
        "Pair a credential with the right, owner and agent that the error names.",
    ),
    ErrorKind(
        "identity_mismatch", -32005, 77, False, "none",
        "A field or label of the content claims another identity than the request.",
        "Send the content under its own owner, agent and session, or leave the claim out.",
    ),
    ErrorKind(
        "unknown_bank", -32006, 66, False, "none",
        "There is no bank for this owner and agent.",
        "Name another owner or agent (`cognid bank list`), or make it: bank.ensure, "
        "`cognid bank make`.",
    ),
    ErrorKind(
        "handle_invalid", -32007, 77, False, "none",
        "The manager handle is unknown here, has expired, or its bank has begun a new epoch.",
        "Ask for a new one with configure.open on this connection.",
    ),
    ErrorKind(
        "cursor_invalid", -32008, 64, False, "none",
        "The cursor does not belong to this bank, epoch and filters.",
        "Start again from the first page.",
    ),
    ErrorKind(
        "overloaded", -32009, 75, True, "none",
        "More requests are in flight than the bridge or the bank takes.",
        "Wait for answers, then send it again.",
    ),
    ErrorKind(
        "deadline_exceeded", -32010, 75, True, "none",
        "The deadline passed before anything was done.",
        "Send it again with a longer deadline.",
    ),
    ErrorKind(
        "cancelled", -32011, 75, True, "none",
        "The request was cancelled before anything was done.",
        "Send it again if it is still wanted.",
    ),
    ErrorKind(
        "operation_sealed", -32012, 65, False, "none",
        "operation.resolve found this id unused and sealed it; it can never take effect.",
        "Send the content under a new operation id.",
    ),
    ErrorKind(
        "operation_expired", -32013, 65, False, "none",
        "The operation id is older than the receipts that are kept.",
        "Look at the memories themselves, then send it under a new operation id if it is missing.",
    ),
    ErrorKind(
        "storage_full", -32014, 74, True, "none",
        "The disk or a quota is full; nothing was stored, earlier memories are intact.",
        "Free space; recall, inspect and forget go on working.",
    ),
    ErrorKind(
        "storage_failed", -32015, 74, True, "unknown",
        "The disk refused a read or a write.",
        "Ask operation.resolve for the fate of a write (`cognid resolve ID`); look at the disk and "
        "at `cognid status`.",
    ),
    ErrorKind(
        "bank_damaged", -32016, 74, False, "none",
        "The bank's file does not pass its check; it is left as it is.",
        "Put back a good copy of the file that the error names; other banks go on working.",
    ),
    ErrorKind(
        "schema_newer", -32017, 78, False, "none",
        "The file was written by a newer Cognid.",
        "Upgrade Cognid; nothing was changed.",
    ),
    ErrorKind(
        "key_missing", -32018, 78, False, "none",
        "There are banks but no master key to open them with.",
        "Put the master key back where it was; `cognid status` names the place.",
    ),
    ErrorKind(
        "key_wrong", -32019, 78, False, "none",
        "The master key does not open this data.",
        "Put back the key that belongs to this data folder.",
    ),
    ErrorKind(
        "shutting_down", -32020, 75, True, "none",
        "The daemon is stopping and takes no new work.",
        "Send it again when it is up.",
    ),
    ErrorKind(
        "slow_consumer", -32021, 75, True, "none",
        "The caller left too many replies unread; the connection closes.",
        "Read the replies as they come.",
    ),
    ErrorKind(
        "too_many_connections", -32022, 75, True, "none",
        "The daemon has as many connections as it takes.",
        "Close some, then connect again.",
    ),
    ErrorKind(
        "grant_exists", -32023, 73, False, "none",
        "There is a grant of that name already.",
        "Choose another name, or revoke the old one first.",
    ),
    ErrorKind(
        "unknown_grant", -32024, 66, False, "none",
        "There is no grant of that credential's id.",
        "See grant.list (`cognid grant list`).",
    ),
    ErrorKind(
        "preview_invalid", -32025, 77, False, "none",
        "The preview token is unknown here, has expired, or was given for something else.",
        "Ask for a new preview on this connection, and confirm exactly what it lists.",
    ),
    ErrorKind(
        "quota_exceeded", -32026, 74, False, "none",
        "The bank holds as much as its quota allows; nothing was stored, and nothing was evicted.",
        "Forget what is not needed, or change quota or retention in config.toml; all else works.",
    ),
    # Of the caller's side: these never stand on the wire.
    ErrorKind(
        "unreachable", -32100, 69, True, "none",
        "No daemon answers at the socket.",
        "Start it: `cognid serve`, or install the service: `cognid service install`.",
    ),
    ErrorKind(
        "untrusted_socket", -32101, 77, False, "none",
        "The socket or a folder above it is not ours alone, so nothing was sent.",
        "Give the folder to yourself with mode 0700, or remove what is not yours.",
    ),
    ErrorKind(
        "daemon_unproven", -32102, 77, False, "none",
        "What answers at the socket did not prove that it is the daemon of this credential.",
        "Find out what listens there before anything else; pair again if the data was replaced.",
    ),
    ErrorKind(
        "credential_missing", -32103, 77, False, "none",
        "There is no credential to prove oneself with.",
        "Start the daemon once (it makes the owner's), or name a file that `cognid pair` wrote.",
    ),
    ErrorKind(
        "credential_unsafe", -32104, 77, False, "none",
        "The credential file is not a 0600 file of ours.",
        "chmod 600 it, or pair again.",
    ),
    ErrorKind(
        "outcome_unknown", -32105, 75, False, "unknown",
        "The connection was lost before the answer came; the write may have happened.",
        "Do not repeat it blindly: ask operation.resolve with the operation id in the error.",
    ),
    ErrorKind(
        "connection_lost", -32106, 75, True, "none",
        "The connection was lost before the answer to a read came.",
        "Ask again.",
    ),
    ErrorKind(
        "protocol_violation", -32107, 76, False, "unknown",
        "The answer does not have the shape that the protocol gives it.",
        "Upgrade the older side; ask operation.resolve for the fate of a write.",
    ),
    ErrorKind(
        "already_running", -32108, 73, False, "none",
        "Another daemon holds this data folder.",
        "Use the one that runs (its process id stands in the error), or stop it: `cognid stop`.",
    ),
    ErrorKind(
        "socket_path_too_long", -32109, 78, False, "none",
        "The socket's path is longer than the system takes, and so is its fallback.",
        "Set XDG_RUNTIME_DIR to a shorter folder.",
    ),
    ErrorKind(
        "configuration_invalid", -32110, 78, False, "none",
        "config.toml has an unknown or wrong setting.",
        "Correct the setting that the error names.",
    ),
    ErrorKind(
        "folder_unsafe", -32111, 78, False, "none",
        "A folder that Cognid keeps its files in is not ours alone and cannot be made so.",
        "Give the folder that the error names to yourself, without symbolic links.",
    ),
    ErrorKind(
        "grants_damaged", -32112, 78, False, "none",
        "verifiers.json does not hold grants, so nobody could be let in.",
        "Put back a good copy; without the file only the owner is let in, and others pair again.",
    ),
    ErrorKind(
        "no_service_manager", -32113, 69, False, "none",
        "There is no service manager of this user to install into.",
        "Log in as the user itself, or use the system unit (docs/operations.md) or `cognid serve`.",
    ),
    ErrorKind(
        "service_failed", -32114, 70, False, "none",
        "The service manager refused a step, or the service does not start.",
        "Look at `cognid service status` and at the log: journalctl --user -u cognid.",
    ),
    ErrorKind(
        "memory_alias_unknown", -32115, 66, False, "none",
        "This session never gave a memory that alias.",
        "Search again and use an alias of the answer.",
    ),
    ErrorKind(
        "memory_alias_stale", -32116, 65, False, "none",
        "The memory of that alias has changed or gone since it was shown.",
        "Search again and use the new alias.",
    ),
    ErrorKind(
        "memory_alias_precondition_unavailable", -32117, 65, False, "none",
        "The record of that alias named no revision that a change could be checked against.",
        "Search again, or name the memory by its id.",
    ),
    ErrorKind(
        "extractor_unavailable", -32118, 69, True, "none",
        "The language model that should find candidates gave no answer.",
        "See that its server runs; without candidates the daemon looks for facts by itself.",
    ),
    ErrorKind(
        "extractor_malformed", -32119, 65, False, "none",
        "The answer of the language model is not of the form that was asked for.",
        "Try another model; without candidates the daemon looks for facts by itself.",
    ),
    ErrorKind(
        "memory_refused", -32120, 65, False, "none",
        "A memory provider's write had no effect, and its answer has no room to say so.",
        "The error names the outcome and the rules or the reason; nothing was changed.",
    ),
    ErrorKind(
        "recall_unavailable", -32121, 75, True, "none",
        "No pipeline answered a memory provider's search, and its answer has no room to say so.",
        "Search again, or go on without memories.",
    ),
)  # fmt: skip

ERRORS: Final[dict[str, ErrorKind]] = {row.code: row for row in _ROWS}


class CognidError(Exception):
    """The root of what the caller's side raises; never memory text in it.

    Args:
        code: a key of `ERRORS`; a code that this build does not know is kept as it came.
        detail: what exactly, in words without content (a field's name, a bound, an id).
        operation_id: of the write concerned, where there is one.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        operation_id: str | None = None,
        retryable: bool | None = None,
        effect: Effect | None = None,
        remedy: str | None = None,
    ) -> None:
        kind = ERRORS.get(code)
        self.code = code
        self.detail = detail
        self.operation_id = operation_id
        self.retryable = kind.retryable if retryable is None and kind else bool(retryable)
        self.effect: Effect = effect or (kind.effect if kind else "unknown")
        self.remedy = remedy or (kind.remedy if kind else "Upgrade: this error code is newer.")
        self.exit = kind.exit if kind else 70
        meaning = kind.meaning if kind else "An error that this build does not know."
        super().__init__(f"{code}: {detail or meaning}")


class OutcomeUnknownError(CognidError):
    """A write's answer was lost. Never retried by itself: settle it with `resolve()`."""

    def __init__(self, operation_id: str, detail: str = "") -> None:
        super().__init__("outcome_unknown", detail, operation_id=operation_id)
