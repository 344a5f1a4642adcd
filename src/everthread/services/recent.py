"""Recent conversations: which a new session is told of, and whether they may still be told."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.hits import Hit
from everthread.domain.messages import Draft
from everthread.domain.recent import SESSION
from everthread.domain.sessions import Session
from everthread.domain.threads import Thread
from everthread.domain.times import DAY
from everthread.ports import House, Records


def recent(
    house: House, records: Records, scope: Scope, *, without: int | None = None, now: int
) -> Sequence[Session]:
    """The newest that have a summary, of the last days; of the scope's project alone."""
    policy = house.policy
    if not policy.recent_sessions:
        return ()
    since = now - int(policy.recent_days * DAY)
    return records.endings.recent(scope, since=since, without=without, limit=policy.recent_sessions)


def of_new(
    house: House,
    records: Records,
    scope: Scope,
    thread: Thread,
    draft: Draft,
    session: Session | None,
) -> Sequence[Session]:
    """What the first turn of a session is told of: once, while the session is new (R-7)."""
    new = session is None or not session.message_count
    if not new or thread.kind != "primary" or draft.origin != "user":
        return ()
    without = None if session is None else session.ref
    return recent(house, records, scope, without=without, now=house.clock.now())


def hits_of(sessions: Sequence[Session]) -> list[Hit]:
    """What is quoted of them, to be looked at once more before it is given."""
    return [
        Hit(each.id, each.summary or "", 1.0, SESSION, each.last_activity_ms, "recent")
        for each in sessions
    ]


def still_told(records: Records, scope: Scope, hits: Sequence[Hit]) -> bool:
    """Does each of these summaries still stand as it was read?"""
    for hit in hits:
        found = records.sessions.ending(scope, hit.id.replace("-", ""))
        if len(found) != 1 or found[0].summary != hit.text:
            return False
    return True
