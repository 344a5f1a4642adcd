"""Sessions: the rows behind sittings and their lineage."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session, State, checked_move
from everthread.domain.errors import SessionUnknown
from everthread.domain.ids import with_ending
from everthread.domain.timeline import session_facts

from .connection_cache import ConnectionCache
from .link import Link
from .sql import statements as sql
from .timeline import TimelineTable

ENDS: tuple[State, ...] = ("complete", "terminated")
# By place and not by `_replace`, which takes three times as long: touching is on every append's way.
COUNT, FIRST_SEQ, LAST_SEQ, CONTEXT, ACTIVITY, HUMAN = map(
    Session._fields.index,
    (
        "message_count",
        "first_seq",
        "last_seq",
        "context_tokens",
        "last_activity_ms",
        "last_human_ms",
    ),
)


def present_session(db: Link, timeline: TimelineTable, scope: Scope, ref: int) -> Session:
    """The session as it is, and as nobody else can change it from now on.

    Who moves it may have read it before somebody summed it up, or withheld that.
    """
    timeline.lock(scope)
    row = db.one(sql.SESSION_GET, scope, ref=ref)
    if row is None:
        raise SessionUnknown("the session is gone together with its thread")
    return Session._make(row)


class SessionTable:
    def __init__(self, db: Link, timeline: TimelineTable, memory: ConnectionCache) -> None:
        self._db = db
        self._timeline = timeline
        self._held = memory.sessions
        self._keys = memory.session_keys
        self._newest = memory.newest_session

    def find(self, scope: Scope, key: str) -> Session | None:
        held = self._held.get(self._keys.get((scope.agent, key), 0))
        if held is not None:
            return held
        row = self._db.one(sql.SESSION_KEYED, scope, key=key)
        return None if row is None else Session._make(row)

    def get(self, scope: Scope, ref: int) -> Session:
        held = self._held.get(ref)
        if held is not None and held.agent_ref == scope.agent:
            return held
        row = self._db.one(sql.SESSION_GET, scope, ref=ref)
        if row is None:
            raise SessionUnknown("the session is gone together with its thread")
        return Session._make(row)

    def ending(self, scope: Scope, digits: str) -> Sequence[Session]:
        known = {raw: ref for ref, raw in self._db.all(sql.SESSION_IDS, scope)}
        return [self.get(scope, known[raw]) for raw in with_ending(known, digits)]

    def latest(self, scope: Scope, thread: int, *, at: int | None = None) -> Session | None:
        newest = self._latest(scope, thread)
        if newest is None or at is None or newest.started_ms <= at:
            return newest
        row = self._db.one(sql.SESSION_LATEST_AT, scope, thread=thread, at=at)
        return None if row is None else Session._make(row)

    def _latest(self, scope: Scope, thread: int) -> Session | None:
        held = self._held.get(self._newest.get(thread, 0))
        if held is not None and held.agent_ref == scope.agent:
            return held
        row = self._db.one(sql.SESSION_LATEST, scope, thread=thread)
        if row is None:
            return None
        session = self._held[row[0]] = Session._make(row)
        self._newest[thread] = session.ref
        return session

    def live(self, scope: Scope, thread: int) -> Session | None:
        row = self._db.one(sql.SESSION_LIVE, scope, thread=thread)
        return None if row is None else Session._make(row)

    def all(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Session]:
        if thread is None:
            rows = self._db.all(sql.SESSIONS_ALL, scope, limit=limit)
        else:
            rows = self._db.all(sql.SESSIONS_OF, scope, thread=thread, limit=limit)
        return [Session._make(row) for row in rows]

    def own(self, scope: Scope, *, limit: int) -> Sequence[Session]:
        rows = self._db.all(sql.SESSIONS_OWN, scope, limit=limit)
        return [Session._make(row) for row in rows]

    def of_project(
        self, scope: Scope, project: str, *, limit: int, least: int = 0
    ) -> Sequence[Session]:
        named = {"project": project, "limit": limit, "least": least}
        rows = self._db.all(sql.SESSIONS_OF_PROJECT, scope, **named)
        return [Session._make(row) for row in rows]

    def count(self, scope: Scope) -> int:
        row = self._db.one(sql.SESSIONS_COUNT, scope)
        return 0 if row is None else row[0]

    def children(self, scope: Scope, ref: int) -> Sequence[Session]:
        return [Session._make(row) for row in self._db.all(sql.SESSION_CHILDREN, scope, ref=ref)]

    def add(self, scope: Scope, session: Session) -> Session:
        facts = session_facts(session)
        n = self._timeline.seal(scope, "session.opened", session.key_id, facts, session.started_ms)
        row = self._db.one(
            sql.SESSION_ADD,
            scope,
            id=session.key_id,
            thread=session.thread_ref,
            key=session.key,
            state=session.state,
            channel=session.channel,
            harness=session.harness,
            project=session.project,
            project_normalized=session.project_normalized,
            task=session.task,
            gate=session.gate,
            principal=session.principal,
            parent=session.parent_ref,
            previous=session.previous_ref,
            started=session.started_ms,
            human=session.last_human_ms,
            activity=session.last_activity_ms,
            ended=session.ended_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        self._newest.pop(session.thread_ref, None)
        return session._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def move(
        self, scope: Scope, session: Session, to: State, *, now: int, ended: int | None = None
    ) -> Session:
        state = checked_move(session.state, to)
        over = (now if ended is None else ended) if state in ENDS else None
        present = present_session(self._db, self._timeline, scope, session.ref)
        self._held.pop(session.ref, None)
        moved = session._replace(
            state=state,
            ended_ms=over,
            gate=present.gate,
            summary=present.summary,
            summary_ms=present.summary_ms,
        )
        event = f"session.{state}"
        n = self._timeline.seal(scope, event, session.key_id, session_facts(moved), now)
        self._db.run(
            sql.SESSION_MOVE, scope, ref=session.ref, state=state, ended=moved.ended_ms, entry=n
        )
        return moved._replace(entry=n)

    def touch(
        self,
        scope: Scope,
        ref: int,
        *,
        at: int,
        human: bool,
        messages: int = 0,
        seqs: tuple[int, int] | None = None,
        context: int = 0,
    ) -> None:
        old = self._hold(scope, ref)
        first, last = seqs or (old.first_seq, old.last_seq)
        row = [*old]
        row[COUNT] = count = old.message_count + messages
        row[FIRST_SEQ] = first = min(old.first_seq or first, first)
        row[LAST_SEQ] = last = max(old.last_seq, last)
        row[CONTEXT] = tokens = old.context_tokens + context
        row[ACTIVITY] = activity = max(old.last_activity_ms, at)
        row[HUMAN] = spoken = max(old.last_human_ms or 0, at) if human else old.last_human_ms
        self._db.run(
            sql.SESSION_TOUCH,
            scope,
            ref=ref,
            count=count,
            first=first,
            last=last,
            context=tokens,
            activity=activity,
            human=spoken,
        )
        self._held[ref] = Session._make(row)
        self._keys[scope.agent, old.key] = ref

    def _hold(self, scope: Scope, ref: int) -> Session:
        held = self._held.get(ref)
        if held is not None and held.agent_ref == scope.agent:
            return held
        row = self._db.one(sql.SESSION_HOLD, scope, ref=ref)
        if row is None:
            raise SessionUnknown("the session is gone together with its thread")
        return Session._make(row)
