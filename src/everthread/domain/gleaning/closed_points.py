"""What was open or in force and was seen to end: between two digests, and kept so in a third.

Only what was seen to end does. What is not in a later digest may have lost its place to others, or a model
left it out: it is as open, and holds as it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .digest import Digest, Point, mark_of
from .points import LASTING

OPEN = "open_item"
ENDING = LASTING | {"fact", "done"}
"""What ends: also what was told, where another figure took the place of its own."""


def points_closed(before: Digest, after: Digest) -> list[Point]:
    """What the earlier digest held open or in force, and was done, answered or taken back since."""
    marks = {*after.gone}
    answered = {p.text for p in after.points if p.kind == "request" and p.by == "user"}
    left = [p for p in after.points if p.kind in ENDING]
    over = [p for p in before.points if p.kind in ENDING and not _is_still_open(p, left)]
    return [p for p in over if mark_of(p) in marks or (p.kind == OPEN and p.text in answered)]


def _is_still_open(point: Point, left: Iterable[Point]) -> bool:
    """Is it among these, in its words or said over again in others?"""
    return any(
        point.text == other.text or set(point.sources) < set(other.sources) for other in left
    )


def keep_closed(digest: Digest, closed: Sequence[Point]) -> Digest:
    """The digest, in which what was closed is so, unless it was said once more since.

    What a person asked for stays told as that, as with any request that was answered.
    """
    over = {mark_of(point): frozenset(point.sources) for point in closed}
    points, marks = list[Point](), list[str]()
    for point in digest.points:
        mark = mark_of(point)
        if mark not in over or not over[mark].issuperset(point.sources):
            points.append(point)
            continue
        marks.append(mark)
        if point.kind == OPEN and point.pinned:
            points.append(point._replace(kind="request", pinned=False, stands=None))
    return digest._replace(points=tuple(points), gone=(*digest.gone, *marks)) if marks else digest
