"""Read a session as it was said, which need not be as it was stored.

A hook brings a prompt at once. If it broke off what the agent was at, nobody has read the transcript on
until then, and what that tells of the time before is stored after the prompt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.ports import House

PAGE = 200
MOST = 20 * PAGE
"""So many messages are held, at most, to see where a prompt belongs."""


def as_said(
    house: House, scope: Scope, session: Session, *, after: int, until: int | None = None
) -> Iterator[Sequence[Message]]:
    """What was said in it after that message, part by part. Parts are as small as they can be: with each,
    all is told that was stored up to its highest seq."""
    end = session.last_seq if until is None else until
    held: list[Message] = []
    while True:
        page = house.store.read(
            lambda r, a=after: r.endings.said_after(scope, session, after=a, limit=PAGE)
        )
        held += [message for message in page if message.seq <= end]
        if len(page) < PAGE or page[-1].seq > end:
            yield from _parts(held)
            return
        after = page[-1].seq
        if len(held) >= MOST or not _is_brought(max(held, key=_when)):
            yield from _parts(held)
            held = []


def _when(message: Message) -> int:
    return message.at_ms


def _is_brought(message: Message) -> bool:
    """Can it be a prompt that a hook brought? What a transcript tells comes in order."""
    return bool(message.archived) and message.origin == "user" and message.kind == "said"


def _parts(held: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The messages as they are, but each prompt behind all that was said before it."""
    # The first time that is told from each place on: it grows from place to place.
    first = [*accumulate(reversed([message.at_ms for message in held]), min)][::-1]

    def order(place: int) -> tuple[int, bool, int]:
        message = held[place]
        last = bisect_left(first, message.at_ms) - 1 if _is_brought(message) else place
        return max(place, last), last > place, place

    part: list[Message] = []
    reached = 0
    for count, place in enumerate(sorted(range(len(held)), key=order)):
        part.append(held[place])
        reached = max(reached, place)
        if reached == count:
            yield part
            part = []
