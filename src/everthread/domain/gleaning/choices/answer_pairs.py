"""Which points belong to each other: an answer, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from everthread.domain.gleaning.digest import Point, are_two_people

CHOSE = " … "
"""Between what was asked, or what introduced the options, and the one that was chosen."""

WITHIN = " […] "
"""The same before what would read as an order: so it stays part of the sentence that leads to it."""

_BETWEEN = re.compile(r" (?:…|\[…\]) ")
_TAKEN = frozenset({"decision", "correction"})
"""What was chosen, and what was turned down."""


_ANSWERS = frozenset({("decision", "user"), ("fact", "user")})
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
FEW, NAMES = 2, 4
"""Words of such an answer, and letters of the shortest word that may name something."""


def leads_on(point: Point) -> bool:
    """Is it a question that was answered, or an item that was taken or turned down by the point after it?"""
    if point.kind in ("decision", "fact") and point.text.endswith(("?", "\uff1f")):
        return True
    return point.kind in _TAKEN and point.by == "agent" and _BETWEEN.search(point.text) is not None


def split_choice(text: str) -> tuple[str, str]:
    """What was asked, and what was chosen."""
    first, *rest = _BETWEEN.split(text, maxsplit=1)
    return first, rest[0] if rest else ""


def answer_pairs(points: Iterable[Point]) -> dict[Point, Point]:
    """What a person answered, each with what it answers: alone it may name nothing.

    Where several agree, each agrees to what the first of them did, and not to the other's `yes`.
    """
    found: dict[Point, Point] = {}
    for before, answer in pairwise(points):
        put = found.get(before, before)
        put = put if are_two_people(put.name, answer.name) else before
        if leads_on(before) and (answer.kind, answer.by) == (before.kind, "user"):
            found[answer] = before
        elif _is_agreement(put, answer):
            found[answer] = put
    return found


def _is_agreement(put: Point, answer: Point) -> bool:
    """Did one person propose it, and another take it up?"""
    if not (put.kind == answer.kind == "decision" and put.by == answer.by == "user"):
        return False
    if not are_two_people(put.name, answer.name):
        return False
    # Who forgets, or shows a receipt, reads no speech; and most talk is of one person.
    from everthread.domain.gleaning.roots import roots  # noqa: PLC0415 - as said above
    from everthread.domain.text.acts.peer_talk import accepts, agrees  # noqa: PLC0415 - as said above
    from everthread.domain.text.acts.speech import parse_sentence  # noqa: PLC0415 - as said above

    parts = [parse_sentence(part) for part in _SENTENCE.split(answer.text)]
    if any(map(agrees, parts)):
        return True
    return any(accepts(part) and roots(put.text) & roots(part.text) for part in parts)


def says_nothing(point: Point) -> bool:
    """`2`, `no`: a person's answer that nobody understands without what it answers."""
    if (point.kind, point.by) not in _ANSWERS:
        return False
    words = _WORD.findall(point.text)
    few = point.text.isascii() and len(words) <= FEW
    return few and all(len(word) < NAMES for word in words)


def drop_unclear(points: Sequence[Point]) -> list[Point]:
    """The points without choices that say nothing, where it is not known what they choose from."""
    pairs = answer_pairs(points)
    return [p for p in points if p.kind != "decision" or p in pairs or not says_nothing(p)]
