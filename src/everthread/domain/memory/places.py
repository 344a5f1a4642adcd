"""Where and when something is that is in one place at a time: a later place takes that of the earlier.

`The office is in Berlin`, `The office is in Munich`. Only of things that have one place, only where both
say it in the same form, and only of names and figures: `in use` and `in a tower` are no places that
exclude Berlin, and neither is March.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from everthread.domain.text.patterns import late
from everthread.domain.text.sayings import plain, saying, stem, tidy

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
_YEAR = late(r"(?:19|20)\d\d")

_WHERE = late(
    r"(?P<subject>.+?) is (?:now |currently )?(?P<set>(?:based|located|situated) )?(?P<how>in|at|on) "
    r"(?P<value>\S+(?: \S+)*?)(?: now| again| currently| at the moment)?"
)
_REST = late(r" (?:in|on|for|at|with|during|by|when|of|from|until|since|because|near|next) .*")
_ANY = late(r"(?i:an?|another|one|some|each|every|any|there|either|neither)\b.*")
_LIST = late(r",|;|\band\b|\bor\b|\bboth\b|&")
_NAME = r"[A-Z][\w'-]*(?: (?:am |upon |de |la )?[A-Z][\w'-]*){0,2}"
_HOME = late(
    r"(?P<subject>(?i:i|we)|[A-Z]\w+)(?:'m|'re| am| are| is)? (?:now )?(?:lives?|living|based|resides?)"
    rf"(?: now)? in (?P<value>{_NAME})(?: now| these days)?"
)
_MOVES = late(
    r"(?P<subject>(?i:i|we)|[A-Z]\w+)(?:'ve| have| has|'s)?(?P<just> just| recently| now| finally)? "
    rf"(?:moved|relocated)(?: from {_NAME})? to (?P<value>{_NAME})"
    r"(?P<when> (?:last|this) (?:week|month|weekend|year|spring|summer|autumn|fall|winter)| yesterday| today|"
    r" (?:a|two|three) (?:days?|weeks?|months?) ago)?"
)
MOST_WORDS = 4


class Place(NamedTuple):
    subject: tuple[str, ...]
    how: str
    kind: Kind
    value: tuple[str, ...]
    rest: tuple[str, ...]


def moved(new: str, old: str) -> bool:
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
    if a <= b or b <= a:
        return False
    return one.kind != "figure" or _without_figures(one) == _without_figures(other)


def rehomed(new: str, old: str) -> bool:
    """Did somebody who lived in one place, or moved there, move to another or live there by now?"""
    if "move" not in new + old and "relocated" not in new + old:
        return False
    one, other = _home(new), _home(old)
    if one is None or other is None or one.subject != other.subject:
        return False
    return (one.moves or other.moves) and one.value != other.value


class _Home(NamedTuple):
    subject: str
    value: str
    moves: bool


@lru_cache(maxsize=4096)
def _home(text: str) -> _Home | None:
    even = _even(text)
    moves = _MOVES.fullmatch(even)
    found = moves or _HOME.fullmatch(even)
    if found is None:
        return None
    subject = found["subject"].lower()
    # A team moves to another service, too: only of people who moved just now it is where they live.
    if moves and subject == "we" and not (moves["just"] or moves["when"]):
        return None
    return _Home(subject, found["value"], bool(moves))


def _even(text: str) -> str:
    return tidy(plain(text)).rstrip(".!").replace("’", "'")


def _without_figures(one: Place) -> list[str]:
    """`room 4` and `room 5` are of one sort, `room 4` and `building 5` are not."""
    return [word for word in one.value if not any(c.isdigit() for c in word)]


@lru_cache(maxsize=4096)
def place(text: str) -> Place | None:
    """Where the statement says that its subject is, if that is how it is put."""
    even = _even(text)
    found = _WHERE.fullmatch(even)
    if found is None or "?" in even or _LIST.search(even) or _ANY.fullmatch(found["subject"]):
        return None
    subject = saying(found["subject"].lower()).words
    head = _REST.sub("", found["value"])
    kind = _kind(head)
    if kind is None or not _of_one_place(subject):
        return None
    rest = saying(found["value"][len(head) :]).words
    return Place(subject, found["how"], kind, saying(head.lower()).words, rest)


def _of_one_place(subject: tuple[str, ...]) -> bool:
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
