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
_END = 253_402_300_799
"""The last second of the year 9999: beyond it nothing can be shown as a date."""


def text_of(ms: int) -> str:
    """`2026-02-20T10:00:00.000Z`: sorts as it reads."""
    moment = moment_of(ms)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


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
    if isinstance(value, str):
        value = _parse(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        return round(value.timestamp() * 1000)
    if isinstance(value, bool) or not isinstance(value, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"a time cannot be {value!r:.40}; {WAYS}")
    if not -_END <= value <= _END:
        raise BadInput(f"{value!r:.40} is no time in seconds; {WAYS}")
    return round(value * 1000)


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
