"""Threads: opened, held, counted; removed when ephemeral, erased when a person says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from everthread.domain.agents import Scope, Tombstone
from everthread.domain.conversation.bodies import hashes_in
from everthread.domain.conversation.threads import Thread, ThreadKind
from everthread.domain.errors import ThreadUnknown
from everthread.domain.ids import lanes_of, tag_of, tail_of
from everthread.domain.timeline import thread_facts, tombstone_facts
from everthread.ports import Ids

from .bodies import BodyTable
from .connection_cache import ConnectionCache
from .exchanges import ExchangeTable
from .injections import InjectionTable
from .link import Link
from .memories import MemoryTable
from .notes import NoteTable
from .receipts import ReceiptTable
from .sql import statements as sql
from .sql.harness import ATTENDED_BODIES, ATTENDED_ENTRIES
from .sql.purges import ERASE_PURGES, PURGE_ENTRIES
from .sql.thread_removal import THREAD_ENTRIES, TURN_BLOCKS
from .task_traces import TaskTraces
from .timeline import TimelineTable

# By place and not by `_replace`, which takes three times as long: growing is on every append's way.
LAST_SEQ, COUNT, VIEW_AT, ACTIVITY = map(
    Thread._fields.index, ("last_seq", "message_count", "view_at", "last_activity_ms")
)


class ThreadTable:
    def __init__(
        self, db: Link, ids: Ids, timeline: TimelineTable, memory: ConnectionCache
    ) -> None:
        self._db = db
        self._ids = ids
        self._timeline = timeline
        self._memories = MemoryTable(db, timeline)
        self._notes = NoteTable(db, timeline)
        self._injections = InjectionTable(db, timeline)
        self._receipts = ReceiptTable(db, timeline)
        self._exchanges = ExchangeTable(db, timeline)
        self._traces = TaskTraces(db, timeline)
        self._held = memory.threads
        self._sessions = memory.sessions

    def find(self, scope: Scope, key: str) -> Thread | None:
        row = self._db.one(sql.THREAD_KEYED, scope, key=key)
        return None if row is None else Thread._make(row)

    def get(self, scope: Scope, ref: int) -> Thread:
        row = self._db.one(sql.THREAD_GET, scope, ref=ref)
        if row is None:
            raise ThreadUnknown("the thread is gone: ephemeral threads vanish after their time")
        return Thread._make(row)

    def all(self, scope: Scope) -> Sequence[Thread]:
        return [Thread._make(row) for row in self._db.all(sql.THREADS_ALL, scope)]

    def tagged(self, scope: Scope, tags: Collection[int]) -> Sequence[Thread]:
        tails = iter({tail_of(tag) for tag in tags})
        found: list[Thread] = []
        while some := list(islice(tails, sql.AT_ONCE)):
            # Filled up with the first: one statement, whatever their number.
            some += some[:1] * (sql.AT_ONCE - len(some))
            asked = {f"t{n}": tail for n, tail in enumerate(some)}
            found += map(Thread._make, self._db.all(sql.THREADS_TAILED, scope, **asked))
        return [thread for thread in found if tag_of(thread.key_id) in tags]

    def add(
        self, scope: Scope, *, key: str, kind: ThreadKind, now: int, lineage: int = 1
    ) -> Thread:
        known = self.find(scope, key)
        if known is not None:
            return known
        # On PostgreSQL the lock makes the second look and the insert one step.
        self._timeline.lock(scope)
        known = self.find(scope, key)
        if known is not None:
            return known
        key_id = self._ids.new()
        sealed = (kind, key, lineage, now, None)
        n = self._timeline.seal(scope, "thread.opened", key_id, sealed, now)
        self._db.run(
            sql.THREAD_ADD,
            scope,
            id=key_id,
            kind=kind,
            key=key,
            lineage=lineage,
            now=now,
            entry=n,
        )
        added = self.find(scope, key)
        assert added is not None, "it has just been added"
        return added

    def hold(self, scope: Scope, ref: int) -> Thread:
        held = self._held.get(ref)
        if held is not None and held.agent_ref == scope.agent:
            return held
        row = self._db.one(sql.THREAD_HOLD, scope, ref=ref)
        if row is None:
            raise ThreadUnknown("the thread is gone: ephemeral threads vanish after their time")
        thread = Thread._make(row)
        if thread.erased_ms is not None:
            raise ThreadUnknown("the thread was erased; ask the agent for its new one")
        self._held[ref] = thread
        return thread

    def grow(self, scope: Scope, ref: int, *, count: int, view_at: int, now: int) -> int:
        """Room for so many messages more; the seq of the first."""
        old = self._held.get(ref)
        if old is None or old.agent_ref != scope.agent:
            old = self.hold(scope, ref)
        row = [*old]
        row[LAST_SEQ] = last_seq = old.last_seq + count
        row[COUNT] = messages = old.message_count + count
        row[VIEW_AT] = view_at = max(old.view_at, view_at)
        row[ACTIVITY] = activity = max(old.last_activity_ms, now)
        self._db.run(
            sql.THREAD_GROW,
            scope,
            ref=ref,
            last_seq=last_seq,
            count=messages,
            view_at=view_at,
            activity=activity,
        )
        self._held[ref] = Thread._make(row)
        return old.last_seq + 1

    def note(
        self,
        scope: Scope,
        ref: int,
        *,
        computed: int | None = None,
        reported: int | None = None,
        view_version: int | None = None,
    ) -> None:
        self._held.pop(ref, None)
        self._db.run(
            sql.THREAD_NOTE,
            scope,
            ref=ref,
            computed=computed,
            reported=reported,
            view_version=view_version,
        )

    def distilled(
        self, scope: Scope, ref: int, *, at: int | None, version: int, computed: int
    ) -> None:
        self._held.pop(ref, None)
        fixed = {"at": at, "version": version, "computed": computed}
        self._db.run(sql.THREAD_DISTILLED, scope, ref=ref, **fixed)

    def works_on(self, scope: Scope, ref: int, state: str | None) -> None:
        self._held.pop(ref, None)
        self._db.run(sql.THREAD_WORKS_ON, scope, ref=ref, state=state)

    def count_turn(self, scope: Scope, ref: int) -> int:
        self._held.pop(ref, None)
        row = self._db.one(sql.THREAD_COUNT_TURN, scope, ref=ref)
        assert row is not None, "the caller holds the thread"
        return row[0]

    def close(self, scope: Scope, thread: Thread, *, now: int) -> None:
        self._held.pop(thread.ref, None)
        n = self._timeline.seal(scope, "thread.closed", thread.key_id, thread_facts(thread), now)
        self._db.run(sql.THREAD_CLOSE, scope, ref=thread.ref, now=now, entry=n)

    def idle_ephemeral(self, *, before: int, limit: int) -> Sequence[tuple[Scope, Thread]]:
        rows = self._db.all(sql.THREADS_IDLE, None, before=before, limit=limit)
        return [(Scope(t.agent_ref), t) for t in map(Thread._make, rows)]

    def remove(self, scope: Scope, thread: Thread, *, now: int) -> int:
        count, numbers = self._leave(scope, thread)
        numbers += [entry.n for entry in self._timeline.about(scope, thread.key_id)]
        self._injections.leave(scope, thread.ref, now=now)
        self._receipts.leave(scope, thread.ref)
        self._memories.leave(scope, thread)
        self._timeline.seal(scope, "thread.removed", thread.key_id, (count,), now)
        self._db.run(sql.THREAD_REMOVE, scope, ref=thread.ref)
        self._timeline.unsalt(scope, numbers)
        return count

    def erase(self, scope: Scope, thread: Thread, *, reason: str | None, now: int) -> Tombstone:
        count, numbers = self._leave(scope, thread)
        self._injections.leave(scope, thread.ref, now=now)
        gone = thread._replace(erased_ms=now)
        # What came from it first: the entries of this transaction are written at its end.
        self._memories.erase(scope, thread, now=now)
        primary = thread.kind == "primary"
        self._exchanges.leave(scope, thread.ref, orphans=primary, now=now)
        if primary:
            # Tasks are worked at on it, and their texts quote what was said there.
            self._traces.leave(scope, now=now)
        n = self._timeline.seal(scope, "thread.erased", thread.key_id, thread_facts(gone), now)
        self._db.run(sql.THREAD_ERASED, scope, ref=thread.ref, now=now, entry=n)
        low, high = lanes_of(thread.ref)
        # Children first: nothing may point at a row that has gone.
        for statement in (
            sql.ERASE_MESSAGES,
            sql.ERASE_TURNS,
            sql.ERASE_MARKS,
            ERASE_PURGES,
            sql.ERASE_CHANNELS,
            sql.ERASE_SESSIONS,
        ):
            self._db.run(statement, scope, ref=thread.ref, low=low, high=high)
        self._notes.leave(scope, thread.ref)
        self._receipts.leave(scope, thread.ref)
        self._timeline.unsalt(scope, numbers)
        what = f"{thread.kind} thread {thread.key}"
        return self.bury(scope, Tombstone(b"", thread.key_id, what, reason, count, now, 0))

    def bury(self, scope: Scope, stone: Tombstone) -> Tombstone:
        stone = stone._replace(key_id=self._ids.new())
        facts = tombstone_facts(stone)
        n = self._timeline.seal(scope, "tombstone", stone.key_id, facts, stone.erased_ms)
        self._db.run(
            sql.TOMBSTONE_ADD,
            scope,
            id=stone.key_id,
            subject=stone.subject,
            what=stone.what,
            reason=stone.reason,
            messages=stone.messages,
            now=stone.erased_ms,
            entry=n,
        )
        return stone._replace(entry=n)

    def _leave(self, scope: Scope, thread: Thread) -> tuple[int, list[int]]:
        """Give back the thread's bodies; its message count and the entries whose salt must go."""
        self._held.pop(thread.ref, None)
        self._sessions.clear()  # those of the thread go with it
        # A session's texts are added without the thread: nobody may add one from here on.
        self._timeline.lock(scope)
        low, high = lanes_of(thread.ref)
        held = self._db.all(sql.MESSAGES_WITH_BODIES, scope, low=low, high=high)
        hashes = [h for form, content in held for h in hashes_in(form, content)]
        # Checkpoints, cursors and compactions go with their sessions, but their texts do not.
        texts = self._db.all(ATTENDED_BODIES, scope, ref=thread.ref)
        hashes += [h for pair in texts for h in pair if h is not None]
        # System prompts and tools are the agent's, not the thread's: they stay.
        hashes += [h for (h,) in self._db.all(TURN_BLOCKS, scope, ref=thread.ref)]
        BodyTable(self._db, self._timeline).release(scope, hashes)
        row = self._db.one(sql.MESSAGES_COUNT, scope, low=low, high=high)
        numbers = [
            n for (n,) in self._db.all(THREAD_ENTRIES, scope, ref=thread.ref, low=low, high=high)
        ]
        numbers += [n for (n,) in self._db.all(PURGE_ENTRIES, scope, ref=thread.ref)]
        numbers += self._notes.entries(scope, thread.ref)
        numbers += self._injections.entries(scope, thread.ref)
        numbers += self._receipts.entries(scope, thread.ref)
        numbers += [n for (n,) in self._db.all(ATTENDED_ENTRIES, scope, ref=thread.ref)]
        return (0 if row is None else row[0]), numbers
