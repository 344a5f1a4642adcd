"""Until when something holds that is told with its end: `till Monday`, `until 5 May`, `this week`.

The end is that of the day that is named, or of the week or month. What names no day has no end here.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from everthread.domain.times import moment_of, ms_of

from .patterns import lazy_pattern

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_UNTIL = lazy_pattern(
    r"\b(?:till|until|til|through|up to) (?:(?:the )?"
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})|"
    rf"(?P<month2>{_MONTH})(?: (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b)?|"
    r"(?P<iso>\d{4}-\d\d-\d\d)|"
    r"(?P<nth>\d{1,2})(?:st|nd|rd|th)\b|"
    r"end of (?:the |this )?(?P<unit>week|month|year)\b)|"
    rf"(?P<next>next )?(?P<weekday>{'|'.join(_DAYS)})\b(?P<after> week\b)?|"
    r"(?P<near>tomorrow|tonight|today|next week)\b)|"
    r"\b(?P<this>all week|this week|for the week)\b"
)


def end_of_period(text: str, said_ms: int) -> int | None:
    """The first moment after it, in milliseconds; None where no day is named, or none that can be."""
    found = _UNTIL.search(text.lower())
    said = moment_of(said_ms).date()
    try:
        last = None if found is None else _last_day(found, said)
    except (ValueError, OverflowError):
        return None  # 31 June
    if last is None or last < said:
        return None
    over = datetime.combine(last + timedelta(days=1), datetime.min.time(), UTC)
    return ms_of(over)


def _last_day(found: re.Match[str], said: date) -> date | None:
    if found["weekday"]:
        ahead = (_DAYS.index(found["weekday"]) - said.weekday()) % 7 or 7
        return said + timedelta(days=ahead + (7 if found["after"] else 0))
    if found["iso"]:
        return date.fromisoformat(found["iso"])
    if month := found["month"] or found["month2"]:
        day = found["day"] or found["day2"]
        return _in_month(_MONTHS.index(month[:3]) + 1, int(day) if day else None, said)
    if found["nth"]:
        this = date(said.year, said.month, int(found["nth"]))
        return this if this >= said else _in_month(said.month % 12 + 1, int(found["nth"]), said)
    return _near_day(found["near"] or found["unit"] or found["this"], said)


def _in_month(month: int, day: int | None, said: date) -> date:
    """The next such day; of a month alone the day before it begins: who is away until May is back by then."""
    year = said.year + (month < said.month or (month == said.month and (day or 1) < said.day))
    return date(year, month, day) if day else date(year, month, 1) - timedelta(days=1)


def _near_day(named: str, said: date) -> date:
    sunday = said + timedelta(days=6 - said.weekday())
    match named:
        case "today" | "tonight":
            return said
        case "tomorrow":
            return said + timedelta(days=1)
        case "next week":
            return sunday + timedelta(days=7)
        case "month":
            return (said.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        case "year":
            return date(said.year, 12, 31)
        case _:
            return sunday
