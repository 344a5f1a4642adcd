"""What stays in the view may answer what goes: then the summary before it does not call that open.

Read only to see that. What is carried stands as it stood, for the next distillation reads it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from everthread.domain.conversation.messages import Message

from .digest import Digest, Point
from .gleaner import Gleaner
from .open_items.reported_items import close_request


def close_answered(
    digest: Digest, messages: Iterable[Message], pause: Callable[[], None] = lambda: None
) -> Digest:
    """The digest, without calling open what these messages, which come after it, close."""
    if all(point.kind != "open_item" for point in digest.points):
        return digest
    gleaner = Gleaner(digest, pause=pause, whole=False)
    for message in messages:
        gleaner.read(message)
    left = [p for p in gleaner.digest().points if p.kind == "open_item"]
    return digest._replace(points=tuple(_still_open(digest.points, left)))


def _still_open(points: Iterable[Point], left: list[Point]) -> Iterator[Point]:
    for point in points:
        if point.kind != "open_item" or _is_among(point, left):
            yield point
        elif point.pinned:
            yield close_request(point)


def _is_among(point: Point, left: list[Point]) -> bool:
    """Is it among these, in its words or said over again in others?"""
    return any(p.text == point.text or set(point.sources) < set(p.sources) for p in left)
