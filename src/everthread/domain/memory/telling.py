"""What a statement tells of something: its value, where or when it is, and whether that is said to be new.

`The launch moved to 13 April`, `We raised the limit to 60`, `Our new landlord is Mrs Krag`: people who
tell a change do not repeat how they told the first value. So a statement is read into what it is about,
as a set of words, and a value of some kind; only values of one kind can take each other's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from everthread.domain.text.patterns import late
from everthread.domain.text.sayings import plain, saying, tidy

Kind = Literal["time", "number", "name", "word"]
How = Literal["is", "at", "moved", "renamed", "changed"]

MOST_VALUE = 8
"""Words of a value; what is longer is no value but a story."""

_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?|"
    r"\d{4}-\d\d?-\d\d?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}(?:st|nd|rd|th)|"
    r"(?:19|20)\d\d|weekends?"
)
_CLOCK = r"\d{1,2}[:.]\d\d(?: ?(?:am|pm))?|\d{1,2} ?(?:am|pm|o'clock|uhr)|noon|midnight"
_LINK = r"on|at|the|of|by|every|each|day|night|morning|afternoon|evening|week|in"
TIMED = late(rf"(?:(?:{_DAY}|{_CLOCK}|{_LINK}|\d{{1,2}})(?:,? |$))+", re.IGNORECASE)
DAYS = late(rf"\b(?:{_DAY})(?!\w)", re.IGNORECASE)
CLOCKS = late(rf"\b(?:{_CLOCK})(?!\w)", re.IGNORECASE)
_NUMBER = late(
    r"(?:about |around |only |roughly )?[£$€~]?\d[\d.,]*(?:k|m|%|€)?"
    r"(?: [^\W\d]+(?: per \w+)?){0,3}"
)
_NAME = late(r"[^\W_]*[A-Z\d]|\S*\w[@_/.-]\w|`|\"")

_SO = (
    r"(?:'ve|'s| have| has| had)?(?: been| was| were| is| are| got)?"
    r"(?: just| recently| now| finally| already)?"
)
_MOVES = (
    r"moved|relocated|migrated|transferred|shifted|pushed(?: back)?|postponed|delayed|rescheduled|"
    r"brought forward"
)
_RENAMES = r"renamed|rebranded"
_CHANGES = (
    r"changed|switched|raised|increased|lowered|reduced|cut|decreased|dropped|bumped(?: up)?|set|reset|"
    r"updated|adjusted|corrected|extended|upgraded|downgraded|went (?:up|down)|gone (?:up|down)|rose|"
    r"risen|fell|fallen"
)
_VERB = rf"(?:(?P<moved>{_MOVES})|(?P<renamed>{_RENAMES})|(?P<changed>{_CHANGES}))(?: over| back)?"
_FROM = r"(?: from (?P<was>\S+(?: \S+){0,4}?))?(?: to| until| as) (?P<value>\S.*)"
_PASSIVE = late(
    rf"(?P<subject>(?!(?:i|we|you|they|he|she|it)\b)\S.*?){_SO} {_VERB}{_FROM}", re.IGNORECASE
)
_ACTIVE = late(
    rf"(?:i|we){_SO} {_VERB} (?P<subject>(?:the|our|my|this|its)\b .*?){_FROM}", re.IGNORECASE
)
_AGED = late(r"(?P<subject>\S.*?)(?: has| have|'s)?(?: just| recently| now)? turned (?P<value>\d+)")
_STATES = late(
    r"(?P<subject>\S.*?) (?:(?P<called>(?:is|are) (?:called|named))|(?P<due>(?:is|are) due(?: on| by| at)?)"
    r"|(?:is|are|sits?|stays?|lives?|runs?)(?: (?:based|located|situated|hosted|stored|kept|deployed|held|"
    r"parked|planned|scheduled|fixed|booked))? (?P<at>in|at|on|for)"
    r"|(?:starts?|begins?|happens?|takes? place|goes out|go out) (?P<when>on|at|in)"
    r"|(?P<is>is|are|costs?))"
    r" (?P<value>\S.*)",
    re.IGNORECASE,
)
_REST = late(r" (?:in|on|for|at|with|during|by|when|until|since|because|over|near) .*")
_SINCE = late(
    r"(?<!\s),?\s++(?:now|again|from now on|these days|today|yesterday|instead|as of (?:now|today)|"
    r"from today(?: on)?|(?:last|this) (?:week|month|weekend|year|spring|summer|autumn|fall|winter))$",
    re.IGNORECASE,
)
_NOW = late(
    r"\b(?:now|these days|from today|as of (?:now|today)|no longer|instead)\b", re.IGNORECASE
)
_NEW = late(r"\b(?P<of>my|our|the|its|\w+'s) new (?P<noun>.+)", re.IGNORECASE)
_NOT = late(
    r"(?P<head>\S.*?),? (?:and |but )?(?:not|over) (?:(?:on|in|at|with|from|to|by) )?(?P<was>\S.*)"
)
_CLAUSES = late(r"(?<!\d)\s*[,;:–—]\s+|\s+[–—-]\s+")
_APART = late(
    r"\b(?:also|too|as well|another|additionally|in addition|if|unless|might|(?-i:may)|could|should|would|"
    r"used to|now and then|until|except|sometimes|both|or|will|maybe|perhaps|probably|one of|some of|"
    r"was (?:in|at|on|hosted))\b"
    r"|(?<!\d)\?",
    re.IGNORECASE,
)
"""What is said of something more, of another time, or under a condition: it changes nothing."""
_OWN = frozenset(("our", "this", "its", "new", "current", "for", "of", "about", "own", "we"))
"""Who tells a change says `the launch` of what was `our launch`. Whose it is else stays: `Tom's`, `her`."""
_TAILS = {"address": {"email", "mail", "e-mail"}, "number": {"phone", "mobile", "telephone"}}


class Telling(NamedTuple):
    """Something, and the value it is said to have."""

    subject: frozenset[str]
    how: How
    kind: Kind
    value: tuple[str, ...]
    text: str
    """The value as it is written."""
    rest: frozenset[str]
    fresh: bool
    """Is it said to be so only now?"""
    new: bool
    """Is the thing itself said to be a new one?"""
    was: tuple[str, ...] = ()


def even(text: str) -> str:
    """The statement without manners; `no longer` is `not`, `instead of` is `over`."""
    return tidy(plain(text)).rstrip(".!").replace("’", "'")


def bounded(text: str) -> bool:
    """Does it tell of something more, of another time, or under a condition?"""
    return _APART.search(text) is not None


def is_fresh(text: str) -> bool:
    """Does it say that it is so only now?"""
    return _NOW.search(text) is not None


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """The whole statement, and what it says before and after a comma."""
    whole = even(text)
    parts = [part for part in _CLAUSES.split(whole) if part]
    return (whole, *parts) if 1 < len(parts) <= 3 else (whole,)  # noqa: PLR2004 - more is a story


@lru_cache(maxsize=4096)
def tellings(text: str) -> tuple[Telling, ...]:
    """What the statement tells, in whichever form it is put; nothing where it is bounded."""
    if bounded(text) or len(text) > 200:  # noqa: PLR2004 - a longer one is a story
        return ()
    fresh = is_fresh(text)
    found = [one for clause in clauses(text) for one in _told(clause, fresh=fresh)]
    return tuple(dict.fromkeys(found))


def _told(clause: str, *, fresh: bool) -> Iterator[Telling]:
    was: tuple[str, ...] = ()
    if denied := _NOT.fullmatch(clause):
        clause, was = denied["head"], saying(denied["was"]).words
    while (shorter := _SINCE.sub("", clause)) != clause:
        clause = shorter
    clause = re.sub(r"\b(is|are) (?:now|currently|just)\b", r"\1", clause)
    if found := _PASSIVE.fullmatch(clause) or _ACTIVE.fullmatch(clause):
        how: How = "moved" if found["moved"] else "renamed" if found["renamed"] else "changed"
        before = saying(found["was"] or "").words
        yield from _made(found, how, fresh=True, was=before or was)
    elif found := _AGED.fullmatch(clause):
        yield from _made(found, "is", fresh=True, was=was)
    elif found := _STATES.fullmatch(clause):
        at = found["at"] or found["when"] or found["due"]
        more = "name" if found["called"] else "deadline" if found["due"] else ""
        yield from _made(found, "at" if at else "is", fresh=fresh, was=was, more=more)


def _made(
    found: re.Match[str], how: How, *, fresh: bool, was: tuple[str, ...], more: str = ""
) -> Iterator[Telling]:
    subject, text = found["subject"], found["value"]
    head = text if TIMED.fullmatch(text) else _REST.sub("", text)
    value = saying(head).words
    about = _about(f"{subject} {more}")
    if value and len(value) <= MOST_VALUE and about and len(about) <= MOST_VALUE:
        rest = frozenset(saying(text[len(head) :]).words) - _OWN
        renewed = _NEW.search(subject) is not None
        yield Telling(about, how, kind_of(head), value, head, rest, fresh or renewed, renewed, was)


def _about(subject: str) -> frozenset[str]:
    words = {word for word in saying(subject).words if word not in _OWN}
    doubled = {tail for tail, heads in _TAILS.items() if tail in words and words & heads}
    return frozenset(words - doubled)


def kind_of(value: str) -> Kind:
    """A time, a figure, a name, or any word."""
    if TIMED.fullmatch(value) and (DAYS.search(value) or CLOCKS.search(value)):
        return "time"
    if _NUMBER.fullmatch(value):
        return "number"
    return "name" if any(_NAME.match(word) for word in value.split()) else "word"
