"""A question that was put off, and what the person said that she would do for it: told as one.

`Where should the alert go? Need to ask Sam`: either alone says half of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everthread.domain.gleaning.digest import Point
from everthread.domain.text.acts.speech import parse_sentence

from .deferrals import own_words


def put_off_pairs(points: Sequence[Point]) -> dict[Point, Point]:
    """What a person seeks, each with what the agent had asked."""
    asked = {
        turn: p for p in points if p.by == "agent" and (turn := _turn(p, "deferred")) is not None
    }
    sought = ((p, _turn(p, "sought")) for p in points if p.by == "user")
    return {p: asked[turn] for p, turn in sought if turn is not None and turn in asked}


def join_questions(points: Sequence[Point]) -> list[Point]:
    """The points; what is sought together with its question, which then is not told besides."""
    pairs = put_off_pairs(points)
    told = {*pairs.values()}
    return [with_asked(point, pairs) for point in points if point not in told]


def with_asked(point: Point, pairs: Mapping[Point, Point]) -> Point:
    """The point, with its question where it has one.

    What the agent only told her, such as what it needs, is no part of her words, which name it or not.
    """
    asked = pairs.get(point)
    if asked is None:
        return point
    both = tuple(dict.fromkeys((*asked.sources, *point.sources)))
    text = f"{asked.text} {point.text}"
    if not parse_sentence(asked.text).asks:
        named = own_words(asked.text) <= own_words(point.text)
        text = point.text if named else f"{point.text} (The agent: “{asked.text}”)"
    return point._replace(text=text, sources=both)


def _turn(point: Point, state: str) -> int | None:
    stands = point.stands
    if point.kind != "open_item" or point.pinned or stands is None or stands.state != state:
        return None
    return stands.turn
