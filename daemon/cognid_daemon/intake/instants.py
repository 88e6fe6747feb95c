"""Instants: the bank's integers (Unix microseconds, UTC) and the wire's datetimes, both ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, overload

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@overload
def microseconds(instant: datetime) -> int: ...
@overload
def microseconds(instant: datetime | None) -> int | None: ...
def microseconds(instant: datetime | None) -> int | None:
    """A datetime with a zone as Unix microseconds, exactly (no float between)."""
    return None if instant is None else (instant - _EPOCH) // _MICROSECOND


@overload
def instant_of(stamp: int) -> datetime: ...
@overload
def instant_of(stamp: int | None) -> datetime | None: ...
def instant_of(stamp: int | None) -> datetime | None:
    """Unix microseconds as a datetime in UTC."""
    return None if stamp is None else _EPOCH + stamp * _MICROSECOND
