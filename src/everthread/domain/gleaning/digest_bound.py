"""A digest within its room: what weighs least goes first, pinned points last."""

from __future__ import annotations

import json

from .digest import Digest, Point, Trace
from .offers import choice_row
from .trace_weight import trace_value

_POINT, _TRACE = 60, 50
_KEY, _STANDS, _MARK = 35, 25, 20
"""Bytes beside their texts: of a point, a trace, each source, how it stands and how often it came, and of
the mark of what is gone."""


SHARE = 5
"""What is on offer is carried where it takes no more than this part of the room."""


def bounded_digest(digest: Digest, room: int) -> Digest:
    """The digest, without what finds no room."""
    size = sum(map(_size, digest.points)) + sum(map(_trace_size, digest.ledger)) + 100
    if digest.choosing is not None:
        offered = len(json.dumps(choice_row(digest.choosing)))
        if offered > room // SHARE:
            digest, offered = digest._replace(choosing=None), 0
        size += offered
    size += sum(_POINT + _KEY + _bytes(put.text) + _bytes(put.name) for put in digest.put)
    size += _MARK * len(digest.gone) + sum(map(_bytes, digest.people))
    if size <= room:
        return digest
    ranked: list[tuple[tuple[bool, float], int, bool, int]] = [
        *(((p.pinned, p.weight), n, True, _size(p)) for n, p in enumerate(digest.points)),
        *(((False, trace_value(t)), n, False, _trace_size(t)) for n, t in enumerate(digest.ledger)),
    ]
    gone: set[tuple[bool, int]] = set()
    for _, n, is_point, cost in sorted(ranked):
        if size <= room:
            break
        gone.add((is_point, n))
        size -= cost
    return digest._replace(
        points=tuple(p for n, p in enumerate(digest.points) if (True, n) not in gone),
        ledger=tuple(t for n, t in enumerate(digest.ledger) if (False, n) not in gone),
    )


def _size(point: Point) -> int:
    told = sum(_STANDS for each in (point.stands, point.series) if each is not None)
    return _POINT + told + _bytes(point.text) + _bytes(point.name) + _KEY * len(point.sources)


def _trace_size(trace: Trace) -> int:
    told = _bytes(trace.text) + _bytes(trace.note) + len(trace.ran)
    return _TRACE + told + _KEY * len(trace.sources)


def _bytes(text: str) -> int:
    """As JSON in ASCII: six bytes for each sign of another script, twelve for an emoji."""
    if text.isascii():
        return len(text) + text.count('"') + text.count("\\")
    return sum(1 if c < "\x80" else 6 if c <= "\uffff" else 12 for c in text)
