"""What a person corrected by hand, shown in a summary in the place of what was said.

The digest carries on what was said: it is a fold over messages, and they did not change. Only what is
shown of it follows the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.gleaning.digest import WORDS, Digest, Point, Trace
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import likeness_of

if TYPE_CHECKING:
    from .continuity_items import Item

_OVER = r"\W*$|[.!?;:…]+(?!\w)|\s*[…(]|(?<=[.!?…])\s"
"""What follows where a statement is over: `no cars` is not in `no cars on Monday`."""
_ANOTHER = r",\s|\s+(?:[^\W\d_a-z]|[-*•]\s|(?:and|but|und|aber)\b)"
"""How the next one begins in a whole message, of which the lines are one."""
_ENDS = lazy_pattern(_OVER)
_IN_WORDS = frozenset({"number", "identifier", "person"})
"""Evidence that says nothing without the sentence it stood in."""


class Correction(NamedTuple):
    """A statement, and what a person put in its place."""

    old: str
    new: str
    at_ms: int
    """When it was corrected."""
    sources: frozenset[bytes]
    """The messages that said it."""

    def concerns(self, sources: Iterable[bytes]) -> bool:
        return not self.sources.isdisjoint(sources)


Corrected = Mapping[Point, Correction]
"""The points of a digest that a person corrected."""


def tells(memory: str, point: str) -> bool:
    """Does the point say what the memory says?"""
    begins = point.startswith(memory) and _ENDS.match(point, len(memory)) is not None
    return begins or likeness_of(memory, point) == "same"


def correct_digest(digest: Digest, corrected: Corrected) -> Digest:
    """What is shown of the digest."""
    if not corrected:
        return digest
    points = correct_items(digest.points, corrected)
    ledger = correct_items(digest.ledger, corrected)
    return digest._replace(
        points=tuple(p for p in points if isinstance(p, Point)),
        ledger=tuple(t for t in ledger if isinstance(t, Trace)),
    )


def correct_items(items: Sequence[Point | Trace], corrected: Corrected) -> list[Point | Trace]:
    """These as they are shown, each once."""
    shown = (_corrected(item, corrected) for item in items) if corrected else items
    return list(dict.fromkeys(item for item in shown if item is not None))


def _corrected(item: Point | Trace, corrected: Corrected) -> Point | Trace | None:
    near = [each for each in dict.fromkeys(corrected.values()) if each.concerns(item.sources)]
    if isinstance(item, Trace):
        return _trace(item, near)
    own = corrected.get(item)
    if own is not None and item.kind != WORDS:
        return item._replace(text=own.new, at_ms=max(own.at_ms, item.at_ms))
    if own is not None and _in_place(item, own) == item:
        return None  # a whole message that says it in other words: its other points tell the rest
    for each in near:
        item = _in_place(item, each)
    return item


def _in_place(point: Point, correction: Correction) -> Point:
    """The point with what was corrected in it."""
    ends = f"{_OVER}|{_ANOTHER}" if point.kind == WORDS else _OVER
    old = rf"(?<!\w){re.escape(correction.old)}(?={ends})"
    return point._replace(text=re.sub(old, lambda _: correction.new, point.text))


def _trace(trace: Trace, near: Iterable[Correction]) -> Trace | None:
    for each in near:
        if trace.kind in _IN_WORDS and trace.text in each.old:
            if trace.text not in each.new:
                return None
            trace = trace._replace(note="")
    return trace


def without_corrected(items: Iterable[Item], corrected: Corrected) -> list[Item]:
    """Without what nobody need find any more: something else holds in its place."""
    known = [*dict.fromkeys(corrected.values())]
    return [item for item in items if not any(_says(item, each) for each in known)]


def _says(item: Item, correction: Correction) -> bool:
    return item.key in correction.sources and tells(correction.old, item.sentence or item.text)
