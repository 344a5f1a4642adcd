"""How sessions end: those that are due, their summaries, and what was said in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.ids import LANE, place_at
from everthread.domain.timeline import session_facts
from everthread.ports.endings import QuietQuery, SpokenCounts

from .connection_cache import ConnectionCache
from .link import Link, Row
from .sessions import SessionTable
from .sql import endings as sql
from .timeline import TimelineTable

Whole = Callable[[Scope, Sequence[Row]], list[Message]]
"""Makes messages of rows, with the bodies that lie elsewhere."""


class EndingTable:
    def __init__(
        self,
        db: Link,
        timeline: TimelineTable,
        sessions: SessionTable,
        memory: ConnectionCache,
        whole: Whole,
    ) -> None:
        self._db = db
        self._timeline = timeline
        self._sessions = sessions
        self._held = memory.sessions
        self._whole = whole

    def quiet(self, wanted: QuietQuery) -> Sequence[Session]:
        values = wanted._asdict()
        del values["since"]
        return [Session._make(row) for row in self._db.all(sql.QUIET, None, **values)]

    def unseen(self, wanted: QuietQuery) -> Sequence[Session]:
        rows = self._db.all(sql.UNSEEN, None, **wanted._asdict())
        return [Session._make(row) for row in rows]

    def summarize(self, scope: Scope, session: Session, summary: str, *, now: int) -> Session:
        return self._put(scope, session.ref, summary, "session.summarized", now)

    def withhold(self, scope: Scope, session: Session, *, now: int) -> Session:
        self._timeline.lock(scope)
        # What was sealed in this very transaction must be found too.
        self._timeline.flush()
        earlier = [entry.n for entry in self._timeline.about(scope, session.key_id)]
        left = self._put(scope, session.ref, None, "session.withheld", now)
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)
        return left

    def _put(self, scope: Scope, ref: int, summary: str | None, event: str, now: int) -> Session:
        # As it is now: what was read before may lack a state or a time since.
        held = self._sessions.get(scope, ref)
        at = None if summary is None else now
        told = held._replace(summary=summary, summary_ms=at)
        n = self._timeline.seal(scope, event, held.key_id, session_facts(told), now)
        self._db.run(sql.SUMMARIZE, scope, ref=ref, summary=summary, now=at, entry=n)
        self._held.pop(ref, None)
        return told._replace(entry=n)

    def summarized(self, scope: Scope) -> Sequence[Session]:
        return [Session._make(row) for row in self._db.all(sql.SUMMARIZED, scope)]

    def recent(
        self, scope: Scope, *, since: int, without: int | None = None, limit: int
    ) -> Sequence[Session]:
        rows = self._db.all(
            sql.RECENT,
            scope,
            since=since,
            without=without or 0,
            project=scope.project or "",
            principal=scope.principal or "",
            lane=LANE,
            limit=limit,
        )
        return [Session._make(row) for row in rows]

    def opened(self, scope: Scope, *, since: int, within: int) -> int:
        whose = scope.principal or ""
        row = self._db.one(
            sql.OPENED, scope, since=since, within=within, principal=whose, lane=LANE
        )
        return 0 if row is None else row[0]

    def said_after(
        self, scope: Scope, session: Session, *, after: int, limit: int
    ) -> Sequence[Message]:
        first = max(after + 1, session.first_seq)
        rows: list[Row] = []
        for low, high in _lanes(session, first):
            rows += self._db.all(
                sql.SAID_AFTER, scope, session=session.ref, low=low, high=high, limit=limit
            )
        found = sorted(self._whole(scope, rows), key=lambda message: message.seq)
        return found[:limit]

    def spoken(self, scope: Scope, session: Session) -> SpokenCounts:
        rows = [
            self._db.one(sql.SPOKEN, scope, session=session.ref, low=low, high=high)
            for low, high in _lanes(session, session.first_seq)
        ]
        said = [row for row in rows if row is not None and row[1] is not None]
        if not said:
            return SpokenCounts()
        times, firsts, lasts = zip(*said, strict=True)
        return SpokenCounts(sum(times), min(firsts), max(lasts))


def _lanes(session: Session, first: int) -> list[tuple[int, int]]:
    """From and to where its messages lie, live and archived."""
    thread, last = session.thread_ref, session.last_seq
    return [
        (place_at(thread, first, archived=lane), place_at(thread, last, archived=lane))
        for lane in (0, 1)
    ]
