"""A point made of what was found in a message."""

from __future__ import annotations

from everthread.domain.conversation.messages import Message, Origin
from everthread.domain.redaction.person_names import name_of_principal, safe_name
from everthread.domain.text.fences import neutralize

from .digest import Point
from .offers import Offer
from .utterances import Excerpt


def speaker(message: Message) -> str:
    """What the person is called who said it: by name, or else by whom a program knows her."""
    return safe_name(message.name) or name_of_principal(message.principal)


def point_of(message: Message, found: Excerpt, by: Origin, *, pinned: bool = False) -> Point:
    """What was found, as the word of who said it."""
    point = _point(message.key, message.at_ms, found, by, pinned=pinned)
    return point._replace(name=name) if by == "user" and (name := speaker(message)) else point


def point_from(offer: Offer, found: Excerpt) -> Point:
    """What was listed, as the agent's word."""
    return _point(offer.source, offer.at_ms, found, "agent", pinned=False)


def _point(key: bytes, at_ms: int, found: Excerpt, by: Origin, *, pinned: bool) -> Point:
    return Point(
        found.kind,
        neutralize(found.text),
        (key,),
        by,
        at_ms,
        found.weight,
        # What was cut is still a person's own words: whoever checks it knows the mark of a cut.
        verbatim=True,
        pinned=pinned,
    )
