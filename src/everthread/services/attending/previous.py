"""Previous: from which session a new one goes on, and which others nobody works in any more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import Happening
from everthread.domain.times import HOUR
from everthread.ports import House, Records
from everthread.services.archive.end import ask_conclusion
from everthread.services.harness.checkpoint import ask_checkpoint
from everthread.services.harness.session_owner import is_alive
from everthread.services.harness.stretch import context_start

LOOKED_AT = 50
"""Sessions of a project that are looked through for the one to go on from."""

MOST_BESIDE = 2
"""Sessions beside that one of which a start tells, too."""


class PreviousSession(NamedTuple):
    """The session to go on from, and those at which somebody else works."""

    session: Session | None
    others: Sequence[Session] = ()
    beside: Sequence[Session] = ()
    """Others that nobody was told of, newest first; the newest of all is among them, if it is not this."""
    abandoned: Sequence[Session] = ()
    """All in which nobody works any more, and that nobody ended."""

    @property
    def newest(self) -> PreviousSession:
        """The newest of them alone."""
        found = [s for s in (self.session, *self.beside) if s is not None]
        session = max(found, key=lambda s: s.last_activity_ms, default=None)
        return self._replace(session=session, beside=())


def previous_session(
    house: House, records: Records, scope: Scope, happening: Happening, session: Session, now: int
) -> PreviousSession:
    """By lineage, then by project, then the newest (R-28); never one that is alive (R-26).

    One that was cut off goes before one that ended after it: who began that was not told of it.
    """
    project = session.project_normalized
    candidates: Sequence[Session] = ()
    if project is not None:
        # One in which nothing was said has nothing to give.
        candidates = records.sessions.of_project(scope, project, limit=LOOKED_AT, least=1)
    own = [s for s in candidates if s.ref != session.ref]
    living = [s for s in own if is_alive(house, records, scope, s, now=now)]
    dead = [s for s in own if s not in living]
    left = [s for s in dead if s.state == "active" and _is_of_harness(s)]
    if context_start(records, scope, session).after:
        return PreviousSession(session, living, abandoned=left)  # it was cleared, and kept its id
    if happening.previous:
        named = records.sessions.find(scope, happening.previous)
        if named is not None and named not in living:
            return PreviousSession(named, living, abandoned=left)
    since = now - int(house.policy.recovery_hours * HOUR)
    lately = [s for s in dead if s.last_activity_ms > since]
    untold = _untold_sessions(records, scope, lately, own)
    first = next(iter([*untold, *dead]), None)
    beside = [s for n, s in enumerate(dead) if s != first and (n == 0 or s in untold)]
    return PreviousSession(first, living, beside[:MOST_BESIDE], left)


def _is_of_harness(session: Session) -> bool:
    """Is it a harness's? Whoever works at a task, or speaks through the library, ends it otherwise."""
    return session.harness is not None and session.task is None


def _untold_sessions(
    records: Records, scope: Scope, lately: Sequence[Session], others: Sequence[Session]
) -> list[Session]:
    """Those that were cut off, and of which none that began since was told and went on."""

    @cache
    def told_of(ref: int) -> set[bytes]:
        # What a context begins with is given in its first stretch.
        return records.injections.held(scope, ref, epoch=0)

    def is_untold(session: Session) -> bool:
        since = (s for s in others if s.started_ms >= session.last_activity_ms)
        return not any(session.key_id in told_of(s.ref) for s in since)

    # Only one that was left by its harness is suspended.
    left = [s for s in lately if s.state in ("active", "suspended") and _is_of_harness(s)]
    return [s for s in left if is_untold(s)]


def let_go(house: House, scope: Scope, abandoned: Sequence[Session], now: int) -> None:
    """Have all that nobody works in any more seen to, as an end would be (X-21).

    Who is told of one of them may never go on with it, and its rules are to hold for the next.
    """

    def work(records: Records) -> None:
        for session in abandoned:
            if suspend(records, scope, session, now) and house.policy.checkpoints == "on":
                ask_checkpoint(records, scope, session, "interrupted", due_at=now, now=now)

    if abandoned:
        house.store.write(work)


def suspend(records: Records, scope: Scope, session: Session, now: int) -> bool:
    """Set aside a session that its harness left, unless that went on with it."""
    # Looked at again: its harness may have gone on with it a moment ago.
    present = records.sessions.get(scope, session.ref)
    if present.state != "active" or present.last_activity_ms != session.last_activity_ms:
        return False
    moved = records.sessions.move(scope, present, "suspended", now=now)
    ask_conclusion(records, scope, moved, now=now)
    return True
