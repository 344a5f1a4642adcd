"""What people settle among themselves: one puts something to the others, and another agrees.

In a channel of several people most is not said to the agent. What one of them proposed is decided when
another takes it up, and what one asked is answered when another speaks to it. What each of the last few
said is carried from range to range, so it does not matter where one ended. What was decided is dropped
as lightly as it was agreed on, by people alone with an agent, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import WORDS, Point
from everthread.domain.gleaning.offers import PeerStatement
from everthread.domain.gleaning.point_factory import point_of, speaker
from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import WINDOW, Excerpt, Utterance, cut_text
from everthread.domain.text.acts.peer_talk import (
    accepts,
    agrees,
    asks_consent,
    asks_objections,
    dropped_plan,
    only_asks_consent,
    puts,
    settles_it,
)
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.fences import flatten, neutralize
from everthread.domain.text.patterns import lazy_pattern

from .answer_pairs import answer_pairs

AGREED = 0.8
"""What weighs what people agreed on."""

LAST = 4
"""So many messages of people are looked back at: who agrees later says to what."""

REPLY = 200
"""Characters of an answer that is carried whole."""

SHORT = 4
"""Words of an order that is part of an answer: `Yes. Give him mine.`"""

_TOLD = lazy_pattern(
    r"^\W*(?P<first>[A-Z][\w'-]+),?\s+(?:can|could|will|would|please|what|when|where|who|how|do|did|is|are|any)\b"
    r"|,\s*(?P<last>[A-Z][\w'-]+)\s*\?\s*$"
)
_WANTS = lazy_pattern(
    r"\b(?:please|(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody))\b"
)
"""So one asks for a deed: it waits for whoever takes it on, whatever the others talk of meanwhile."""
_NAYS = (("no",), ("nope",), ("sorry",), ("nein",), ("non",))
_SAYS = roots(
    "yes yep yeah okay sure agree agreed deal done fine perfect great lovely works same sold sounds good "
    "idea plan call objections suits happy love like defend live einverstanden passt gerne accord vale"
)
"""Words by which somebody agrees, and not to what."""

_DROPPING = roots(
    "scrap ditch bin shelve abandon call off forget scratch axe drop cancel kill park leave skip idea plan "
    "thought thing business officially cancelled dropped shelved happening history point worth mind changed "
    "withdraw fällt fallen lassen streichen vergessen abgesagt gestrichen"
)
"""Words by which something is dropped, and not what."""
FEW = 2
"""All of so few words must be in what is dropped; of more, most."""


class PeerTalk:
    """The last words of people who speak to one another."""

    def __init__(self, points: Points, before: Sequence[PeerStatement] = ()) -> None:
        self._points = points
        self._lately = [*before]
        self._answered: list[Entry] = []
        self.nods = False
        """Does whoever spoke last ask for nothing, but agree with the one before?"""

    def carried(self) -> tuple[PeerStatement, ...]:
        return tuple(self._lately)

    def before(self, message: Message) -> str:
        """What another person said just before."""
        return next((put.text for put in self._others(speaker(message)) if put.fresh), "")

    def heard(self) -> None:
        """The agent speaks: a bare `yes` is for the agent now."""
        self._lately = [put._replace(fresh=False) for put in self._lately]

    def spoken(self, message: Message, said: Utterance, *, answers: bool) -> str:
        """A person speaks: what she agreed to another with, if she did; empty where she asks for more.

        `answers`: were her words taken for an answer to the agent already?
        """
        name = speaker(message)
        others = self._others(name)
        self.nods, reply = False, ""
        if others and not answers:
            reply = self._agreed(message, said, others)
            self.nods = others[0].fresh and _only_agrees(said)
        if name:
            self._answered = [*self._closed(said, others, name)]
            self.heard()
            self._lately = [_peer_statement(message, said, name), *self._lately][:LAST]
            self._settled(message, said)
        return reply

    def answered(self) -> Sequence[Entry]:
        """The open questions of another person to which she spoke just now."""
        return self._answered

    def _closed(
        self, said: Utterance, others: Sequence[PeerStatement], name: str
    ) -> Iterator[Entry]:
        if not others or not others[0].fresh or (said.sentences and said.sentences[0].asks):
            return
        for entry in self._points.of("open_item"):
            point = entry.point
            theirs = point.by == "user" and point.pinned and point.sources[-1] == others[0].source
            asks = theirs and point.text.rstrip().endswith("?") and _is_addressed(point.text, name)
            if asks and (_WANTS.search(point.text.lower()) is None or _takes_up(said, point.text)):
                yield entry

    def _others(self, name: str) -> list[PeerStatement]:
        own = name.casefold()
        return [put for put in self._lately if put.name.casefold() != own] if name else []

    def _agreed(self, message: Message, said: Utterance, others: Sequence[PeerStatement]) -> str:
        taken = [each for each in said.sentences if agrees(each) or accepts(each)]
        put = _agreed_statement(taken, others) if taken else None
        if put is None:
            return ""
        self._decide(put)
        whole = flatten(said.text)
        answer = whole if len(whole) <= REPLY else taken[0].text
        self._points.add(point_of(message, Excerpt("decision", cut_text(answer), AGREED), "user"))
        more = [each for each in said.sentences if each not in taken]
        asks = any(each.asks or (each.orders and len(each.words) > SHORT) for each in more)
        return "" if asks else answer

    def _decide(self, put: PeerStatement) -> None:
        """What was put to the others is decided: it is neither asked any more nor merely told."""
        for kind in ("open_item", "request", WORDS, "fact"):
            for entry in [*self._points.of(kind)]:
                point = entry.point
                mine = point.by == "user" and point.sources == (put.source,)
                if mine and point.text in put.text:
                    self._points.drop(entry)
                elif mine and kind != WORDS and put.text in point.text:
                    told = point._replace(kind=WORDS, pinned=False, stands=None)
                    self._points.move(entry, told)
        known = (e.point for e in self._points.of("decision"))
        mine = [p.text for p in known if put.source in p.sources and p.by == "user"]
        if not any(text in put.text or put.text in text for text in mine):
            self._points.add(
                Point(
                    "decision",
                    neutralize(put.text),
                    (put.source,),
                    "user",
                    put.at_ms,
                    AGREED,
                    verbatim=True,
                    name=put.name,
                )
            )

    def _settled(self, message: Message, said: Utterance) -> None:
        """Who asks whether anybody is against it has settled it."""
        put = self._lately[0]
        called = next((n for n, each in enumerate(said.sentences) if asks_objections(each)), None)
        if called is None or put.source != message.key or not put.proposes:
            return
        before = said.span(0, called - 1) if called else ""
        self._decide(put._replace(text=cut_text(before)) if before else put)


def dropped_decisions(said: ParsedSentence, decisions: Sequence[Entry]) -> list[Entry]:
    """Which of the decisions the sentence does away with: those that it names, and what led to them."""
    what = dropped_plan(said)
    named = roots(what) - _DROPPING if what else frozenset[str]()
    if not named:
        return []
    least = len(named) if len(named) <= FEW else len(named) // 2 + 1
    gone = [e for e in decisions if len(named & roots(e.point.text)) >= least]
    if not gone:
        return []
    pairs = answer_pairs(e.point for e in decisions)
    met = {e.point for e in gone}
    met |= {
        part for answer, asked in pairs.items() if {answer, asked} & met for part in (answer, asked)
    }
    return [e for e in decisions if e.point in met]


def _peer_statement(message: Message, said: Utterance, name: str) -> PeerStatement:
    """What of a message another may take up: the sentence that proposes, with those that it leans on."""
    first = next((n for n, each in enumerate(said.sentences) if puts(each)), None)
    if first is None or (not first and only_asks_consent(said.sentences[0])):
        return PeerStatement(
            message.key, message.at_ms, name, cut_text(flatten(said.own)), proposes=False
        )
    if asks_consent(said.sentences[first]):
        first = 0
    last = len(said.places) - 1
    while last > first and len(said.span(first, last)) > WINDOW:
        last -= 1
    return PeerStatement(
        message.key, message.at_ms, name, cut_text(said.span(first, last)), proposes=True
    )


def _agreed_statement(
    taken: Sequence[ParsedSentence], others: Sequence[PeerStatement]
) -> PeerStatement | None:
    """To what she agrees: what she names, or else what was just proposed."""
    for put in others:
        about = roots(put.text)
        for each in taken:
            named = roots(each.text) - _SAYS
            weak = put.fresh and settles_it(each)
            if named & about and (put.proposes or weak):
                return put
    last = others[0]
    return last if last.fresh and last.proposes and any(map(agrees, taken)) else None


def _takes_up(said: Utterance, wish: str) -> bool:
    """Does she speak to what another wants done: yes, no, or of the thing itself?"""
    first = said.sentences[0] if said.sentences else None
    if first is None:
        return False
    plain = agrees(first) or first.words[:1] in _NAYS
    return plain or not roots(said.own).isdisjoint(roots(wish))


def _only_agrees(said: Utterance) -> bool:
    """Is all that she asks or orders a way to agree?"""
    asking = [each for each in said.sentences if each.asks or each.orders]
    return bool(asking) and all(agrees(each) for each in asking)


def _is_addressed(question: str, name: str) -> bool:
    """Was the question put to all, or to her by name?"""
    found = _TOLD.search(question)
    told = (found["first"] or found["last"]) if found else ""
    return not told or re.match(re.escape(told), name, re.IGNORECASE) is not None
