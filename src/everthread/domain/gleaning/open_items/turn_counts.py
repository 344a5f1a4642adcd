"""How many messages a person wrote, and how long ago it was that she asked, by a digest before."""

from __future__ import annotations

from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.gleaning.points import Points
from everthread.domain.gleaning.tone import read_tone


def count_messages(points: Points, before: Digest) -> int:
    """How many messages the person wrote, by a digest that does not carry how it stands.

    Whatever it calls open was put off, or is not answered yet.
    """
    tone = next((p for p in before.points if p.kind == "tone"), None)
    turns = read_tone(tone).messages
    for entry in points.of("open_item"):
        since = _count_since(entry.point, before, tone)
        entry.turn, entry.state = turns - since, "deferred" if entry.point.pinned else ""
    return turns


def _count_since(point: Point, before: Digest, tone: Point | None) -> int:
    """How many messages the person is known to have written after it, up to the end of the range."""
    later = {p.sources[-1] for p in before.points if p.by == "user" and p.at_ms > point.at_ms}
    return max(len(later), int(tone is not None and tone.at_ms > point.at_ms))


def waiting_question(before: Digest) -> str:
    """What the person asked last, if the range ended before the answer."""
    turn = before.talk.turns if before.talk else 0
    asked = (p for p in before.points if p.kind == "open_item" and p.pinned)
    return "\n".join(p.text for p in asked if p.stands and p.stands.turn == turn)
