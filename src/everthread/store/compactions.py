"""Compactions that harnesses made: opened, changed as more of them is known; gone with their thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.errors import CompactionUnknown, SessionUnknown
from everthread.domain.harness.checkpoints import Compaction
from everthread.domain.ids import with_ending
from everthread.domain.timeline import compaction_facts

from .bodies import BodyTable
from .checkpoints import GONE, put_text, storable, text_of
from .link import Link
from .sql import harness as sql
from .sql.statements import SESSION_GET
from .timeline import TimelineTable


class CompactionTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline
        self._bodies = BodyTable(db, timeline)

    def add(self, scope: Scope, compaction: Compaction) -> Compaction:
        self._timeline.lock(scope)
        if self._db.one(SESSION_GET, scope, ref=compaction.session_ref) is None:
            raise SessionUnknown(GONE)
        # Its texts are bodies, and come with `change`.
        compaction = Compaction._make(map(storable, compaction))
        opened = compaction._replace(agent_ref=scope.agent, summary_hash=None, given_hash=None)
        n = self._seal(scope, "compaction.opened", opened, opened.created_ms)
        row = self._db.one(
            sql.COMPACTION_ADD,
            scope,
            id=opened.key_id,
            session=opened.session_ref,
            created=opened.created_ms,
            **_changed_columns(opened),
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return opened._replace(ref=row[0], entry=n)

    def change(
        self,
        scope: Scope,
        compaction: Compaction,
        *,
        summary: str | None = None,
        given: str | None = None,
        now: int,
    ) -> Compaction:
        self._timeline.lock(scope)
        held = self.get(scope, compaction.ref)
        texts, left = [held.summary_hash, held.given_hash], list[bytes]()
        for place, text in enumerate((summary, given)):
            if text is not None:
                before, texts[place] = texts[place], put_text(self._bodies, scope, text)
                left += [] if before is None else [before]
        changed = Compaction._make(map(storable, compaction))._replace(
            # Which one it is and whose does not change, whatever the caller's copy says.
            agent_ref=held.agent_ref,
            key_id=held.key_id,
            session_ref=held.session_ref,
            created_ms=held.created_ms,
            summary_hash=texts[0],
            given_hash=texts[1],
        )
        stored = self._store(scope, "compaction.changed", changed, now)
        self._bodies.release(scope, left)
        return stored

    def withhold(
        self, scope: Scope, compaction: Compaction, *, score: str | None = None, now: int
    ) -> None:
        self._timeline.lock(scope)
        # What was sealed in this very transaction must be found too.
        self._timeline.flush()
        held = self.get(scope, compaction.ref)
        earlier = [entry.n for entry in self._timeline.about(scope, held.key_id)]
        empty = held._replace(
            summary_hash=None, given_hash=None, score_json=score, restore_json="[]", error=None
        )
        if empty == held:
            return
        self._store(scope, "compaction.withheld", empty, now)
        texts = (held.summary_hash, held.given_hash)
        self._bodies.release(scope, [h for h in texts if h is not None])
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)

    def get(self, scope: Scope, ref: int) -> Compaction:
        row = self._db.one(sql.COMPACTION_GET, scope, ref=ref)
        if row is None:
            raise CompactionUnknown("there is no such compaction")
        return Compaction._make(row)

    def ending(self, scope: Scope, digits: str) -> Sequence[Compaction]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.COMPACTION_IDS, scope)), digits)
        rows = (self._db.one(sql.COMPACTION_FIND, scope, id=raw) for raw in ids)
        return [Compaction._make(row) for row in rows if row is not None]

    def of_session(self, scope: Scope, session: int, *, limit: int) -> Sequence[Compaction]:
        rows = self._db.all(sql.COMPACTIONS_OF_SESSION, scope, session=session, limit=limit)
        return [Compaction._make(row) for row in rows]

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Compaction]:
        rows = self._db.all(sql.COMPACTIONS_NEWEST, scope, limit=limit)
        return [Compaction._make(row) for row in rows]

    def summary(self, scope: Scope, compaction: Compaction) -> str:
        return text_of(self._bodies, scope, compaction.summary_hash)

    def given(self, scope: Scope, compaction: Compaction) -> str:
        return text_of(self._bodies, scope, compaction.given_hash)

    def _store(self, scope: Scope, event: str, compaction: Compaction, now: int) -> Compaction:
        n = self._seal(scope, event, compaction, now)
        values = _changed_columns(compaction)
        self._db.run(sql.COMPACTION_CHANGE, scope, ref=compaction.ref, **values, entry=n)
        return compaction._replace(entry=n)

    def _seal(self, scope: Scope, event: str, compaction: Compaction, at: int) -> int:
        facts = compaction_facts(compaction)
        return self._timeline.seal(scope, event, compaction.key_id, facts, at)


def _changed_columns(compaction: Compaction) -> dict[str, Any]:
    """The columns that a change may touch."""
    return {
        "checkpoint": compaction.checkpoint_ref,
        "trigger": compaction.trigger,
        "state": compaction.state,
        "first": compaction.first_seq,
        "last": compaction.last_seq,
        "before": compaction.tokens_before,
        "after": compaction.tokens_after,
        "summary": compaction.summary_hash,
        "given": compaction.given_hash,
        "score": compaction.score_json,
        "restore": compaction.restore_json,
        "error": compaction.error,
        "scored": compaction.scored_ms,
    }
