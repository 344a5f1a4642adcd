"""What stays in the view may answer what goes: then the summary before it does not call that open.

Read only to see that. What is carried stands as it stood, for the next distillation reads it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from everthread.domain.conversation.messages import Message

from .digest import Digest, Point
from .reading import Gleaner
from .requests import closed


def answered_beside(
    digest: Digest, messages: Iterable[Message], pause: Callable[[], None] = lambda: None
) -> Digest:
    """The digest, without calling open what these messages, which come after it, close."""
    if all(point.kind != "open_item" for point in digest.points):
        return digest
    gleaner = Gleaner(digest, pause=pause, whole=False)
    for message in messages:
        gleaner.read(message)
    left = [p for p in gleaner.digest().points if p.kind == "open_item"]
    return digest._replace(points=tuple(_told(digest.points, left)))


def _told(points: Iterable[Point], left: list[Point]) -> Iterator[Point]:
    for point in points:
        if point.kind != "open_item" or _among(point, left):
            yield point
        elif point.pinned:
            yield closed(point)


def _among(point: Point, left: list[Point]) -> bool:
    """Is it among these, in its words or said over again in others?"""
    return any(p.text == point.text or set(point.sources) < set(p.sources) for p in left)
