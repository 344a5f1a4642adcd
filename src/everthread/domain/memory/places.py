"""Where and when something is that is in one place at a time: a later place takes that of the earlier.

`The office is in Berlin`, `The office is in Munich`. Only of things that have one place, only where both
say it in the same form, and only of names and figures: `in use` and `in a tower` are no places that
exclude Berlin, and neither is March.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem, trim_blanks, without_openings

from .known_names import are_of_two_sorts, is_country, is_town, job_of

Kind = Literal["name", "figure", "time"]

_THINGS = """
    office headquarters hq home house apartment flat studio lab laboratory shop warehouse factory
    datacenter clinic hospital hotel venue meeting conference wedding party ceremony appointment
    interview concert workshop summit offsite retreat exam flight dinner lunch lesson rehearsal demo
    standup kickoff launch release hackathon server cluster bucket backup car passport luggage parcel
"""
ONE_PLACE = frozenset(map(stem, _THINGS.split()))
"""What is in one place at a time, and happens at one time."""

_TIMES = """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
"""
TIMES = frozenset(_TIMES.split())
_YEAR = lazy_pattern(r"(?:19|20)\d\d")

_WHERE = lazy_pattern(
    r"(?P<subject>.+?) (?:now )?(?:is (?:now |currently )?(?P<set>(?:based|located|situated) )?"
    r"(?P<how>in|at|on)|(?:starts|begins|takes place|happens|leaves|departs|takes off) at(?= \d)) "
    r"(?P<value>\S+(?: \S+)*?)(?: now| again| currently| at the moment)?"
)
_OUR = lazy_pattern(r"^our ", re.IGNORECASE)
_MINE = lazy_pattern(r"^my ", re.IGNORECASE)
_COUNT = "one two three four five six seven eight nine ten eleven twelve"
_HOURS: list[str] = [*_COUNT.split()]
_SPOKEN = lazy_pattern(
    r"(?<= at )(?:(?P<part>half past|(?:a )?quarter (?:past|to)) )?"
    rf"(?P<hour>{'|'.join(_HOURS)})(?: o'clock)?"
    r"(?=\W*$| (?:am|pm|now|again|sharp|every|on|in)\b)",
    re.IGNORECASE,
)
_REST = lazy_pattern(
    r" (?:in|on|for|at|with|during|by|when|of|from|until|since|because|near|next) .*"
)
_ANY = lazy_pattern(r"(?i:an?|another|one|some|each|every|any|there|either|neither)\b.*")
_LIST = lazy_pattern(r",|;|\band\b|\bor\b|\bboth\b|&")
_NAME = r"[A-Z][\w'-]*(?: (?:am |upon |de |la )?[A-Z][\w'-]*){0,2}"
_HOME = lazy_pattern(
    r"(?P<subject>(?i:i|we|(?:the )?user)|[A-Z]\w+)(?:'m|'re| am| are| is)?(?P<now> now)? "
    r"(?:lives?|living|based|resides?)"
    rf"(?P<since> now)? in (?P<value>{_NAME})(?P<today> now| these days)?"
)
_MOVES = lazy_pattern(
    r"(?P<subject>(?i:i|we)|[A-Z]\w+)(?:'ve| have| has|'s)?(?P<just> just| recently| now| finally)? "
    rf"(?:moved|relocated)(?: from (?P<was>{_NAME}))? to (?P<value>{_NAME})"
    r"(?P<when> (?:last|this) (?:week|month|weekend|year|spring|summer|autumn|fall|winter)| yesterday| today|"
    r" (?:a|two|three) (?:days?|weeks?|months?) ago)?"
)
_MORE = lazy_pattern(r", (?:and |but |so )?| and (?=(?:the|our|we)\b)")
_AT_HOME = lazy_pattern(
    r"\b(?:box(?:es)?|flat|house|home|apartment|furniture|unpack\w*|neighbou?rs?|kitchen|garden|landlord|"
    r"landlady)\b",
    re.IGNORECASE,
)
"""That it is a home to which those who speak moved, and no office."""
_AT_WORK = lazy_pattern(r"\b(?:office|firm|company|team|servers?|shop|lab|studio)\b", re.IGNORECASE)
_YEARLY = lazy_pattern(r"year|spring|summer|autumn|fall|winter")
_NOW = lazy_pattern(r"\b(?:now|these days|currently)\b")
_WORD = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
MOST_WORDS = 4


class Place(NamedTuple):
    subject: tuple[str, ...]
    how: str
    kind: Kind
    value: tuple[str, ...]
    rest: tuple[str, ...]


def is_moved(new: str, old: str) -> bool:
    """Is the same thing somewhere else by now?"""
    one, other = place(new), place(old)
    if one is None or other is None:
        return False
    if (one.subject, one.how, one.kind, one.rest) != (
        other.subject,
        other.how,
        other.kind,
        other.rest,
    ):
        return False
    a, b = set(one.value), set(other.value)
    if a <= b or b <= a or _is_mine_alone(new, old) or _is_mine_alone(old, new):
        return False
    if one.kind == "name" and may_hold(one.value, other.value, anew=_NOW.search(new) is not None):
        return False
    return one.kind != "figure" or _without_figures(one) == _without_figures(other)


def _is_mine_alone(one: str, other: str) -> bool:
    """`My office` is not `our office`; `the office` may be either."""
    return bool(_MINE.match(_even_out(one)) and _OUR.match(_even_out(other)))


def may_hold(one: tuple[str, ...], other: tuple[str, ...], *, anew: bool) -> bool:
    """Is the one place perhaps in the other: Berlin in Germany, Kreuzberg in Berlin?"""
    a, b = " ".join(one), " ".join(other)
    return are_of_two_sorts(a, b) or (_is_known(a) != _is_known(b) and not anew)


def is_rehomed(new: str, old: str) -> bool:
    """Did somebody who lived in one place, or moved there, move to another or live there by now?"""
    if "move" not in new + old and "relocated" not in new + old:
        return False
    one, other = _home(new), _home(old)
    if one is None or other is None or one.value == other.value:
        return False
    if one.subject != other.subject and not (one.all_of_us and other.subject == "i"):
        return False
    if one.was:
        return one.was == other.value
    # Berlin is in Germany, and Kreuzberg in Berlin: who moved to the one may live in the other.
    if is_country(one.value) != is_country(other.value):
        return False
    return one.anew or (one.moves and _is_known(other.value))


def names_land_alone(one: str, other: str) -> bool:
    """Is a country, or the like, named by one of them only? It may hold the place that the other names."""
    return _names_land(one) != _names_land(other)


@lru_cache(maxsize=1024)
def _names_land(text: str) -> bool:
    return any(name[0].isupper() and is_country(name) for name in _WORD.findall(text))


def _is_known(place: str) -> bool:
    return is_town(place) or is_country(place)


HALVES = frozenset({"am", "pm"})
"""Of a day, behind an hour."""


class _Home(NamedTuple):
    subject: str
    value: str
    moves: bool
    anew: bool
    """Is it plain that somebody lives there only since?"""
    was: str = ""
    all_of_us: bool = False
    """Did those move home of whom the speaker is one?"""


@lru_cache(maxsize=4096)
def _home(text: str) -> _Home | None:
    even = _even_out(text)
    first, *more = _MORE.split(even, maxsplit=1)
    home = any(_AT_HOME.search(rest) and not _AT_WORK.search(rest) for rest in more)
    if moves := _MOVES.fullmatch(first if home else even):
        subject, value = moves["subject"].lower(), moves["value"]
        known, dated = _is_known(value), bool(moves["just"] or moves["when"])
        # People move to another system or department, too, and teams to another service.
        plain = known and dated if subject == "we" else known or dated
        if job_of(value) is not None or not (plain or moves["was"]):
            return None
        lately = dated and _YEARLY.search(moves["when"] or "") is None
        ours = home and subject == "we"
        return _Home(
            subject, value, moves=True, anew=lately, was=moves["was"] or "", all_of_us=ours
        )
    if lives := _HOME.fullmatch(even):
        now = bool(lives["now"] or lives["since"] or lives["today"])
        value = lives["value"]
        subject = lives["subject"].lower().removeprefix("the ")
        subject = "i" if subject == "user" else subject
        return _Home(subject, value, moves=False, anew=now and is_town(value))
    return None


def _even_out(text: str) -> str:
    return trim_blanks(without_openings(text)).rstrip(".!").replace("’", "'")


def _in_figures(found: re.Match[str]) -> str:
    """`half past nine` is 9:30."""
    hour, part = _HOURS.index(found["hour"].lower()) + 1, (found["part"] or "").lower()
    if part.endswith("to"):
        return f"{(hour - 2) % 12 + 1}:45"
    return f"{hour}:30" if part == "half past" else f"{hour}:15" if part else str(hour)


def _without_figures(one: Place) -> list[str]:
    """`room 4` and `room 5` are of one sort, `room 4` and `building 5` are not."""
    bare = [word for word in one.value if not any(c.isdigit() for c in word)]
    return [word for word in bare if word not in HALVES]


@lru_cache(maxsize=4096)
def place(text: str) -> Place | None:
    """Where the statement says that its subject is, if that is how it is put."""
    even = _OUR.sub("", _SPOKEN.sub(_in_figures, _even_out(text)))
    found = _WHERE.fullmatch(even)
    if found is None or "?" in even or _LIST.search(even) or _ANY.fullmatch(found["subject"]):
        return None
    subject = parse_statement(found["subject"].lower()).words
    head = _REST.sub("", found["value"])
    kind = _kind(head)
    if kind is None or not _has_one_place(subject):
        return None
    rest = parse_statement(found["value"][len(head) :]).words
    return Place(subject, found["how"] or "at", kind, parse_statement(head.lower()).words, rest)


def _has_one_place(subject: tuple[str, ...]) -> bool:
    at = subject.index("of") if "of" in subject[1:] else len(subject)
    return bool(subject) and subject[at - 1] in ONE_PLACE


def _kind(value: str) -> Kind | None:
    """What sort of place it names; None for what is no name and no figure."""
    words = value.split()
    if len(words) > MOST_WORDS:
        return None
    if words[0].lower() in TIMES or _YEAR.fullmatch(value):
        return "time"
    if any(c.isdigit() for c in value):
        return "figure"
    return "name" if words[0][0].isupper() and words[-1][0].isupper() else None
