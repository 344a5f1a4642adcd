"""What a draft says for a person: what it calls open, and whose word it is that rests on several.

Open is what a person said in these words and nobody dealt with since. In a model's own words it is told as
the model's, never as the person's; in the first person it would be an order to whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.support.support import verdict
from everthread.domain.text.patterns import lazy_pattern

OPEN, ASKED = "open_item", "request"

_FIRST_PERSON = lazy_pattern(
    r"\b(?:I(?:['’](?:m|ll|ve|d))?|[Ww]e(?:['’](?:re|ll|ve|d))?|[Mm]y|[Oo]ur|me|us|"
    r"[Ii]ch|[Ww]ir|[Mm]ein\w{0,2}|[Uu]nser\w{0,2}|[Jj]e|[Nn]ous|[Yy]o)\b"
)
_QUOTED = lazy_pattern(r"\"[^\"]{0,600}\"|“[^”]{0,600}”|`[^`]{0,600}`")


def settle_quotes(points: list[Point], read: Digest) -> Iterator[Point]:
    """The points of a draft: what is quoted as open, and was dealt with, is told as what was asked.

    `read`: what the plain distiller made of the same messages.
    """
    for point in points:
        quoted = point.kind == OPEN and point.by == "user" and point.verbatim
        done = quoted and not point.pinned and _is_dealt_with(point, read)
        yield point._replace(kind=ASKED) if done else point


def hold_point(point: Point, sources: Sequence[Message], read: Digest | None) -> tuple[Point, str]:
    """The point, and why its sources do not bear it out; empty if they do.

    What rests on several is the word of who has the least say, unless what people said bears it out alone.
    """
    why = _why_unsupported(point, sources, read)
    said = [message for message in sources if message.origin == "user"]
    if not why or point.by == "user" or point.verbatim or not said:
        return point, why
    own = _own_word(point, said)
    return (point, why) if _why_unsupported(own, said, read) else (own, "")


def _why_unsupported(point: Point, sources: Sequence[Message], read: Digest | None) -> str:
    held = verdict(point.text, sources, by=point.by, verbatim=point.verbatim)
    return _why_not_open(point, read) or held.why


def _why_not_open(point: Point, read: Digest | None) -> str:
    """Why what is retold as open for a person may not be told so; empty if it may, or is no such thing."""
    if point.kind != OPEN or point.by != "user" or point.verbatim or point.pinned:
        return ""
    if _FIRST_PERSON.search(_QUOTED.sub(" ", point.text)):
        return "it tells what is open in the first person, and is not the user's own words"
    if read is not None and _is_dealt_with(point, read):
        return "it tells as open what was dealt with"
    return ""


def _own_word(point: Point, said: Sequence[Message]) -> Point:
    """The point as it rests on what people said alone."""
    names = {message.name or "" for message in said}
    return point._replace(
        by="user",
        sources=tuple(message.key for message in said),
        at_ms=max(message.at_ms for message in said),
        name=names.pop() if len(names) == 1 else "",
    )


def _is_dealt_with(point: Point, read: Digest) -> bool:
    """Is all that its messages ask for known, and none of it open any more?"""
    asked = [each for each in read.points if each.kind in (OPEN, ASKED) and each.by == "user"]
    same = [each for each in asked if not set(point.sources).isdisjoint(each.sources)]
    told = [each for each in same if each.text in point.text or point.text in each.text] or same
    return bool(told) and not any(each.kind == OPEN or each.pinned for each in told)
