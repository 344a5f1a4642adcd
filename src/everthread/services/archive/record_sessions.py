"""Which session a recorded message belongs to: named, or found by the times of what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.sessions import Session, continues
from everthread.domain.conversation.threads import Thread
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_ending
from everthread.domain.times import HOUR
from everthread.ports import House, Records

from .end import end
from .sit import Seat, hours_of, latest_session, open_session, opening

WHOLE_ID = 32

# By place and not by `_replace`, which takes three times as long.
HUMAN, ACTIVITY = map(Session._fields.index, ("last_human_ms", "last_activity_ms"))


def grouped(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    drafts: Sequence[Draft],
    wanted: Seat,
) -> Iterator[tuple[Session, list[Draft]]]:
    """The drafts by their sessions, each as it will be once they are in it; append before the next.

    Most follow in the session of the one before them: those are taken a stretch at a time.
    """
    hours = hours_of(house, agent)
    session: Session | None = None
    group: list[Draft] = []
    done = 0
    while done < len(drafts):
        found = _session(house, records, agent, thread, session, drafts[done], wanted)
        if session is not None and found.ref != session.ref:
            yield session, group
            group = []
        follow = _following(found, drafts, done + 1, wanted, hours)
        session = moved_by(found, drafts[done + 1 : follow])
        group += drafts[done:follow]
        done = follow
    if session is not None:
        yield session, group


def _following(
    session: Session, drafts: Sequence[Draft], first: int, wanted: Seat, hours: float
) -> int:
    """Up to which of them, from the first on, the session takes each that comes."""
    if wanted.project is not None and wanted.project != session.project:
        return first
    started, human, activity = session.started_ms, session.last_human_ms, session.last_activity_ms
    for n in range(first, len(drafts)):
        at, origin = drafts[n].at_ms, drafts[n].origin
        pulse = activity if human is None else human
        if not (started <= at <= activity or continues(pulse, at=at, hours=hours)):
            return n
        if origin == "user" or (origin == "agent" and human is not None):
            human = max(human or 0, at)
        activity = max(activity, at)
    return len(drafts)


def keeps_alive(session: Session, draft: Draft) -> bool:
    """Does the session's pulse go on with what is said? A human's word, or the answer to one."""
    return draft.origin == "user" or (draft.origin == "agent" and session.last_human_ms is not None)


def _session(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    current: Session | None,
    draft: Draft,
    wanted: Seat,
) -> Session:
    """Recorded messages are cut into sessions by their own times."""
    scope = Scope(agent.ref)
    hours = hours_of(house, agent)
    candidate = current or latest_session(records, scope, thread.ref, wanted, at=draft.at_ms)
    if candidate is not None and _takes(candidate, draft, wanted, hours):
        return _moved(candidate, draft)
    before = latest_session(records, scope, thread.ref, wanted, at=draft.at_ms)
    if before is not None and before != candidate and _takes(before, draft, wanted, hours):
        return _moved(before, draft)
    return _opened(house, records, agent, thread, draft, wanted, before)


def _takes(session: Session, draft: Draft, wanted: Seat, hours: float) -> bool:
    if wanted.project is not None and wanted.project != session.project:
        return False
    inside = session.started_ms <= draft.at_ms <= session.last_activity_ms
    return inside or continues(session.pulse_ms, at=draft.at_ms, hours=hours)


def _moved(session: Session, draft: Draft) -> Session:
    """The session as it will be once the draft is in it: its pulse goes on with what is said."""
    human = session.last_human_ms
    if keeps_alive(session, draft):
        human = max(human or 0, draft.at_ms)
    row = [*session]
    row[HUMAN] = human
    row[ACTIVITY] = max(session.last_activity_ms, draft.at_ms)
    return Session._make(row)


def moved_by(session: Session, drafts: Sequence[Draft]) -> Session:
    """The session as it will be once all of them are in it: a named session takes them all."""
    human, activity = session.last_human_ms, session.last_activity_ms
    for draft in drafts:
        at, origin = draft.at_ms, draft.origin
        if origin == "user" or (origin == "agent" and human is not None):
            human = max(human or 0, at)
        activity = max(activity, at)
    row = [*session]
    row[HUMAN], row[ACTIVITY] = human, activity
    return Session._make(row)


def keyed(
    house: House, records: Records, agent: AgentRow, thread: Thread, draft: Draft, wanted: Seat
) -> Session:
    assert wanted.session is not None
    scope = Scope(agent.ref)
    known = records.sessions.find(scope, wanted.session) or _by_id(records, scope, wanted.session)
    if known is not None:
        if known.thread_ref != thread.ref:
            raise BadInput(f"session {wanted.session!r} belongs to another thread")
        return known
    latest = records.sessions.latest(scope, thread.ref, at=draft.at_ms)
    previous = None if latest is None else latest.ref
    wanted = opening(house, records, agent, thread, draft, wanted)
    return open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)


def _by_id(records: Records, scope: Scope, name: str) -> Session | None:
    """The session of that whole id; here an ending of one may be the key of another session."""
    digits = id_ending(name)
    if digits is None or len(digits) != WHOLE_ID:
        return None
    return next(iter(records.sessions.ending(scope, digits)), None)


def _opened(
    house: House,
    records: Records,
    agent: AgentRow,
    thread: Thread,
    draft: Draft,
    wanted: Seat,
    before: Session | None,
) -> Session:
    scope = Scope(agent.ref)
    now = house.clock.now()
    if before is not None and before.state == "active" and _left(house, agent, before, draft):
        end(records, scope, before, now=now, ended=before.last_activity_ms)
    previous = None if before is None else before.ref
    wanted = opening(house, records, agent, thread, draft, wanted)
    opened = open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)
    if not continues(draft.at_ms, at=now, hours=hours_of(house, agent)):
        opened = records.sessions.move(scope, opened, "complete", now=now, ended=draft.at_ms)
    return _moved(opened, draft)


def _left(house: House, agent: AgentRow, session: Session, draft: Draft) -> bool:
    """Was the session over when this was said? One that goes on elsewhere is not ended from here."""
    return draft.at_ms - session.pulse_ms >= hours_of(house, agent) * HOUR
