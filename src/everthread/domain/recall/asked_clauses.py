"""Which part of an earlier text is asked for, and is that the part which a later one bears on?

`The server is at a.example, the script lives in infra/`: who moved the server said nothing of the script.
So a text is cut into what can stand for itself, and each part is held against the words of the question and
of the later text. Pieces that tell nothing alone, a name or a day in a row, belong to what stands before
them, and a heading to all that stands behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.reasons import without_reason
from everthread.domain.text.words import query_words

from .latest_answers import bare_root

READ = 1_500
"""Characters of a text that are cut into its parts."""

MOST_WORDS = 200
"""Words of a text that are compared."""

_CUTS = lazy_pattern(
    r"[,;–—]\s+|\s[–-]\s+|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?]+\s+|\n+|"
    r"\s+(?=(?:and|but|while|whereas|und|aber|während)\s)"
)
_WHOSE = (
    r"the|an?|my|our|your|his|her|its|their|this|that|these|those|der|die|das|ein|eine|mein\w*|unser\w*|"
    r"sein\w*|ihr\w*|\S+['’]s"
)
_WHO = r"i|we|you|there|ich|wir|man"
"""Not `she` or `it`: that is who or what stands before."""
_PLACED = (
    r"in|on|at|within|with|for|by|from|to|after|before|until|till|near|"
    r"über|bei|am|im|um|mit|nach|bis|binnen"
)
_ALONE = lazy_pattern(
    r"(?:(?:and|but|while|whereas|und|aber|während)\s+)?(?:"
    rf"(?i:{_WHOSE})\s+\S+\s+\S+|(?i:{_WHO})(?:['’]\w+)?\s+\S+|"
    rf"[^\W\d_a-zäöüß]\S*(?:\s+[^\W\d_a-zäöüß]\S*)*\s+(?!(?:of|and|or|von|und|oder|{_PLACED})\b)"
    r"[^\W\d_A-ZÄÖÜ]\S*\s+\S+)"
)
"""Who or what, and what it does: more than a name, a day or an address."""
_GOES_ON = lazy_pattern(
    r"(?:and|but|und|aber)\s+(?:is|are|has|have|ist|hat|[a-z]+s(?=\s+(?:\d|an?\b|the\b|my\b|our\b|his\b|her\b)))"
    r"\s+\S+"
)
"""The same one does or has something else: `and takes 5 mg`."""
_AS_BEFORE = lazy_pattern(rf"[^\W\d_a-zäöüß]\S*(?:\s+[^\W\d_a-zäöüß]\S*)*\s+(?P<how>{_PLACED})\s")
"""Another one in the same way, without the verb: `pays within 14 days, Brightline within 30`."""
_FIRST = lazy_pattern(
    r"\s*(?:(?:and|but|while|whereas|und|aber|während)\s+)?"
    r"(?P<name>[^\W\d_a-zäöüß]\S*(?:\s+[^\W\d_a-zäöüß]\S*)*)\s"
)
_FIGURE = lazy_pattern(r"(?<!\w)[£$€]?\d")
_HEADING = lazy_pattern(r"\W*(?P<head>\w[^:\n]{0,40}):\s")
_NAMED = lazy_pattern(r"(?<=[\w,;.’'] )[A-ZÄÖÜ]\w+|\b[A-ZÄÖÜ]\w+(?=\.? [A-ZÄÖÜ])")
"""Where a sentence begins, any word is written like a name, unless a name follows."""
_JOINED = lazy_pattern(r"[/_@.:\\](?=\w)")
_LETTER = lazy_pattern(r"[^\W\d]")
_DAYS = lazy_pattern(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|\d+\w*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|half|past|quarter|noon|midnight|(?:minute|hour|day|night|morning|evening|week|month|year)s?|"
    r"today|tomorrow|yesterday|last|next|first)"
)
"""When and how often: by that no two texts speak of one thing."""

Roots = frozenset[str]


class _Part(NamedTuple):
    all: Roots
    plain: Roots
    """Without what stands in paths and addresses only."""
    whose: Roots
    """The name that it begins with."""
    figured: bool


class _Parts(NamedTuple):
    told: tuple[_Part, ...]
    named: Roots
    """Of these the names."""


def asks_beside(asked: Iterable[str], old: str, new: str) -> bool:
    """Is asked for a part of the older text on which the later does not bear, while it bears on another?"""
    parts = _parts(old[:READ])
    if len(parts.told) < 2:  # noqa: PLR2004 - nothing stands beside
        return False
    said, wanted = _said(new[:READ]), _roots(" ".join(asked))
    changed, others = _changed_and_others(parts, said, wanted & parts.named)
    if not changed:
        return False
    missing = wanted - said.all
    there = missing & _words(changed)
    if said.figured and not any(part.figured for part in changed):
        # What has another figure now had one before.
        others = [part for part in others if not part.figured]
    beside = (missing & _words(others)) - there
    return bool(beside) and (not there or not beside.isdisjoint(_names_first(others)))


def _changed_and_others(
    parts: _Parts, said: _Part, whose: Roots
) -> tuple[Sequence[_Part], Sequence[_Part]]:
    """The parts on which the later text bears, and the rest.

    A name that is asked for is told of in many ways: it says `whose` it is, and not what.
    """
    changed = [part for part in parts.told if not (part.plain & said.plain) <= whose]
    if not changed:
        changed = [part for part in parts.told if not (part.all & said.all) <= whose]
    return changed, [part for part in parts.told if part not in changed]


def _words(parts: Iterable[_Part]) -> Roots:
    return frozenset[str]().union(*(part.all for part in parts))


def _names_first(parts: Iterable[_Part]) -> Roots:
    return frozenset[str]().union(*(part.whose for part in parts))


@lru_cache(maxsize=1_024)
def _parts(text: str) -> _Parts:
    found = _HEADING.match(text)
    head = f"{found['head']} " if found else ""
    named = _roots(" ".join(_NAMED.findall(text)))
    return _Parts(tuple(_part(head + piece) for piece in _pieces(text)), named)


@lru_cache(maxsize=1_024)
def _said(text: str) -> _Part:
    return _part(without_reason(text))


def _part(text: str) -> _Part:
    first = _FIRST.match(text)
    bare = " ".join(word for word in text.split() if not _is_written(word))
    whose = _roots(first["name"]) if first else frozenset[str]()
    return _Part(_roots(text), _roots(bare), whose, _FIGURE.search(bare) is not None)


def _is_written(word: str) -> bool:
    """A path or an address: of what its parts are called, nothing is told."""
    return _JOINED.search(word) is not None and _LETTER.search(word) is not None


def _pieces(text: str) -> Iterator[str]:
    """What can stand for itself, each with what only goes on with it."""
    held = ""
    for piece in _CUTS.split(text):
        if held and _stands_alone(piece, held):
            yield held
            held = piece
        else:
            held = f"{held} {piece}"
    yield held


def _stands_alone(piece: str, before: str) -> bool:
    if _ALONE.match(piece) or _GOES_ON.match(piece):
        return True
    same = _AS_BEFORE.match(piece)
    return same is not None and f" {same['how']} " in before


@lru_cache(maxsize=2_048)
def _roots(text: str) -> Roots:
    words = query_words(text, MOST_WORDS)
    return frozenset(bare_root(word) for word in words if not _DAYS.fullmatch(word))
