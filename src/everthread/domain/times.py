"""Times are whole milliseconds since 1970, UTC. Text is fixed width, with milliseconds and Z."""

from __future__ import annotations

from datetime import UTC, datetime

from .errors import BadInput

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# A clock that is set back by less than this is waited out; by more, the old time was the wrong one.
STEP_BACK_LIMIT = DAY

WAYS = "give a datetime, an ISO-8601 text or seconds"
_FIRST = -62_135_596_800 * SECOND
_LAST = 253_402_300_800 * SECOND - 1
"""The years 1 to 9999: outside them nothing can be shown as a date."""


def text_of(ms: int) -> str:
    """`2026-02-20T10:00:00.000Z`: sorts as it reads."""
    return moment_of(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def month_of(ms: int) -> int:
    """When the calendar month of that instant began, UTC."""
    start = moment_of(ms).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return int(start.timestamp()) * SECOND


def moment_of(ms: int) -> datetime:
    """The same instant as an aware datetime."""
    seconds, rest = divmod(ms, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000)


def ms_of(value: datetime | str | float) -> int:
    """Milliseconds from a datetime, an ISO-8601 text or seconds; without a zone it means UTC."""
    moment = _parse(value) if isinstance(value, str) else value
    if isinstance(moment, datetime):
        ms = _ms_of_moment(moment)
        if not _FIRST <= ms <= _LAST:
            raise BadInput(f"{str(value)!r:.60} is outside the years 1 to 9999 in UTC; {WAYS}")
        return ms
    if isinstance(moment, bool) or not isinstance(moment, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"a time cannot be {moment!r:.40}; {WAYS}")
    if not _FIRST <= moment * SECOND <= _LAST:
        raise BadInput(f"{moment!r:.40} is no time in seconds; {WAYS}")
    return round(moment * SECOND)


def end_of(value: datetime | str | float) -> int:
    """The same of when something ends; what ends with the year 9999, wherever that is, has no end."""
    moment = _parse(value) if isinstance(value, str) else value
    if isinstance(moment, datetime) and _ms_of_moment(moment) > _LAST:
        return _LAST
    return ms_of(moment)


def _ms_of_moment(moment: datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * SECOND)


def _parse(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as wrong:
        raise BadInput(
            f"{text!r} is not a time; write it like 2026-02-20T10:00:00Z (ISO-8601)"
        ) from wrong


def settle_clock(now: int, newest: int) -> int:
    """The time to write on what follows `newest`, although the clock may have stepped back."""
    if now >= newest or newest - now >= STEP_BACK_LIMIT:
        return now
    return newest
