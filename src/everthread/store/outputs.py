"""Output of tools: found in the messages, shrunk when space is needed, the shrinking sealed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from operator import attrgetter

from everthread.domain.agents import Scope
from everthread.domain.distilling.shrinking import Output, Savings, Shrinking, StoredContent, Use
from everthread.domain.ids import place_at
from everthread.domain.timeline import shrunk_facts
from everthread.ports import Ids

from .bodies import BodyTable
from .bodies import pack_body as stored
from .link import Link, Row
from .sql import outputs as sql
from .timeline import TimelineTable


class OutputTable:
    def __init__(self, db: Link, ids: Ids, timeline: TimelineTable) -> None:
        self._db = db
        self._ids = ids
        self._timeline = timeline

    def weighed(self, scope: Scope, thread: int) -> int:
        row = self._db.one(sql.WEIGHED, scope, thread=thread)
        return 0 if row is None else row[0]

    def written(self, scope: Scope, thread: int, first: int, last: int) -> Sequence[StoredContent]:
        found: list[StoredContent] = []
        for archived in (0, 1):
            low = place_at(thread, first, archived=archived)
            high = place_at(thread, last, archived=archived)
            found += map(StoredContent._make, self._db.all(sql.WRITTEN, scope, low=low, high=high))
        return sorted(found, key=attrgetter("seq"))

    def weigh(
        self, scope: Scope, thread: int, uses: Sequence[Use], *, after: int, until: int
    ) -> bool:
        self._db.run(sql.WEIGH_FIRST, scope, thread=thread)
        if not self._db.run(sql.WEIGH, scope, thread=thread, after=after, until=until):
            return False
        rows: list[Row] = []
        for use in uses:
            body = self._db.one(sql.BODY_REF, scope, hash=use.hash)
            if body is not None:
                rows.append((scope.agent, body[0], use.place, use.times, use.at_ms, 0))
        if rows:
            self._db.insert(sql.OUTPUT_ADD, rows)
        return True

    def oldest(
        self, *, before: int, after: tuple[int, int] = (0, 0), limit: int
    ) -> Sequence[Output]:
        at, body = after
        rows = self._db.all(sql.OLDEST, None, before=before, at=at, body=body, limit=limit)
        return [Output._make(row) for row in rows]

    def places(self, scope: Scope, output: Output) -> Sequence[int]:
        rows = self._db.all(sql.OUTPUT_PLACES, scope, body=output.body_ref)
        return [place for (place,) in rows]

    def shrink(self, scope: Scope, output: Output, kept: str, *, now: int) -> Shrinking | None:
        self._timeline.lock(scope)  # as all do who change a body
        row = self._db.one(sql.SHRUNK_OF, scope, hash=output.hash)
        known = None if row is None else Shrinking._make(row)
        if known is not None and not known.restored:
            self.spare(scope, output)  # it came shrunk, from an export
            return None
        bodies = BodyTable(self._db, self._timeline)
        whole = bodies.get(scope, [output.hash]).get(output.hash)
        now_kept = stored(kept, packs=self._db.packs)
        if whole is None or not self._db.run(
            sql.BODY_SHRINK,
            scope,
            kept=now_kept.content,
            body=output.body_ref,
            uses=output.uses,
        ):
            return None
        bodies.repack(scope, output.hash, now_kept)
        left = kept.encode()
        record = Shrinking(
            ref=0,
            key_id=self._ids.new() if known is None else known.key_id,
            hash=output.hash,
            size=len(whole.encode()),
            kept_hash=hashlib.sha256(left).digest(),
            kept_size=len(left),
            at_ms=now,
            restored=0,
            entry=0,
        )
        return self._recorded(scope, output, record)

    def _recorded(self, scope: Scope, output: Output, record: Shrinking) -> Shrinking:
        facts = shrunk_facts(record)
        n = self._timeline.seal(scope, "body.shrunk", record.key_id, facts, record.at_ms)
        row = self._db.one(
            sql.SHRUNK_ADD,
            scope,
            id=record.key_id,
            hash=record.hash,
            size=record.size,
            kept_hash=record.kept_hash,
            kept_size=record.kept_size,
            now=record.at_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        self.spare(scope, output)
        return record._replace(ref=row[0], entry=n)

    def spare(self, scope: Scope, output: Output) -> None:
        self._db.run(sql.OUTPUT_SETTLE, scope, body=output.body_ref)

    def saved(self) -> Savings:
        row = self._db.one(sql.SAVED, None)
        return Savings(0, 0) if row is None else Savings._make(row)
