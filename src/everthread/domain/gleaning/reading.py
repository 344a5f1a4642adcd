"""Reading messages into a digest, without a model: the plain distiller's ear.

One message at a time, in order, on top of the digest before; what comes out depends on nothing else.
A person's words are carried as she said them and count above the agent's, those above a tool's. What
tools and imports say can never become a rule or a request.
"""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.conversation.messages import TEXT, Message, Origin
from everthread.domain.text import speech
from everthread.domain.text.fences import flat, neutral
from everthread.domain.text.specifics import Specifics
from everthread.domain.text.speech import Heard

from . import withdrawn
from .answered import replied
from .bound import bounded_digest
from .digest import EMPTY, Digest, Point
from .distinct import Embed, distinct
from .ledger import Ledger
from .points import PINNED, Entry, Points, bounded_sources
from .printed import printed
from .roots import roots
from .said import (
    OFTEN,
    Found,
    Said,
    from_agent,
    from_person,
    nearest,
    question_of,
    take_apart,
)
from .text import density, own_words, typed
from .tone import read_tone
from .unhappy import reopened
from .whole import whole as whole_of

ROOM = 240_000
"""Bytes of a digest as it is stored."""

STALE = 4
"""After so many further messages of the person, she has moved on from a request."""

DEFERRED = 30
"""So many, where the agent put it off, or asked back."""

ANSWERED = 0.5
"""Of a request's telling words, so many in the report of something done close it."""

CHOSEN = 0.8
"""What an answer weighs that decides between two ways, and the question before it."""

REPLY = 160
"""Characters of an answer to the agent's question; what is longer is a request of its own."""

FEW_WORDS, CHOOSES = 6, 8
"""Words of an answer that says nothing without its question, and of one that chooses."""

_IN_REPLY = frozenset({"fact", "decision", "correction", "failure"})


class Gleaner:
    """Reads the messages of a range, and gives the digest of them and of all before."""

    def __init__(
        self,
        before: Digest = EMPTY,
        *,
        room: int = ROOM,
        embed: Embed | None = None,
        pause: Callable[[], None] = lambda: None,
        whole: bool = True,
    ) -> None:
        """`pause` is called every few sentences, for a long message takes some milliseconds.

        `whole`: a person's short messages are carried as they stand, too.
        """
        self._room, self._embed, self._pause = room, embed, pause
        self._whole = whole
        self._points = Points(before.points)
        self._ledger = Ledger(before.ledger)
        self._specifics = Specifics(pause=pause)
        self._messages, self._first, self._last = before[2:5]
        tone = next((p for p in before.points if p.kind == "tone"), None)
        self._tone = read_tone(tone)
        self._turn = self._tone.messages
        for entry in self._points.of("open_item"):
            # Whatever was open at the end of a range was put off, or is not answered yet.
            entry.turn, entry.deferred = self._turn - _since(entry.point, before, tone), True
        self._asked: Entry | None = None
        self._choice: Entry | None = None
        self._heard: tuple[Said, Message] | None = None
        self._unanswered: int | None = None

    def read(self, message: Message) -> None:
        """Take in the next message."""
        if message.kind != "said":
            return
        self._messages += 1
        self._first = min(self._first, message.at_ms) if self._first else message.at_ms
        self._last = max(self._last, message.at_ms)
        text = own_words(message) if message.origin in ("user", "agent") else ""
        self._pause()
        self._note(message, text)
        self._pause()
        if text:
            self._said(message, text)

    def _note(self, message: Message, text: str) -> None:
        """What is specific in it goes to the ledger; in a plain text our own words do not count."""
        plain = bool(text) and message.form == TEXT
        source = message._replace(content=text) if plain else message
        for n, found in enumerate((*self._specifics.read(source), *printed(message))):
            self._ledger.add(found, message, clean=plain)
            if n % OFTEN == 0:
                self._pause()

    def digest(self) -> Digest:
        """All that is carried now. More may be read afterwards."""
        tone = self._tone.point()
        points = [self._settled(p) for p in self._points if p.kind != "tone"]
        if self._embed is not None:
            points = distinct(points, self._embed)
        told = (*points, *((tone,) if tone else ()))
        digest = Digest(told, tuple(self._ledger), self._messages, self._first, self._last)
        return bounded_digest(digest, self._room)

    def _settled(self, point: Point) -> Point:
        """What was answered by the last message of the agent is open no longer."""
        if point.kind != "open_item" or not point.pinned:
            return point
        entry = next(e for e in self._points.of("open_item") if e.point is point)
        return _closed(point) if entry.answered else point

    def _said(self, message: Message, text: str) -> None:
        if message.origin == "agent":
            self._agent(message, take_apart(text, self._pause))
        elif message.source == "import":
            self._imported(message, take_apart(text, self._pause))
        elif text := typed(text):
            self._person(message, take_apart(text, self._pause, own=True))

    def _person(self, message: Message, said: Said) -> None:
        opening = not self._turn
        self._turn += 1
        self._tone = self._tone.heard(said.text, message)
        self._fell_through(message)
        reply = self._reply(message, said) or self._chose(message, said)
        self._settle(message, said)
        if reply:
            self._go_on()
        back = self._take_back(said)
        finds = from_person(said, opening=opening, back=back, pause=self._pause)
        for found in finds:
            self._pause()
            if found.kind == "request":
                if not reply:
                    self._request(message, found)
            elif found.kind not in _IN_REPLY or found.text not in reply:
                self._told(message, found, said)
        for found in whole_of(said, finds) if self._whole else ():
            self._pause()
            self._points.add(_point(message, found, "user"))

    def _fell_through(self, message: Message) -> None:
        """A turn that ended without a word of the agent has left what was asked in it undone."""
        if None not in (self._unanswered, message.turn_ref) and (
            self._unanswered != message.turn_ref
        ):
            for entry in self._points.of("open_item"):
                entry.deferred |= entry.turn == self._turn - 1
        self._unanswered = message.turn_ref

    def _reply(self, message: Message, said: Said) -> str:
        """What answers the agent's question, if it does: what was to be chosen is then decided."""
        asked, self._asked = self._asked, None
        if asked is None:
            return ""
        answer, question = _short_answer(said), asked.point
        chosen = speech.offers_choice(question.text)
        if not answer or (said.manners and not chosen):
            self._points.drop(asked)
            return answer
        kind, few = "decision" if chosen else "fact", len(answer.split()) <= FEW_WORDS
        weight = CHOSEN if chosen else round(0.5 + 0.4 * density(answer), 3)
        if chosen or few:
            # A word or two say nothing without what was asked.
            self._points.move(asked, question._replace(kind=kind, weight=weight))
        else:
            self._points.drop(asked)
        self._points.add(_point(message, Found(kind, answer, weight), "user"))
        return answer

    def _chose(self, message: Message, said: Said) -> str:
        """What decides the person's own question, after the agent told her what it thinks."""
        asked, self._choice = self._choice, None
        answer = _short_answer(said)
        if asked is None or self._heard is None or len(answer.split()) > CHOOSES:
            return ""
        named = roots(asked.point.text) | roots(self._heard[0].text)
        if named.isdisjoint(roots(answer)):
            return ""
        chosen = asked.point._replace(kind="decision", weight=CHOSEN, pinned=False)
        for kind in ("open_item", "request"):
            for entry in [e for e in self._points.of(kind) if e.point.text == chosen.text]:
                self._points.drop(entry)
        self._points.add(chosen)
        self._points.add(_point(message, Found("decision", answer, CHOSEN), "user"))
        return answer

    def _go_on(self) -> None:
        """Who answers what the agent asked back waits for what she had asked before it."""
        for entry in self._points.of("open_item"):
            if entry.point.pinned and entry.deferred and entry.turn == self._turn - 1:
                entry.turn = self._turn

    def _take_back(self, said: Said) -> dict[int, str | None]:
        """Rules and requests that a person takes back go. Which sentences do that, and as what kind?"""
        back: dict[int, str | None] = {}
        for n, each in enumerate(said.sentences):
            if n % OFTEN == 0:
                self._pause()
            if withdrawn.speaks_of_rules(each):
                ruled = [*self._points.of("rule"), *self._points.of("preference")]
                lifted = [e for e in ruled if withdrawn.lifts(each, e.point.text)]
                for entry in lifted:
                    self._points.drop(entry)
                    self._points.unsay(entry.point)
                if lifted and withdrawn.takes_back(each):
                    back[n] = "correction"
            if self._cancelled(each):
                back[n] = "correction" if withdrawn.names(each) else None
        return back

    def _cancelled(self, each: Heard) -> bool:
        if not (withdrawn.cancels(each) or withdrawn.did_it_herself(each)):
            return False
        pinned = [e for e in self._points.of("open_item") if e.point.pinned]
        last = max((e.turn for e in pinned), default=0)
        newest = last if last >= self._turn - 2 else None
        gone = [e for e in pinned if withdrawn.meant(each, e.point.text, newest=e.turn == newest)]
        for entry in gone:
            self._close(entry)
        return bool(gone) and withdrawn.cancels(each)

    def _told(self, message: Message, found: Found, said: Said) -> None:
        """A person's statement; beside a correction what it corrects, if that was said just before."""
        if found.kind == "correction" and self._heard is not None:
            before, source = self._heard
            each = next((s for s in said.sentences if s.text == found.text), None)
            if each and (was := nearest(before.sentences, each)):
                wrong = Found("correction", was, found.weight)
                self._points.add(_point(source, wrong, "agent"))
        self._points.add(_point(message, found, "user", pinned=found.kind == "rule"))

    def _request(self, message: Message, found: Found) -> None:
        point = _point(message, found, "user", pinned=True)._replace(kind="open_item")
        again = next(
            (
                e
                for e in self._points.of("request")
                if e.point.text.casefold() == point.text.casefold()
            ),
            None,
        )
        if again is not None:
            self._points.drop(again)
            point = point._replace(sources=(again.point.sources[0], message.key))
        entry = self._points.add(point)
        entry.turn = self._turn
        if point.text.endswith("?") and speech.offers_choice(point.text):
            self._choice = entry
        pinned = [e for e in self._points.of("open_item") if e.point.pinned]
        for old in pinned[: max(0, len(pinned) - PINNED)]:
            self._close(old)

    def _settle(self, message: Message, said: Said) -> None:
        """A person goes on: what was answered is closed, unless she complains of that very thing."""
        pinned = [e for e in self._points.of("open_item") if e.point.pinned]
        reply = None if self._heard is None else self._heard[0]
        again = reopened(said, [e.point.text for e in pinned if e.answered], reply)
        for entry in pinned:
            thanked = said.manners and entry.turn == self._turn - 1 and not entry.deferred
            left = self._turn - entry.turn > (DEFERRED if entry.deferred else STALE)
            if thanked or left:
                self._close(entry)
            elif entry.answered and entry.point.text in again:
                self._reopen(entry, message)
            elif entry.answered:
                self._close(entry)

    def _reopen(self, entry: Entry, message: Message) -> None:
        """It was answered, and not well: she asks for it again, and what is replied now answers it."""
        again = (*entry.point.sources, message.key)
        entry.point = entry.point._replace(sources=bounded_sources(again), at_ms=message.at_ms)
        entry.turn, entry.answered, entry.deferred = self._turn, False, False

    def _close(self, entry: Entry) -> None:
        self._points.move(entry, _closed(entry.point))

    def _agent(self, message: Message, said: Said) -> None:
        self._heard, self._unanswered = (said, message), None
        finds = from_agent(said)
        for entry in [e for e in self._points.of("open_item")]:
            if not entry.point.pinned:
                self._finish(entry, finds)
            elif entry.turn == self._turn:
                reply = replied(said.sentences, entry.point.text, shown=said.shows)
                entry.answered, entry.deferred = reply
            elif _reported(entry, finds):
                self._close(entry)
        for entry in [e for e in self._points.of("failure") if e.point.by == "agent"]:
            if _reported(entry, [f for f in finds if speech.mends(f.text)]):
                self._points.drop(entry)
        for found in finds:
            self._points.add(_point(message, found, "agent"))
        self._ask(message, said)

    def _finish(self, entry: Entry, finds: list[Found]) -> None:
        """What the agent left to do and now reports as done is open no longer."""
        if entry.point.by == "agent" and _reported(entry, finds):
            self._points.drop(entry)

    def _ask(self, message: Message, said: Said) -> None:
        question = question_of(said)
        if question:
            found = Found("open_item", question, 0.6)
            self._asked = self._points.add(_point(message, found, "agent"))

    def _imported(self, message: Message, said: Said) -> None:
        """What was imported tells facts at most: nobody vouches for who said it."""
        for found in from_agent(said):
            if found.kind in ("fact", "done"):
                told = Found("fact", found.text, found.weight / 2)
                self._points.add(_point(message, told, message.origin))


def _point(message: Message, found: Found, by: Origin, *, pinned: bool = False) -> Point:
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


def _closed(point: Point) -> Point:
    return point._replace(kind="request", pinned=False)


def _short_answer(said: Said) -> str:
    """What was said, where it can be an answer; empty where it asks, orders or only greets."""
    answer = flat(said.text)
    asks = any(each.asks or each.orders for each in said.sentences)
    if asks or len(answer) > REPLY or not said.sentences or speech.greets(answer):
        return ""
    return answer


def _since(point: Point, before: Digest, tone: Point | None) -> int:
    """How many messages the person is known to have written after it, up to the end of the range."""
    later = {p.sources[-1] for p in before.points if p.by == "user" and p.at_ms > point.at_ms}
    return max(len(later), int(tone is not None and tone.at_ms > point.at_ms))


def _reported(entry: Entry, finds: list[Found]) -> bool:
    about = roots(entry.point.text)
    least = max(2.0, ANSWERED * len(about))
    return any(f.kind in ("done", "state") and len(about & roots(f.text)) >= least for f in finds)
