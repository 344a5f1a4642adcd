"""What is open: what a person asked for and still waits for, and what the agent left to be done.

A reply is held against the requests of its own turn. That is told by the turn's number, for the last
words of a person stay in the view while the agent's words after them are read already. How it stands
with each is carried from range to range, so it does not matter how often one distils.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.text import speech
from everthread.domain.text.speech import Heard, heard

from . import onward, withdrawn
from .answered import Reply, ordered, replied
from .digest import Digest, Point, Stands, Talk
from .points import PINNED, Entry, Points, bounded_sources
from .roots import roots
from .said import Found, Said
from .tone import read_tone
from .undone import asks_nobody, waits
from .unhappy import reopened

STALE = 4
"""After so many further messages of the person, she has moved on from a request."""

DEFERRED, ASKED = 30, 2
"""So many, where the agent put it off; where it asked back, and she speaks of other things."""

LISTED = 2
"""Commas of a sentence that tells several things."""

ANSWERED = 0.5
"""Of a request's telling words, so many in the report of something done close it."""

_PUT_OFF = frozenset({"deferred", "promised", "fallen"})
_AT_WORK = frozenset({"begun", "answered"})
_WAITS = frozenset({"asked", "fallen"})
"""For the person's next words, whatever they are, if they ask for nothing else."""


class Requests:
    """The open ones among the points, and how it stands with each."""

    def __init__(self, points: Points, before: Digest) -> None:
        self._points = points
        self._later: list[Entry] = []
        """What the person puts off in the message that is read."""
        self._before = 0
        """The first message of the person in the turn before the present one."""
        if before.talk is None:
            self.turn, self._first, self._ref, self._ahead = _of_old(points, before), 0, None, None
            return
        self.turn, self._first, self._ref, self._ahead = before.talk
        for point in before.points:
            if point.stands is not None:
                self._revive(point, point.stands)

    def _revive(self, point: Point, stands: Stands) -> None:
        """How it stood at the end of the range before; what was answered may still be complained of."""
        entry = next(e for e in self._points.of(point.kind) if e.point is point)
        if point.kind == "request" and stands.turn >= self._first:
            entry = self._points.move(entry, point._replace(kind="open_item", pinned=True))
        entry.turn, entry.state = stands

    def talk(self) -> Talk:
        """Where the talk is now."""
        return Talk(self.turn, self._first, self._ref, self._ahead)

    def told(self, point: Point) -> Point:
        """A point as the digest tells it: what was answered by the last words of the agent is not open."""
        if point.kind != "open_item":
            return point if point.stands is None else point._replace(stands=None)
        entry = next(e for e in self._points.of("open_item") if e.point is point)
        stands = point._replace(stands=Stands(entry.turn, entry.state))
        return closed(stands) if point.pinned and entry.state == "answered" else stands

    # What the person says

    def spoken(self, message: Message) -> None:
        """The person speaks. A turn that ended without a word or a deed has left what was asked undone."""
        ref = message.turn_ref
        if ref is None or ref != self._ref:
            if None not in (ref, self._ref):
                for entry in self._pinned():
                    if not entry.state and entry.turn >= self._first:
                        entry.state = "fallen"
            self._before, self._first = self._first, self.turn + 1
        self.turn += 1
        self._ref, self._later = ref, []

    def question(self) -> Entry | None:
        """What the agent asked last, before the person spoke."""
        asked = [e for e in self._left() if e.state == "asked" and e.turn < self.turn]
        return max(asked, key=lambda e: e.turn, default=None)

    def choice(self) -> Entry | None:
        """The person's own question what to choose, if it is what she said before."""
        lately = [e for e in self._pinned() if self._before <= e.turn < self.turn]
        offered = [e for e in lately if e.point.text.endswith("?")]
        return next((e for e in reversed(offered) if speech.offers_choice(e.point.text)), None)

    def settle(self, message: Message, said: Said, reply: Said | None) -> None:
        """A person goes on: what was answered is closed, unless she complains of that very thing."""
        pinned = [e for e in self._pinned() if e.turn < self.turn]
        done = [e.point.text for e in pinned if e.state == "answered"]
        again = reopened(said, done, reply)
        for entry in pinned:
            if entry.state == "answered" and entry.point.text in again:
                self._reopen(entry, message)
            elif entry.state == "answered" or self._moved_on(entry, said):
                self.close(entry)
        self._leftovers(said)

    def _leftovers(self, said: Said) -> None:
        """What the agent asks or offers is for the person to take up: she names it, or it is left for good.

        What it says is still to be done is so, whatever she speaks of.
        """
        for entry in [e for e in self._left() if e.turn < self.turn]:
            if onward.named_in(said, entry.point.text):
                entry.turn = self.turn
            elif entry.state != "deferred" or self.turn - entry.turn > DEFERRED:
                self._points.drop(entry)

    def _moved_on(self, entry: Entry, said: Said) -> bool:
        lately = entry.turn >= self._before
        if lately and self._goes_on(entry, said):
            return False
        thanked = said.manners and lately and entry.state in ("", "begun")
        most = DEFERRED if entry.state in _PUT_OFF else ASKED if entry.state == "asked" else STALE
        return thanked or entry.state == "carried" or self.turn - entry.turn > most

    def _goes_on(self, entry: Entry, said: Said) -> bool:
        return onward.continues(said) or (entry.state in ("", "begun") and onward.consents(said))

    def _reopen(self, entry: Entry, message: Message) -> None:
        """It was answered, and not well: she asks for it again, and what is replied now answers it."""
        again = (*entry.point.sources, message.key)
        entry.point = entry.point._replace(sources=bounded_sources(again), at_ms=message.at_ms)
        entry.turn, entry.state = self.turn, ""

    def cancelled(self, each: Heard) -> bool:
        """Does the sentence close a request, and say no more than that? One that she puts off stays open."""
        pinned = [e for e in self._pinned() if e.turn < self.turn]
        left = [e for e in self._left() if e.turn <= self.turn]
        if not pinned and not left:
            return False
        last = max((e.turn for e in pinned), default=0)
        newest = last if last >= self.turn - 2 else None
        later = onward.puts_off(each)
        back = not later and (withdrawn.cancels(each) or withdrawn.did_it_herself(each))
        if not later and not back and not onward.lays_aside(each):
            return False
        meant = withdrawn.meant if back else onward.left
        gone = [e for e in pinned if meant(each, e.point.text, newest=e.turn == newest)]
        for entry in gone:
            if later:
                entry.state = "deferred"
                self._later.append(entry)
            else:
                self.close(entry)
        for entry in left if not later else ():
            # Of a list she may mean one thing only.
            if entry.point.text.count(",") < LISTED and meant(each, entry.point.text, newest=False):
                self._points.drop(entry)
        return bool(gone) and withdrawn.cancels(each)

    def ask(self, point: Point, message: Message) -> None:
        """A person asks for something; what she had asked for in other words is so no longer."""
        text = point.text.casefold()
        known = (e for e in self._points.of("request") if e.point.text.casefold() == text)
        again = next(known, None)
        if again is not None:
            self._points.drop(again)
            point = point._replace(sources=(again.point.sources[0], message.key))
        asks = heard(point.text).asks
        for old in [e for e in self._pinned() if e.turn < self.turn]:
            asked = heard(old.point.text).asks
            anew = onward.anew(point.text, old.point.text, asks=asks, asked=asked)
            if anew and old not in self._later:
                self.close(old)
        for old in [e for e in self._left() if not asks and _told_in(point.text, e)]:
            self._points.drop(old)
        entry = self._points.add(point)
        entry.turn = self.turn
        ahead = self._ahead is not None and self._ahead == message.turn_ref
        entry.state = "begun" if ahead else ""
        pinned = [*self._pinned()]
        for old in pinned[: max(0, len(pinned) - PINNED)]:
            self.close(old)

    def go_on(self, said: Said, *, answers: bool, asks: bool) -> None:
        """What the agent was at goes on, and what it asked back about, where that was answered.

        What is replied now is held against it, too. `answers`: was the agent's question answered?
        `asks`: does the person ask for something of her own?
        """
        herself = any(onward.herself(each.text) for each in said.sentences)
        for entry in self._pinned():
            if not self._before <= entry.turn < self.turn or entry in self._later:
                continue
            on = self._goes_on(entry, said)
            waiting = entry.state in _WAITS and not herself
            if on or (waiting and not asks) or (answers and entry.state in _PUT_OFF):
                entry.turn, entry.state = self.turn, ""
            elif entry.state == "begun":
                entry.turn, entry.state = self.turn, "carried"

    # What the agent says and does

    def answered(self, message: Message, said: Said, finds: Sequence[Found]) -> None:
        """The agent speaks: to what was asked in this turn; of the rest it may report something done.

        A question that was answered stays so, whatever the agent goes on to do.
        """
        since = self._since(message)
        for entry in [*self._points.of("open_item")]:
            if not entry.point.pinned:
                if entry.point.by == "agent" and reported(entry, finds):
                    self._points.drop(entry)
            elif since <= entry.turn or self._taken_up(entry, said):
                reply = replied(said.sentences, entry.point.text, shown=said.shows or _shows(said))
                if entry.state != "answered" or reply.answered or ordered(entry.point.text):
                    entry.state = _state(reply, entry.state)
            elif reported(entry, finds):
                self.close(entry)

    def _taken_up(self, entry: Entry, said: Said) -> bool:
        """Does the agent come to what was asked in the turn before, to which nobody said a word?"""
        fits = entry.state == "fallen" and entry.turn >= self._before
        if fits and onward.named_in(said, entry.point.text):
            entry.turn = self.turn
            return True
        return False

    def acted(self, message: Message) -> None:
        """The agent uses a tool: what it only said that it would do is begun."""
        since = self._since(message)
        for entry in self._pinned():
            if entry.turn >= since and entry.state in ("", "promised"):
                entry.state = "begun"

    def _since(self, message: Message) -> int:
        """From which message of the person on the agent's is an answer; past all if hers is not read yet."""
        ref = message.turn_ref
        if ref is None or self._ref is None:
            return self.turn
        if ref == self._ref:
            return self._first
        self._ahead = ref
        return self.turn + 1

    def speaks_on(self) -> None:
        """The agent speaks again: what it asked itself (`Why did no test notice?`) waits for nobody."""
        for entry in [e for e in self._left() if e.state == "asked" and e.turn >= self.turn]:
            if asks_nobody(entry.point.text):
                self._points.drop(entry)

    def leave(self, entry: Entry, message: Message, *, asked: bool = False) -> None:
        """Something that the agent left to be done, or asks."""
        entry.turn = max(self._since(message), self.turn)
        entry.state = "asked" if asked else "deferred" if waits(entry.point.text) else ""

    def close(self, entry: Entry) -> None:
        """It is open no longer. A fault that nobody mended stands as one, and not as a request besides."""
        told = entry.point
        faults = (e.point for e in self._points.of("failure") if e.point.by == told.by)
        if any(fault.text == told.text for fault in faults):
            self._points.drop(entry)
        else:
            self._points.move(entry, closed(told))

    def _pinned(self) -> list[Entry]:
        return [e for e in self._points.of("open_item") if e.point.pinned]

    def _left(self) -> Iterator[Entry]:
        every = [*self._points.of("open_item")]
        return (e for e in every if e.point.by == "agent" and not e.point.pinned)


def wanted(said: Said, finds: Sequence[Found]) -> list[Found]:
    """Which spans of a message wait for an answer: where one of them asks, a fault or a reason told
    beside it is the ground of that, and not a request of its own."""
    every = [found for found in finds if found.kind == "request"]
    spans = [found for found in every if not onward.herself(found.text)]
    if len(spans) < 2:  # noqa: PLR2004 - one has nothing beside it
        return spans
    return [found for found in spans if _asks(said, found)] or spans[:1]


def _asks(said: Said, found: Found) -> bool:
    within = [each for each in said.sentences if each.text in found.text]
    return any((each.asks or each.orders) and not speech.goes_on(each) for each in within)


def closed(point: Point) -> Point:
    return point._replace(kind="request", pinned=False)


_UNDONE = roots(
    "missing yet open pending waiting waits postponed deferred blocked awaiting outstanding nothing left "
    "remaining remains todo needs offen fehlt fehlen steht aus verschoben pendiente"
)
"""Words that say that something is not done, and not what."""


def _told_in(request: str, left: Entry) -> bool:
    """Does the person ask herself for most of what the agent left?"""
    about = roots(left.point.text) - _UNDONE
    return len(about & roots(request)) >= max(2.0, ANSWERED * len(about))


def reported(entry: Entry, finds: Sequence[Found]) -> bool:
    """Is it told as done?"""
    about = roots(entry.point.text)
    if entry.point.kind == "open_item" and not entry.point.pinned:
        about -= _UNDONE
    least = max(2.0, ANSWERED * len(about))
    return any(f.kind in ("done", "state") and len(about & roots(f.text)) >= least for f in finds)


def _shows(said: Said) -> bool:
    """Is it no sentence, and yet something: `95 %`, or code?"""
    return not said.sentences and any(map(str.isalnum, said.text))


def _state(reply: Reply, was: str) -> str:
    if reply.answered:
        return "answered"
    if reply.soon and was in _AT_WORK and not reply.asks:
        return was  # it tells what it does next, in the midst of its work
    if reply.deferred:
        return "asked" if reply.asks else "promised" if reply.promises else "deferred"
    return "carried" if was == "carried" else "begun"


def _of_old(points: Points, before: Digest) -> int:
    """How many messages the person wrote, by a digest that does not carry how it stands.

    Whatever it calls open was put off, or is not answered yet.
    """
    tone = next((p for p in before.points if p.kind == "tone"), None)
    turns = read_tone(tone).messages
    for entry in points.of("open_item"):
        since = _known_since(entry.point, before, tone)
        entry.turn, entry.state = turns - since, "deferred" if entry.point.pinned else ""
    return turns


def _known_since(point: Point, before: Digest, tone: Point | None) -> int:
    """How many messages the person is known to have written after it, up to the end of the range."""
    later = {p.sources[-1] for p in before.points if p.by == "user" and p.at_ms > point.at_ms}
    return max(len(later), int(tone is not None and tone.at_ms > point.at_ms))
