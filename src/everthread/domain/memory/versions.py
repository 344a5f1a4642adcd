"""Another version of the same product: `bumped prod to Python 3.12` after `prod runs on Python 3.9`.

Its name stands before the figure in both, and the later one tells of a change. What else each says of where,
or of what for, must be the same: staging has its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

_VERSIONED = lazy_pattern(
    r"\b(?P<name>[a-z][a-z.+#-]*[a-z+#]) (?:is (?:still )?(?:at |on )?|from v?[\d.]+ )?(?P<to>to )?"
    r"(?:version )?v?(?P<version>\d+(?:\.\d+)*)(?![\w%:€$£]|[.,]\d)"
)
_TURN = lazy_pattern(r"\b(?:upgraded|updated|downgraded|bumped|migrated|moved|switched|went)\b")
_RUNS = lazy_pattern(r"\b(?:is|are|am|'re|'s|runs?|uses?|using|running|on|with|have|has|needs?)\b")
_UNSURE = lazy_pattern(
    r"\b(?:if|maybe|might|should|would|could|can|not|never|will|want\w*|plan\w*|try|tried|until|before|when|"
    r"for (?:now|testing)|locally|branch)\b|n't\b|'ll\b|\?"
)
_PASSING = """
    we i our my the a an to on in at of and with for is are am 's 're 've have has be been was were do did
    it its all run runs running use uses using now today yesterday last night week just finally already
    recently this morning upgraded updated downgraded bumped migrated moved switched went from version over
    up still currently everything as ok okay so btw
"""
_LITTLE = frozenset(_PASSING.split())
_WORD = lazy_pattern(r"[a-z][a-z.+#-]*|'[a-z]+")
_CLAUSE_END = lazy_pattern(r"[,;]\s|\.\s|\s[–—-]\s")
LONGEST = 120


class _Told(NamedTuple):
    version: str
    beside: frozenset[str]
    """Where, or for what."""


def is_another_version(new: str, old: str) -> bool:
    """Does the later statement tell that the product which the earlier names has another version now?"""
    if len(new) > LONGEST or len(old) > LONGEST or not _TURN.search(new.lower()):
        return False
    if _TURN.search(old.lower()) or not _RUNS.search(old.lower()):
        return False
    ours, theirs = _told(new, turned=True), _told(old)
    if len(theirs) != 1:
        return False
    (name, was), *_ = theirs.items()
    now = ours.get(name)
    if now is None or now.version == was.version:
        return False
    return now.beside == was.beside


@lru_cache(maxsize=2_048)
def _told(text: str, *, turned: bool = False) -> dict[str, _Told]:
    """The products that a statement names with their versions; none where it is not sure of them."""
    lower = _CLAUSE_END.split(text.lower().replace("’", "'").rstrip(" .!"), maxsplit=1)[0]
    if _UNSURE.search(lower):
        return {}
    found = [*_VERSIONED.finditer(lower)]
    rest = frozenset(_WORD.findall(_VERSIONED.sub(" ", lower))) - _LITTLE
    return {
        each["name"]: _Told(each["version"], rest)
        for each in found
        if each["name"] not in _LITTLE and (not turned or _is_reached(each, lower))
    }


def _is_reached(found: re.Match[str], lower: str) -> bool:
    """`to Django 5.2`, `Django to 5.2`; who updated table 2 left table 1 as it is."""
    return bool(found["to"]) or lower[: found.start()].endswith(" to ")
