"""The bounds of the bridge, in one table (`DESIGN` 10). What lies outside is `invalid_argument`.

Owns: every limit that a caller can meet. `docs/protocol.md` is checked against `BOUNDS`.
"""

from __future__ import annotations

from typing import Final

TEXT_CHARACTERS: Final = 400_000
FACT_CHARACTERS: Final = 4_000
QUERY_BYTES: Final = 16 * 1024
REFERENCE_BYTES: Final = 512
IDENTIFIER_CHARACTERS: Final = 256
LABELS: Final = 20
LABEL_CHARACTERS: Final = 128
CATEGORIES: Final = 20
CANDIDATES: Final = 32
SOURCES: Final = 32
RECALL_LIMIT_MAX: Final = 100
RECALL_LIMIT_DEFAULT: Final = 8
INSPECT_PAGE_MAX: Final = 100
INSPECT_PAGE_DEFAULT: Final = 20
RECENT_RECALLS: Final = 100
HIT_CHARACTERS: Final = 4_000
FILTER_CHARACTERS: Final = 1_000
EXCLUDED: Final = 200
MESSAGES: Final = 100
MESSAGE_PAGE_MAX: Final = 200
MESSAGE_PAGE_DEFAULT: Final = 50
LANES: Final = 16
LANE_UNITS: Final = 256
LANE_UNIT_BYTES: Final = 8 * 1024
LANE_OMISSIONS: Final = 256
LANE_PAGE_DEFAULT: Final = 20
CONTEXT_TOKENS: Final = 32_000
CONTEXT_TOKENS_DEFAULT: Final = 2_000
FORGET_TARGETS: Final = 256
RECORDS: Final = 200
RECORD_REVISIONS: Final = 10_000
EVENT_DATA_BYTES: Final = 4 * 1024 * 1024
SEQUENCE_MAX: Final = 2**53 - 1
DEADLINE_MS_MAX: Final = 600_000
DEADLINE_MS_RECALL: Final = 200
DEADLINE_MS_THOROUGH: Final = 1_000
DEADLINE_MS_WRITE: Final = 5_000
DEADLINE_MS_ADMIN: Final = 60_000
LINE_BYTES_BEFORE_PROOF: Final = 4 * 1024
LINE_BYTES: Final = 8 * 1024 * 1024
REPLY_TEXT_BYTES: Final = 1024 * 1024  # up to 6 times that on the line, where all is escaped
HANDSHAKE_SECONDS: Final = 2.0
UNPROVEN_CONNECTIONS: Final = 16
CONNECTIONS: Final = 256
REQUESTS_IN_FLIGHT: Final = 64
UNREAD_REPLY_BYTES: Final = 32 * 1024 * 1024
RECEIPT_DAYS: Final = 30
RECEIPTS_KEPT: Final = 10_000
MANAGER_HANDLE_SECONDS: Final = 900
PREVIEW_SECONDS: Final = 900

BOUNDS: Final[dict[str, tuple[int | float, str]]] = {
    "text": (TEXT_CHARACTERS, "characters of a memory or an event's content"),
    "fact": (FACT_CHARACTERS, "characters of a memory of any kind but remark"),
    "query": (QUERY_BYTES, "bytes of a query that are used; longer is trimmed from the front"),
    "reference": (REFERENCE_BYTES, "bytes of an owner, agent, session or stream name"),
    "identifier": (IDENTIFIER_CHARACTERS, "characters of a name in trusted evidence"),
    "labels": (LABELS, "labels on a memory or a request"),
    "label": (LABEL_CHARACTERS, "characters of a label"),
    "categories": (CATEGORIES, "categories on a memory"),
    "candidates": (CANDIDATES, "candidates of one event"),
    "sources": (SOURCES, "memories that a synthesized one names as its sources"),
    "recall_limit": (RECALL_LIMIT_MAX, "hits of a recall; the default is 8"),
    "inspect_page": (INSPECT_PAGE_MAX, "memories on a page; the default is 20"),
    "recent_recalls": (
        RECENT_RECALLS,
        "recalls that the daemon remembers the ids of, of all banks",
    ),
    "hit_text": (HIT_CHARACTERS, "characters of a hit; a longer memory gives its best window"),
    "filter_text": (FILTER_CHARACTERS, "characters of a listing's text filter"),
    "excluded": (EXCLUDED, "memories that a recall or a context is told to leave out"),
    "messages": (MESSAGES, "messages of one session.append"),
    "message_page": (MESSAGE_PAGE_MAX, "messages on a page; the default is 50"),
    "lanes": (LANES, "lanes of an agent"),
    "lane_units": (LANE_UNITS, "units of a lane, or on a page; a page's default is 20"),
    "lane_unit": (LANE_UNIT_BYTES, "bytes of a unit's text"),
    "lane_omissions": (LANE_OMISSIONS, "omissions of a lane"),
    "context_tokens": (CONTEXT_TOKENS, "tokens of a context; the default is 2,000"),
    "forget_targets": (FORGET_TARGETS, "memories of one forget, with all that it takes along"),
    "records": (RECORDS, "records of one import, or on a page of an export"),
    "record_revisions": (RECORD_REVISIONS, "revisions of one record"),
    "event_data": (EVENT_DATA_BYTES, "bytes of an event's data as JSON"),
    "sequence": (SEQUENCE_MAX, "the largest sequence number of a stream"),
    "deadline": (DEADLINE_MS_MAX, "milliseconds of a deadline"),
    "deadline_recall": (DEADLINE_MS_RECALL, "milliseconds, where a recall names none"),
    "deadline_thorough": (DEADLINE_MS_THOROUGH, "milliseconds, where a thorough recall names none"),
    "deadline_write": (DEADLINE_MS_WRITE, "milliseconds, where a write names none"),
    "deadline_admin": (DEADLINE_MS_ADMIN, "milliseconds, where an admin operation names none"),
    "line_before_proof": (LINE_BYTES_BEFORE_PROOF, "bytes of a line before the proof"),
    "line": (LINE_BYTES, "bytes of a line after the proof"),
    "reply_text": (REPLY_TEXT_BYTES, "bytes of memory text in one reply; a page ends there"),
    "handshake": (HANDSHAKE_SECONDS, "seconds from connecting to the proof"),
    "unproven": (UNPROVEN_CONNECTIONS, "connections that have not proved themselves yet"),
    "connections": (CONNECTIONS, "connections in all"),
    "in_flight": (REQUESTS_IN_FLIGHT, "requests in flight on one connection"),
    "unread_replies": (UNREAD_REPLY_BYTES, "bytes of replies a caller may leave unread"),
    "receipt_days": (RECEIPT_DAYS, "days for which a receipt is kept at least"),
    "receipts": (RECEIPTS_KEPT, "receipts a bank keeps at least"),
    "manager_handle": (MANAGER_HANDLE_SECONDS, "seconds for which a manager handle is good"),
    "preview": (PREVIEW_SECONDS, "seconds for which a preview token is good"),
}
