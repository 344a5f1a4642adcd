"""Is what was left open told as done, or asked for by the person herself?"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.points import Entry
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Excerpt

ANSWERED = 0.5
"""Of a request's telling words, so many in the report of something done close it."""

UNDONE = roots(
    "missing yet open pending waiting waits postponed deferred blocked awaiting outstanding nothing left "
    "remaining remains todo needs offen fehlt fehlen steht aus verschoben pendiente"
)
"""Words that say that something is not done, and not what."""


def asks_same(request: str, left: Entry) -> bool:
    """Does the person ask herself for most of what the agent left?"""
    return asks_about(request, left.point.text)


def asks_about(request: str, left: str) -> bool:
    """Is most of this asked for?"""
    about = roots(left) - UNDONE
    return len(about & roots(request)) >= max(2.0, ANSWERED * len(about))


def is_reported(entry: Entry, finds: Sequence[Excerpt]) -> bool:
    """Is it told as done?"""
    about = roots(entry.point.text)
    if entry.point.kind == "open_item" and not entry.point.pinned:
        about -= UNDONE
    least = max(2.0, ANSWERED * len(about))
    return any(f.kind in ("done", "state") and len(about & roots(f.text)) >= least for f in finds)


def close_request(point: Point) -> Point:
    """The same, as what was asked for and is open no longer."""
    return point._replace(kind="request", pinned=False)
