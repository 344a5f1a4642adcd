"""Settled: what is recalled at a start, without a raw line of what was said.

A memory that was drawn from messages often is a sentence of one. Whoever goes on with a task is told it in
other words; a rule stands as it was laid down, and what somebody wrote down as a memory or a note does too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from everthread.domain.agents import Scope
from everthread.domain.memory.memories import Memory
from everthread.domain.recall.hits import Hit
from everthread.domain.recall.search_text import search_text
from everthread.ports import Records
from everthread.services.archive.sources import messages_of
from everthread.services.giving.validity import key_of, memories_of

RULE = "rule"


def without_raw_lines(records: Records, scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
    """Memories and notes alone, each in words of its own; what has none is left out."""
    found = [hit for hit in hits if hit.kind != "message"]
    known = memories_of(records, scope, found)
    return list(_reword_hits(records, scope, found, known))


def _reword_hits(
    records: Records, scope: Scope, hits: Sequence[Hit], known: dict[bytes, Memory]
) -> Iterator[Hit]:
    from everthread.domain.ending.retelling import RawLines, statement  # noqa: PLC0415 - forms of speech, seldom needed

    for hit in hits:
        memory = known.get(key_of(hit))
        if memory is None or memory.kind == RULE or not memory.sources:
            yield hit
            continue
        sources = messages_of(records, scope, memory.sources).values()
        raw = RawLines(map(search_text, sources))
        if not raw.held_in(memory.text):
            yield hit
            continue
        by = "agent" if memory.origin == "imported" else memory.origin
        if text := statement(memory.text, by, memory.kind, raw):
            yield replace(hit, text=text, messages=())
