"""What was chosen, and by whom: an option by its label, or what the agent proposed and a person took.

What an agent proposes is no decision before somebody consents. Until then it is told as what the agent
thinks; who chooses another way has done away with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.support.orders import orders as reads_as_order
from everthread.domain.text.fences import flat
from everthread.domain.text.speech import heard
from everthread.domain.text.speech_choices import consents, recommends
from everthread.domain.text.speech_taking import chooses_anew, takes_back

from .digest import Digest, Point
from .offered import Offers, Picked, named_in, speaks_of
from .pointed import point_of
from .points import Entry, Points, bounded_sources
from .roots import roots
from .said import Found, Said

CHOSEN = 0.8
"""What an answer weighs that decides between two ways, and the question before it."""

NAMED = 0.6
"""What an item weighs of which a person speaks by its number."""

CHOSE = " … "
"""Between what was asked, or what introduced the options, and the one that was chosen."""

REPLY = 160
"""Characters of an answer; of what is longer the sentence counts that chooses."""


class _Made(NamedTuple):
    """The last choice from a list, which the person may take back."""

    picked: Picked
    entries: tuple[Entry, ...]


class Choices:
    """What is on offer, and what becomes of it when a person speaks."""

    def __init__(self, points: Points, before: Digest) -> None:
        self._points = points
        self._offers = Offers()
        self._made: _Made | None = None
        self._just_made = False
        self._latest: tuple[Entry, ...] = ()
        spoken = max((p.at_ms for p in before.points if p.by == "user"), default=0)
        tone = max((p.at_ms for p in before.points if p.kind == "tone"), default=0)
        late = [e for e in points.of("fact") if e.point.at_ms > max(spoken, tone)]
        self._proposed = [e for e in late if _is_proposal(e)]

    def heard(self, message: Message, said: Said) -> None:
        """The agent has spoken; what was found in it is among the points."""
        self._offers.heard(said, message)
        ways = {each.text for each in said.sentences if recommends(each)}
        if ways:
            facts = self._points.of("fact")
            self._proposed.extend(
                e for e in facts if e.point.text in ways and message.key in e.point.sources
            )

    def spoken(self, message: Message, said: Said, asked: Entry | None) -> str:
        """A person speaks: what she chose, if she did; empty where she says something else as well."""
        picked = self._offers.picked(said)
        just_made, self._just_made = self._just_made, False
        if self._made is not None and (picked is None or not picked.chooses):
            picked = self._offers.other(said, self._made.picked) or picked
        proposed, self._proposed = self._proposed, []
        if picked is not None and picked.chooses:
            self._overrule(picked)
            told = point_of(picked.source, Found("decision", picked.item, CHOSEN), "agent")
            self._settle(proposed, picked.labels, picked.item)
            answer = self._pick(message, said, picked.words, _after(asked, told))
            self._made = _Made(picked, self._latest)
            self._just_made = True
            return answer
        if just_made:
            self._chose_anew(message, said)
        if asked is not None and (words := named_in(said, asked.point.text)):
            self._settle(proposed, (*speaks_of(words),), words)
            told = asked.point._replace(kind="decision", weight=CHOSEN)
            return self._pick(message, said, words, told)
        if picked is not None and not reads_as_order(picked.item):
            found = Found("fact", picked.item, NAMED)
            self._points.add(point_of(picked.source, found, "agent"))
        if said.sentences and consents(said.sentences[0]):
            self._settle(proposed)
        return ""

    def _pick(self, message: Message, said: Said, words: str, told: Point) -> str:
        """What was chosen among is carried with the choice, so that the label means something."""
        asked = [e for e in self._points.of("open_item") if e.point.by == "agent"]
        for entry in [e for e in asked if e.point.text in told.text]:
            self._points.drop(entry)
        item = self._points.add(told._replace(stands=None))
        whole = flat(said.text)
        answer = whole if len(whole) <= REPLY else words
        own = self._points.add(point_of(message, Found("decision", answer, CHOSEN), "user"))
        self._latest = item, own
        more = (s for s in said.sentences if s.text != words)
        return "" if any(s.asks or s.orders for s in more) else answer

    def _overrule(self, picked: Picked) -> None:
        """Who takes another item of the same list instead has not chosen the one before."""
        made = self._made
        if made is None or made.picked.source.key != picked.source.key:
            return
        if takes_back(picked.words.lower().replace("’", "'")):
            for entry in made.entries:
                self._points.drop(entry)

    def _chose_anew(self, message: Message, said: Said) -> None:
        """What overrules the choice just made, by a name that was not offered: it stands beside it."""
        for each in said.sentences:
            if not each.asks and chooses_anew(each.lower):
                self._points.add(point_of(message, Found("decision", each.text, CHOSEN), "user"))

    def _settle(self, proposed: list[Entry], labels: Sequence[str] = (), item: str = "") -> None:
        """What was proposed is decided now, or gone where another way was chosen."""
        for entry in [e for e in self._points.of("fact") if any(e is p for p in proposed)]:
            if not item or _same_way(entry.point.text, labels, item):
                weight = max(entry.point.weight, CHOSEN - 0.1)
                self._points.move(entry, entry.point._replace(kind="decision", weight=weight))
            else:
                self._points.drop(entry)


def _after(asked: Entry | None, told: Point) -> Point:
    """The item after the question that it answers."""
    if asked is None:
        return told
    sources = bounded_sources((*told.sources, *asked.point.sources))
    return told._replace(text=f"{asked.point.text}{CHOSE}{told.text}", sources=sources)


def _is_proposal(entry: Entry) -> bool:
    return entry.point.by == "agent" and recommends(heard(entry.point.text))


def _same_way(proposal: str, labels: Sequence[str], item: str) -> bool:
    """Does the proposal speak of what was chosen: by its label, or in most of its words?"""
    if named := speaks_of(proposal):
        return not named.isdisjoint(labels)
    about = roots(item)
    return bool(about) and 2 * len(about & roots(proposal)) >= len(about)
