"""Family: a memory's versions, and its twins with theirs. A statement goes under every id it was shown by.

What a distillation drew that was undone stays, superseded by the receipt. Until it is drawn again it
has no successor, so what says the same meanwhile, or did in stores from before, is a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.forgetting.restatements import Statement
from everthread.domain.memory.memories import Memory, State
from everthread.ports import Records
from everthread.services.memory.ownership import principal_of, said_by_two

ALL = 1 << 62
LIVING: tuple[State, ...] = ("kept", "superseded")


class Family(NamedTuple):
    """All that goes together, oldest first."""

    versions: Sequence[Memory]
    entry: int
    """Up to this entry of the timeline; what changed later has to be looked at again."""
    quoting: Sequence[Memory] = ()
    """Other statements that tell it too, in its very words: they go, and what else they say may be said."""

    @property
    def members(self) -> Sequence[Memory]:
        return [*self.versions, *self.quoting]


def family(records: Records, scope: Scope, memory: Memory, before: Family | None = None) -> Family:
    """Of a memory. `before`: as it was a moment ago, so that only what changed is looked at."""
    entry = records.timeline.head(scope)[0]
    others = (
        _living_memories(records, scope)
        if before is None
        else _changed_since(records, scope, before)
    )
    found = records.memories.lineage(scope, memory)
    while more := _restating(records, scope, found, others, Statement(found).said_by):
        found = records.memories.lineage(scope, *found, *more)
    # What quotes these in turn stays.
    quoting = _restating(records, scope, found, others, Statement(found).quoted_by)
    return Family(found, entry, quoting)


def _living_memories(records: Records, scope: Scope) -> list[Memory]:
    return [m for state in LIVING for m in records.memories.all(scope, state=state, limit=ALL)]


def _changed_since(records: Records, scope: Scope, before: Family) -> list[Memory]:
    there = [records.memories.get(scope, one.ref) for one in before.members]
    later = records.memories.since(scope, before.entry, ALL)
    return [one for one in {m.ref: m for m in (*there, *later)}.values() if one.state in LIVING]


def _restating(
    records: Records,
    scope: Scope,
    found: Sequence[Memory],
    others: Iterable[Memory],
    same: Callable[[Memory], Iterable[Memory]],
) -> list[Memory]:
    """Those of the others that say the `same` as some of these, of the same person."""
    known = {one.key_id for one in found}
    return [
        one
        for one in others
        if one.key_id not in known
        and any(_same_speaker(records, scope, one, each) for each in same(one))
    ]


def _same_speaker(records: Records, scope: Scope, one: Memory, other: Memory) -> bool:
    """Did one person say both? What two said, each for himself, is two statements."""
    theirs, others = (m.principal or principal_of(records, scope, m.sources) for m in (one, other))
    return theirs == others and not said_by_two(records, scope, one, other)
