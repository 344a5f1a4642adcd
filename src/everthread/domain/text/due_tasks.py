"""What must be done to a thing by some time, and who is away until some time: a task, and no task.

`The insurance must be renewed before the end of May` asks nobody, and yet it is open. Only what is bound to a
time is such a task: what must always be so is a rule, and so is what holds of all of a kind. `Petra is on
holiday till Monday` leaves nothing to be done: it is how things are until then.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

LONGEST = 30
"""Words of a sentence that tells a task; a longer one tells a story."""

_LED = (
    r"^\W*+(?:(?:and|also|but|so|btw|oh|ok|okay|by the way|reminder|note|fyi|remember|don't forget|yes)\b"
    r"[\s,:.–—-]*+)*+"
)
_NO_THING = (
    r"(?!(?:all|every|each|any|no|none|it|this|that|they|these|those|there|here|you|your|i|i'm|we|he|she|what|"
    r"which|who|if|when|once|everything|everyone|everybody|nothing|nobody|anything|somebody|someone|one|to|"
    r"in|on|at|for|with|as|then|please|let's)\b)"
)
_THING = rf"{_NO_THING}(?P<thing>[^\s,;:.!?]++(?: (?!(?:that|which|who)\b)[^\s,;:.!?]++){{0,7}}?)"
_OUGHT = (
    r"(?:(?:still |also |really |all |now )*+(?:must|has to|have to|needs? to|(?:is|are) (?:still )?to)"
    r"(?: still| all| really| also)? be (?P<deed>[a-z]+)\b"
    r"|(?:still |also |really |badly |now )*+needs? (?:an? |some |its |their )?(?:good |proper |thorough )?"
    r"(?P<doing>[a-z]+ing|new(?= [a-z]+)|service|repairs?|paint)\b"
    r"|(?:is|are) due(?P<due>(?: back| in)?(?: (?:at|with|to) (?:the )?[a-z]+)?)"
    r"(?= (?:by|on|before|until|no later|tomorrow|today|tonight|next|this)\b))"
)
_TASK = lazy_pattern(rf"{_LED}{_THING} {_OUGHT}")
_EXPIRES = lazy_pattern(
    rf"{_LED}{_THING} (?:expires?|runs? out|lapses?|ends?)\b[^.;!?]{{1,60}}?\b(?:so|and)\b"
    r"(?: it| they)? (?:(?:must|has to|have to|needs? to) be (?P<deed>[a-z]+)\b|"
    r"needs? (?P<doing>[a-z]+ing)\b)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?|"
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b|\d{{4}}-\d\d-\d\d|{_DAY}|tomorrow\b|tonight\b|today\b|"
    r"(?:the )?(?:end|start|beginning|middle) of (?:the |this |next )?\w+|the weekend\b|"
    r"(?:next|this) (?:week|weekend|month|year|quarter|spring|summer|autumn|fall|winter|\w+day)\b|"
    r"(?:the )?(?:spring|summer|autumn|fall|winter|christmas|xmas|easter|new year)\b)"
)
_SPAN = (
    r"(?:(?:an?|one|two|three|four|five|six|seven|eight|ten|\d+|a few) (?:days?|weeks?|months?)\b)"
)
_BOUND = lazy_pattern(
    rf"\b(?:by|before|until|till|no later than|on|in|at)(?: about| around)? {_DATE}|\bwithin {_SPAN}|"
    rf"\bin {_SPAN}|\b(?:tomorrow|tonight|today|soon|next (?:week|month)|this (?:week|month))\b|"
    r"\bbefore(?= (?:the|my|our|his|her|their|next|this) |\W*$)"
)
_EVENT = lazy_pattern(r"\bbefore (?:the|my|our|his|her|their|this) ")
_GENERAL = lazy_pattern(
    r"\b(?:always|never|every|each|any|usually|normally|whenever|if|unless|per|daily|weekly|monthly|would|"
    r"only|not|n't|no|nothing|\w+days|at all times|needed|had to|was|were|you|your|should|could|might)\b|"
    r"n't\b"
)
"""What holds of more than one time, or is only supposed."""
_ARRIVES = lazy_pattern(
    r"\b(?:parcel|package|delivery|train|bus|flight|plane|ferry|shipment|baby|twins|order|goods|taxi)\b"
)
_DEFINITE = lazy_pattern(
    r"\W*(?:the|my|our|his|her|their|[\w-]+'s)\b|\w+ (?:\d+|one|two|three|four|five|six)\b"
)

_PERSON = r"(?:i|we|he|she|they|(?:my|our|his|her|their|the) [\w-]+(?: [\w-]+)?|(?:dr|mr|mrs|ms|prof)\.? \w+)"
_IS = r"(?:'s|'m|'re| is| am| are| will be|'ll be)(?: still| now| all| currently)?"
_AWAY = (
    r"(?:on (?:\w+ )?(?:holidays?|leave|vacation|duty|call|tour|business|a \w+|honeymoon|annual leave)|"
    r"away|abroad|off(?: sick| work| duty)?|out(?: sick| of (?:office|town|the country))?|ill|sick|injured|"
    r"unavailable|travelling|traveling|ooo|not (?:here|in|available|around|reachable)|in (?:hospital|rehab)|"
    r"laid up|on the road|visiting \w+|busy)"
)
_SOMEWHERE = (
    r"(?:in|at|with|on) (?!(?:hold|review|progress|stock|order|risk|beta|sale|offer|time|charge)\b)"
)
_UNTIL = rf"(?:(?:till|until|til|through|up to) (?:{_DATE}|{_SPAN})|(?:all |this |for the )week\b)"
_ABSENT = lazy_pattern(
    rf"{_LED}{_PERSON}{_IS} {_AWAY}[^.;!?]{{0,40}}?\b{_UNTIL}|"
    rf"{_LED}(?:i|we|he|she|they|(?:my|our|his|her) [\w-]+){_IS} {_SOMEWHERE}[^.;!?]{{1,40}}?\b"
    r"(?:till|until|til|through) "
)
_NAMED = lazy_pattern(
    r"^\W*(?:(?:Dr|Mr|Mrs|Ms|Prof|Aunt|Uncle)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?"
    r"(?:'s| is| will be|'ll be)(?: still| now| currently)? "
    rf"(?i:{_AWAY}|{_SOMEWHERE})(?i:[^.;!?]{{0,40}}?\b(?:{_UNTIL}))"
)
_LEFT_OPEN = lazy_pattern(
    r"\b(?:undecided|decide\w*|open|waiting|pending|blocked|need|needs|must|have to|has to|should|remind)\b"
)


_OBLIGES = frozenset({"must", "has", "have", "need", "needs", "due", "is", "are"})
_BOUND_WORDS = """
    by before until till later on in at within tomorrow tonight today soon next this
"""
_TIMES = frozenset(_BOUND_WORDS.split())
_ENDS = frozenset({"till", "until", "til", "through", "up", "week"})


class DueTask(NamedTuple):
    """What is to be done, and to what."""

    thing: str
    deed: str
    """The verb; empty where it is only due."""


def due_task(said: ParsedSentence) -> DueTask | None:
    """What the sentence says must be done by some time; None if it does not."""
    if said.asks or not 3 < len(said.words) <= LONGEST:  # noqa: PLR2004 - fewer tell nothing
        return None
    if said.bag.isdisjoint(_OBLIGES) or said.bag.isdisjoint(_TIMES):
        return None
    return _task_in(said.lower)


@lru_cache(maxsize=2_048)  # what is open is held against every later message
def _task_in(lower: str) -> DueTask | None:
    found = _TASK.match(lower) or _EXPIRES.match(lower)
    if found is None or _GENERAL.search(lower) or not _is_bound(lower, found):
        return None
    told = found.groupdict()
    if told.get("due") is not None and _ARRIVES.search(found["thing"]):
        return None
    return DueTask(found["thing"], told.get("deed") or told.get("doing") or "")


def _is_bound(lower: str, found: re.Match[str]) -> bool:
    """To a time; to an event only where it speaks of one thing: `tablets … before the meal` does not."""
    bound = _BOUND.search(lower)
    if bound is None:
        return False
    dated = bound[0] != "before"
    return dated or _DEFINITE.match(found["thing"]) is not None


def tells_absence(said: ParsedSentence) -> bool:
    """Does it tell where somebody is, or that somebody is away, until some time?"""
    if said.asks or len(said.words) > LONGEST or said.bag.isdisjoint(_ENDS):
        return False
    if _LEFT_OPEN.search(said.lower):
        return False
    return _ABSENT.match(said.lower) is not None or _NAMED.match(said.text) is not None
