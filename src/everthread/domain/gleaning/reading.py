"""Reading messages into a digest, without a model: the plain distiller's ear.

One message at a time, in order, on top of the digest before; what comes out depends on nothing else.
A person's words are carried as she said them and count above the agent's, those above a tool's. What
tools and imports say can never become a rule or a request.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from everthread.domain.aside import stepping_aside
from everthread.domain.conversation.beats import Beats, quiet
from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.text import speech
from everthread.domain.text.fences import flat
from everthread.domain.text.settling import contrasts
from everthread.domain.text.specifics import Specifics
from everthread.domain.text.speech import Heard
from everthread.domain.text.speech_acts import act_of
from everthread.domain.text.speech_taking import refuses

from . import withdrawn
from .among import Among, dropped_by
from .bound import bounded_digest
from .chosen import CHOSEN, REPLY, Choices
from .digest import EMPTY, Digest, two
from .distinct import Embed, distinct
from .lately import Lately
from .ledger import Ledger
from .pointed import point_of as _point
from .pointed import speaker
from .points import Points
from .printed import printed
from .promised import Promises
from .reported import from_agent, question_of
from .requests import Requests, reported, wanted
from .roots import roots
from .said import (
    OFTEN,
    Found,
    Said,
    from_person,
    take_apart,
)
from .settlements import overrule, settlements
from .text import density, own_words, typed
from .tone import read_tone
from .undone import asks_itself, left_undone
from .whole import whole as whole_of

ROOM = 240_000
"""Bytes of a digest as it is stored."""

FEW_WORDS, CHOOSES = 6, 8
"""Words of an answer that says nothing without its question, and of one that chooses."""

PEOPLE = 8
"""So many are known by name."""

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
        self._points = Points(before.points, before.gone)
        self._people = {name.casefold(): name for name in before.people}
        self._ledger = Ledger(before.ledger)
        self._specifics = Specifics(pause=pause)
        self._messages, self._first, self._last = before[2:5]
        tone = next((p for p in before.points if p.kind == "tone"), None)
        self._tone = read_tone(tone)
        self._requests = Requests(self._points, before)
        self._lately = Lately(self._points)
        self._choices = Choices(self._points, before)
        self._among = Among(self._points, before.put)
        self._promises = Promises(self._points)
        self._heard: tuple[Said, Message] | None = None
        self._spoken = _waiting(before)
        self._beats = Beats()
        self._woken = False
        """Was it a clock, and no person, to whom the agent replies?"""

    def read(self, message: Message) -> None:
        """Take in the next message."""
        if message.kind == "said":
            with stepping_aside(self._pause):
                self._read(message)

    def _read(self, message: Message) -> None:
        self._messages += 1
        self._first = min(self._first, message.at_ms) if self._first else message.at_ms
        self._last = max(self._last, message.at_ms)
        message = self._who(message)
        text = own_words(message) if message.origin in ("user", "agent") else ""
        self._pause()
        self._note(message, text)
        self._pause()
        if text and not (self._woken and quiet(text)):
            self._said(message, text)
        while self._points.retired:
            self._ledger.unsay(self._points.retired.pop())
        if message.origin == "agent" and message.form != TEXT and '"tool_use"' in message.content:
            self._requests.acted(message)

    def _who(self, message: Message) -> Message:
        """The message as that of who sent it: a clock's words are no person's, whatever they came as."""
        beat = self._beats.heard(message)
        if beat is not None:
            message = message._replace(origin="system")
            self._points.forget(beat.before)
        if message.role == "user" and message.origin in ("user", "system"):
            self._woken = message.origin == "system"
        return message

    def _note(self, message: Message, text: str) -> None:
        """What is specific in it goes to the ledger; in a plain text our own words do not count.

        What a clock asks, and what is said to it, comes up with every beat: it counts once.
        """
        plain = bool(text) and message.form == TEXT
        counts = not (self._woken and message.form == TEXT)
        source = message._replace(content=text) if plain else message
        for n, found in enumerate((*self._specifics.read(source), *printed(message))):
            self._ledger.add(found, message, clean=plain, counts=counts)
            if n % OFTEN == 0:
                self._pause()

    def digest(self) -> Digest:
        """All that is carried now. More may be read afterwards."""
        tone = self._tone.point()
        points = [self._requests.told(p) for p in self._points if p.kind != "tone"]
        if self._embed is not None:
            points = distinct(points, self._embed)
        told = (*points, *((tone,) if tone else ()))
        talk = self._requests.talk() if self._messages else None
        read = self._messages, self._first, self._last
        chosen, put = self._choices.carried(), self._among.carried()
        people = tuple(self._people.values())
        more = talk, chosen, put, self._points.gone(), people
        digest = Digest(told, tuple(self._ledger), *read, *more)
        return bounded_digest(digest, self._room)

    def _said(self, message: Message, text: str) -> None:
        if message.origin == "agent":
            self._agent(message, take_apart(text, self._pause))
        elif message.source == "import":
            self._imported(message, take_apart(text, self._pause))
        elif text := typed(text):
            self._person(message, take_apart(text, self._pause, own=True))

    def _person(self, message: Message, said: Said) -> None:
        self._spoken = said.text
        self._meet(speaker(message))
        opening = not self._requests.turn
        self._requests.spoken(message)
        self._tone = self._tone.heard(said.own, message)
        self._lately.heard(message, said)
        asked, turn = self._requests.question(), self._requests.turn
        settles = self._settle(message, said)
        picked = self._choices.spoken(message, said, asked, turn)
        reply = picked or self._reply(message, said) or self._chose(message, said)
        agreed = self._among.spoken(message, said, answers=bool(reply))
        reply = reply or agreed
        self._requests.settle(message, said, None if self._heard is None else self._heard[0])
        for entry in self._among.answered():
            self._requests.close(entry)
        back = self._take_back(message, said)
        finds = from_person(said, opening=opening, back=back, settles=settles, pause=self._pause)
        asked = [] if reply or self._among.nods else wanted(said, finds)
        self._requests.go_on(said, answers=bool(reply), asks=bool(asked))
        for found in finds:
            self._pause()
            if found.kind == "request":
                if not reply and not self._among.nods:
                    self._request(message, found, waits=found in asked)
            elif found.kind == "open_item" or (
                found.kind in _IN_REPLY and found.text in self._choices.refused
            ):
                continue  # it is carried with what is promised, or told beside what was on offer
            elif found.kind not in _IN_REPLY or found.text not in reply:
                self._told(message, found, said)
        self._promises.spoken(message, said, turn, finds)
        for found in whole_of(said, finds) if self._whole else ():
            self._pause()
            self._points.add(_point(message, found, "user"))

    def _meet(self, name: str) -> None:
        if name and len(self._people) < PEOPLE:
            self._people.setdefault(name.casefold(), name)

    def _reply(self, message: Message, said: Said) -> str:
        """What answers the agent's question, if it does: what was to be chosen is then decided."""
        asked = self._requests.question()
        if asked is None:
            return ""
        answer, question = _short_answer(said), asked.point
        refused = bool(answer) and any(refuses(each.lower) for each in said.sentences)
        acts = {act_of(each) for each in said.sentences}
        if "open" in acts and "decision" not in acts:
            return ""  # the question waits on
        offered = speech.offers_choice(question.text) and not refused
        chosen = offered or ("decision" in acts and not refused)
        if not answer or (said.manners and not chosen):
            self._points.drop(asked)
            return answer
        kind, few = "decision" if chosen else "fact", len(answer.split()) <= FEW_WORDS
        weight = CHOSEN if chosen else round(0.5 + 0.4 * density(answer), 3)
        if offered or few:
            # A word or two say nothing without what was asked.
            self._points.move(asked, question._replace(kind=kind, weight=weight))
        else:
            self._points.drop(asked)
        self._points.add(_point(message, Found(kind, answer, weight), "user"))
        return answer

    def _chose(self, message: Message, said: Said) -> str:
        """What decides the person's own question, after the agent told her what it thinks."""
        asked, answer = self._requests.choice(), _short_answer(said)
        if asked is None or len(answer.split()) > CHOOSES:
            return ""
        if any(refuses(each.lower) for each in said.sentences):
            return ""
        if asked.state in ("", "fallen") and two(speaker(message), asked.point.name):
            return ""  # the agent said nothing to it: these two talk with each other
        told = "" if self._heard is None else self._heard[0].text
        named = roots(asked.point.text) | roots(told)
        if named.isdisjoint(roots(answer)):
            return ""
        chosen = asked.point._replace(kind="decision", weight=CHOSEN, pinned=False)
        for kind in ("open_item", "request"):
            for entry in [e for e in self._points.of(kind) if e.point.text == chosen.text]:
                self._points.drop(entry)
        self._points.add(chosen)
        self._points.add(_point(message, Found("decision", answer, CHOSEN), "user"))
        return answer

    def _settle(self, message: Message, said: Said) -> Collection[int]:
        """Which sentences settle something by its name; what was settled otherwise before goes."""
        before = "" if self._heard is None else self._heard[0].text
        before = f"{before}\n{self._among.before(message)}"
        found = settlements(said, before, self._points)
        for gone in found.values():
            overrule(gone, self._points)
        return found.keys()

    def _take_back(self, message: Message, said: Said) -> dict[int, str | None]:
        """Rules and requests that a person takes back go. Which sentences do that, and as what kind?

        What another laid down, she does not lift.
        """
        back: dict[int, str | None] = {}
        name = speaker(message)
        for n, each in enumerate(said.sentences):
            if n % OFTEN == 0:
                self._pause()
            if withdrawn.speaks_of_rules(each):
                ruled = [*self._points.of("rule"), *self._points.of("preference")]
                hers = [e for e in ruled if not two(name, e.point.name)]
                lifted = withdrawn.lifted(each, hers)
                for entry in lifted:
                    self._points.drop(entry)
                    self._points.unsay(entry.point)
                if lifted and withdrawn.takes_back(each):
                    back[n] = "correction"
            if self._dropped(each):
                back[n] = "correction"
            if self._requests.cancelled(each):
                back[n] = "correction" if withdrawn.names(each) else None
        return back

    def _dropped(self, each: Heard) -> bool:
        """Does she do away with what was decided? Those decisions go."""
        gone = dropped_by(each, self._points.of("decision"))
        for entry in gone:
            self._points.drop(entry)
            self._points.unsay(entry.point)
        return bool(gone)

    def _told(self, message: Message, found: Found, said: Said) -> None:
        """A person's statement; beside a correction what it corrects, if that was said just before."""
        if found.kind in ("correction", "decision") and self._heard is not None:
            before, source = self._heard
            each = next((s for s in said.sentences if found.text.startswith(s.text)), None)
            rights = each is not None and (found.kind == "correction" or contrasts(each))
            if each and rights and (was := self._lately.put_right(each, before, source)):
                wrong = Found("correction", was, found.weight)
                self._points.add(_point(source, wrong, "agent"))
        self._points.add(_point(message, found, "user", pinned=found.kind == "rule"))

    def _request(self, message: Message, found: Found, *, waits: bool) -> None:
        """What she asks for waits for an answer; what is only its ground is carried beside it."""
        point = _point(message, found, "user", pinned=waits)
        if waits:
            self._requests.ask(point._replace(kind="open_item"), message)
        else:
            self._points.add(point)

    def _agent(self, message: Message, said: Said) -> None:
        self._heard = said, message
        self._among.heard()
        self._requests.speaks_on()
        finds = from_agent(said, self._spoken)
        finds = [f for f in finds if f.kind != "open_item" or left_undone(said, f.text)]
        self._requests.answered(message, said, finds)
        for entry in [e for e in self._points.of("failure") if e.point.by == "agent"]:
            if reported(entry, [f for f in finds if speech.mends(f.text)]):
                self._points.drop(entry)
        self._promises.heard(said)
        for found in finds:
            entry = self._points.add(_point(message, found, "agent"))
            if found.kind == "open_item":
                self._requests.leave(entry, message)
        if any(found.kind == "state" for found in finds):
            self._outdate(message)
        self._lately.told(message, said)
        self._choices.heard(message, said)
        self._ask(message, said)

    def _outdate(self, message: Message) -> None:
        """How things stand now takes the place of how they stood."""
        for entry in [e for e in self._points.of("state") if e.point.by == "agent"]:
            if message.key not in entry.point.sources:
                self._points.drop(entry)

    def _ask(self, message: Message, said: Said) -> None:
        question = question_of(said, self._spoken)
        if question and asks_itself(question):
            found = Found("open_item", question, 0.6)
            entry = self._points.add(_point(message, found, "agent"))
            self._requests.leave(entry, message, asked=True)

    def _imported(self, message: Message, said: Said) -> None:
        """What was imported tells facts at most: nobody vouches for who said it."""
        for found in from_agent(said):
            if found.kind in ("fact", "done"):
                told = Found("fact", found.text, found.weight / 2)
                self._points.add(_point(message, told, message.origin))


def _waiting(before: Digest) -> str:
    """What the person asked last, if the range ended before the answer."""
    turn = before.talk.turns if before.talk else 0
    asked = (p for p in before.points if p.kind == "open_item" and p.pinned)
    return "\n".join(p.text for p in asked if p.stands and p.stands.turn == turn)


def _short_answer(said: Said) -> str:
    """What was said, where it can be an answer; empty where it asks, orders or only greets."""
    answer = flat(said.text)
    asks = any(each.asks or each.orders for each in said.sentences)
    if asks or len(answer) > REPLY or not said.sentences or speech.greets(answer):
        return ""
    return answer
