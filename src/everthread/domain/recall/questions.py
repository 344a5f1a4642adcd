"""What a question asks for: its words, whose words it wants, which days, which kind of answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import MAXYEAR, UTC, datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.shorthand import short_forms
from everthread.domain.text.words import ENDS, LIMIT, STOP, query_words
from everthread.domain.times import moment_of

from .cards import TIME
from .small_query_words import is_foreign, without_small_words

Span = tuple[int, int]
"""From the first millisecond to the first one after."""


class Voice(IntEnum):
    """Whose words are asked for, as far as the question tells."""

    ANYONE = 0
    ASKER = 1
    """"What did I say …", "my project": the person's own words."""
    AGENT = 2
    """"What did you recommend …": the agent's."""
    PERSON = 3
    """"What did the user say …", "did I ask for …": a person's very words, wherever they were said."""


class Question(NamedTuple):
    """A question, understood as far as it can be without a model."""

    text: str
    gist: str
    """The question without what it says about the conversation itself: this is what is embedded."""
    words: tuple[str, ...]
    named: frozenset[str]
    """Every word of its gist in small letters: a speaker whose name is among them is asked about."""
    voice: Voice
    spans: tuple[Span, ...]
    """The stretches of time it speaks of."""
    wants: int
    """Flags of a text that would answer it: TIME for "when"."""
    heard: bool = False
    """Does it ask how something is, and not what was done to find out?"""
    counted: bool = False
    """Does it ask for a figure?"""
    foreign: bool = False
    """Is it in another language than English, for which the embedder was made?"""


_WORD = lazy_pattern(r"[^\W_]+")
_ASKER = lazy_pattern(r"\b(?:i|my|mine|myself|me)\b", re.IGNORECASE)
_AGENT = lazy_pattern(
    r"\b(?:did|have|had|were) you\b|\byour (?:answer|advice|suggestion|recommendation|reply|proposal)"
    r"|\byou (?:said|told|gave|wrote|made|recommended|suggested|proposed|explained|mentioned|did)\b",
    re.IGNORECASE,
)
_SAYING = "say|said|tell|told|ask|asked|mention|request"
_WISHING = "want|prefer|require|insist|complain|report"
_PERSON = lazy_pattern(
    r"^\W*(?:and |so |but )?(?:what |when |why )?(?:exactly )?(?:did|has|have|had|does) "
    rf"(?:i(?: ever| already| explicitly)? (?:{_SAYING})"
    rf"|the (?:user|human)(?: ever| already| explicitly)? (?:{_SAYING}|{_WISHING}))"
    rf"|\bthe (?:user|human) (?:{_SAYING}|{_WISHING}|wrote)"
    r"|\b(?:user|human)['’]s (?:own )?(?:words?|wish|request|preference|instruction|complaint|rule)",
    re.IGNORECASE,
)
""""Which file did I ask for" wants the file, and the agent may have named it."""
_SUMMARY = lazy_pattern(r"\b(?:summar(?:y|i[sz]e)|overview|recap)\b", re.IGNORECASE)
"""A summary of "my project" wants the answers too."""
_WHEN = lazy_pattern(
    r"\b(?:when|what (?:day|date|time|year|month)|how long|which (?:day|date|year|month))\b", re.I
)
_HOW_MANY = lazy_pattern(
    r"\bhow many\b(?! times\b)(?!.{0,80}\b(?:has|have|had|did)\b)"
    r"|\bhow (?:much|often|big|large|high|old|far|fast|loud|wide|tall|heavy|hot|cold|expensive)\b"
    r"|\bwhat (?:number|percentage|share|amount|age)\b",
    re.I,
)
"""How many times something happened nobody may have counted: it is told once each time."""
_DOING = lazy_pattern(
    r"\b(?:commands?|run|runs|ran|running|calls?|called|execut\w+|scripts?|invok\w+|tools?|files?|edit\w*|"
    r"paths?|tried|try|arguments?|options?|flags?|how (?:do|did|can|could|to)|did you)\b",
    re.IGNORECASE,
)
"""Who asks for what was done wants the call of a tool as well."""


def read_question(text: str, now: int) -> Question:
    """The question as the ranker uses it; `now` is what "yesterday" is counted from."""
    text = text if len(text) <= 2 * ENDS else f"{text[:ENDS]} {text[-ENDS:]}"
    gist = gist_of(text)
    return Question(
        text=text,
        gist=gist,
        words=tuple(dict.fromkeys((*_looked_up(gist), *short_forms(gist)))),
        named=frozenset(word.lower() for word in _WORD.findall(gist)),
        voice=_voice(text),
        spans=tuple(_spans(text.lower(), moment_of(now))),
        wants=TIME if _WHEN.search(text) else 0,
        heard=text.rstrip().endswith("?") and _DOING.search(text) is None,
        counted=_HOW_MANY.search(text) is not None,
        foreign=is_foreign(gist),
    )


def _looked_up(gist: str) -> list[str]:
    every = query_words(gist, 2 * LIMIT)
    telling = without_small_words(gist, every)
    return query_words(gist, LIMIT) if telling == every else telling[:LIMIT]


_TALK = r"(?:conversations?|discussions?|chats?|sessions?|queries|requests|messages)"
_ASKED = "what|why|when|where|who|whose|which|how|if|whether"
_FOR_WHOM = (
    rf"^\W*(?!(?:{_ASKED}|did|do|does|was|were|is|are|has|have|had|i|we|you)\b)"
    r"(?:(?:(?:my|the|our|a) )?\w+(?: \w+)? (?:(?:wants?|needs?) to know|(?:(?:is|are|keeps?) asking|asks)"
    r"(?: me| us)?)|(?:someone|somebody|people|they) (?:just )?(?:wanted to know|asked(?: me| us)?))"
    rf"(?=,? (?:for|about|{_ASKED})\b),?(?: (?:for|about|if|whether)\b)?"
)
""""My sister wants to know why …": for whom it is asked is not whom it is about. That somebody with a name
asked, in the past, may be the very thing that is looked for."""
_MANNER = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        _FOR_WHOM,
        r"^\W*(?:(?:and|so|but|ok|okay|hey|hi)\b,? )*"
        r"(?:remind me|tell me|do you (?:remember|recall|know)|i (?:need|want|have) to know|i forg[eo]t"
        r"|i (?:can['’]?t|cannot|don['’]?t) remember)(?: again)?,? ",
        r"^(?:please |(?:can|could|would|will) you (?:please )?)"
        r"(?:help me |tell me |give me |provide (?:me )?|show me |list |walk me through |summarize "
        r"|remind me )?(?:how |what )?",
        r"\b(?:the )?order in which (?:i|we) (?:brought up|mentioned|discussed|talked about) "
        r"(?:(?:the )?(?:different |various )?(?:aspects|parts|topics) of )?",
        rf",? ?\b(?:across|throughout|in|during) (?:all )?(?:of )?(?:our|my) (?:\w+ )?{_TALK}\b",
        r"\b(?:a )?(?:comprehensive|detailed|thorough|complete|full|brief) (?:summary|overview|recap)"
        r"(?: of| that captures)?(?: how)?\b",
        r"\b(?:what |when |why |how |where )?(?:did|has|have|had) (?:i|we|you|the user|the human)"
        r"(?: ever| already| explicitly)? (?:say|said|tell|told|ask|asked|mention(?:ed)?|request(?:ed)?)"
        r"(?: (?:me|you|us))?(?: (?:about|for|that|to|of))?\b",
        r"\(?\bmention (?:only|\d+)[^.)?]*[.)]?|,? in order\b(?! to)",
    )
)
_LETTER = lazy_pattern(r"[^\W_]")


def gist_of(text: str) -> str:
    """The question without its manners: "Can you list the order in which I brought up …" tells how
    to answer, not what to look for, and would draw its vector towards talk about talking."""
    gist = text
    for pattern in _MANNER:
        gist = pattern.sub(" ", gist)
    return " ".join(gist.split()) if _LETTER.search(gist) else text


def _voice(text: str) -> Voice:
    if _AGENT.search(text):
        return Voice.AGENT
    if _SUMMARY.search(text):
        return Voice.ANYONE
    if _PERSON.search(text):
        return Voice.PERSON
    return Voice.ASKER if _ASKER.search(text) else Voice.ANYONE


# Dates

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "few": 3, "couple of": 2,
}  # fmt: skip

_ISO = lazy_pattern(r"\b(\d{4})-(\d\d?)-(\d\d?)\b")
_DAY_FIRST = lazy_pattern(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? (\d{{4}}))?"
)
_MONTH_FIRST = lazy_pattern(rf"\b({_MONTH})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?")
_MONTH_ONLY = lazy_pattern(
    rf"\b(?:in|of|during|last|since|early|late|mid) ({_MONTH})\b(?:,? (\d{{4}}))?"
)
_YEAR = lazy_pattern(r"\b(?:in|during|of|since) (\d{4})\b")
_AGO = lazy_pattern(rf"\b(\d{{1,3}}|{'|'.join(_COUNTS)}) (day|week|month|year)s? ago\b")
_LAST = lazy_pattern(rf"\b(last|past|this) (week|weekend|month|year|{'|'.join(_DAYS)})\b")
_NEAR = lazy_pattern(r"\b(today|yesterday|this morning|tonight|last night)\b")


_DATED = (_ISO, _DAY_FIRST, _MONTH_FIRST, _MONTH_ONLY, _YEAR, _AGO, _LAST, _NEAR)
_SPOKEN = lazy_pattern(
    r"\b(?:(?:did|have|had) \w+(?: \w+)? (?:talk|discuss|sa(?:y|id)|sp[eo]a?k|chat|tell|told|mention|writ|"
    r"ask)|(?:was|were) (?:said|discussed|talked about|mentioned|asked|written))"
)
_TALKING = """
    talk talked talking discuss discussed say said speak spoke spoken chat chatted tell told mention
    mentioned write wrote written ask asked
"""
_TALKS = frozenset(_TALKING.split())


def asked_beside_time(question: Question) -> list[str] | None:
    """What is asked for beside that it was said then: nothing, or whose word; None where it asks otherwise.

    "What did Nora say on 14 February?" asks for Nora; what is due on that day is asked for by its words.
    """
    text = question.text.lower()
    if not question.spans or _SPOKEN.search(text) is None:
        return None
    for pattern in _DATED:
        text = pattern.sub(" ", text)
    return [word for word in query_words(text) if word not in _TALKS and word not in STOP]


def _spans(text: str, now: datetime) -> Iterator[Span]:
    named = list(_named_days(text, now))
    yield from named
    if not named:
        yield from _named_months(text, now)
        yield from _relative_days(text, now)


def _named_days(text: str, now: datetime) -> Iterator[Span]:
    for year, month, day in _ISO.findall(text):
        yield from _day(year, int(month), day, now)
    for day, month, year in _DAY_FIRST.findall(text):
        yield from _day(year, _month(month), day, now)
    for month, day, year in _MONTH_FIRST.findall(text):
        yield from _day(year, _month(month), day, now)


def _named_months(text: str, now: datetime) -> Iterator[Span]:
    for name, year in _MONTH_ONLY.findall(text):
        month = _month(name)
        start = _date(int(year) if year else _latest_year(month, 1, now), month, 1)
        if start:
            yield _span(start, _next_month(start))
    for year in _YEAR.findall(text):
        start, stop = _date(int(year), 1, 1), _date(int(year) + 1, 1, 1)
        if start and stop:
            yield _span(start, stop)


def _relative_days(text: str, now: datetime) -> Iterator[Span]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for near in _NEAR.findall(text):
        back = 1 if near in ("yesterday", "last night") else 0
        yield _days_around(today - timedelta(days=back), 0, 1)
    for number, unit in _AGO.findall(text):
        days = _count(number) * _LENGTH[unit]
        if days < _OLDEST:
            slack = _LENGTH[unit] // 2
            yield _days_around(today - timedelta(days=days), slack, slack + 1)
    for which, unit in _LAST.findall(text):
        yield _recent_span(which, unit, today)


_LENGTH = {"day": 1, "week": 7, "month": 30, "year": 365}
_OLDEST = 36_500


def _recent_span(which: str, unit: str, today: datetime) -> Span:
    """ "Last week" reaches from eight days before its end to the day before today, and so on."""
    if unit in _DAYS:
        back = (today.weekday() - _DAYS.index(unit)) % 7 or 7
        return _days_around(today - timedelta(days=back), 0, 1)
    length = {"weekend": 7, **_LENGTH}[unit]
    if which == "this":
        return _days_around(today, length, 1)
    return _days_around(today - timedelta(days=length), length, 1 if length == 1 else length // 2)


def _count(number: str) -> int:
    return int(number) if number.isdigit() else _COUNTS[number]


def _month(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _latest_year(month: int, day: int, now: datetime) -> int:
    """The year of a date that is given without one: the last time it was that day."""
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


def _day(year: str, month: int, day: str, now: datetime) -> Iterator[Span]:
    start = _date(int(year) if year else _latest_year(month, int(day), now), month, int(day))
    if start:
        yield _span(start, start + timedelta(days=1))


def _date(year: int, month: int, day: int) -> datetime | None:
    """That day; None where there is none, or none after it."""
    try:
        return datetime(year, month, day, tzinfo=UTC) if year < MAXYEAR else None
    except ValueError:
        return None


def _next_month(start: datetime) -> datetime:
    return (start + timedelta(days=32)).replace(day=1)


def _days_around(day: datetime, before: int, after: int) -> Span:
    return _span(day - timedelta(days=before), day + timedelta(days=after))


def _span(start: datetime, stop: datetime) -> Span:
    return round(start.timestamp() * 1000), round(stop.timestamp() * 1000)
