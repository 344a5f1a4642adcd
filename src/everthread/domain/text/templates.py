"""Texts that come again and again with another date and other figures, such as a nightly report.

What is left of a text without dates, times and counts is its template: two with the same one may be of
one series. A figure that names something (`room 12`, `step 3`, `v1.2`, `#45`) is no count: it stays, for
it tells two things apart. So does a date on which something is to be, or was long ago: only what is told
of these days comes again with the next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import MAXYEAR, MINYEAR, date, timedelta
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.times import moment_of

from .patterns import lazy_pattern

LEAST = 5
"""Words that a template has at least: two that have fewer in common may have it by chance."""

LONGEST = 600
"""Characters of a text that may be a report."""

AHEAD, BACK = timedelta(days=1), timedelta(days=45)
"""A report speaks of its own day, in whatever zone, or of the weeks before it: a month's comes after it."""

_DAY, _TIME, _COUNT = "\ue000", "\ue001", "\ue002"
_MARKS = re.compile("[\ue000-\ue002]")

_NAMES = """
    jan january januar janvier enero | feb february februar février febrero | mar march märz mars marzo |
    apr april avril abril | may mai mayo | jun june juni juin junio | jul july juli juillet julio |
    aug august août agosto | sep sept september septembre septiembre |
    oct october okt oktober octobre octubre | nov november novembre noviembre |
    dec december dez dezember décembre diciembre
"""
_MONTHS = {name: n for n, names in enumerate(_NAMES.split("|"), start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_DATES = lazy_pattern(
    rf"""
    (?=\d)(?:(?<!\d)(?P<y1>{_YEAR})(?P<sep>[-/._]?)(?P<m1>0[1-9]|1[0-2])(?P=sep)(?P<d1>0[1-9]|[12]\d|3[01])(?!\d)
  | (?<!\d)(?P<y2>{_YEAR})-?[wW](?P<w2>[0-5]\d)(?!\d)
  | (?<![\d.])(?P<d3>\d{{1,2}})(?P<cut>[./-])(?P<m3>\d{{1,2}})(?P=cut)(?P<y3>{_YEAR})(?!\d)
  | (?<![\w.])(?P<d4>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?P<m4>{_MONTH})\b\.?
    (?:,?\s(?:de\s)?(?P<y4>{_YEAR})\b)?)
  | \b(?=[jfmasonde])(?:(?P<m5>{_MONTH})\b\.?\s(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)
    (?:,?\s(?P<y5>{_YEAR})\b)?
  | (?P<m6>{_MONTH})\b\.?\s(?:de\s)?(?P<y6>{_YEAR})\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIMES = lazy_pattern(
    rf"(?<=[{_DAY}])[T_-]?\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?![\d\w])"
    r"|(?<![\w:.])\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?!:?\d)(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:UTC|GMT|Uhr)\b|Z\b)?",
    re.IGNORECASE,
)
_ONE = r"(?:\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_FIGURES = lazy_pattern(
    rf"(?<![A-Za-z0-9_#@./\\:+-])(?P<money>[$€£]\s?)?(?P<figure>[+-]?{_ONE}(?:/{_ONE})?)"
    r"(?P<unit>\s?(?:%|‰|°[CF]?|€|\$|£|(?:[kKMGTP]i?B|EUR|USD|CHF|GBP|[nµm]?s|sec|min|hrs?|km|kg|[gkhx])(?![A-Za-z]))"
    r"(?:/(?:s|min|h|day)\b)?)?(?![A-Za-z0-9_]|[./:-]\d)"
)
_WORD_BEFORE = lazy_pattern(r"([^\W\d_][\w'’-]*)\s$")
_WORD_AFTER = lazy_pattern(r"\s?([^\W\d_][\w'’-]*)")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_SIGN = lazy_pattern(f"[{_CJK}]")
_ORDINALS = frozenset("第号號番章节節課课页頁호번장제")
_SMALL = """
    at to by of in over under about than from is was are were has have had with only took takes after before
    for within still now just around nearly almost exactly up down reached hit shows got
    auf um bei von in mit nach ist sind war waren hat haben hatte nur noch bis über unter etwa zu
    de à en avec est sont sur plus dans con es son fue hay solo hasta
"""
_BEFORE_COUNT = frozenset(_SMALL.split())
"""After these stands how much it is, and not which one."""

_SOME = """
    the all these those its their my our your his her some other another last first and or both und oder et ou
    y found ran wrote made built sent kept lost sold bought won saw read left did see find
"""
_BEFORE_SEVERAL = frozenset(_SOME.split())
"""After these, and after what was done, stands how many, if what is counted follows."""

_DOES = "is was has does passes fails works runs needs uses starts ends opens closes shows this its as us vs"
_VERBS = frozenset(_DOES.split())
_PLAIN_YEAR = lazy_pattern(_YEAR)
_SPACE = lazy_pattern(r"\s+")
_LETTERS = lazy_pattern(rf"[{_CJK}]|[^\W\d_]{{2,}}")


Date = tuple[int | None, int, int]
"""Year, month and day; the year only where it is told."""


class Template(NamedTuple):
    """A text without what a report has anew each time."""

    text: str
    dates: tuple[Date, ...]


NONE = Template("", ())


LEAST_MEMBERS = 3
"""Of a series: what comes twice may be two things."""


class Member(NamedTuple):
    """What may be of a series, wherever it is kept."""

    by_agent: bool
    messages: frozenset[bytes]
    """In which it was said."""
    days: frozenset[int]
    """On which it was said, by their number."""


def is_series(members: Sequence[Member]) -> bool:
    """Are these, which have one template, so many that they are reports and not statements of their own?

    What an agent tells in three messages is how it stands now. What comes as a person's word must come on
    three days: in one talk she speaks of several things in the same words.
    """
    if len(frozenset[bytes]().union(*(member.messages for member in members))) < LEAST_MEMBERS:
        return False
    if all(member.by_agent for member in members):
        return True
    return len(frozenset[int]().union(*(member.days for member in members))) >= LEAST_MEMBERS


def template(text: str, at_ms: int) -> str:
    """The template of what was said at that time; empty where it can be of no series."""
    return _template(text, at_ms) if len(text) <= LONGEST else ""


@lru_cache(maxsize=4_096)
def _template(text: str, at_ms: int) -> str:
    found = _parse_template(text)
    if not found.text or not found.dates:
        return found.text
    said = moment_of(at_ms).date()
    return found.text if all(_is_recent_day(each, said) for each in found.dates) else ""


def figures(text: str) -> frozenset[str]:
    """The dates, times and counts themselves: by these one of a series is asked for."""
    return frozenset(
        found[0].strip().casefold()
        for form in (_DATES, _TIMES, _FIGURES)
        for found in form.finditer(text)
    )


def _parse_template(text: str) -> Template:
    if not any(map(str.isdigit, text)):
        return NONE
    dates: list[Date] = []

    def dated(match: re.Match[str]) -> str:
        if (found := _date(match)) is None:
            return match[0]
        dates.append(found)
        return _DAY

    left = _DATES.sub(dated, text)
    left = _FIGURES.sub(_count_mark, _TIMES.sub(_TIME, left))
    left = _SPACE.sub(" ", left).strip().casefold()
    if not _MARKS.search(left) or len(_LETTERS.findall(_MARKS.sub(" ", left))) < LEAST:
        return NONE
    return Template(left, tuple(dates))


def _count_mark(found: re.Match[str]) -> str:
    """The mark of a count; a figure that is a name stays as it is."""
    text, start, end = found.string, found.start(), found.end()
    if found["money"] or found["unit"] or _is_count(found["figure"], text[:start], text[end:]):
        return _COUNT
    return found[0]


def _is_count(figure: str, before: str, after: str) -> bool:
    """Does it say how many, and not which one?"""
    goes_on = _WORD_AFTER.match(after)
    ended = before.rstrip()
    if before.endswith(("=", ": ", "\uff1a")):
        return True
    if ended and _SIGN.fullmatch(ended[-1]):
        return ended[-1] not in _ORDINALS and after[:1] not in _ORDINALS
    word = _WORD_BEFORE.search(before)
    if word is None:
        # At the beginning of a text or a clause: `4 errors`, but not `4. Errors`.
        return goes_on is not None and after[:1].isspace()
    last = word[1].casefold()
    if last in _BEFORE_COUNT:
        return not _PLAIN_YEAR.fullmatch(figure) or (goes_on is not None and _is_plural(goes_on[1]))
    done = last in _BEFORE_SEVERAL or last.endswith(("ed", "ing"))
    return done and goes_on is not None and _is_plural(goes_on[1])


def _is_plural(word: str) -> bool:
    """Does it look like what is counted: `invoices`, `tests`?"""
    return word.islower() and word.endswith("s") and word not in _VERBS


def _date(found: re.Match[str]) -> Date | None:
    """Year, month, day; None where there is no such day."""
    part = found.groupdict()
    if part["w2"]:
        return _week(int(part["y2"]), int(part["w2"]))
    for n in "1345":
        if part[f"m{n}"]:
            year = int(part[f"y{n}"]) if part[f"y{n}"] else None
            return _day(year, _month(part[f"m{n}"]), int(part[f"d{n}"]))
    return _day(int(part["y6"]), _month(part["m6"]), 1)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS[text.casefold()]


def _week(year: int, week: int) -> Date | None:
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return monday.year, monday.month, monday.day


def _day(year: int | None, month: int, day: int) -> Date | None:
    if month > 12:  # noqa: PLR2004 - 09/24/2026
        month, day = day, month
    try:
        date(year or 2024, month, day)
    except ValueError:
        return None
    return year, month, day


def _is_recent_day(found: Date, said: date) -> bool:
    """Is it the day on which it was said, or one of the weeks before? What is to come is no report."""
    year, month, day = found
    years = (year,) if year else (said.year - 1, said.year, said.year + 1)
    # Which of 3/4 is the month, nobody tells.
    ways = ((month, day), (day, month)) if day <= 12 and year else ((month, day),)  # noqa: PLR2004 - months
    return any(_is_near(y, m, d, said) for y in years for m, d in ways)


def _is_near(year: int, month: int, day: int, said: date) -> bool:
    if not MINYEAR < said.year < MAXYEAR:
        return False
    try:
        told = date(year, month, day)
    except ValueError:
        return False
    return -BACK <= told - said <= AHEAD
