"""Are two statements the same but for one stretch, in which one thing only can stand at a time?

`The library opens at 10 now` after `The library opens at 9`; `Bo leads the team now` after `Ann leads the
team`. What may have several, and what is of another kind, both stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .known_names import are_of_two_sorts
from .single_valued import NAMED
from .value_claims import CLOCKS, DAYS, Kind, kind_of, unit_of

Words = tuple[str, ...]

_BY_ONE = "own maintain lead manage handle coordinate head chair organise organize"
_OWNING = frozenset(_BY_ONE.split())
"""What one person does at a time; another who does it now does it in that one's place."""
_SETTLED = lazy_pattern(
    r"\b(?:(?:host|deploy|store|base|insure|keep|bank|live|work|meet|locate|park|manage|maintain|run|register|"
    r"buy|order|sit|stay|belong|report|point|listen|go)[a-z]*\b.*"
    r"(?:on|at|in|with|from|to|by|for|as)|(?:drive|ride|wear|attend)s?(?: an?| the)?)$"
)
"""What is done in one place, or with one partner, at a time."""
_TAKEN = lazy_pattern(r"\b(?:take|drink|have|like|eat)s? (?:my|our|his|her|their) \w+$")
_MANNERS = (
    "black|white|with milk|with cream|with oat milk|with soy milk|with almond milk|without milk",
    "with sugar|without sugar|with no sugar|unsweetened|sweet|sweetened|with honey|with sweetener",
    "rare|medium|medium rare|medium well|well done|blue",
    "boiled|fried|poached|scrambled|soft-boiled|hard-boiled|soft boiled|hard boiled",
    "blonde|blond|brown|red|dark|dyed|grey|gray|black",
    "short|long|shoulder-length|cropped",
)
_SORTS = tuple(frozenset(sort.split("|")) for sort in _MANNERS)
"""How one takes something: in one way of each sort at a time. A steak with pepper may be rare as well."""
_AMONG = lazy_pattern(
    r"\b(?:works? on|works? with|tests? runs?|goes? (?:in|on|with)|meets? with)\b"
    r"|^(?:i|we|you|he|she|they)\b.* (?:goe?s?|listens?|buys?|orders?)\b"
)
"""Of these one may have several."""
_VERBAL = lazy_pattern(r"(?:is|are|has|have|was|were|can|will|does|takes?|runs?)\b")
_IN_USE = lazy_pattern(r".*\b(?:is|are|am|use|uses|run|runs)(?: on)?(?: \w+)?")
_BARE_FIGURE = lazy_pattern(r"\d+(?:\.\d+)*")
_HOUR = lazy_pattern(r"1?\d|2[0-4]")
_AT_HOUR = frozenset({"at", "until", "till", "by", "around"})
_BOUNDS = lazy_pattern(
    r" (?:for|on|in|at|with|during|by|when|until|from|to|as|over|via|per|every|each|and|or|while|after|"
    r"before) "
)
_IN_NAMES = frozenset({"the", "a", "an", "of", "de", "la", "&"})
_IN_STATE = lazy_pattern(
    r"(?:\b(?:is|are|am)|'s|'m|'re) (?!due|held|set|on|at|in|(?!closed)\w+ed\b)\w+ "
    r"(?:on|at|in|from)$"
)
"""Who is free, or open, on one day is so perhaps on another as well."""
_HALVES = ("am", "pm", "o'clock", "uhr")

MOST_APART = 5
"""Words of the stretch in which two may differ."""

FEWEST = 2
"""Words that they must share around it."""


class _Difference(NamedTuple):
    """Two statements that are the same but for one stretch."""

    before: str
    new: str
    old: str
    after: str


def are_parallel(news: Iterable[Words], olds: Sequence[Words]) -> bool:
    """The same words but for one stretch, of one kind, where one thing only can stand.

    It is asked of what is said to be so only now: else both stand.
    """
    apart = (_difference(new, old) for new in news for old in _as_said(new, olds))
    return any(each is not None and _takes_over(each) for each in apart)


def _as_said(new: Words, olds: Sequence[Words]) -> Iterator[Words]:
    """In haste one says `flight leaves at 4` of what was `my flight`."""
    for old in olds:
        whose = (
            old[:1]
            and old[0].lower() in ("my", "our")
            and [w.lower() for w in old[1:2]] == [w.lower() for w in new[:1]]
        )
        yield old[1:] if whose else old


def _takes_over(apart: _Difference) -> bool:
    if not apart.before:
        return _has_new_owner(apart)
    kind = _stretch_kind(apart, apart.new)
    if kind != _stretch_kind(apart, apart.old):
        return False
    lower = apart.before.lower()
    if kind == "time":
        return _IN_STATE.search(lower) is None and not _is_for_some_days(apart)
    if kind == "number":
        return _has_new_measure(apart)
    if are_of_two_sorts(apart.new, apart.old) or not _are_bare(apart, kind):
        return False
    settled = _SETTLED.search(lower) is not None and _AMONG.search(lower) is None
    return settled or (_TAKEN.search(lower) is not None and _are_of_one_manner(apart))


def _are_of_one_manner(apart: _Difference) -> bool:
    return any({apart.new.lower(), apart.old.lower()} <= sort for sort in _SORTS)


def _is_for_some_days(apart: _Difference) -> bool:
    """`at 10 on Fridays` after `at 9`: on other days it is as it was."""
    return _HOUR.fullmatch(apart.old) is not None and DAYS.search(apart.new) is not None


def _stretch_kind(apart: _Difference, value: str) -> Kind:
    """The 3.13 of Python is no time of the day."""
    kind, last = kind_of(value), apart.before.split()[-1]
    version = kind == "time" and last[:1].isupper() and DAYS.search(value) is None
    if kind == "number" and last in _AT_HOUR and _HOUR.fullmatch(value):
        return "time"
    return "number" if version and _BARE_FIGURE.fullmatch(value) else kind


def _are_bare(apart: _Difference, kind: Kind) -> bool:
    """Is neither bounded: `Bob for budgets`, `Globex on weekends`, `Globex and Acme`?"""
    for value in (apart.new, apart.old):
        if _BOUNDS.search(value) or DAYS.search(value) or CLOCKS.search(value):
            return False
        if kind == "name" and not all(map(_is_name_part, value.split())):
            return False
    return True


def _is_name_part(word: str) -> bool:
    return word in _IN_NAMES or kind_of(word) in ("name", "number")


def _has_new_owner(apart: _Difference) -> bool:
    """`Bo leads the team now`: another person does what one does."""
    words = parse_statement(apart.after).words
    titled = (
        apart.after.startswith("is ") and words[:1] and words[0] in NAMED and words[1:2] == ("of",)
    )
    owns = not _OWNING.isdisjoint(words[:1])
    return (owns or bool(titled)) and all(_is_person(name) for name in (apart.new, apart.old))


def _has_new_measure(apart: _Difference) -> bool:
    """A figure with its unit, or the version of what is in use; not the number of a room."""
    *told, last = apart.before.split()
    if not apart.after:
        alone = last[:1].isupper() and " " not in apart.new + apart.old
        return alone and _IN_USE.fullmatch(" ".join(told).lower()) is not None
    if not told or not last.islower() or _VERBAL.match(apart.after):
        return False
    short, long = sorted((unit_of(apart.new), unit_of(apart.old)), key=len)
    return not short or long[-len(short) :] == short  # chairs are no guests


def _is_person(name: str) -> bool:
    words = name.split()
    return len(words) <= 2 and all(word[:1].isupper() for word in words)  # noqa: PLR2004 - two names


def bare_words(text: str) -> tuple[str, ...]:
    """Its words as written, without what says only that it is so now."""
    words = text.rstrip(".!").split()
    words = words[1:] if words[:1] and words[0].lower() == "the" else words
    return tuple(w for w in words if w.lower().strip(",") not in ("now", "just", "currently"))


def _difference(new: Words, old: Words) -> _Difference | None:
    most = min(len(new), len(old))
    start = next((n for n in range(most) if _differ(new[n], old[n])), most)
    end = next((n for n in range(most - start) if _differ(new[-1 - n], old[-1 - n])), most - start)
    if end and new[len(new) - end].lower() in _HALVES:
        end -= 1  # `2 am` and `4 am` are two times
    here, there = new[start : len(new) - end], old[start : len(old) - end]
    if not here or not there or max(len(here), len(there)) > MOST_APART or start + end < FEWEST:
        return None
    after = new[len(new) - end :]
    return _Difference(" ".join(new[:start]), " ".join(here), " ".join(there), " ".join(after))


def _differ(one: str, other: str) -> bool:
    return one != other and one.lower() != other.lower()
