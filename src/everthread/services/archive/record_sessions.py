"""Which session a recorded message belongs to: named, or found by the times of what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.sessions import Session, continues, human_pulse
from everthread.domain.conversation.threads import Thread
from everthread.domain.errors import BadInput
from everthread.domain.ids import id_ending
from everthread.domain.times import HOUR
from everthread.ports import House, Records

from .end import end
from .sessions import Seat, hours_of, latest_session, open_session, opening_seat

WHOLE_ID = 32
LOOKED_AT = 6
"""Messages among which is looked for what the agent replied to: a few results of tools at most."""

# By place and not by `_replace`, which takes three times as long.
HUMAN, ACTIVITY = map(Session._fields.index, ("last_human_ms", "last_activity_ms"))


def group_by_session(
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
    done, answers = 0, False
    while done < len(drafts):
        found = _session(house, records, agent, thread, session, drafts[done], wanted)
        if session is None or found.ref != session.ref:
            if session is not None:
                yield session, group
            group = []
            answers = answers_human(records, found, drafts[done : done + LOOKED_AT])
        follow, session, answers = _take_following(
            found, drafts, done, wanted, hours, answers=answers
        )
        group += drafts[done:follow]
        done = follow
    if session is not None:
        yield session, group


def _take_following(
    session: Session,
    drafts: Sequence[Draft],
    first: int,
    wanted: Seat,
    hours: float,
    *,
    answers: bool,
) -> tuple[int, Session, bool]:
    """Up to which of them the session takes each that comes, after the first; and what becomes of it."""
    alone = wanted.project is not None and wanted.project != session.project
    started, human, activity = session.started_ms, session.last_human_ms, session.last_activity_ms
    n = first
    while n < len(drafts):
        at, origin = drafts[n].at_ms, drafts[n].origin
        if n > first:
            # Where nobody spoke yet, a person's first word is for the general way to place.
            if alone or (human is None and origin == "user"):
                break
            pulse = activity if human is None else human
            if not (started <= at <= activity or continues(pulse, at=at, hours=hours)):
                break
        human, answers = human_pulse(human, origin, at, answers=answers)
        activity = max(activity, at)
        n += 1
    return n, _with_pulse(session, human, activity), answers


def answers_human(records: Records, session: Session, drafts: Sequence[Draft]) -> bool:
    """Does what the agent says next in the session answer a human? In doubt it does."""
    human = session.last_human_ms
    first = "tool"
    for draft in drafts:
        if (first := draft.origin) != "tool":
            break
    if human is None or first in ("user", "system"):
        return False
    if human >= session.last_activity_ms:
        return True
    scope = Scope(session.agent_ref)
    for message in reversed(records.messages.newest(scope, session.thread_ref, limit=LOOKED_AT)):
        if message.session_ref == session.ref and message.origin != "tool":
            return message.origin == "user" or (
                message.origin == "agent" and message.at_ms <= human
            )
    return True


def keeps_alive(records: Records, session: Session, draft: Draft, at: int) -> bool:
    """Does the session's pulse go on with what is said? A human's word, or the answer to one."""
    human, answers = session.last_human_ms, answers_human(records, session, (draft,))
    return human_pulse(human, draft.origin, at, answers=answers)[0] != human


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
        return candidate
    before = latest_session(records, scope, thread.ref, wanted, at=draft.at_ms)
    if before is not None and before != candidate and _takes(before, draft, wanted, hours):
        return before
    return _open_next(house, records, agent, thread, draft, wanted, before)


def _takes(session: Session, draft: Draft, wanted: Seat, hours: float) -> bool:
    if wanted.project is not None and wanted.project != session.project:
        return False
    human = draft.origin == "user"
    first = human and session.last_human_ms is None
    inside = session.started_ms <= draft.at_ms <= session.last_activity_ms and not first
    return inside or continues(session.pulse_for(human=human), at=draft.at_ms, hours=hours)


def session_after(records: Records, session: Session, drafts: Sequence[Draft]) -> Session:
    """The session as it will be once all of them are in it: a named session takes them all."""
    human, activity = session.last_human_ms, session.last_activity_ms
    answers = answers_human(records, session, drafts)
    for draft in drafts:
        at = draft.at_ms
        human, answers = human_pulse(human, draft.origin, at, answers=answers)
        activity = max(activity, at)
    return _with_pulse(session, human, activity)


def _with_pulse(session: Session, human: int | None, activity: int) -> Session:
    row = [*session]
    row[HUMAN], row[ACTIVITY] = human, activity
    return Session._make(row)


def session_by_key(
    house: House, records: Records, agent: AgentRow, thread: Thread, draft: Draft, wanted: Seat
) -> Session:
    assert wanted.session is not None
    scope = Scope(agent.ref)
    known = known_session(records, scope, wanted.session)
    if known is not None:
        if known.thread_ref != thread.ref:
            raise BadInput(f"session {wanted.session!r} belongs to another thread")
        return known
    latest = records.sessions.latest(scope, thread.ref, at=draft.at_ms)
    previous = None if latest is None else latest.ref
    wanted = opening_seat(house, records, agent, thread, draft, wanted)
    return open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)


def known_session(records: Records, scope: Scope, name: str) -> Session | None:
    """The session of that key or whole id; here an ending of one may be the key of another session."""
    if (keyed := records.sessions.find(scope, name)) is not None:
        return keyed
    digits = id_ending(name)
    if digits is None or len(digits) != WHOLE_ID:
        return None
    return next(iter(records.sessions.ending(scope, digits)), None)


def _open_next(
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
    if before is not None and before.state == "active" and _was_over(house, agent, before, draft):
        end(records, scope, before, now=now, ended=before.last_activity_ms)
    previous = None if before is None else before.ref
    wanted = opening_seat(house, records, agent, thread, draft, wanted)
    opened = open_session(house, records, thread, wanted, started=draft.at_ms, previous=previous)
    if not continues(draft.at_ms, at=now, hours=hours_of(house, agent)):
        opened = records.sessions.move(scope, opened, "complete", now=now, ended=draft.at_ms)
    return opened


def _was_over(house: House, agent: AgentRow, session: Session, draft: Draft) -> bool:
    """Was the session over when this was said? One that goes on elsewhere is not ended from here."""
    pulse = session.pulse_for(human=draft.origin == "user")
    return draft.at_ms - pulse >= hours_of(house, agent) * HOUR
