"""What stands beside a memory: others on the same matter, which it was kept without touching.

Whether one takes the place of another nobody can tell by words alone where they are put differently
("the standup is at 9:30", "we meet at a quarter past ten from Monday on"). Whoever keeps a memory can:
so they are shown what else is known, and may name it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import isnan, nan

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import EverthreadError
from everthread.domain.memory.memories import Memory, is_valid
from everthread.domain.memory.merging import same_readers
from everthread.domain.text.words import query_words
from everthread.ports import Embedder, House, Records

from .gather import LONGEST_ASKED
from .index import catch_up
from .remember import MOST_COMPARED

log = logging.getLogger("everthread")

ALIKE = 0.35
"""Cosine from which two statements may be about one thing. Of 397 pairs in which one ends the other 98 %
reach it, of pairs on different matters 1 % (`bench/acts`, `ended.jsonl` and `holds.jsonl`)."""

WORDS = 0.5
"""The same for the share of the words of the shorter one that the other has too."""

NEWEST = 24
"""Of the newest that have no vector yet so many are embedded at once: what was said a moment ago counts."""


def beside(house: House, agent: AgentRow, memory: Memory, limit: int) -> list[Memory]:
    """At most so many, the likest first. None where nothing is like it."""
    others = house.store.read(lambda r: _others(r, Scope(agent.ref), memory))
    by_meaning = _meaning(house, agent, memory, others)
    by_words = _words_shared(memory, others)
    near = [
        (alike + shared, other)
        for alike, shared, other in zip(by_meaning, by_words, others, strict=True)
        if alike >= ALIKE or shared >= WORDS
    ]
    return [other for _, other in sorted(near, key=lambda each: -each[0])[:limit]]


def _others(records: Records, scope: Scope, memory: Memory) -> list[Memory]:
    """What holds beside it for the same readers, newest first."""
    return [
        other
        for other in records.memories.all(scope, state="kept", limit=MOST_COMPARED)
        if other.key_id != memory.key_id
        and same_readers(memory, other)
        and is_valid(other, at=memory.updated_ms)
    ]


def _meaning(
    house: House, agent: AgentRow, memory: Memory, others: Sequence[Memory]
) -> Sequence[float]:
    """Cosine of it and each of them, 0 where that is not known."""
    found: Sequence[float] = ()
    if house.embedder is not None and others:
        try:
            found = _cosines(house, agent, memory, others, house.embedder.patient())
        except EverthreadError as trouble:
            log.warning("what stands beside a memory is told by its words alone: %s", trouble)
    return [0.0 if isnan(alike) else alike for alike in found] or [0.0] * len(others)


def _cosines(
    house: House, agent: AgentRow, memory: Memory, others: Sequence[Memory], embedder: Embedder
) -> Sequence[float]:
    vector = embedder.ask(memory.text[:LONGEST_ASKED])
    if vector is None:
        return ()
    catch_up(house, agent)
    catalogue = house.index.of(agent)
    found = [nan] * len(others)
    if catalogue.model() == embedder.name:
        found = catalogue.likeness([other.ref for other in others], vector).first.tolist()
    new = [n for n, alike in enumerate(found) if isnan(alike)][:NEWEST]
    if new:
        made = embedder.embed([others[n].text[:LONGEST_ASKED] for n in new])
        for n, alike in zip(new, (made @ vector).tolist(), strict=True):
            found[n] = alike
    return found


def _words_shared(memory: Memory, others: Sequence[Memory]) -> list[float]:
    own = frozenset(query_words(memory.text))
    found = (frozenset(query_words(other.text)) for other in others)
    return [len(own & words) / max(min(len(own), len(words)), 1) for words in found]
