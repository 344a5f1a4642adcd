"""What a person said later that may change what she said before: the older is never told without it.

Whether it does change it is not decided here, so nothing ends by it. `It's not hazelnuts after all` and
`Mia is allergic to hazelnuts` share a word that is seldom used beside, and the later one denies, ends, moves
or replaces something: that is enough to tell both, and too little to forget one. A pair too many costs a
line, a pair too few tells what is outdated as if it still held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from everthread.domain.pauses import step_aside
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .digest import Point
from .roots import roots

TOLD = frozenset(
    (
        "fact",
        "decision",
        "identity",
        "preference",
        "rule",
        "correction",
        "open_item",
        "request",
        "words",
    )
)
"""Kinds of what a person told, chose, asked for or left open."""

SELDOM = 4
"""In so few points a word stands that names what both are about; in more it is what all of them are about."""
SHARE = 25
"""Of a long talk a word may stand in one of so many."""
LONGEST = 300
"""Characters of a change; a longer text tells of many things."""

_TURNS = lazy_pattern(
    r"n't\b|\b(?:not|no|never mind|any ?more|after all|instead|rather|actually|again|back|now|new|quit|"
    r"stop(?:ped)?|g[ai]ven? up|cancel\w*|off|out of|forget|drop(?:ped)?|scrap\w*|swap\w*|trad(?:e|ed)|"
    r"mov(?:e|ed)|push(?:ed)?|postpone\w*|chang\w*|switch\w*|replac\w*|sold|keep|kept|stay\w*|renam\w*|upgrad\w*|"
    r"downgrad\w*|rehomed|let (?:him|her|them|it) go|negative|fine|ok(?:ay)?|allowed|free|"
    r"done|finished|paid|returned|nicht|kein\w*|doch|statt|jetzt|wieder|neu\w*|fertig|erledigt|pas|plus|"
    r"ya no|ahora|maintenant)\b"
)
"""Words by which people deny, end, move or replace something, or tell that it is so only now."""


def later_words(points: Sequence[Point]) -> dict[Point, Point]:
    """Of each point of a person's the one that may change it: the newest of those that share most with it."""
    told = sorted((p for p in points if p.by == "user" and p.kind in TOLD), key=lambda p: p.at_ms)
    about = [roots(point.text) for point in told]
    often = Counter(root for each in about for root in each)
    most = max(SELDOM, len(told) // SHARE)
    sharp = [frozenset(root for root in each if often[root] <= most) for each in about]
    found: dict[Point, Point] = {}
    best: dict[Point, int] = {}
    for n, later in enumerate(told):
        step_aside()
        if not sharp[n] or not may_change(later.text):
            continue
        for older, words in zip(told[:n], sharp, strict=False):
            shared = len(words & sharp[n])
            if shared and shared >= best.get(older, 1) and _are_two(older, later):
                found[older], best[older] = later, shared
    return found


def may_change(text: str) -> bool:
    """Does it deny, end, move or replace something?"""
    if len(text) > LONGEST or text.rstrip().endswith("?"):
        return False
    return _TURNS.search(parse_sentence(text).lower) is not None


def _are_two(older: Point, later: Point) -> bool:
    """Two messages of one person, neither of which repeats the other."""
    if older.at_ms >= later.at_ms or older.name != later.name:
        return False
    return set(older.sources).isdisjoint(later.sources) and later.text not in older.text
