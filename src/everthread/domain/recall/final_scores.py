"""What recall adds to relevance: what was just learnt, what matters, what was said twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from everthread.domain.conversation.messages import Form, Message
from everthread.domain.memory.memories import Memory, weight
from everthread.domain.memory.merging import said_ms
from everthread.domain.memory.notes import Note
from everthread.domain.pauses import step_aside
from everthread.domain.scorer.scorer import LearnedScore
from everthread.domain.text.telling_rows import TellingRow, rows_agree, whole_row
from everthread.domain.times import HOUR

from .questions import Question
from .search_text import search_text
from .small_talk import asks_for_plans, has_figure, tells_nothing

RECENT_HOURS = 24
RECENT = 0.15
"""What was learnt this very hour gains so much; a day later nothing."""

MATTERS = 0.10
"""Between a memory that matters most and one that has faded to nothing."""

SUPERSEDED = 0.5
"""What a message is worth that says what was later taken back: below what took its place."""

CALL = 0.6
"""What a message is worth that only calls a tool, where it is asked how something is: it tells what was
tried, and what came of it stands below."""

PASSING = 0.6
"""What a text is worth that tells nothing of how things are, where that is asked: a greeting, what is about
to be done, a list of topics."""

NO_FIGURE = 0.8
"""What a text is worth that has none, where it is asked how many, how often, how big."""

ALIKE = 0.97
"""Two texts that share so much of all their words say nearly the same: versions of a file, reports."""

MANY_WORDS = 33
"""Of two with so many words that are alike one gives way to what else is found; shorter ones stand."""

COMPARED = 8_000
"""Characters that are compared sign by sign; what follows, in a long printout, is the same or is not."""

EQUAL = 3
"""Digits by which scores are compared; a smaller difference says nothing."""

LEAST = 0.005
"""A smaller part of a score is not worth telling."""

BOUNDS = "bounds"
"""The part that keeps a score between 0 and 1: without it the parts would not add up to the score."""

_WORD = re.compile(r"\w+")


class RankedCard(NamedTuple):
    """A card whose text was looked up, with what it scores in the end."""

    score: float
    parts: dict[str, float]
    message: Message | None = None
    memory: Memory | None = None
    note: Note | None = None
    superseded: bool = False
    alike: float | None = None
    learned: LearnedScore | None = None
    """What the scorer makes of it, where one has learnt anything."""
    row: int | None = None
    """Its row in what was gathered."""
    later: RankedCard | None = None
    """What seems to tell it anew, where it is asked how things are."""

    @property
    def at_ms(self) -> int:
        if self.message is not None:
            return self.message.at_ms
        if self.memory is not None:  # it is as old as what it was drawn from
            return said_ms(self.memory)
        assert self.note is not None, "a find is one of the three"
        return self.note.created_ms

    @property
    def text(self) -> str:
        if self.message is not None:
            return search_text(self.message)
        learnt = self.memory or self.note
        assert learnt is not None, "a find is one of the three"
        return learnt.text


def recency(at: int, now: int) -> float:
    """The boost of a memory by its age; a clock that was set back gives no more than the whole."""
    hours = max(now - at, 0) / HOUR
    return RECENT * max(0.0, 1 - hours / RECENT_HOURS)


def ranked_memory(memory: Memory, score: float, parts: dict[str, float], *, now: int) -> RankedCard:
    """A memory: what it scored from 0 to 1, and what it gains by being new and by mattering."""
    boost = recency(memory.updated_ms, now)
    matters = MATTERS * weight(memory, now=now)
    total = score + boost + matters
    return RankedCard(total, {**parts, "recency": boost, "importance": matters}, memory=memory)


def ranked_note(note: Note, score: float, parts: dict[str, float], *, now: int) -> RankedCard:
    """A note gains by being new, as a memory does."""
    boost = recency(note.created_ms, now)
    return RankedCard(score + boost, {**parts, "recency": boost}, note=note)


def ranked_message(
    message: Message,
    score: float,
    parts: dict[str, float],
    *,
    superseded: bool,
    heard: bool = False,
) -> RankedCard:
    """A message, for less where it was taken back later, or where only what is told (`heard`) answers."""
    found = RankedCard(score, parts, message, superseded=superseded)
    if heard and only_calls(message):
        found = _lower(found, "call", CALL)
    return _lower(found, "superseded", SUPERSEDED) if superseded else found


def only_calls(message: Message) -> bool:
    """Does it call a tool and say nothing?"""
    return message.origin == "agent" and message.form != Form.TEXT and not message.text.strip()


def lower_unfit(question: Question, found: Iterable[RankedCard]) -> list[RankedCard]:
    """The same; what cannot be the answer is worth less.

    That is what is said only in passing, unless it is asked what is planned, and what has no figure where
    one is asked for.
    """
    planned = asks_for_plans(question.text)
    lowered: list[RankedCard] = []
    for each in found:
        step_aside()
        one = each
        if not planned and tells_nothing(each.text):
            one = _lower(one, "in passing", PASSING)
        if question.counted and not has_figure(each.text):
            one = _lower(one, "no figure", NO_FIGURE)
        lowered.append(one)
    return lowered


def _lower(found: RankedCard, why: str, share: float) -> RankedCard:
    parts = {**found.parts, why: found.score * (share - 1)}
    return found._replace(score=found.score * share, parts=parts)


class OneOfEach(NamedTuple):
    """What was found, each thing once; `versions` differ from one of these in little of a long text."""

    kept: list[RankedCard]
    versions: list[RankedCard]

    def filled(self, limit: int) -> list[RankedCard]:
        """So many of them, best first. Where there is no room for all, versions give way."""
        return sorted([*self.kept, *self.versions][:limit], key=_worth, reverse=True)


def one_of_each(found: Iterable[RankedCard], limit: int) -> OneOfEach:
    """The best, so many, without those that say what a better one says already."""
    picked, seen = OneOfEach([], []), list[_Gist]()
    for each in sorted(found, key=_worth, reverse=True):
        step_aside()
        gist = _gist(each.text)
        alike = [other for other in seen if _is_alike(gist, other)]
        if any(gist.tells_same(other) for other in alike):
            continue
        seen.append(gist)
        if alike and len(gist.words) >= MANY_WORDS:
            picked.versions.append(each)
            continue
        picked.kept.append(each)
        if len(picked.kept) == limit:
            break
    return picked


def _worth(found: RankedCard) -> tuple[float, int]:
    """By its score, and of equals the newest."""
    return round(found.score, EQUAL), found.at_ms


def scale_score(found: RankedCard, share: float) -> RankedCard:
    """The same, told by another measure: all of them are worth so much of it."""
    if share == 1:
        return found
    parts = {name: value * share for name, value in found.parts.items()}
    return found._replace(score=found.score * share, parts=parts)


def shown_score(found: RankedCard, sure: float) -> RankedCard:
    """The same with the score that is told: 1 at most, and less where even the best may be no answer."""
    over = max(found.score - 1.0, 0.0)
    if over:
        bounds = found.parts.get(BOUNDS, 0.0) - over
        found = found._replace(score=1.0, parts={**found.parts, BOUNDS: bounds})
    return found if sure == 1 else _lower(found, "faint", sure)


def reason_text(parts: Mapping[str, float]) -> str:
    """Why it was found, for people: what counted for it and against it, most first."""
    counted = [(n, value) for n, value in parts.items() if abs(value) >= LEAST and n != BOUNDS]
    ordered = sorted(counted, key=lambda part: -abs(part[1]))
    return ", ".join(f"{name} {value:+.2f}" for name, value in ordered)


@dataclass(frozen=True)
class _Gist:
    """By what two texts are compared."""

    words: frozenset[str]
    head: str
    rest: str

    def tells_same(self, other: _Gist) -> bool:
        """Do both tell the same, in the same order? A minus more or a turned order is another thing."""
        if self.rest != other.rest:
            return False
        return self.head == other.head or rows_agree(self._row, other._row)

    @cached_property
    def _row(self) -> TellingRow:
        """Worked out once: one text may be like many."""
        return whole_row(self.head)


def _gist(text: str) -> _Gist:
    head = text[:COMPARED]
    return _Gist(frozenset(_WORD.findall(head.lower())), head, text[COMPARED:])


def _is_alike(one: _Gist, other: _Gist) -> bool:
    both = len(one.words & other.words)
    return both >= ALIKE * max(len(one.words | other.words), 1)
