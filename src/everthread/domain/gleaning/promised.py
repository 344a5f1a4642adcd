"""What people will do themselves, or said to be open, until it is told as done, or long ago.

What was long ago is no longer told, but nobody saw it done: its memory stands.

It is told among what is open, so that whoever goes on knows what is still to come; nothing is wanted of
the agent for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.text.promising import (
    clause_of,
    deed_of,
    object_of,
    promises,
    speaks,
    tells_done,
)
from everthread.domain.text.speech import Heard

from .pointed import point_of
from .points import Entry, Points
from .roots import roots
from .said import WINDOW, Found, Said, cut

OWN, LEFT = "own", "left"
PROMISED = 0.55
"""What weighs what somebody promised, beside what is asked of the agent."""

STALE, MOST = 100, 10
"""So many further messages of people it is told, and so many are: nobody saw the others end."""

FEW = 6
"""Words of a promise that leans on what was said before it: `I'll ring him on Monday`."""

_ERRANDS = roots(
    "ring call phone tell ask email mail write send text message pay book order buy check look into sort "
    "find talk speak update change switch bring post print sign file submit finish prepare need monday "
    "tuesday wednesday thursday friday saturday sunday tomorrow tonight today week later soon both myself "
    "morning afternoon evening yesterday already finally"
)
"""Words that tell that something will be done and when, and not what."""


class Promises:
    """What is promised, among the points."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def spoken(self, message: Message, said: Said, turn: int, finds: Sequence[Found]) -> None:
        """A person speaks: what was done is promised no longer, what will be done is from now on.

        `finds`: what was read off the message; among it may be what it leaves open.
        """
        left = {found.text for found in finds if found.kind == "open_item"}
        for entry in self._open():
            if any(_kept(each, entry) for each in _deeds(said)):
                self._points.drop(entry)
            elif turn - entry.turn > STALE:
                self._points.lose(entry)
        for n, each in enumerate(said.sentences):
            state = OWN if promises(each) else LEFT if cut(each.text) in left else ""
            text = _in_full(said, n) if state else ""
            if text and roots(text) - _ERRANDS and not self._asked(message, text):
                found = Found("open_item", text, PROMISED)
                entry = self._points.add(point_of(message, found, "user"))
                if not entry.point.pinned:
                    entry.turn, entry.state = turn, state
        for entry in self._open()[:-MOST]:
            self._points.lose(entry)

    def _asked(self, message: Message, text: str) -> bool:
        """Does it stand in what she asks in the same breath?"""
        points = (entry.point for entry in self._points.of("open_item"))
        return any(p.pinned and message.key in p.sources and text in p.text for p in points)

    def heard(self, said: Said) -> None:
        """The agent reports something done: that may have been promised by a person."""
        for entry in self._open():
            if any(_kept(each, entry) for each in _deeds(said)):
                self._points.drop(entry)

    def _open(self) -> list[Entry]:
        every = self._points.of("open_item")
        return [
            e
            for e in every
            if e.point.by == "user" and not e.point.pinned and e.state in (OWN, LEFT)
        ]


def _deeds(said: Said) -> list[Heard]:
    return [each for each in said.sentences if tells_done(each)]


def _kept(deed: Heard, promise: Entry) -> bool:
    """Does it tell that this was done, and not something else of the same?"""
    text = promise.point.text
    about, found = roots(text) - _ERRANDS, deed_of(deed, text)
    if found is None or not about:
        return False
    before, after = clause_of(deed, found)
    thing = (roots(object_of(text)) & about) or about
    told = (roots(before) | roots(after)) - _ERRANDS - roots(found[0])
    if 2 * len(thing & told) < len(thing):
        return False
    # `Paid the deposit for the hut`, where she was to pay that for the hall.
    rest, more = about - thing, told - thing
    if rest and more and rest.isdisjoint(more):
        return False
    # `The hostel called`, of which she said that she would call it.
    return not speaks(found[0]) or about.isdisjoint(roots(before))


def _in_full(said: Said, n: int) -> str:
    """The sentence; with the one before it where it leans on that."""
    few = len(said.sentences[n].words) <= FEW
    if not n or not few or said.parted(n - 1, n) or len(said.span(n - 1, n)) > WINDOW:
        return said.sentences[n].text
    return said.span(n - 1, n)
