"""What is open: what a person asked for and still waits for, and what the agent left to be done.

A reply is held against the requests of its own turn. That is told by the turn's number, for the last
words of a person stay in the view while the agent's words after them are read already. How it stands
with each is carried from range to range, so it does not matter how often one distils.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning import withdrawals
from everthread.domain.gleaning.digest import Digest, Point, RequestStanding, Talk
from everthread.domain.gleaning.point_factory import point_of
from everthread.domain.gleaning.points import PINNED, Entry, Points, bounded_sources
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Excerpt, Utterance, take_apart
from everthread.domain.text.acts.errands import is_for_oneself
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence

from . import follow_ups
from .agent_promises import accepted_promises, is_promise_kept, promised_work, says_yes
from .agent_replies import dated_promise, ordered_verb, reply_to
from .asked_spans import asks_to_choose
from .asked_whether import confirmed_orders
from .complaints import names_nothing, reopened_requests
from .deferrals import advice_of, advice_taken, only_asks, own_words, question_put_off, reports_back
from .holds import released
from .leftovers import asks_nobody, tells_missing
from .long_replies import ends_at_work, shows_something
from .nudges import asked_after
from .other_work import age_by_work
from .passing_ends import is_taken_back
from .promises import STALE as SOUGHT_TURNS
from .promises import ended_by_name, is_told_done, texts_ended
from .reported_items import asks_about, asks_same, close_request, is_reported
from .settled_items import takes_up
from .standings import PUT_OFF, WAITS, digest_point, is_ruled, is_sought, left_turns, next_state
from .thanked_work import is_glad_of
from .told_back import told_back
from .turn_counts import count_messages

STALE = 4
"""After so many further messages of the person, she has moved on from a request."""

DEFERRED, ASKED = 400, 2
"""So many, where it was put off, or asked back about; where a question was, and she talks of other things."""

ADVISED = 0.6
"""What weighs what the agent advised, and she put off."""

SOON, LISTED = 2, 2
"""Within so many messages `done` tells of what was put off last; commas of what tells several things."""


class Requests:
    """The open ones among the points, and how it stands with each."""

    def __init__(self, points: Points, before: Digest) -> None:
        self._points = points
        self._later: list[Entry] = []
        """What the person puts off in the message that is read."""
        self._again: list[Entry] = []
        """What she complains of in it: that tells what she means."""
        self._after: list[str] = []
        """What she asks after in it."""
        self._worked = -1  # the turn in which the agent was last seen to work
        self._told = self._soon = False
        """Did the agent's last words answer a question; promise what was asked for, without a day?"""
        self._before = 0
        """The first message of the person in the turn before the present one."""
        if before.talk is None:
            self.turn, self._first, self._ref, self._ahead = Talk(count_messages(points, before))
            return
        self.turn, self._first, self._ref, self._ahead = before.talk
        for point in before.points:
            if point.stands is not None:
                self._revive(point, point.stands)

    def _revive(self, point: Point, stands: RequestStanding) -> None:
        """How it stood at the end of the range before; what was answered may still be complained of."""
        entry = next(e for e in self._points.of(point.kind) if e.point is point)
        if point.kind == "request" and stands.turn >= self._first:
            entry = self._points.move(entry, point._replace(kind="open_item", pinned=True))
        entry.turn, entry.state = stands

    def talk(self) -> Talk:
        """Where the talk is now."""
        return Talk(self.turn, self._first, self._ref, self._ahead)

    def digest_point(self, point: Point) -> Point:
        """A point as the digest tells it."""
        return digest_point(point, self._points)

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
        self._ref, self._later, self._again = ref, [], []

    def question(self) -> Entry | None:
        """What the agent asked last, before the person spoke."""
        asked = [e for e in self._agent_items() if e.state == "asked" and e.turn < self.turn]
        return max(asked, key=lambda e: e.turn, default=None)

    def choice(self) -> Entry | None:
        """The person's own question what to choose, if it is what she said before."""
        lately = [e for e in self._pinned() if self._before <= e.turn < self.turn]
        offered = [e for e in lately if e.point.text.endswith("?")]
        return next((e for e in reversed(offered) if asks_to_choose(e.point.text)), None)

    def put_off(
        self, said: Utterance, place: int | None, heard: tuple[Utterance, Message] | None
    ) -> int | None:
        """By this sentence she leaves for later what it answers: a question or advice; None if there is none.

        `heard`: what the agent had said to her.
        """
        if heard is None or place is None:
            return None
        before, source = heard
        text = question_put_off(said, place, before) or advice_taken(said.sentences[place], before)
        asked = None if text else self._answered_question()
        if asked is not None:
            named = own_words(said.sentences[place].text)
            told = asked.point.pinned or named <= roots(asked.point.text)
            if not named or not told:  # else her own words tell it
                self._later.append(asked)
                self._lay_by(asked)
            return place
        if text := text or advice_of(before):
            found = Excerpt("open_item", text, ADVISED)
            self._lay_by(self._points.add(point_of(source, found, "agent")))
        return place if text else None

    def _answered_question(self) -> Entry | None:
        """What the agent asked last; or else what she asked it last, and it spoke to."""
        lately = (e for e in self._pinned() if self._before <= e.turn < self.turn)
        own = [e for e in lately if e.state == "answered" and only_asks(e.point.text)]
        return self.question() or (own[-1] if own else None)

    def _lay_by(self, entry: Entry) -> None:
        entry.turn, entry.state = entry.turn if entry.point.pinned else self.turn, "deferred"

    def settle(self, message: Message, said: Utterance, reply: Utterance | None) -> None:
        """A person goes on: what was answered is closed, unless she complains of that very thing."""
        pinned = [e for e in self._pinned() if e.turn < self.turn]
        done = [e.point.text for e in pinned if e.state == "answered"]
        back = told_back(said, reply, self._points, self.turn)
        over = texts_ended(said, self._points, taken_back=False)  # that is seen to in `cancelled`
        begun = [e.point.text for e in pinned if e.state in ("begun", "carried")]
        again = reopened_requests(said, [*done, *begun], reply, begun) - ({*over} - {*done})
        lately, left = self._before, follow_ups.left_failing(said, reply, done)
        self._after = asked_after(said, [e.point.text for e in pinned if e.state in PUT_OFF])
        over += released(said, [e.point.text for e in pinned])
        if follow_ups.takes_instead(said, reply):
            over += [e.point.text for e in pinned if e.state == "deferred" and e.turn >= lately]
        for entry in pinned:
            if entry.point.text in again:
                self._reopen(entry, message)
            elif entry.point.text in self._after:
                entry.turn, entry.state = self.turn, ""  # what is replied now answers it
            elif entry.state == "answered" and entry.point.text in left and entry.turn >= lately:
                self._lay_by(entry)
            elif entry is back or entry.point.text in over or self._moved_on(entry, said):
                self.close(entry)
        self._leftovers(said)

    def _leftovers(self, said: Utterance) -> None:
        """What the agent asks or offers is for the person to take up: she names it, or it is left for good.

        What it says is still to be done is so, whatever she speaks of, until she tells of it.
        """
        for entry in [e for e in self._agent_items() if e.turn < self.turn]:
            sought = is_sought(self._points, entry)
            most = SOUGHT_TURNS if sought else min(DEFERRED, left_turns(entry))
            if entry.state == "deferred" and self._is_told(entry, said):
                self._points.drop(entry)
            elif entry.state not in PUT_OFF and follow_ups.is_named(said, entry.point.text):
                entry.turn = self.turn
            elif entry.state not in PUT_OFF or self.turn - entry.turn > most:
                self._points.drop(entry)

    def _is_told(self, entry: Entry, said: Utterance) -> bool:
        """What was put off: does she tell of it now, or that it is done?"""
        soon = self.turn - entry.turn <= SOON and not is_sought(self._points, entry)
        told = any(takes_up(each, entry.point.text) for each in said.sentences)
        return told or (soon and reports_back(said))

    def _moved_on(self, entry: Entry, said: Utterance) -> bool:
        put_off = entry.state == "deferred" and only_asks(entry.point.text)
        own = is_for_oneself(entry.point.text) and is_told_done(said, entry)
        if own or entry.state == "answered" or (put_off and self._is_told(entry, said)):
            return True
        lately = entry.turn >= self._before
        if lately and self._goes_on(entry, said):
            return False
        thanked = said.manners and lately and entry.state in ("", "begun")
        thanked, asked = thanked or is_glad_of(said, entry.point.text), entry.state == "asked"
        waits = entry.state in PUT_OFF or (asked and ordered_verb(entry.point.text))
        most = DEFERRED if waits else ASKED if asked else STALE
        return thanked or entry.state == "carried" or self.turn - entry.turn > most

    def _goes_on(self, entry: Entry, said: Utterance) -> bool:
        quiet = entry.state in ("", "begun")
        return follow_ups.continues(said) or (quiet and follow_ups.consents(said))

    def _reopen(self, entry: Entry, message: Message) -> None:
        """It was answered, and not well: she asks for it again, and what is replied now answers it."""
        again = (*entry.point.sources, message.key)
        entry.point = entry.point._replace(sources=bounded_sources(again), at_ms=message.at_ms)
        entry.turn, entry.state = self.turn, ""
        self._again.append(entry)

    def cancelled(self, each: ParsedSentence, before: Sequence[ParsedSentence] = ()) -> bool:
        """Does it close a request, and say no more? If something is asked for `before`, it may mean that."""
        pinned = [e for e in self._pinned() if e.turn < self.turn]
        left = [e for e in self._agent_items() if e.turn <= self.turn]
        last = max((e.turn for e in pinned), default=0)
        besides = follow_ups.asks_besides(before)
        newest = last if last >= self.turn - 2 and not besides else None
        later = follow_ups.puts_off(each)
        back = not later and (withdrawals.cancels(each) or withdrawals.did_it_herself(each))
        if not later and not back and (besides or not follow_ups.lays_aside(each)):
            return False
        meant = is_taken_back if back else follow_ups.is_left
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
        return bool(gone) and withdrawals.cancels(each)

    def ask(self, point: Point, message: Message) -> None:
        """A person asks for something; what she had asked for in other words is so no longer."""
        asked = only_asks(point.text) and asked_after(take_apart(point.text), self._after)
        if asked or (self._again and names_nothing(point.text)):
            self._points.add(close_request(point))
            return
        text = point.text.casefold()
        known = (e for e in self._points.of("request") if e.point.text.casefold() == text)
        again = next(known, None)
        if again is not None:
            self._points.drop(again)
            point = point._replace(sources=(again.point.sources[0], message.key))
        asks = parse_sentence(point.text).asks
        for old in [e for e in self._pinned() if e.turn < self.turn]:
            asked = parse_sentence(old.point.text).asks and not ordered_verb(old.point.text)
            anew = follow_ups.asks_anew(point.text, old.point.text, asks=asks, asked=asked)
            if anew and old not in self._later:
                self.close(old)
        for old in [e for e in self._agent_items() if not asks and asks_same(point.text, e)]:
            self._points.drop(old)
        entry = self._points.add(point)
        entry.turn = self.turn
        ahead = self._ahead is not None and self._ahead == message.turn_ref
        entry.state = "begun" if ahead else ""
        for old in self._pinned()[:-PINNED]:
            self.close(old)

    def go_on(self, said: Utterance, *, answers: bool, asks: Sequence[Excerpt]) -> None:
        """What the agent was at goes on, and what it asked back about, where that was answered.

        What is replied now is held against it, too. `answers`: was the agent's question answered?
        `asks`: what does the person ask for of her own? Who orders something else has moved on.
        """
        other = any(not only_asks(found.text) for found in asks) and not follow_ups.adds(said)
        taken = self._soon and says_yes(said)
        for entry in accepted_promises(said, self._agent_items(), self._before):
            entry.turn = self.turn
        herself = any(follow_ups.she_acts_herself(each.text) for each in said.sentences)
        for entry in self._pinned():
            if not self._before <= entry.turn < self.turn or entry in self._later:
                continue
            on = self._goes_on(entry, said) or (taken and entry.state == "promised")
            waiting = entry.state in WAITS and not herself
            if on or (waiting and not asks) or (answers and entry.state in PUT_OFF):
                entry.turn, entry.state = self.turn, ""
            elif entry.state == "begun" and other and entry.turn < self._first:
                self.close(entry)
            elif entry.state == "begun":
                entry.turn, entry.state = self.turn, "carried"

    # What the agent says and does

    def answered(self, message: Message, said: Utterance, finds: Sequence[Excerpt]) -> None:
        """The agent speaks: to what was asked in this turn; of the rest it may report something done.

        A question that was answered stays so, whatever the agent goes on to do.
        """
        since, self._told, self._soon = self._since(message), False, False
        self._worked = age_by_work(self._points, message, since, before=self._worked, done=finds)
        over = [*ended_by_name(said, self._points), *confirmed_orders(said, self._points, since)]
        for entry in [*self._points.of("open_item")]:
            if not entry.point.pinned:
                kept = entry.turn < self.turn and is_promise_kept(entry, said)
                if entry.point.by == "agent" and (kept or is_reported(entry, finds)):
                    self._points.drop(entry)
            elif since <= entry.turn or self._taken_up(entry, said):
                shown, begun = said.shows or shows_something(said), entry.state == "begun"
                reply = reply_to(said.sentences, entry.point.text, shown=shown, begun=begun)
                if reply.promises and is_ruled(self._points, entry):
                    reply = reply._replace(answered=True)  # `Will do` is all one says to a rule
                verb, self._soon = ordered_verb(entry.point.text), self._soon or reply.soon
                self._told = self._told or (reply.answered and not verb)
                if entry.state != "answered" or reply.answered or verb:
                    entry.state = next_state(reply, entry, said, self._after)
            elif entry.point.text in over or is_reported(entry, finds) or is_told_done(said, entry):
                self.close(entry)

    def _taken_up(self, entry: Entry, said: Utterance) -> bool:
        """Does the agent come to what was asked in the turn before, and was not done: `Booked`?"""
        fits = entry.state in PUT_OFF and entry.turn >= self._before
        named = entry.state == "fallen" and follow_ups.is_named(said, entry.point.text)
        now = [e.point.text for e in self._pinned() if e.turn >= self._first]
        if fits and (named or follow_ups.comes_to(said, entry.point.text, now)):
            entry.turn = self.turn
            return True
        return False

    def acted(self, message: Message) -> None:
        """The agent uses a tool: what it only said that it would do is begun."""
        since = self._since(message)
        self._worked = age_by_work(self._points, message, since, before=self._worked)
        for entry in self._pinned():
            if entry.turn >= since and entry.state in ("", "promised"):
                entry.state = "begun"
        for entry in [e for e in self._agent_items() if e.turn >= since and e.state == "promised"]:
            self._points.drop(entry)

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
        """The agent speaks again: what it asked itself (`Why did no test notice?`) waits for nobody.

        What it said that it would do is what it does now.
        """
        for entry in [e for e in self._agent_items() if e.turn >= self.turn]:
            alone = entry.state == "asked" and asks_nobody(entry.point.text)
            if alone or entry.state == "promised":
                self._points.drop(entry)

    def leave_promise(self, message: Message, said: Utterance) -> None:
        """What the agent promised for later as it answered a question; an order waits for that itself."""
        if ends_at_work(message, said):
            self.acted(message)
            return
        dated = dated_promise(said.sentences) if self._told else ""
        text = dated or promised_work(said)
        lately = (e for e in self._pinned() if e.turn >= self._first and e.state != "answered")
        if not text or (not dated and any(asks_about(e.point.text, text) for e in lately)):
            return
        entry = self._points.add(point_of(message, Excerpt("open_item", text, ADVISED), "agent"))
        self.leave(entry, message)
        entry.state = "deferred" if dated else "promised"

    def leave(self, entry: Entry, message: Message, *, asked: bool = False) -> None:
        """Something that the agent left to be done, promised, or asks."""
        entry.turn, text = max(self._since(message), self.turn), entry.point.text
        later = tells_missing(text) or bool(dated_promise((parse_sentence(text),)))
        entry.state = "asked" if asked else "deferred" if later else ""

    def close(self, entry: Entry) -> None:
        """It is open no longer. A fault that nobody mended stands as one, and not as a request besides."""
        told = entry.point
        faults = (e.point for e in self._points.of("failure") if e.point.by == told.by)
        if any(fault.text == told.text for fault in faults):
            self._points.drop(entry)
        else:
            self._points.move(entry, close_request(told))

    def _pinned(self) -> list[Entry]:
        return [e for e in self._points.of("open_item") if e.point.pinned]

    def _agent_items(self) -> list[Entry]:
        every = self._points.of("open_item")
        return [e for e in every if e.point.by == "agent" and not e.point.pinned]
