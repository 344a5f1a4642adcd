"""How it stands with what is open, by what else is carried, and for how long it is told."""

from __future__ import annotations

import sys
from collections.abc import Collection

from everthread.domain.gleaning.digest import Point, RequestStanding
from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.patterns import lazy_pattern

from .agent_replies import Reply
from .leftovers import tells_missing
from .nudges import tells_not_yet
from .reported_items import close_request

PUT_OFF = frozenset({"deferred", "promised", "fallen"})
WAITS = frozenset({"asked", "fallen"})
"""For the person's next words, whatever they are, if they ask for nothing else."""

_AT_WORK = frozenset({"begun", "answered"})
_AT_ONCE = lazy_pattern(
    r"\b(?:i will|i'll|i am going to|i'm going to) now\b(?! (?:need|require|have to wait|wait)\b)|"
    r"\bnow,? (?:i will|i'll|i'm going to) "
)
LEFT = 10
"""After so many messages of the person, what an agent left undone was done, or nobody wants it."""


def digest_point(point: Point, points: Points) -> Point:
    """A point as the digest tells it: what was answered by the last words of the agent is not open."""
    if point.kind != "open_item":
        return point if point.stands is None else point._replace(stands=None)
    entry = next(e for e in points.of("open_item") if e.point is point)
    stands = point._replace(stands=RequestStanding(entry.turn, entry.state))
    return close_request(stands) if point.pinned and entry.state == "answered" else stands


def next_state(reply: Reply, entry: Entry, said: Utterance, after: Collection[str] = ()) -> str:
    """How it stands with a request after this reply: `I will now …` is said at work.

    `after`: what she asks after; that there is no answer yet is none.
    """
    was = entry.state
    if entry.point.text in after and tells_not_yet(said):
        return "deferred"
    if reply.answered:
        return "answered"
    if reply.soon and not reply.asks and _AT_ONCE.search(said.own.lower()):
        return was or "begun"
    if reply.soon and was in _AT_WORK and not reply.asks:
        return was  # it tells what it does next, in the midst of its work
    if reply.deferred:
        return "asked" if reply.asks else "promised" if reply.promises else "deferred"
    return "carried" if was == "carried" else "begun"


def left_turns(entry: Entry) -> int:
    """For how many messages what an agent says of itself is told; what a person put off stays."""
    return LEFT if tells_missing(entry.point.text) else sys.maxsize


def is_sought(points: Points, asked: Entry) -> bool:
    """Does the person look for the answer to it herself?"""
    return any(e.state == "sought" and e.turn == asked.turn for e in points.of("open_item"))


def is_ruled(points: Points, entry: Entry) -> bool:
    """Is what she asks told as a rule already?"""
    ruled = (*points.of("rule"), *points.of("preference"))
    return any(e.point.text in entry.point.text for e in ruled)
