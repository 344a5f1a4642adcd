"""Reading messages into a digest, without a model: the plain distiller's ear.

One message at a time, in order, on top of the digest before; what comes out depends on nothing else.
A person's words are carried as she said them and count above the agent's, those above a tool's. What
tools and imports say can never become a rule or a request.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from everthread.domain.conversation.beats import Beats, is_quiet
from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.pauses import stepping_aside
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.asked_choices import asks_what_is, offers_choice
from everthread.domain.text.acts.classifier import act_of
from everthread.domain.text.acts.option_taking import refuses
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.person_decisions import contrasts, settles_alone
from everthread.domain.text.specifics import Specifics

from . import withdrawals
from .agent_statements import from_agent, last_question, question_of
from .choices.agreements import PeerTalk, dropped_decisions
from .choices.decisions import REPLY, Choices
from .choices.descriptions import described_options
from .choices.exchanges import settled_sentences
from .choices.settlements import overrule, settlements
from .choices.short_answers import choosing_words, short_answer, wants_more
from .digest import CHOSEN, EMPTY, Digest, are_two_people
from .digest_bound import bounded_digest
from .figures.figure_changes import FigureChanges
from .ledger import Ledger
from .message_text import density, own_words, typed_request, uses_tool
from .new_names import keep_news_of_known
from .open_items.asked_spans import open_requests
from .open_items.leftovers import asks_itself, left_finds
from .open_items.promises import Promises
from .open_items.put_off_chances import put_off_place
from .open_items.reported_items import is_reported
from .open_items.requests import Requests
from .open_items.turn_counts import waiting_question
from .outdated_reports import OutdatedReports
from .person_statements import from_person
from .point_factory import point_of as _point
from .point_factory import speaker
from .point_repeats import Embed, once, without_repeats
from .points import Points
from .roots import roots
from .shown_lines import ShownLines
from .standing_chances import StandingWishes
from .step_marks import without_steps
from .tone import read_tone
from .tool_output import output_specifics
from .utterances import OFTEN, Excerpt, Utterance, take_apart
from .whole_messages import whole_prose as whole_of

ROOM = 240_000
"""Bytes of a digest as it is stored."""

FEW_WORDS = 6
"""Words of an answer that says nothing without its question."""

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
        heard: Message | None = None,
    ) -> None:
        """`pause` is called every few sentences, for a long message takes some milliseconds.

        `whole`: a person's short messages are carried as they stand, too. `heard`: what the agent said
        last before the range, so that an answer to it is known for one.
        """
        self._room, self._embed, self._pause, self._whole = room, embed, pause, whole
        self._points = Points(before.points, before.gone)
        self._people = {name.casefold(): name for name in before.people}
        self._ledger = Ledger(before.ledger)
        self._specifics = Specifics(pause=pause)
        self._messages, self._first, self._last = before[2:5]
        self._tone = read_tone(next((p for p in before.points if p.kind == "tone"), None))
        self._requests = Requests(self._points, before)
        self._lately = OutdatedReports(self._points)
        self._choices = Choices(self._points, before)
        self._among = PeerTalk(self._points, before.put)
        self._figures = FigureChanges(self._points)
        self._promises = Promises(self._points)
        self._wishes = StandingWishes(self._points)
        self._heard = None if heard is None else _hear(heard, pause)
        self._shown = ShownLines()
        self._spoken = waiting_question(before)
        self._earlier = ""  # what the person said before her last words
        self._beats = Beats()
        self._woken = False  # was it a clock, and no person, to whom the agent replies?

    def read(self, message: Message) -> None:
        """Take in the next message."""
        if message.kind == "said":
            with stepping_aside(self._pause):
                self._read(message)

    def _read(self, message: Message) -> None:
        self._messages += 1
        self._first = min(self._first, message.at_ms) if self._first else message.at_ms
        self._points.expire(self._last, message.at_ms)
        self._last = max(self._last, message.at_ms)
        message = self._who(message)
        text = own_words(message) if message.origin in ("user", "agent") else ""
        self._pause()
        self._note(message, text)
        self._pause()
        if text and not (self._woken and is_quiet(text)):
            self._read_text(message, text)
        while self._points.retired:
            self._ledger.unsay(self._points.retired.pop())
        if uses_tool(message):
            self._wishes.acted()
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
        for n, found in enumerate((*self._specifics.read(source), *output_specifics(message))):
            self._ledger.add(found, message, clean=plain, counts=counts)
            if n % OFTEN == 0:
                self._pause()

    def digest(self) -> Digest:
        """All that is carried now. More may be read afterwards."""
        tone = self._tone.point()
        points = once([self._requests.digest_point(p) for p in self._points if p.kind != "tone"])
        if self._embed is not None:
            points = without_repeats(points, self._embed)
        told = (*points, *((tone,) if tone else ()))
        talk = self._requests.talk() if self._messages else None
        read = self._messages, self._first, self._last
        chosen, put = self._choices.carried(), self._among.carried()
        more = talk, chosen, put, self._points.gone(), tuple(self._people.values())
        return bounded_digest(Digest(told, tuple(self._ledger), *read, *more), self._room)

    def _read_text(self, message: Message, text: str) -> None:
        if message.origin == "agent":
            self._agent(message, take_apart(without_steps(text), self._pause))
        elif message.source == "import":
            self._imported(message, take_apart(text, self._pause))
        elif text := typed_request(text):
            shown = self._shown.read(text, self._heard, self._tone)
            self._person(message, take_apart(text, self._pause, own=True, shown=shown))

    def _person(self, message: Message, said: Utterance) -> None:
        self._earlier, self._spoken = self._spoken, said.text
        self._meet(speaker(message))
        opening = not self._requests.turn
        self._requests.spoken(message)
        self._tone = self._tone.heard(said.own, message)
        self._lately.heard(message, said)
        asked, turn = self._requests.question(), self._requests.turn
        settles, likely = self._settle(message, said), self._likely_settled(message, said)
        picked = self._choices.spoken(message, said, asked, turn)
        later = put_off_place(said, None if self._among.before(message) else self._heard, asked)
        told, answer = described_options(said, self._heard, self._earlier)
        likely = likely and frozenset(likely) - {later} - told
        reply = picked or self._reply(message, answer, later, likely=bool(likely))
        reply = reply or self._chose(message, answer, settles)
        agreed = self._among.spoken(message, said, answers=bool(reply))
        reply = reply or agreed
        heard = None if reply or self._among.before(message) else self._heard
        later = self._requests.put_off(said, later, heard)
        self._requests.settle(message, said, None if self._heard is None else self._heard[0])
        for entry in self._among.answered():
            self._requests.close(entry)
        back = self._take_back(message, said)
        finds = from_person(
            said, opening=opening, back=back, settles=settles, likely=likely, pause=self._pause
        )
        asked = [] if reply or self._among.nods else open_requests(said, finds)
        self._requests.go_on(said, answers=bool(reply), asks=asked)
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
                self._add_statement(message, found, said)
        self._promises.spoken(message, said, turn, finds, later)
        self._wishes.spoken(message, said, self._heard)
        for found in whole_of(said, finds) if self._whole else ():
            self._pause()
            self._points.add(_point(message, found, "user"))
        self._figures.spoken(message, said, self._heard, likely)
        keep_news_of_known(self._points, message, said)

    def _meet(self, name: str) -> None:
        if name and len(self._people) < PEOPLE:
            self._people.setdefault(name.casefold(), name)

    def _reply(self, message: Message, said: Utterance, later: int | None, *, likely: bool) -> str:
        """What answers the agent's question, if no sentence puts it off: what was to be chosen is decided."""
        asked = self._requests.question()
        if asked is None or later is not None:
            return ""
        answer, question = short_answer(said), asked.point
        refused = bool(answer) and any(refuses(each.lower) for each in said.sentences)
        acts = {act_of(each) for each in said.sentences}
        if "open" in acts and "decision" not in acts:
            return ""  # the question waits on
        offered = offers_choice(question.text) and not refused
        decides = "decision" in acts or any(map(speech.decides, said.sentences))
        decides = decides or (likely and not asks_what_is(question.text))
        chosen = offered or (decides and not refused)
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
        self._points.add(_point(message, Excerpt(kind, answer, weight), "user"))
        return answer

    def _chose(self, message: Message, said: Utterance, settles: Collection[int]) -> str:
        """What decides the person's own question, after the agent told her what it thinks."""
        plain = bool(settles) or any(map(settles_alone, said.sentences))
        asked, answer = self._requests.choice(), choosing_words(said, settles, plain=plain)
        if asked is None or not answer or any(refuses(each.lower) for each in said.sentences):
            return ""
        if asked.state in ("", "fallen") and are_two_people(speaker(message), asked.point.name):
            return ""  # the agent said nothing to it: these two talk with each other
        told = "" if self._heard is None else self._heard[0].text
        named = roots(asked.point.text) | roots(told)
        if not plain and named.isdisjoint(roots(answer)):
            return ""
        chosen = asked.point._replace(kind="decision", weight=CHOSEN, pinned=False)
        for kind in ("open_item", "request"):
            for entry in [e for e in self._points.of(kind) if e.point.text == chosen.text]:
                self._points.drop(entry)
        self._points.add(chosen)
        self._points.add(_point(message, Excerpt("decision", answer, CHOSEN), "user"))
        return "" if plain and wants_more(said, settles) else answer

    def _settle(self, message: Message, said: Utterance) -> Collection[int]:
        """Which sentences settle something by its name; what was settled otherwise before goes."""
        before = "" if self._heard is None else self._heard[0].text
        before = f"{before}\n{self._among.before(message)}\n{self._earlier}"
        asked = (self._requests.question(), self._requests.choice())
        offered = "\n".join(e.point.text for e in asked if e and offers_choice(e.point.text))
        question = self._heard is not None and any(s.asks for s in self._heard[0].sentences)
        found = settlements(said, before, self._points, offered, asked=question)
        for gone in found.values():
            overrule(gone, self._points)
        return found.keys()

    def _likely_settled(self, message: Message, said: Utterance) -> Collection[int] | None:
        """Which sentences likely settle something, by what they answer; None among people."""
        if self._heard is None or self._among.before(message):
            return None
        return settled_sentences(said.sentences, self._heard[0].sentences, self._pause)

    def _take_back(self, message: Message, said: Utterance) -> dict[int, str | None]:
        """Rules and requests that a person takes back go. Which sentences do that, and as what kind?

        What another laid down, she does not lift.
        """
        back: dict[int, str | None] = {}
        name = speaker(message)
        for n, each in enumerate(said.sentences):
            if n % OFTEN == 0:
                self._pause()
            if withdrawals.speaks_of_rules(each):
                kind = withdrawals.take_back_rules(
                    each, self._points, lambda e: not are_two_people(name, e.point.name)
                )
                if kind is not None:
                    back[n] = kind
            if self._dropped(each):
                back[n] = "correction"
            if self._requests.cancelled(each, said.sentences[:n]):
                back[n] = "correction" if withdrawals.names_something(each) else None
        return back

    def _dropped(self, each: ParsedSentence) -> bool:
        """Does she do away with what was decided, or promised? That goes."""
        gone = dropped_decisions(each, self._points.of("decision"))
        gone += dropped_decisions(each, self._promises.open())
        for entry in gone:
            self._points.drop(entry)
            self._points.unsay(entry.point)
        return bool(gone)

    def _add_statement(self, message: Message, found: Excerpt, said: Utterance) -> None:
        """A person's statement; beside a correction what it corrects, if that was said just before."""
        if found.kind == "decision" and not self._among.before(message):
            self._lead_to(found)
        if found.kind in ("correction", "decision") and self._heard is not None:
            before, source = self._heard
            each = next((s for s in said.sentences if found.text.startswith(s.text)), None)
            rights = each is not None and (found.kind == "correction" or contrasts(each))
            if each and rights and (was := self._lately.put_right(each, before, source)):
                wrong = Excerpt("correction", was, found.weight)
                self._points.add(_point(source, wrong, "agent"))
        self._points.add(_point(message, found, "user", pinned=found.kind == "rule"))

    def _lead_to(self, found: Excerpt) -> None:
        """Before a choice in few words, what the agent had asked: alone such words say little."""
        if self._heard is None or len(found.text.split()) > FEW_WORDS:
            return
        before, source = self._heard
        asked = last_question(before)
        if not asked or len(asked) > REPLY or reads_as_order(asked):
            return
        told = _point(source, Excerpt("decision", asked, CHOSEN), "agent")
        for entry in [e for e in self._points.of("open_item") if e.point.text == told.text]:
            self._points.drop(entry)
        self._points.add(told)

    def _request(self, message: Message, found: Excerpt, *, waits: bool) -> None:
        """What she asks for waits for an answer; what is only its ground is carried beside it."""
        point = _point(message, found, "user", pinned=waits)
        if waits:
            self._requests.ask(point._replace(kind="open_item"), message)
        else:
            self._points.add(point)

    def _agent(self, message: Message, said: Utterance) -> None:
        self._heard = said, message
        self._among.heard()
        self._requests.speaks_on()
        finds = left_finds(said, from_agent(said, self._spoken), self._spoken)
        self._requests.answered(message, said, finds)
        for entry in [e for e in self._points.of("failure") if e.point.by == "agent"]:
            if is_reported(entry, [f for f in finds if speech.mends(f.text)]):
                self._points.drop(entry)
        self._promises.heard(said)
        self._wishes.heard(said)
        for found in finds:
            entry = self._points.add(_point(message, found, "agent"))
            if found.kind == "open_item":
                self._requests.leave(entry, message)
        self._requests.leave_promise(message, said)
        if any(found.kind == "state" for found in finds):
            self._lately.restate(message)
        self._lately.told(message, said)
        self._figures.heard(message, said)
        self._choices.heard(message, said)
        self._ask(message, said)

    def _ask(self, message: Message, said: Utterance) -> None:
        question = question_of(said, self._spoken)
        if question and asks_itself(question, said):
            found = Excerpt("open_item", question.strip("*_ "), 0.6)
            left = self._points.add(_point(message, found, "agent"))
            self._requests.leave(left, message, asked=True)

    def _imported(self, message: Message, said: Utterance) -> None:
        """What was imported tells facts at most: nobody vouches for who said it."""
        for found in from_agent(said):
            if found.kind in ("fact", "done"):
                told = found._replace(kind="fact", weight=found.weight / 2)
                self._points.add(_point(message, told, message.origin))


def _hear(message: Message, pause: Callable[[], None]) -> tuple[Utterance, Message] | None:
    text = own_words(message)
    return (take_apart(without_steps(text), pause), message) if text else None
