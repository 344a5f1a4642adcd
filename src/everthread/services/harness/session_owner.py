"""Whose a harness's session is: the process that works in it, and where that writes it down."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.checkpoints import Cursor
from everthread.domain.times import MINUTE, SECOND
from everthread.ports import House, Records

PROCESS = "process"
"""The place under which the harness's own process is known."""

TRANSCRIPT = "transcript"
"""The place under which it is known where the harness writes the session down."""


def known_process(records: Records, scope: Scope, session: Session) -> str:
    """The harness's process, as it was last told; empty where it never was."""
    cursor = records.cursors.get(scope, session.ref, PROCESS)
    return "" if cursor is None else cursor.position


def note_process(records: Records, scope: Scope, session: Session, owner: str, *, at: int) -> None:
    """The harness's process is this one."""
    if owner and known_process(records, scope, session) != owner:
        records.cursors.put(scope, Cursor(session.ref, PROCESS, owner, "", at))


QUIET = 5 * MINUTE

HOSTS = frozenset({"opencode", "openclaw"})
"""Harnesses whose process serves one session after the other, and several at once: that it lives does not
tell in which of them somebody works."""


def is_alive(house: House, records: Records, scope: Scope, session: Session, *, now: int) -> bool:
    """Does somebody still work in it? Known by its process; without one, by how long it is quiet."""
    if session.state != "active":
        return False
    owner = known_process(records, scope, session)
    if owner and house.gone(owner):
        return False
    if owner and session.harness not in HOSTS:
        return True
    return now - session.last_activity_ms < QUIET + SECOND


def may_go_on(house: House, records: Records, scope: Scope, session: Session) -> bool:
    """Is a session that nobody works in only quiet? The process that serves it and others lives."""
    owner = known_process(records, scope, session)
    return session.harness in HOSTS and bool(owner) and not house.gone(owner)


def note_transcript(
    records: Records, scope: Scope, session: Session, place: str, *, at: int
) -> None:
    """The session is written down there: should its harness be killed, the rest can be read."""
    if place and transcript_of(records, scope, session) != place:
        records.cursors.put(scope, Cursor(session.ref, TRANSCRIPT, place, "", at))


def transcript_of(records: Records, scope: Scope, session: Session) -> str:
    """Where the session is written down; empty where nobody said so."""
    cursor = records.cursors.get(scope, session.ref, TRANSCRIPT)
    return "" if cursor is None else cursor.position
