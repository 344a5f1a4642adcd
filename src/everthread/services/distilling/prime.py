"""Priming: what was just learnt is part of the next turn, whatever is asked there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.memory.memories import Memory
from everthread.ports import Records

MOST: Mapping[str, int] = {"decision": 10, "open_item": 10}
MOST_OTHERS = 20
"""How many of a kind are primed at once: what is too much is not read."""


def prime(
    records: Records,
    scope: Scope,
    thread: int,
    memories: Sequence[Memory],
    *,
    now: int,
    receipt: int | None = None,
) -> Sequence[Memory]:
    """Have the next turns of the thread given these, until one has completed; those that are."""
    chosen = _capped([memory for memory in memories if memory.state == "kept"])
    records.memories.prime(scope, thread, chosen, now=now, receipt=receipt)
    return chosen


def consume(records: Records, scope: Scope, turn: TurnRow) -> int:
    """A turn completed: what it was given is primed no more. One that failed consumes nothing."""
    if turn.state != "done" or turn.block_hash is None:
        return 0
    given = {
        item.ref
        for injection in records.injections.of_turn(scope, turn)
        if injection.body_hash == turn.block_hash
        for item in records.injections.items(scope, injection.ref)
    }
    return records.memories.consume(scope, turn, given)


def _capped(memories: Sequence[Memory]) -> list[Memory]:
    """The most important of each kind, in the order given."""
    room: Counter[str] = Counter()
    chosen: set[int] = set()
    for memory in sorted(memories, key=lambda m: (-int(m.pinned), -m.importance)):
        shelf = memory.kind if memory.kind in MOST else ""
        if room[shelf] < MOST.get(shelf, MOST_OTHERS):
            room[shelf] += 1
            chosen.add(memory.ref)
    return [memory for memory in memories if memory.ref in chosen]
