"""What was chosen, and by whom: an option by its label, or what the agent proposed and a person took.

What an agent proposes is no decision before somebody consents. Until then it is told as what the agent
thinks; who chooses another way has done away with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import CHOSEN, Digest, Point
from everthread.domain.gleaning.offers import ChoiceState, LastChoice, Offer
from everthread.domain.gleaning.point_factory import point_from, point_of
from everthread.domain.gleaning.points import Entry, Points, bounded_sources
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Excerpt, Utterance
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts.option_sorting import LATER, OUT, TAKEN
from everthread.domain.text.acts.option_taking import NAMES, chooses_anew, takes_back
from everthread.domain.text.acts.proposals import consents, recommends
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.fences import flatten, neutralize
from everthread.domain.text.patterns import lazy_pattern

from .alternatives import BARE, is_choice, join_items, offer_text, split_label, strip_label
from .answer_pairs import CHOSE, split_choice
from .label_picks import Pick, RecentLists, SortedItem, choosing_sentence, labels_in
from .numbered_answers import asks_more, numbered_answers, numbered_questions

NAMED = 0.6
"""What an item weighs of which a person speaks by its number."""

REPLY = 160
"""Characters of an answer; of what is longer the sentence counts that chooses."""

_LABEL = lazy_pattern(rf"\W*(?:{NAMES})?\s*\#?(?:\d{{1,2}}|[a-h])\W*", re.IGNORECASE)


class _Choice(NamedTuple):
    """What a person names now, and what she chose before."""

    picked: Pick | None
    made: LastChoice | None


class Choices:
    """What is on offer, and what becomes of it when a person speaks."""

    def __init__(self, points: Points, before: Digest) -> None:
        self._points = points
        held, talk = before.choosing, before.talk
        self._offers = RecentLists(held, talk.ref if talk is not None else None)
        self._made = held.made if held is not None else None
        spoken = max((p.at_ms for p in before.points if p.by == "user"), default=0)
        tone = max((p.at_ms for p in before.points if p.kind == "tone"), default=0)
        late = [e for e in points.of("fact") if e.point.at_ms > max(spoken, tone)]
        self._proposed = [e for e in late if _is_proposal(e)]
        self._by_number: tuple[Message, dict[int, str]] | None = None
        self.refused: set[str] = set()
        """The sentences by which she turned something down just now."""

    def carried(self) -> ChoiceState | None:
        """What is on offer still, for the next range."""
        return self._offers.carried(self._made)

    def heard(self, message: Message, said: Utterance) -> None:
        """The agent has spoken; what was found in it is among the points."""
        self._by_number = message, numbered_questions(said)
        self._offers.heard(said, message)
        offer = self._offers.offer(message.key)
        if offer is not None and is_choice(offer):
            self._show(offer)
        ways = {each.text for each in said.sentences if recommends(each)}
        if ways:
            facts = self._points.of("fact")
            self._proposed.extend(
                e for e in facts if e.point.text in ways and message.key in e.point.sources
            )

    def spoken(self, message: Message, said: Utterance, asked: Entry | None, turn: int) -> str:
        """A person speaks: what she chose, if she did; empty where she says something else as well.

        `turn`: how many messages she has written.
        """
        self._offers.turned_to(message)
        self.refused.clear()
        made, self._made = self._made, self._made and self._made._replace(just=False)
        if (answer := self._answered(message, said)) is not None:
            self._proposed = []
            self._offers.turned_from(message)
            return answer
        ranked = self._offers.ranked(said)
        picked = None if ranked is None else self._sorted(message, *ranked, asked, turn)
        if picked is None and not (ranked and _only_turned_down(ranked[1])):
            picked = self._offers.picked(said)
        if made is not None and (picked is None or not picked.chooses):
            picked = self._offers.other(said, made) or picked
        if asked is None and (picked is None or not picked.chooses):
            picked = self._offers.recalled(said, made) or picked
        answer = self._chose(message, said, asked, _Choice(picked, made))
        self._offers.turned_from(message)
        return answer

    def _answered(self, message: Message, said: Utterance) -> str | None:
        """What the agent asked by number, each with what she answered by it; what she left out is open.

        None where she answers nothing by number.
        """
        (source, asked), self._by_number = self._by_number or (message, {}), None
        found = numbered_answers(asked, said)
        for question, answer, chooses in found:
            kind = "decision" if chooses else "fact"
            waits = [e for e in self._points.of("open_item") if e.point.by == "agent"]
            for entry in [e for e in waits if e.point.text.strip("* ") in question]:
                self._points.drop(entry)
            self._points.add(point_of(source, Excerpt(kind, question, CHOSEN), "agent"))
            self._points.add(point_of(message, Excerpt(kind, answer, CHOSEN), "user"))
        if not found:
            return None
        return "" if asks_more(said) else flatten(said.text)

    def _chose(
        self, message: Message, said: Utterance, asked: Entry | None, choice: _Choice
    ) -> str:
        picked, made = choice
        proposed, self._proposed = self._proposed, []
        if picked is not None and picked.chooses:
            self._overrule(picked, made)
            self._unshow(picked.offer)
            told = point_from(picked.offer, Excerpt("decision", picked.item, CHOSEN))
            self._settle(proposed, picked.labels, picked.item)
            self._made = LastChoice(picked.offer.source, picked.labels, message.key, just=True)
            told = (
                _after_question(asked, told)
                if asked
                else _after_lead(picked.offer, told, picked.labels)
            )
            return self._pick(message, said, picked.words, told)
        if made is not None and made.just:
            self._chose_anew(message, said)
        if asked is not None and (words := choosing_sentence(said, asked.point.text)):
            self._settle(proposed, (*labels_in(words),), words)
            told = asked.point._replace(kind="decision", weight=CHOSEN)
            return self._pick(message, said, words, told)
        shown = picked is not None and self._shown(picked.offer)
        if picked is not None and not shown and not reads_as_order(picked.item):
            self._points.add(point_from(picked.offer, Excerpt("fact", picked.item, NAMED)))
        if said.sentences and consents(said.sentences[0]):
            self._settle(proposed)
        return ""

    def _sorted(
        self,
        message: Message,
        offer: Offer,
        ranked: Sequence[SortedItem],
        asked: Entry | None,
        turn: int,
    ) -> Pick | None:
        """She says of several what becomes of each: what she turns down and puts off, and what she takes."""
        chosen = [one for one in ranked if one.how == TAKEN]
        for one in ranked:
            if one.how == LATER:
                self._put_off(offer, one, asked, turn)
            elif one.how == OUT:
                self._turned_down(message, offer, one, asked)
                self.refused.add(one.words)
        if not chosen:
            self._show(offer)
        if not 0 < len(chosen) < len(ranked):
            return None
        item, labels = join_items([one.item for one in chosen]), tuple(one.label for one in chosen)
        self._offers.chosen_from(offer)
        return Pick(item, offer, chosen[0].words, chooses=True, labels=labels)

    def _turned_down(
        self, message: Message, offer: Offer, one: SortedItem, asked: Entry | None
    ) -> None:
        """What was offered, and after it her words that she does not want it."""
        told = point_from(offer, Excerpt("correction", one.item, NAMED))
        told = _after_question(asked, told) if asked else _after_lead(offer, told)
        if reads_as_order(told.text):
            return
        if split_choice(told.text)[1]:  # without what leads to it, it would read as if it were so
            self._points.add(told)
        self._points.add(point_of(message, Excerpt("correction", one.words, NAMED), "user"))

    def _show(self, offer: Offer) -> None:
        """Until she chooses, all that is on offer is told."""
        if text := offer_text(offer):
            self._points.add(point_from(offer, Excerpt("fact", text, NAMED)))

    def _shown(self, offer: Offer) -> list[Entry]:
        text = neutralize(offer_text(offer))
        return [
            e for e in self._points.of("fact") if e.point.by == "agent" and e.point.text == text
        ]

    def _unshow(self, offer: Offer) -> None:
        for entry in self._shown(offer):
            self._points.drop(entry)

    def _put_off(self, offer: Offer, one: SortedItem, asked: Entry | None, turn: int) -> None:
        told = point_from(offer, Excerpt("open_item", one.item, NAMED))
        if reads_as_order(told.text) and asked is not None:
            told = _after_question(asked, told)._replace(stands=None)
        if not reads_as_order(told.text):
            entry = self._points.add(told)
            entry.turn, entry.state = turn, "deferred"

    def _pick(self, message: Message, said: Utterance, words: str, told: Point) -> str:
        """What was chosen among is carried with the choice, so that the label means something."""
        asked = [e for e in self._points.of("open_item") if e.point.by == "agent"]
        for entry in [e for e in asked if e.point.text.rstrip("?\uff1f* ") in told.text]:
            self._points.drop(entry)
        whole = flatten(said.text)
        answer = whole if len(whole) <= REPLY else words
        told = told._replace(stands=None)
        if not reads_as_order(told.text):  # nobody would be shown it, nor what `2` means
            self._points.add(told)
        if answer and not (reads_as_order(told.text) and _LABEL.fullmatch(answer)):
            self._points.add(point_of(message, Excerpt("decision", answer, CHOSEN), "user"))
        more = (s for s in said.sentences if s.text != words)
        return "" if any(s.asks or s.orders for s in more) else answer

    def _overrule(self, picked: Pick, made: LastChoice | None) -> None:
        """Who takes another item of the same list instead has not chosen the one before."""
        if made is None or made.source != picked.offer.source:
            return
        if not takes_back(picked.words.lower().replace("’", "'")):
            return
        was = {strip_label(i.text) for i in picked.offer.items if i.label in made.labels}
        for entry in [*self._points.of("decision")]:
            point = entry.point
            hers = point.by == "user" and made.said in point.sources
            its = made.source in point.sources and any(
                neutralize(text) in point.text for text in was
            )
            if hers or (point.by == "agent" and its):
                self._points.drop(entry)

    def _chose_anew(self, message: Message, said: Utterance) -> None:
        """What overrules the choice just made, by a name that was not offered: it stands beside it."""
        for each in said.sentences:
            if not each.asks and chooses_anew(each.lower):
                self._points.add(point_of(message, Excerpt("decision", each.text, CHOSEN), "user"))

    def _settle(self, proposed: list[Entry], labels: Sequence[str] = (), item: str = "") -> None:
        """What was proposed is decided now, or gone where another way was chosen."""
        for entry in [e for e in self._points.of("fact") if any(e is p for p in proposed)]:
            if not item or _same_way(entry.point.text, labels, item):
                weight = max(entry.point.weight, CHOSEN - 0.1)
                self._points.move(entry, entry.point._replace(kind="decision", weight=weight))
            else:
                self._points.drop(entry)


def _after_question(asked: Entry | None, told: Point) -> Point:
    """The item after the question that it answers."""
    if asked is None:
        return told
    sources, question = bounded_sources((*told.sources, *asked.point.sources)), asked.point.text
    # `Which?` says no more than the ways.
    bare = len(question.split()) <= BARE and CHOSE in told.text
    if bare or told.text.startswith(question.rstrip("?\uff1f* ")):
        return told._replace(sources=sources)
    return told._replace(text=join_items([told.text], question), sources=sources)


def _after_lead(offer: Offer, told: Point, labels: Sequence[str] = ()) -> Point:
    """The item after what introduces the list; after its label, if nothing does."""
    if split_choice(told.text)[1]:
        return told
    named = {bool(item.name) for item in offer.items}
    apart = len(named) > 1 and not any(i.name for i in offer.items if i.label in labels)
    if offer.lead and not apart:
        return told._replace(text=join_items([told.text], neutralize(offer.lead)))
    label, way = split_label(told.text)
    if not label or not labels or reads_as_order(way):
        return told
    return told._replace(text=f"{label}{CHOSE}{way}")


def _is_proposal(entry: Entry) -> bool:
    return entry.point.by == "agent" and recommends(parse_sentence(entry.point.text))


def _same_way(proposal: str, labels: Sequence[str], item: str) -> bool:
    """Does the proposal speak of what was chosen: by its label, or in most of its words?"""
    if named := labels_in(proposal):
        return not named.isdisjoint(labels)
    about = roots(item)
    return bool(about) and 2 * len(about & roots(proposal)) >= len(about)


def _only_turned_down(ranked: Sequence[SortedItem]) -> bool:
    """Does she say of some what becomes of them, and takes none? `Skip 3 and 4` picks neither."""
    return all(one.how != TAKEN for one in ranked)
