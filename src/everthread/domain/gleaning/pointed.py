"""A point made of what was found in a message."""

from __future__ import annotations

from everthread.domain.conversation.messages import Message, Origin
from everthread.domain.text.fences import neutral

from .digest import Point
from .said import Found


def point_of(message: Message, found: Found, by: Origin, *, pinned: bool = False) -> Point:
    """What was found, as the word of who said it."""
    return Point(
        found.kind,
        neutral(found.text),
        (message.key,),
        by,
        message.at_ms,
        found.weight,
        # What was cut is still a person's own words: whoever checks it knows the mark of a cut.
        verbatim=True,
        pinned=pinned,
    )
