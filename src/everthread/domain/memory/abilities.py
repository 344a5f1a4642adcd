"""Can somebody no longer do what he could, or do what he could not?

`I can't eat nuts any more` after `I can eat nuts`, and the other way round. Only of the same people, in the
same words: who cannot come on Friday may come on Saturday, who cannot eat raw nuts may eat roasted ones, and
of some guests the one can be true as well as the other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import HEDGES, NEGATORS, parse_statement, trim_blanks

LONGEST = 140
"""Characters of such a statement; a longer one tells more than that."""

_CAN = lazy_pattern(
    r"(?P<who>\S.{0,60}?)(?: now)? ?(?:"
    r"\b(?P<cannot>can(?:not|['’]t| not| no longer)|no longer can)"
    r"|(?:\b(?:am|is|are)|['’](?:m|s|re)) (?P<unable>not able to|no longer able to|unable to)"
    r"|(?:\b(?:am|is|are)|['’](?:m|s|re))(?: now| finally| again)? able to|\bcan)"
    r" (?P<what>\S.*)",
    re.IGNORECASE,
)
_LED = lazy_pattern(
    r"^\W*(?:(?:so|and|but|also|well|ok|okay|btw|by the way|sorry|unfortunately|sadly|luckily|actually|no|"
    r"update|correction|now|in fact)\b[\s,:;–—-]*+)+",
    re.IGNORECASE,
)
_TAIL = lazy_pattern(
    r"(?<!\s),?\s++(?:any ?more|any longer|after all|now|again|these days|from now on|from today on|"
    r"unfortunately|sadly|sorry|either)$",
    re.IGNORECASE,
)
_OPEN_SUBJECTS = (
    "a an one another other others half few several someone somebody anyone everyone it that this"
)
_OPEN = frozenset(_OPEN_SUBJECTS.split())
"""Of these the one may be meant here, and another there."""
_BOUNDING = frozenset({"just", "also", "too", "wait", "help", "today"})
"""Whoever cannot just do it may do it; and nobody who cannot wait is late."""
_SAME_IN_BOTH = frozenset(("when", "while", "before", "after", "during", "since"))


_WORD = lazy_pattern(r"[\w'’-]+")


class _Ability(NamedTuple):
    who: tuple[str, ...]
    what: tuple[str, ...]
    can: bool


def turns_ability(new: str, old: str) -> bool:
    """Is one of them told to be able to do just what he is told not to be able to do in the other?"""
    one = _ability(new)
    other = _ability(old) if one is not None else None
    if one is None or other is None:
        return False
    return one.can != other.can and one[:2] == other[:2]


@lru_cache(maxsize=4096)
def _ability(text: str) -> _Ability | None:
    """None where it asks, is bounded or supposed, or tells of some only."""
    if len(text) > LONGEST or "?" in text or ";" in text:
        return None
    even = _LED.sub("", trim_blanks(text).rstrip(".!"))
    while (shorter := _TAIL.sub("", even)) != even:
        even = shorter
    found = _CAN.fullmatch(even)
    if found is None or not _is_plain(found["who"], found["what"]):
        return None
    who, what = parse_statement(found["who"]), parse_statement(found["what"])
    return _Ability(who.words, what.words, not (found["cannot"] or found["unable"]))


def _is_plain(who: str, what: str) -> bool:
    subject, deed = (frozenset(_WORD.findall(text.lower())) for text in (who, what))
    if not subject.isdisjoint(HEDGES | NEGATORS | _OPEN) or not deed.isdisjoint(
        NEGATORS | _BOUNDING
    ):
        return False
    return deed.isdisjoint(HEDGES - _SAME_IN_BOTH) and "," not in who + what
