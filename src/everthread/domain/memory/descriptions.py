"""Does a value tell only what is done to a thing, or in what state it is, and not what it is?

`The database is backed up nightly` leaves it the database it was, and so does `The branch is protected`.
Such words are known by their form: a participle, an adjective of a state, a small word that only goes with
one, or a thing of a sort (`a bottleneck`) beside a value that stands bare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern

from .judgements import PASSING
from .known_names import job_of
from .single_valued import ATTRIBUTES
from .value_claims import is_address

_DONE_BY_FORM = lazy_pattern(r"[a-z-]{2,}(?<!e)(?<!hund)ed|[a-z-]{3,}ing")
_NO_DEEDS = """
    staging testing training marketing engineering accounting consulting teaching nursing banking gaming
    hosting billing morning evening pricing shipping trading cooking writing painting drawing string spring
    red sled shed bed wed
"""
_NO_DEED = frozenset(_NO_DEEDS.split())
"""What only ends like one: a name, a trade, a colour."""
_DONE_IN_OWN_FORM = """
    built rebuilt kept set reset held run rerun written rewritten overwritten shown known hidden taken given
    made done sent chosen broken frozen stolen driven grown drawn forgotten withdrawn bound found lost left
    lent bought sold paid put cut split shut spread met led read laid hit torn worn sworn begun gone thrown
    shrunk overdue
"""
_DONE = frozenset(_DONE_IN_OWN_FORM.split())
_STATE_BY_FORM = lazy_pattern(
    r"[a-z-]{3,}(?:able|ible|ful|less|ous|(?<!arch)ive)"
    r"|(?:multi|self|semi|non|single)-[a-z]+|multi[a-z]{3,}"
)
_JOINED = lazy_pattern(
    r"\w+-(?:only|safe|proof|ready|free|heavy|bound|wide|friendly|compliant|compatible|aware|agnostic|specific|"
    r"based|tenant|of-life)|EOL"
)
"""`GDPR-compliant`, `read-only`."""
_POSSIBLE = lazy_pattern(r"[ai]ble$")
_IN_STATES = """
    alive active inactive idle healthy unhealthy responsive unresponsive sensitive massive expensive intensive
    live dormant redundant compliant resilient consistent inconsistent transparent dependent independent
    current intact corrupt unsound sound solid obligatory mandatory
    fragile brittle buggy laggy leaky messy tidy neat bloated lean mature immature hers mine his ours theirs
    yours better worse faster slower larger bigger smaller older newer shorter longer higher lower cheaper
    up away back here there everywhere somewhere nowhere elsewhere internal
    external optional conditional functional relational critical vital essential legal official
"""
_STATES = frozenset(_IN_STATES.split())
_COLOURED = "green red yellow amber orange"
_COLOURS = frozenset(_COLOURED.split())
"""Of a branch or a build these tell whether its tests pass."""
_GOES_WITH = """
    to of by for in on at with from under over up down out off as than into ahead behind between against
    about beyond within without like near
"""
_SMALL = frozenset(_GOES_WITH.split())
_BEFORE = """
    well still already just also being getting becoming now currently again newly not yet both all only
"""
_LEADING = frozenset(_BEFORE.split())
"""They stand before what is told."""
_OF_A_SORT = lazy_pattern(r"(?:an?|one) [a-z]")
_NOW = lazy_pattern(r"^(?:now|currently) ")
_SPECIFIC = lazy_pattern(r"[A-Z\d]|\w[@_/.]\w")
_OFFICES = frozenset({"job", "role", "title"})
"""`A nurse`, `head of sales` is what such a one is."""
_MANNERS = frozenset({"default", "style", "size", "color", "colour", "theme"})
"""Of these such a word is the value itself: sorted, relaxed, faded."""
_LINKED = frozenset({"domain", "website", "homepage"})
"""Told by where they are found; with what they are made, or what they are about, is another matter."""
_TOLD_BY_STATE = "status"


def only_describes(subject: Collection[str], one: str, other: str) -> bool:
    """Does one value, as it is written, tell what is done to the thing, and not what it is?"""
    noun = noun_of(subject)
    if noun == _TOLD_BY_STATE or PASSING.issuperset((one, other)):
        return False
    values = [_NOW.sub("", value) for value in (one, other)]
    if not _LINKED.isdisjoint(subject) and len({*map(is_address, values)}) > 1:
        return True
    told = [_is_state(value, noun) for value in values]
    if noun in _MANNERS:
        state, other = sorted(values, key=lambda value: not _is_state(value, noun))
        possible = _POSSIBLE.search(state) is not None
        return len({*told}) > 1 and (possible or _SPECIFIC.search(other) is not None)
    if any(told):
        return True
    sorts = [_OF_A_SORT.match(v) is not None and _SPECIFIC.search(v) is None for v in values]
    return noun not in _OFFICES and len({*sorts}) > 1


def noun_of(subject: Iterable[str]) -> str:
    """`The default branch` is a branch."""
    told = [word for word in subject if word in ATTRIBUTES]
    return next((word for word in (*told, "") if word != "default"), "") or "".join(told[:1])


@lru_cache(maxsize=4096)
def _is_state(value: str, noun: str) -> bool:
    words = value.split()
    while len(words) > 1 and (words[0] in _LEADING or words[0].endswith("ly")):
        words = words[1:]
    if words and _JOINED.fullmatch(words[0]) is not None:
        return True
    if not words or not words[0][0].islower() or job_of(" ".join(words)) is not None:
        return False
    first = words[0].strip(",;:")
    if first in _SMALL | _STATES | _DONE or _is_state_by_form(first):
        return True
    if first in _COLOURS and len(words) == 1:
        return noun not in _MANNERS
    several = len(words) > 1 and _SPECIFIC.search(value) is None and noun not in _OFFICES
    return several and (not _SMALL.isdisjoint(words) or words[-1].endswith("ly"))


def _is_state_by_form(word: str) -> bool:
    deed = word not in _NO_DEED and _DONE_BY_FORM.fullmatch(word) is not None
    return deed or _STATE_BY_FORM.fullmatch(word) is not None
