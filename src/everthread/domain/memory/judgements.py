"""Is something else told of the same thing than which it is: what it is like, how large, of whom?

`The database is slow` leaves it the database it was, and `My boss is 45` the boss.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.text.patterns import lazy_pattern

from .known_names import job_of
from .single_valued import ACTORS, ATTRIBUTES, NAMED
from .value_claims import kind_of, unit_of

_FOUND = """
    good bad great fine nice ok okay poor awful terrible horrible lovely beautiful pretty ugly cheap expensive
    pricey costly slow fast quick sluggish broken buggy flaky dead down wrong right correct incorrect old new
    outdated obsolete stale fresh recent expired lost missing gone full empty busy free open closed long short
    high low big small huge tiny large tall wide narrow deep shallow heavy thick thin hard easy difficult
    tough simple complex complicated tricky important urgent critical unclear clear unknown known annoying
    boring interesting exciting strange odd weird funny confusing misleading ambiguous unfair fair reasonable
    stupid ridiculous silly clever smart angry friendly kind rude helpful useless useful necessary unnecessary
    enough sufficient insufficient ready done finished running stuck pending noisy loud quiet hot cold warm
    dirty clean wet dry safe unsafe stable unstable strong weak sick ill happy sad tired away abroad home
    absent available unavailable online offline visible hidden same different similar identical unusual common
    rare popular famous secret temporary permanent tentative flexible negotiable unique invalid valid bitter
    steep much lot fortune time problem pain mess joke bottleneck disaster nightmare shame mistake bug
"""
_JUDGED = frozenset(_FOUND.split())
_BY_TURNS = """
    running stuck pending ready done finished lost missing gone broken dead down expired valid invalid open
    closed free busy full empty available unavailable online offline
"""
PASSING = frozenset(_BY_TURNS.split())
"""In what state it is: one after the other."""
_STRESSED = lazy_pattern(r"(?:far |way |much )?(?:too|so|very|quite|rather|really|pretty|a bit) \w")
_OF_SOMEBODY = lazy_pattern(r"\w['’]s [a-z]")
_LAST = lazy_pattern(r"[a-z]+(?=(?: (?:as|than|enough|and)\b.*)?$)")
_WHERE = lazy_pattern(r"(?:on|in|at|under|behind|near|beside|inside|from|with) \w")
_EACH = lazy_pattern(r"(?<=\w )(?:per|an?|each|every) (?P<time>\w+)$")

_TOLD_BY_THEM = frozenset(("size", "status", "default", "style"))
"""Of these such a word is the value itself."""
_AMOUNTS = """
    limit timeout size interval threshold width height length weight capacity dose dosage age number budget
    price cost salary rate wage fee rent tariff quota
"""
_MEASURED = frozenset(_AMOUNTS.split())
"""What is told by a measure. Of anything else it tells how large, how old or how far away that is."""


def in_one_respect(noun: str, one: str, other: str) -> bool:
    """Do both values, as they are written, tell the same of the thing?"""
    values = (one, other)
    if is_judged(noun, values):
        return PASSING.issuperset(values)
    if any(map(_OF_SOMEBODY.search, values)) or len({"", *map(_period, values)}) > 2:  # noqa: PLR2004 - none, and one
        return False
    if len({_WHERE.match(value) is None for value in values}) > 1:
        return False  # where it lies is not what it is
    if noun in ACTORS and _is_of_another_sort(values):
        return False
    if noun in _MEASURED or noun not in ATTRIBUTES | NAMED:
        return True
    return len(set(map(_is_measured, values))) == 1


def is_judged(noun: str, values: Iterable[str]) -> bool:
    """Is it told what somebody thinks of the thing, or in what state it is?"""
    return noun not in _TOLD_BY_THEM and any(map(_is_judgement, values))


def _is_of_another_sort(values: tuple[str, str]) -> bool:
    """Is one of them an age; or tells it where somebody comes from? A Dane is no other dentist."""
    words = (word.lower() for value in values for word in value.split())
    aged = len({value[:1].isdigit() for value in values}) > 1
    return aged or any(job_of(word) == "speech" for word in words)


def _is_judgement(value: str) -> bool:
    last = None if value[:1].isdigit() else _LAST.search(value)
    return bool(_STRESSED.match(value)) or (last is not None and last.group() in _JUDGED)


def _period(value: str) -> str:
    """For how long it holds: there may be a limit for each minute, and one for each day."""
    found = _EACH.search(value)
    return found["time"].lower() if found else ""


def _is_measured(value: str) -> bool:
    return kind_of(value) == "number" and bool(unit_of(value))
