"""Purges: messages that were distilled and outlived their age, and what is kept of that."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import hashes_in
from everthread.domain.conversation.threads import ThreadKind
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.purging import Purge, sealed_hash
from everthread.domain.ids import place_at
from everthread.domain.timeline import purge_facts

from .bodies import BodyTable
from .link import Link
from .sql import outputs
from .sql import purges as sql
from .sql import statements as said
from .timeline import TimelineTable


class PurgeTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def due(
        self, kind: ThreadKind, *, before: int, limit: int
    ) -> Sequence[tuple[Scope, Mark, int]]:
        rows = self._db.all(sql.PURGES_DUE, None, kind=kind, before=before, limit=limit)
        return [(Scope(agent), Mark._make(mark), first) for agent, first, *mark in rows]

    def take(self, scope: Scope, purge: Purge) -> Purge:
        low, high = (
            place_at(purge.thread_ref, purge.from_seq),
            place_at(purge.thread_ref, purge.to_seq),
        )
        self._timeline.lock(scope)
        seals = self._db.all(sql.PURGED_SEALS, scope, low=low, high=high)
        purge = purge._replace(
            messages=len(seals),
            tokens=sum(tokens for _, _, tokens in seals),
            hash=sealed_hash(digest for digest, _, _ in seals),
        )
        held = self._db.all(said.MESSAGES_WITH_BODIES, scope, low=low, high=high)
        purge = self._add_row(scope, purge)
        self._db.run(said.ERASE_MESSAGES, scope, low=low, high=high)
        BodyTable(self._db, self._timeline).release(
            scope, [h for form, content in held for h in hashes_in(form, content)]
        )
        self._timeline.unsalt(scope, [n for _, n, _ in seals])
        return purge

    def _add_row(self, scope: Scope, purge: Purge) -> Purge:
        n = self._timeline.seal(scope, "purge", purge.key_id, purge_facts(purge), purge.at_ms)
        row = self._db.one(
            sql.PURGE_ADD,
            scope,
            id=purge.key_id,
            thread=purge.thread_ref,
            receipt=purge.receipt_ref,
            from_seq=purge.from_seq,
            to_seq=purge.to_seq,
            messages=purge.messages,
            tokens=purge.tokens,
            hash=purge.hash,
            now=purge.at_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return purge._replace(ref=row[0], entry=n)

    def of_thread(self, scope: Scope, thread: int) -> Sequence[Purge]:
        rows = self._db.all(sql.PURGES_OF_THREAD, scope, thread=thread)
        return [Purge._make(row) for row in rows]

    def of_receipt(self, scope: Scope, receipt: int) -> Sequence[Purge]:
        rows = self._db.all(sql.PURGES_OF_RECEIPT, scope, receipt=receipt)
        return [Purge._make(row) for row in rows]

    def all(self, scope: Scope) -> Sequence[tuple[bytes, Purge]]:
        rows = self._db.all(sql.PURGES_ALL, scope)
        return [(thread, Purge._make(row)) for thread, *row in rows]

    def uncertain(self, scope: Scope, thread: int, first: int, last: int) -> frozenset[int]:
        low, high = place_at(thread, first), place_at(thread, last)
        held = self._db.all(sql.PURGED_CONTENTS, scope, low=low, high=high)
        if not held:
            return frozenset()
        shrunk = {name for name, _ in self._db.all(outputs.SHRUNK_HASHES, scope)}
        return frozenset(
            seq for seq, form, content in held if shrunk.intersection(hashes_in(form, content))
        )
