"""What stands beside a memory: others on the same matter, which it was kept without touching.

Whether one takes the place of another nobody can tell by words alone where they are put differently
("the standup is at 9:30", "we meet at a quarter past ten from Monday on"). Whoever keeps a memory can:
so they are shown what else is known, and may name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.memory.memories import Memory, is_valid
from everthread.domain.memory.merging import same_readers
from everthread.domain.recall.questions import read_question
from everthread.domain.text.words import query_words
from everthread.ports import House, Records

from .gather import Gathered, gather, question_vector
from .index import catch_up, memory_of

ALIKE = 0.4
"""Cosine from which two statements may be about one thing. Of 397 pairs in which one ends the other 97 %
reach it, of pairs on different matters 1 % (`bench/acts`, `ended.jsonl` and `holds.jsonl`)."""

WORDS = 0.5
"""Where there is no vector: the share of the words of the shorter one that the other has, too."""


def beside(house: House, agent: AgentRow, memory: Memory, limit: int) -> list[Memory]:
    """At most so many, the likest first. None where nothing is like it."""
    catch_up(house, agent)
    question = read_question(memory.text, house.clock.now())
    vector = question_vector(house, agent, question.gist)
    gathered = gather(house, agent, question, vector)
    return house.store.read(lambda r: _alike(r, Scope(agent.ref), memory, gathered))[:limit]


def _alike(records: Records, scope: Scope, memory: Memory, gathered: Gathered) -> list[Memory]:
    found = sorted(_candidates(records, scope, memory, gathered), key=lambda each: -each[0])
    return [other for _, other in found]


def _candidates(
    records: Records, scope: Scope, memory: Memory, gathered: Gathered
) -> Iterator[tuple[float, Memory]]:
    for each in gathered.learnt():
        if each.card.kind != "memory":
            continue
        other = memory_of(records, scope, each.card.id, {})
        if other is None or other.key_id == memory.key_id or not same_readers(memory, other):
            continue
        likeness = _words_shared(memory, other) if each.alike is None else each.alike
        enough = likeness >= (WORDS if each.alike is None else ALIKE)
        if enough and other.state == "kept" and is_valid(other, at=memory.updated_ms):
            yield likeness, other


def _words_shared(one: Memory, other: Memory) -> float:
    first, second = (frozenset(query_words(each.text)) for each in (one, other))
    return len(first & second) / max(min(len(first), len(second)), 1)
