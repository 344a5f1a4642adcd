"""Until when something holds that is told with its end: `till Monday`, `until 5 May 2028`, `this week`.

The end is that of the day that is named, or of the week or month. What names no day has no end here, nor what
names two, or a day of the week that is not the date beside it.
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
_WEEKDAY = rf"(?:{'|'.join(_DAYS)})\b"
_TO = r"\b(?:till|until|til|(?P<through>through)|up to(?: and including)?) "
_ONE = (
    r"(?! ?(?:[-–/'+]|(?:or|and) (?:the |until |till |maybe |possibly |next\b|\d|so\b|later\b|longer\b|"
    rf"{_WEEKDAY}|{_MONTH}))|,? (?:at the (?:earliest|latest)|at least|maybe|possibly|"
    r"probably|or\b|after\b|in \w+ (?:day|week|month)s?\b)|"
    r" \d)"
)
"""One day and no other: `until Friday or Saturday` has no end that is known."""
_DATED = lazy_pattern(
    rf"{_TO}(?:(?P<weekday>{_WEEKDAY}),? (?:on )?)?(?:the )?"
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})|"
    rf"(?P<end>end of )?(?P<month2>{_MONTH})(?: (?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b)?|"
    r"(?P<iso>\d{4}-\d\d-\d\d)\b|"
    r"(?P<nth>\d{1,2})(?:st|nd|rd|th)\b(?! of\b))"
    rf"(?:,? (?:of )?(?P<year>\d{{4}}\b|next year\b|this year\b))?{_ONE}"
)
_NEAR = lazy_pattern(
    rf"{_TO}(?:(?:the )?end of (?:the |this )?(?P<unit>(?:next )?(?:week|month)|year)\b|"
    rf"(?P<next>next )?(?P<weekday>{_WEEKDAY})(?P<after> week\b)?"
    rf"(?!,? (?:on )?(?:the )?(?:\d|{_MONTH}))|"
    rf"(?P<near>tomorrow|tonight|today|next week)\b){_ONE}|"
    rf"\b(?P<this>all week|this week|for the week)\b{_ONE}"
)


def end_of_period(text: str, said_ms: int) -> int | None:
    """The first moment after it, in milliseconds; None where no day is named, or none that can be."""
    lower, said = text.lower(), moment_of(said_ms).date()
    try:
        if found := _DATED.search(lower):
            last = _last_dated(found, said)
        else:
            found = _NEAR.search(lower)
            last = None if found is None else _last_near(found, said)
    except (ValueError, OverflowError):
        return None  # 31 June
    if last is None or last < said:
        return None
    over = datetime.combine(last + timedelta(days=1), datetime.min.time(), UTC)
    return ms_of(over)


def _last_dated(found: re.Match[str], said: date) -> date | None:
    last = _date_of(found, said)
    named = found["weekday"]
    wrong = last is not None and named and _DAYS[last.weekday()] != named
    return None if wrong else last


def _date_of(found: re.Match[str], said: date) -> date | None:
    if found["iso"]:
        return date.fromisoformat(found["iso"])
    if found["nth"]:
        return None if found["year"] else _next_nth(int(found["nth"]), said)
    month = _MONTHS.index((found["month"] or found["month2"])[:3]) + 1
    day, year = found["day"] or found["day2"], _year_of(found["year"], said)
    if day:
        return _next_date(month, int(day), year, said)
    whole = found["through"] is not None or found["end"] is not None
    return _in_month(month, year, said, whole=whole)


def _year_of(named: str | None, said: date) -> int | None:
    if named is None:
        return None
    return int(named) if named.isdigit() else said.year + (named == "next year")


def _next_nth(nth: int, said: date) -> date:
    this = date(said.year, said.month, nth)
    return this if this >= said else _next_date(said.month % 12 + 1, nth, None, said)


def _next_date(month: int, day: int, year: int | None, said: date) -> date:
    return date(year or said.year + ((month, day) < (said.month, said.day)), month, day)


def _in_month(month: int, year: int | None, said: date, *, whole: bool) -> date | None:
    """Its last day; else the day before it begins: who is away until May is back by then.

    In May nobody can say what that means.
    """
    if not whole and year is None and month == said.month:
        return None
    first = date(year or said.year + (month < said.month), month, 1)
    return _last_of_month(first) if whole else first - timedelta(days=1)


def _last_of_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _last_near(found: re.Match[str], said: date) -> date:
    monday = said - timedelta(days=said.weekday())
    if named := found["weekday"]:
        at = _DAYS.index(named)
        if found["next"]:  # some mean this week's; too late an end is the lesser harm
            return monday + timedelta(days=7 + at)
        ahead = (at - said.weekday()) % 7 or 7
        return said + timedelta(days=ahead + (7 if found["after"] else 0))
    return _near_day(found["near"] or found["unit"] or found["this"], said)


def _near_day(named: str, said: date) -> date:
    sunday, day = said + timedelta(days=6 - said.weekday()), timedelta(days=1)
    last = _last_of_month(said)
    ends = {
        "today": said,
        "tonight": said,
        "tomorrow": said + day,
        "next week": sunday + 7 * day,
        "month": last,
        "next month": _last_of_month(last + day),
        "year": date(said.year, 12, 31),
    }
    return ends.get(named, sunday)
