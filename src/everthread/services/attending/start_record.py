"""What a start tells of a session's context, beside what it is given for it."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.harness.happenings import Happening
from everthread.ports import House, Records
from everthread.services.harness.checkpoint import ask_checkpoint, ask_extract_of
from everthread.services.harness.compaction import missing_lines, remove_given
from everthread.services.harness.session_owner import known_process
from everthread.services.harness.stretch import ContextStart, context_start, keep_start, stretch_of

NEAR = 20
"""Sessions of a project that are looked at for the one that a fork was made of."""


def record_start(
    house: House, records: Records, happening: Happening, session: Session, *, at: int
) -> None:
    """Put down how the session's context began. `session` is as it was before the start."""
    scope, start = Scope(session.agent_ref), happening.start or "startup"
    row = context_start(records, scope, session)
    stretch = stretch_of(records, scope, session)
    told = row._replace(at=max(row.at, at))
    if start == "clear" and _begins_anew(session, row, at):
        told = told._replace(
            kind="clear",
            epoch=stretch.epoch + 1,
            clears=row.clears + 1,
            after=session.last_seq,
        )
        _clear_waiting(house, records, scope, session)
    elif start != "compact" and stretch.kind is None:
        told = told._replace(kind=start, epoch=stretch.epoch)
        if start == "fork":
            told = _with_parent(house, records, happening, session, told)
    keep_start(records, scope, session, told)


def _clear_waiting(house: House, records: Records, scope: Scope, session: Session) -> None:
    """What waited belongs to the conversation that is over; what is durable in that is extracted."""
    now = house.clock.now()
    remove_given(records, scope, session, missing_lines(records, scope, session), now=now)
    if house.policy.checkpoints == "on":
        ask_extract_of(records, scope, session, now=now)


def _begins_anew(session: Session, row: ContextStart, at: int) -> bool:
    """Does a session that is known begin anew? Not by an event of the spool that others overtook."""
    return session.last_seq > row.after and session.last_activity_ms <= at


def _with_parent(
    house: House, records: Records, happening: Happening, session: Session, told: ContextStart
) -> ContextStart:
    """What its parent held is caught up with now, while it still is what was forked."""
    scope, now = Scope(session.agent_ref), house.clock.now()
    parent = _parent(records, happening, session)
    if parent is None:
        return told
    if house.policy.checkpoints == "on":
        ask_checkpoint(records, scope, parent, "periodic", due_at=now, now=now)
    return told._replace(parent=parent.ref, parent_seq=parent.last_seq)


def _parent(records: Records, happening: Happening, session: Session) -> Session | None:
    """As the harness says; else the last one of the same process, else the last one here."""
    scope = Scope(session.agent_ref)
    named = records.sessions.find(scope, happening.previous) if happening.previous else None
    if named is not None:
        return named if named.ref < session.ref else None
    lately = records.sessions.of_project(scope, session.project_normalized or "", limit=NEAR)
    # A fork is opened after its parent, always: so none is its own ancestor.
    older = [
        s
        for s in lately
        if s.ref < session.ref and s.message_count and s.harness == session.harness
    ]
    owner = happening.owner
    same = [s for s in older if owner and known_process(records, scope, s) == owner]
    return next(iter(same or older), None)
