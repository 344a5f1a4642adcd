"""Dismiss: a person ends a session, whatever its hours say."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import primary_key
from everthread.domain.errors import BadInput, SessionUnknown, ThreadBusy
from everthread.ports import House, Records
from everthread.services.archive.end import end
from everthread.services.archive.sessions import find_session
from everthread.services.harness.checkpoint import ask_checkpoint
from everthread.services.harness.session_owner import is_alive

LOOKED_AT = 200


def end_by_hand(house: House, scope: Scope, name: str | None) -> Session:
    """End the session of that name, else the primary thread's; one that is over stays as it is."""
    now = house.clock.now()

    def work(records: Records) -> Session:
        found = _current(records, scope) if name is None else find_session(records, scope, name)
        records.threads.hold(scope, found.thread_ref)
        session = records.sessions.get(scope, found.ref)
        if session.state != "active":
            return session
        if session.task is not None:
            raise BadInput(
                f"this session works on task {session.task!r}; `everthread task end` ends both"
            )
        held = records.turns.open_on(scope, session.thread_ref)
        if held is not None and held.session_ref == session.ref:
            raise ThreadBusy("a turn is open in this session; end it with done() or failed() first")
        if session.harness is not None:
            if is_alive(house, records, scope, session, now=now):
                raise BadInput(f"{session.harness} works in this session; leave it there")
            if session.message_count and house.policy.checkpoints == "on":
                ask_checkpoint(records, scope, session, "session_end", due_at=now, now=now)
        return end(records, scope, session, now=now, ended=session.last_activity_ms)

    return house.store.write(work)


def _current(records: Records, scope: Scope) -> Session:
    """The active session of the primary thread with the newest activity that is no subagent's.

    A heartbeat's is newer as often as not, and nobody means it who does not name it.
    """
    primary = records.threads.find(scope, primary_key(records.agents.get(scope).name))
    assert primary is not None, "it is created together with the agent"
    for session in records.sessions.all(scope, thread=primary.ref, limit=LOOKED_AT):
        if session.state == "active" and session.parent_ref is None:
            return session
    elsewhere = any(s.state == "active" for s in records.sessions.own(scope, limit=LOOKED_AT))
    what = "to end the one of another thread, name it" if elsewhere else "there is nothing to end"
    raise SessionUnknown(f"no session of the primary thread goes on; {what}")
