"""Dismiss: a person ends a session, whatever its hours say."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import BadInput, SessionUnknown, ThreadBusy
from everthread.ports import House, Records
from everthread.services.archive.end import end
from everthread.services.archive.sessions import find_session
from everthread.services.harness.checkpoint import ask_checkpoint
from everthread.services.harness.session_owner import is_alive


def end_by_hand(house: House, scope: Scope, name: str | None) -> Session:
    """End the session of that name, else the one that goes on; one that is over stays as it is."""
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
    """The active session with the newest activity that is no subagent's."""
    newest = records.sessions.own(scope, limit=200)
    found = next((session for session in newest if session.state == "active"), None)
    if found is None:
        raise SessionUnknown("no session of this agent goes on; there is nothing to end")
    return found
