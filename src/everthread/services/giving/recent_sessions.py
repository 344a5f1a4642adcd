"""Recent conversations: which a new session is told of, and whether they may still be told."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.given.recent_sessions import SESSION
from everthread.domain.recall.hits import Hit
from everthread.domain.times import DAY
from everthread.ports import House, Records

FIRST_TURNS = 5
"""For so many turns a session is new."""
LOOKED_AT = 20
"""Turns and injections that are looked through for what was told."""


def recent_sessions(
    house: House, records: Records, scope: Scope, *, without: int | None = None, now: int
) -> Sequence[Session]:
    """The newest that have a summary, of the last days; of the scope's project alone."""
    policy = house.policy
    if not policy.recent_sessions:
        return ()
    since = now - int(policy.recent_days * DAY)
    return records.endings.recent(scope, since=since, without=without, limit=policy.recent_sessions)


def sessions_to_tell(
    house: House,
    records: Records,
    scope: Scope,
    thread: Thread,
    draft: Draft,
    session: Session | None,
) -> Sequence[Session]:
    """What a turn of a new session is told of: each conversation before it once (R-7).

    That which its own first message ended is summed up a moment later, so a later turn tells it.
    """
    if thread.kind != "primary" or draft.origin != "user":
        return ()
    now = house.clock.now()
    if session is None:
        return recent_sessions(house, records, scope, now=now)
    if not _is_new(records, scope, session):
        return ()
    found = recent_sessions(house, records, scope, without=session.ref, now=now)
    before = [one for one in found if one.last_activity_ms <= session.started_ms]
    given = _told_sessions(records, scope, session) if before else ()
    return [one for one in before if one.key_id not in given]


def _is_new(records: Records, scope: Scope, session: Session) -> bool:
    if session.message_count < FIRST_TURNS:
        return True
    lately = records.turns.all(scope, session.thread_ref, limit=FIRST_TURNS)
    return sum(turn.session_ref == session.ref for turn in lately) < FIRST_TURNS


def _told_sessions(records: Records, scope: Scope, session: Session) -> set[bytes]:
    """The conversations that it was told of, other than by a turn that failed."""
    lately = records.turns.all(scope, session.thread_ref, limit=LOOKED_AT)
    own = [turn for turn in lately if turn.session_ref == session.ref and turn.state != "failed"]
    # By its text: the same text is logged once, and that may have been for a turn that failed.
    heard = {turn.block_hash for turn in own if turn.block_hash is not None}
    logged = records.injections.all(scope, session=session.ref, limit=LOOKED_AT)
    told = (each.ref for each in logged if each.body_hash in heard)
    items = (item for ref in told for item in records.injections.items(scope, ref))
    return {item.ref for item in items if item.kind == SESSION}


def hits_of(sessions: Sequence[Session]) -> list[Hit]:
    """What is quoted of them, to be looked at once more before it is given."""
    return [
        Hit(each.id, each.summary or "", 1.0, SESSION, each.last_activity_ms, "recent")
        for each in sessions
    ]


def summaries_stand(records: Records, scope: Scope, hits: Sequence[Hit]) -> bool:
    """Does each of these summaries still stand as it was read?"""
    for hit in hits:
        found = records.sessions.ending(scope, hit.id.replace("-", ""))
        if len(found) != 1 or found[0].summary != hit.text:
            return False
    return True
