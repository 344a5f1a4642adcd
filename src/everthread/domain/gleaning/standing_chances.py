"""What a person says that holds from now on, by how she says it and by what the agent replies.

`No prose in wiki pages`, `one museum per day`: people lay down rules in words of their own. But an agent
that hears one does no work on it. It says that it will keep to it, in the words of the rule. That is weighed
together with what `acts.classifier` makes of the words. The weights were fitted on marked talks
(`bench/acts/fit_standing.py`), and rounded. It knows English only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import exp, log

from everthread.domain.conversation.messages import Message
from everthread.domain.text.acts.classifier import WINDY, can_read, may_state, word_sums
from everthread.domain.text.acts.passing_remarks import EXAGGERATES
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.others_ways import tells_anothers_way
from everthread.domain.text.patterns import lazy_pattern

from .accepted_manners import is_accepted_manner
from .digest import are_two_people
from .message_text import density
from .point_factory import point_of, speaker
from .points import Entry, Points
from .roots import roots
from .utterances import Excerpt, Utterance, cut_text

WEIGHTS: Mapping[str, float] = {
    "words": 1.15,
    "of all": 0.8,
    "orders": 0.75,
    "names": -0.8,
    "length": 0.85,
    "answers": 0.5,
    "answers at once": -0.7,
    "noted": 0.95,
    "echoed": 1.4,
    "of all in reply": 0.85,
}
BIAS = -3.55

LIKELY = 0.5
"""From which chance on it counts: of ten that are told so, eight are right in talks of other writers, and
three of five are found."""

UNLIKELY = 0.1
"""Below it, what has the form of a wish (`I'd rather die beautiful`) is none that holds."""

FEWEST, MANY = 3, 2
"""Words of a wish; and words for all and none, of which more make no difference."""

SAME = 2
"""Telling words by which two speak of the same."""

AT_FIRST = 2
"""Sentences of the reply that speak to it; and words by which they take note."""

ENDS = 40
"""Characters at the end of a message in which a bare question stands."""

_ALL_WORDS = """
    any every all each always never ever whenever only max maximum most least no nobody nothing none
    everything everyone anything anywhere everywhere must without nowhere throughout unless
"""
_ALL = frozenset(_ALL_WORDS.split())
_OF_QUESTIONS = frozenset({"any", "anything", "anywhere", "ever"})
"""These mean no rule where somebody asks: `do you see any errors?`"""
_NOTED_WORDS = """
    noted understood ok okay got will sure clear right agreed fine good deal promised course done yes
"""
_NOTED = frozenset(_NOTED_WORDS.split())
_ASKS_ABOUT = lazy_pattern(
    r"(?:[.!:]\s++|\n\s*+)(?:(?:why|what|how|huh|meaning|warum|wieso|qué|por ?qué|pourquoi|quoi)\s*+)?"
    r"[?\uff1f]++\s*+\Z",
    re.IGNORECASE,
)
"""A question without a word of its own: it is of what stands above it, and that is no wish of hers."""
_MEANT = lazy_pattern(
    r"prefer|\b(?:don't|do not|dont|didn't) (?:really )?like (?:the|these|those|your|any|how)\b"
)
"""Who says so of what the agent made means it."""
_STOPS = lazy_pattern(r"\b(?:stop|quit|no longer|not any ?more|skip)\b")
_NAMES = lazy_pattern(r"(?<=[^.!?] )[A-Z][a-z]+")


class StandingWishes:
    """What a person laid down in her last message, until the agent replies to it."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._last: tuple[Message, Utterance, bool] | None = None
        self._before: Utterance | None = None
        self._at_hand = self._acts = False
        """Is there work that her words may be meant for? Does the agent do something about them?"""
        self._manners: list[tuple[Entry, Sequence[Entry]]] = []
        """What holds by the agent's consent to it, and the open items in whose place it stands."""

    def spoken(
        self, message: Message, said: Utterance, heard: tuple[Utterance, Message] | None
    ) -> None:
        """A person speaks; `heard`: what the agent had said to her."""
        asked = heard is not None and any(each.asks for each in heard[0].sentences)
        before = () if self._before is None else self._before.sentences
        self._at_hand = asked or any(each.asks or each.orders for each in before)
        self._last, self._before = (message, said, asked), said
        self._acts, self._manners = False, []
        for each in said.sentences:
            if _STOPS.search(each.lower) and not each.asks:
                self._end(message, roots(each.text))

    def _end(self, message: Message, named: frozenset[str]) -> None:
        """`Diff reports: stop leading with them`: what she had wished of the same holds no longer."""
        for entry in [*self._points.of("preference")]:
            shared = len(named & roots(entry.point.text))
            other = are_two_people(entry.point.name, speaker(message))
            if message.key in entry.point.sources or other or shared < SAME:
                continue
            if 2 * shared >= len(named):
                self._points.drop(entry)
                self._points.unsay(entry.point)

    def acted(self) -> None:
        """The agent uses a tool: it carries out what she said, and what it consented to is meant for once."""
        self._acts = True
        for manner, replaced in self._manners:
            self._points.lose(manner)
            for item in replaced:
                again = self._points.add(item.point)
                again.turn, again.state = item.turn, item.state
        self._manners = []

    def heard(self, reply: Utterance) -> None:
        """The agent replies: now it is known better what holds from then on."""
        if self._last is None:
            return
        (message, said, asked), self._last = self._last, None
        if _ASKS_ABOUT.search(said.text[-ENDS:]):
            return
        for n, each in enumerate(said.sentences):
            if not _may_hold(each):
                continue
            chance = standing_chance(said.sentences, n, reply.sentences, asked=asked)
            manner = self._is_accepted(said, n, reply)
            if chance < UNLIKELY and not manner and not _MEANT.search(each.lower):
                self._demote(message, each)
            elif (manner or chance >= LIKELY) and not _is_no_wish(each):
                self._add(message, each, manner=manner, likely=chance >= LIKELY)

    def _is_accepted(self, said: Utterance, n: int, reply: Utterance) -> bool:
        idle = not (self._acts or reply.shows)
        return idle and is_accepted_manner(
            said.sentences, n, reply.sentences, at_hand=self._at_hand
        )

    def _demote(self, message: Message, each: ParsedSentence) -> None:
        for entry in [*self._points.of("preference")]:
            if entry.point.text == cut_text(each.text) and message.key in entry.point.sources:
                self._points.move(entry, entry.point._replace(kind="fact"))

    def _add(self, message: Message, each: ParsedSentence, *, manner: bool, likely: bool) -> None:
        """It is told once: as what holds, and not as what was decided, nor a `manner` as open."""
        text = cut_text(each.text)
        ruled = (e.point.text for e in self._points.of("rule"))
        if any(rule in text or text.rstrip(".!") in rule for rule in ruled):
            return
        for entry in [*self._points.of("decision")]:
            if entry.point.text == text and message.key in entry.point.sources:
                self._points.drop(entry)
        asked = [e for e in self._points.of("open_item") if message.key in e.point.sources]
        asked = [e for e in asked if manner and e.point.text.startswith(text)]  # with its ground
        for entry in asked:
            self._points.drop(entry)
        weight = round(0.5 + 0.4 * density(text), 3)
        wish = self._points.add(point_of(message, Excerpt("preference", text, weight), "user"))
        if manner and not likely and wish.point.sources == (message.key,):  # else it held before
            self._manners.append((wish, asked))


def _may_hold(each: ParsedSentence) -> bool:
    """Can it be read as a wish? Of a whole paragraph without a stop, or in other words, nothing is known."""
    if len(each.words) < FEWEST or (each.asks and each.bag.isdisjoint(_ALL - _OF_QUESTIONS)):
        return False
    return may_state(each) or (each.orders and len(each.words) <= WINDY and can_read(each))


def _is_no_wish(each: ParsedSentence) -> bool:
    """A manner of speaking, or what another person does."""
    return EXAGGERATES.search(each.lower) is not None or tells_anothers_way(each)


def standing_chance(
    said: Sequence[ParsedSentence], n: int, reply: Sequence[ParsedSentence], *, asked: bool
) -> float:
    """How likely it is that the sentence holds from now on, between 0 and 1."""
    found = traits(said, n, reply, asked=asked)
    found["words"] = word_sums(said[n].text)["standing"]
    return 1 / (1 + exp(-BIAS - sum(WEIGHTS[name] * value for name, value in found.items())))


def traits(
    said: Sequence[ParsedSentence], n: int, reply: Sequence[ParsedSentence], *, asked: bool
) -> dict[str, float]:
    """How the sentence is put, and what is replied, by numbers; each has its weight."""
    each, first = said[n], reply[:AT_FIRST]
    echo = frozenset[str]().union(*(roots(one.text) for one in first))
    return {
        "of all": float(min(sum(word in _ALL for word in each.words), MANY)),
        "orders": float(each.orders),
        "names": float(_NAMES.search(each.text) is not None),
        "length": log(1 + len(each.words)),
        "answers": float(asked),
        "answers at once": float(asked and n == 0),
        "noted": float(any(word in _NOTED for one in first[:1] for word in one.words[:AT_FIRST])),
        "echoed": len(echo & roots(each.text)) / max(len(echo), 1),
        "of all in reply": float(any(word in _ALL for one in first for word in one.words)),
    }
