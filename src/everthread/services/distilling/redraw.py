"""Redraw: what was drawn by a distillation that was undone is the same memory when it is drawn again.

Its id was shown to people; by that they look it up, and forget it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from everthread.domain.agents import Scope
from everthread.domain.memory.memories import CONFIDENCE, KINDS, Memory
from everthread.ports import Records

_ROW = ("ref", "agent_ref", "key_id", "receipt_ref", "created_ms")


class UndoneMemories:
    """What distillations drew that were undone since."""

    def __init__(self, gone: Iterable[Memory]) -> None:
        self._gone = defaultdict[object, list[Memory]](list)
        for memory in gone:
            self._gone[_identity(memory)].append(memory)

    def among(self, drawn: Memory) -> Memory | None:
        """The one of the same words out of the same message, the newest of several."""
        sources = {*drawn.sources}
        same = self._gone.get(_identity(drawn), ())
        found = (one for one in same if not sources.isdisjoint(one.sources))
        return max(found, key=lambda one: one.ref, default=None)


def _identity(memory: Memory) -> tuple[object, ...]:
    """Not by its kind: mending a summary may take a preference for a rule."""
    return memory.text, memory.reach, memory.project, memory.principal, memory.session_ref


def with_old_kind(drawn: Memory, was: Memory) -> Memory:
    """What is drawn again is what it was, whatever it would be taken for today."""
    if (drawn.kind, drawn.origin) == (was.kind, was.origin):
        return drawn
    sure, matters = CONFIDENCE[was.origin], KINDS[was.kind]
    told = drawn._replace(kind=was.kind, origin=was.origin)
    return told._replace(confidence=sure, importance=matters)


def with_old_row(records: Records, scope: Scope, drawn: Memory, ref: int) -> Memory:
    """In the row it had, unless it was forgotten or came back meanwhile; kept since it was drawn first."""
    was = records.memories.get(scope, ref)
    by = None if was.successor is None else records.memories.find(scope, was.successor)
    if was.state != "superseded" or by is not None:
        return drawn
    row = {name: getattr(was, name) for name in _ROW}
    return drawn._replace(**row, updated_ms=was.created_ms)
