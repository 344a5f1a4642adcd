"""What people said that they will do themselves, until it is told as done, or long ago.

It is told among what is open, so that whoever goes on knows what is still to come; nothing is wanted of
the agent for it.
"""

from __future__ import annotations

from everthread.domain.conversation.messages import Message
from everthread.domain.text.promising import promises, tells_done
from everthread.domain.text.speech import Heard

from .pointed import point_of
from .points import Entry, Points
from .roots import roots
from .said import WINDOW, Found, Said

OWN = "own"
PROMISED = 0.55
"""What weighs what somebody promised, beside what is asked of the agent."""

STALE, MOST = 30, 10
"""After so many further messages of people it is taken for done, or forgotten; so many are carried."""

FEW = 6
"""Words of a promise that leans on what was said before it: `I'll ring him on Monday`."""

_ERRANDS = roots(
    "ring call phone tell ask email mail write send text message pay book order buy check look into sort "
    "find talk speak update change switch bring post print sign file submit finish prepare need monday "
    "tuesday wednesday thursday friday saturday sunday tomorrow tonight today week later soon both myself"
)
"""Words that tell that something will be done and when, and not what."""


class Promises:
    """What is promised, among the points."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def spoken(self, message: Message, said: Said, turn: int) -> None:
        """A person speaks: what she did is promised no longer, what she will do is from now on."""
        for entry in self._open():
            if turn - entry.turn > STALE or any(_kept(each.text, entry) for each in _deeds(said)):
                self._points.drop(entry)
        for n, each in enumerate(said.sentences):
            text = _in_full(said, n) if promises(each) else ""
            if text and roots(text) - _ERRANDS and not self._asked(message, text):
                found = Found("open_item", text, PROMISED)
                entry = self._points.add(point_of(message, found, "user"))
                entry.turn, entry.state = turn, OWN
        for entry in self._open()[:-MOST]:
            self._points.drop(entry)

    def _asked(self, message: Message, text: str) -> bool:
        """Does it stand in what she asks in the same breath?"""
        points = (entry.point for entry in self._points.of("open_item"))
        return any(p.pinned and message.key in p.sources and text in p.text for p in points)

    def heard(self, said: Said) -> None:
        """The agent reports something done: that may have been promised by a person."""
        for entry in self._open():
            if any(_kept(each.text, entry) for each in _deeds(said)):
                self._points.drop(entry)

    def _open(self) -> list[Entry]:
        every = self._points.of("open_item")
        return [e for e in every if e.point.by == "user" and not e.point.pinned and e.state == OWN]


def _deeds(said: Said) -> list[Heard]:
    return [each for each in said.sentences if tells_done(each)]


def _kept(deed: str, promise: Entry) -> bool:
    """Does it tell that this was done?"""
    about = roots(promise.point.text) - _ERRANDS
    return bool(about) and 2 * len(about & roots(deed)) >= len(about)


def _in_full(said: Said, n: int) -> str:
    """The sentence; with the one before it where it leans on that."""
    few = len(said.sentences[n].words) <= FEW
    if not n or not few or said.parted(n - 1, n) or len(said.span(n - 1, n)) > WINDOW:
        return said.sentences[n].text
    return said.span(n - 1, n)
