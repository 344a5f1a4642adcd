"""Reading messages into a digest, without a model: the plain distiller's ear.

One message at a time, in order, on top of the digest before; what comes out depends on nothing else.
A person's words are carried as she said them and count above the agent's, those above a tool's. What
tools and imports say can never become a rule or a request.
"""

from __future__ import annotations

from collections.abc import Callable

from . import speech
from .distillation import EMPTY, Digest, Point
from .fences import neutral
from .gleaning_bound import bounded_digest
from .gleaning_distinct import Embed, distinct
from .gleaning_ledger import Ledger
from .gleaning_points import PINNED, Entry, Points
from .gleaning_printed import printed
from .gleaning_said import (
    FEWEST,
    OFTEN,
    Found,
    Said,
    answers,
    from_agent,
    from_person,
    nearest,
    puts_off,
    question_of,
    take_apart,
)
from .gleaning_text import bag_of, density, own_words, typed
from .gleaning_tone import read_tone
from .messages import TEXT, Message, Origin
from .sentences import flat
from .specifics import Specifics

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


class Gleaner:
    """Reads the messages of a range, and gives the digest of them and of all before."""

    def __init__(
        self,
        before: Digest = EMPTY,
        *,
        room: int = ROOM,
        embed: Embed | None = None,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """`pause` is called every few sentences, for a long message takes some milliseconds."""
        self._room, self._embed, self._pause = room, embed, pause
        self._points = Points(before.points)
        self._ledger = Ledger(before.ledger)
        self._specifics = Specifics()
        self._messages, self._first, self._last = before[2:5]
        tone = next((p for p in before.points if p.kind == "tone"), None)
        self._tone = read_tone(tone)
        self._turn = self._tone.messages
        for entry in self._points.of("open_item"):
            # Whatever was open at the end of a range was put off, or is not answered yet.
            entry.turn, entry.deferred = self._turn, True
        self._asked: Entry | None = None
        self._heard: tuple[Said, Message] | None = None

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
            self._person(message, take_apart(text, self._pause))

    def _person(self, message: Message, said: Said) -> None:
        opening = not self._turn
        self._turn += 1
        self._tone = self._tone.heard(said.text, message)
        reply = self._reply(message, said)
        self._settle(said)
        for found in from_person(said, opening=opening):
            if found.kind == "request":
                if not reply:
                    self._request(message, found)
            else:
                self._told(message, found, said)

    def _reply(self, message: Message, said: Said) -> bool:
        """Does it answer what the agent asked? What was to be chosen is then decided."""
        asked, self._asked = self._asked, None
        if asked is None:
            return False
        answer, question = flat(said.text), asked.point
        asks = any(each.asks or each.orders for each in said.sentences)
        if asks or len(answer) > REPLY or not said.sentences or speech.greets(answer):
            self._points.drop(asked)
            return False
        chosen = speech.offers_choice(question.text)
        if chosen:
            self._points.move(asked, question._replace(kind="decision", weight=CHOSEN))
        else:
            self._points.drop(asked)
        if chosen or len(answer.split()) >= FEWEST:
            weight = CHOSEN if chosen else round(0.5 + 0.4 * density(answer), 3)
            found = Found("decision" if chosen else "fact", answer, weight)
            self._points.add(_point(message, found, "user"))
        return True

    def _told(self, message: Message, found: Found, said: Said) -> None:
        """A person's statement; beside a correction what it corrects, if that was said just before."""
        if found.kind == "correction" and self._heard is not None:
            before, source = self._heard
            each = next(s for s in said.sentences if s.text == found.text)
            if was := nearest(before.sentences, each):
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
        pinned = [e for e in self._points.of("open_item") if e.point.pinned]
        for old in pinned[: max(0, len(pinned) - PINNED)]:
            self._close(old)

    def _settle(self, said: Said) -> None:
        """A person goes on: what was answered is closed, unless she says that it was not."""
        unhappy = any(map(speech.complains, said.sentences[:4]))
        for entry in [e for e in self._points.of("open_item") if e.point.pinned]:
            thanked = said.manners and entry.turn == self._turn - 1
            left = self._turn - entry.turn > (DEFERRED if entry.deferred else STALE)
            if thanked or left or (entry.answered and not unhappy):
                self._close(entry)
            else:
                entry.answered = False

    def _close(self, entry: Entry) -> None:
        self._points.move(entry, _closed(entry.point))

    def _agent(self, message: Message, said: Said) -> None:
        self._heard = (said, message)
        done, put_off = answers(said), puts_off(said)
        finds = from_agent(said)
        for entry in [e for e in self._points.of("open_item")]:
            if not entry.point.pinned:
                self._finish(entry, finds)
            elif entry.turn == self._turn:
                entry.answered, entry.deferred = done, put_off
            elif _reported(entry, finds):
                self._close(entry)
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
        verbatim=not found.text.endswith("…"),
        pinned=pinned,
    )


def _closed(point: Point) -> Point:
    return point._replace(kind="request", pinned=False)


def _reported(entry: Entry, finds: list[Found]) -> bool:
    least = max(2.0, ANSWERED * len(entry.bag))
    return any(
        f.kind in ("done", "state") and len(entry.bag & bag_of(f.text)) >= least for f in finds
    )
