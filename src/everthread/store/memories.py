"""Memories: kept, merged, superseded, forgotten; what they withhold, and what is primed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.checks import is_storable
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.errors import MemoryUnknown
from everthread.domain.ids import is_tagged, place_of, with_ending
from everthread.domain.memory.memories import Memory, State, Why, empty_memory
from everthread.domain.timeline import memory_facts

from .injections import InjectionTable, UseTable
from .link import Link
from .sql import memories as sql
from .timeline import TimelineTable


class MemoryTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def get(self, scope: Scope, ref: int) -> Memory:
        row = self._db.one(sql.MEMORY_GET, scope, ref=ref)
        if row is None:
            raise MemoryUnknown("there is no such memory")
        return Memory._make(row)

    def find(self, scope: Scope, key_id: bytes) -> Memory | None:
        row = self._db.one(sql.MEMORY_FIND, scope, id=key_id)
        return None if row is None else Memory._make(row)

    def ending(self, scope: Scope, digits: str) -> Sequence[Memory]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.MEMORY_IDS, scope)), digits)
        return [m for m in (self.find(scope, raw) for raw in ids) if m is not None]

    def all(self, scope: Scope, *, state: State | None, limit: int) -> Sequence[Memory]:
        if state is None:
            rows = self._db.all(sql.MEMORIES_NEWEST, scope, limit=limit)
        else:
            rows = self._db.all(sql.MEMORIES_IN_STATE, scope, state=state, limit=limit)
        return [Memory._make(row) for row in rows]

    def saying(self, scope: Scope, texts: Collection[str], *, state: State) -> Sequence[Memory]:
        found: list[Memory] = []
        asked = filter(is_storable, texts)  # no memory says what could not be stored
        while some := list(islice(asked, sql.SAID_AT_ONCE)):
            some += some[:1] * (sql.SAID_AT_ONCE - len(some))
            wanted = {f"t{n}": text for n, text in enumerate(some)}
            rows = self._db.all(sql.MEMORIES_SAYING, scope, state=state, **wanted)
            found += map(Memory._make, rows)
        return found

    def since(self, scope: Scope, entry: int, limit: int) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_SINCE, scope, after=entry, limit=limit)
        return [Memory._make(row) for row in rows]

    def standing(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_STANDING, scope, at=at, limit=limit)
        return [Memory._make(row) for row in rows]

    def standing_beside(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_STANDING_BESIDE, scope, at=at, limit=limit)
        return [Memory._make(row) for row in rows]

    def drawn(
        self, scope: Scope, thread: int, *, after: int, at: int, limit: int
    ) -> Sequence[Memory]:
        asked = {"thread": thread, "after": after, "at": at, "limit": limit}
        return [Memory._make(row) for row in self._db.all(sql.MEMORIES_DRAWN, scope, **asked)]

    def drawn_beside(self, scope: Scope, *, at: int, limit: int) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_DRAWN_BESIDE, scope, at=at, limit=limit)
        return [Memory._make(row) for row in rows]

    def of_project(self, scope: Scope, project: str, *, limit: int) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_OF_PROJECT, scope, project=project, limit=limit)
        return [Memory._make(row) for row in rows]

    def user_wide(self) -> Sequence[Memory]:
        return [Memory._make(row) for row in self._db.all(sql.MEMORIES_USER_WIDE, None)]

    def predecessors(self, scope: Scope, memory: Memory) -> Sequence[Memory]:
        rows = self._db.all(sql.MEMORIES_BEFORE, scope, id=memory.key_id)
        return [Memory._make(row) for row in rows]

    def lineage(self, scope: Scope, *memories: Memory) -> Sequence[Memory]:
        seen: dict[bytes, Memory] = {}
        ahead = [*memories]
        while ahead:
            one = ahead.pop()
            if one.key_id in seen:
                continue
            seen[one.key_id] = one
            ahead += self.predecessors(scope, one)
            after = None if one.successor is None else self.find(scope, one.successor)
            ahead += [] if after is None else [after]
        return sorted(seen.values(), key=lambda one: one.ref)

    def hold(self, scope: Scope) -> None:
        self._timeline.lock(scope)

    def add(self, scope: Scope, memory: Memory) -> Memory:
        n = self._seal(scope, "memory.kept", memory, memory.created_ms)
        values = {
            **_changed_columns(memory),
            "id": memory.key_id,
            "kind": memory.kind,
            "reach": memory.reach,
            "project": memory.project,
            "principal": memory.principal,
            "origin": memory.origin,
            "receipt": memory.receipt_ref,
            "session": memory.session_ref,
            "created": memory.created_ms,
        }
        row = self._db.one(sql.MEMORY_ADD, scope, **values, entry=n)
        assert row is not None, "an insert returns its reference"
        return memory._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def merge(self, scope: Scope, memory: Memory, *, now: int | None = None) -> Memory:
        at = memory.updated_ms if now is None else now
        return self._change(scope, "memory.merged", memory, at)

    def retract(self, scope: Scope, memory: Memory, receipt: bytes, *, now: int) -> Memory:
        over = memory._replace(state="superseded", successor=receipt, updated_ms=now)
        self._db.run(sql.PRIMED_END, scope, memory=memory.ref)
        self._db.run(sql.WITHHELD_FREE, scope, memory=memory.ref)
        return self._change(scope, "memory.retracted", over, now)

    def taken_back(self, scope: Scope) -> Sequence[Memory]:
        return [Memory._make(row) for row in self._db.all(sql.MEMORIES_TAKEN_BACK, scope)]

    def unprime(self, scope: Scope, receipt: int) -> None:
        self._db.run(sql.PRIMED_UNDO, scope, receipt=receipt)

    def restore(self, scope: Scope, memory: Memory, *, now: int) -> Memory:
        self._db.run(sql.WITHHELD_FREE, scope, memory=memory.ref)
        return self._change(scope, "memory.restored", memory, now)

    def bound(self, scope: Scope, memory: Memory, *, until: int, now: int) -> Memory:
        return self._change(scope, "memory.bounded", memory._replace(valid_to_ms=until), now)

    def supersede(self, scope: Scope, memory: Memory, successor: bytes, *, now: int) -> Memory:
        over = memory._replace(state="superseded", successor=successor, updated_ms=now)
        self._db.run(sql.PRIMED_END, scope, memory=memory.ref)
        return self._change(scope, "memory.superseded", over, now)

    def forget(self, scope: Scope, memory: Memory, *, now: int) -> Memory:
        earlier = [entry.n for entry in self._timeline.about(scope, memory.key_id)]
        gone = self._change(scope, "memory.forgotten", empty_memory(memory, now=now), now)
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)
        self._db.run(sql.PRIMED_END, scope, memory=memory.ref)
        self.withhold(scope, memory, memory.sources, "forgotten")
        quoted = [memory.key_id, *memory.sources]
        InjectionTable(self._db, self._timeline).withhold(quoted, now=now)
        uses = UseTable(self._db)
        for reader in uses.asked_by() if memory.reach == "user" else [scope]:
            uses.unask(reader, memory.text)
        return gone

    def _change(self, scope: Scope, event: str, memory: Memory, at: int) -> Memory:
        n = self._seal(scope, event, memory, at)
        self._db.run(sql.MEMORY_CHANGE, scope, ref=memory.ref, **_changed_columns(memory), entry=n)
        return memory._replace(entry=n)

    def _seal(self, scope: Scope, event: str, memory: Memory, at: int) -> int:
        return self._timeline.seal(scope, event, memory.key_id, memory_facts(memory), at)

    def withhold(self, scope: Scope, memory: Memory, messages: Sequence[bytes], why: Why) -> None:
        fixed = {"agent": scope.agent, "memory": memory.ref, "why": why}
        self._db.many(sql.WITHHOLD, [{**fixed, "message": message} for message in messages])

    def withheld(self, scope: Scope) -> Mapping[bytes, Why]:
        found: dict[bytes, Why] = {}
        for message, why in self._db.all(sql.WITHHELD_ALL, scope):
            if found.get(message) != "forgotten":
                found[message] = why
        return found

    def replaced(self, scope: Scope, messages: Collection[bytes]) -> Mapping[bytes, Sequence[str]]:
        found: dict[bytes, list[str]] = {}
        keys = iter(messages)
        while some := list(islice(keys, sql.AT_ONCE)):
            some += some[:1] * (sql.AT_ONCE - len(some))
            asked = {f"m{n}": key for n, key in enumerate(some)}
            for message, text in self._db.all(sql.REPLACED, scope, **asked):
                found.setdefault(message, []).append(text)
        return found

    def prime(
        self,
        scope: Scope,
        thread: int,
        memories: Sequence[Memory],
        *,
        now: int,
        receipt: int | None = None,
    ) -> None:
        fixed = {"agent": scope.agent, "thread": thread, "receipt": receipt, "now": now}
        self._db.many(sql.PRIME, [{**fixed, "memory": memory.ref} for memory in memories])

    def primed(self, scope: Scope, thread: int) -> Sequence[Memory]:
        rows = self._db.all(sql.PRIMED_ON, scope, thread=thread)
        return [Memory._make(row) for row in rows]

    def consume(self, scope: Scope, turn: TurnRow, given: Collection[bytes]) -> int:
        waiting = self.primed(scope, turn.thread_ref) if given else ()
        fixed = {"thread": turn.thread_ref, "turn": turn.ref}
        return sum(
            self._db.run(sql.PRIMED_CONSUME, scope, memory=memory.ref, **fixed)
            for memory in waiting
            if memory.key_id in given
        )

    def leave(self, scope: Scope, thread: Thread) -> None:
        """A thread goes: what was primed on it and what was withheld of it goes too."""
        self._db.run(sql.PRIMED_LEAVE, scope, ref=thread.ref)
        gone = [m for m in self.withheld(scope) if is_tagged(thread.key_id, place_of(m)[0])]
        rows = [{"agent": scope.agent, "message": message} for message in gone]
        self._db.many(sql.WITHHELD_END, rows)

    def erase(self, scope: Scope, thread: Thread, *, now: int) -> None:
        """Forget what came from an erased thread: its words must not live on in a memory.

        Nor in another version of it: one that a person edited names no sources any more.
        """
        sourced = [Memory._make(row) for row in self._db.all(sql.MEMORIES_SOURCED, scope)]
        came = [m for m in sourced if _came_from(thread, m)]
        for memory in self.lineage(scope, *came):
            if memory.state != "forgotten":
                self.forget(scope, memory, now=now)
        self.leave(scope, thread)


def _came_from(thread: Thread, memory: Memory) -> bool:
    return any(is_tagged(thread.key_id, place_of(source)[0]) for source in memory.sources)


def _changed_columns(memory: Memory) -> dict[str, Any]:
    """The columns that a change may touch."""
    return {
        "state": memory.state,
        "text": memory.text,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "pinned": int(memory.pinned),
        "tags": memory.tags_json,
        "sources": memory.sources_json,
        "evidence": memory.evidence_json,
        "valid_from": memory.valid_from_ms,
        "valid_to": memory.valid_to_ms,
        "successor": memory.successor,
        "said": memory.said,
        "updated": memory.updated_ms,
    }
