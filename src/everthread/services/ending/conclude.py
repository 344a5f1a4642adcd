"""Conclude: what follows from the end of a session. Memories at once, then a summary, both once.

How far that was done is a cursor of the session; it stands at the last message that was seen to. A
session that goes on and ends again is seen to again, and a run too many changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import BadInput, LeaseLost, SessionUnknown
from everthread.domain.times import SECOND
from everthread.ports import House, Records
from everthread.services.archive.end import ask_conclusion, has_conclusion
from everthread.services.archive.sources import forgotten_keys
from everthread.services.harness.extract import extract_until
from everthread.services.harness.fold import FoldedSession, checkpoint_until, fold, nothing

from .conclusion_mark import Mark, keep, mark_of
from .summarize import SummaryResult, sum_up

LEAST_SPOKEN = 5
"""Messages of a person from which on a session is worth a summary (D-6)."""


def run_conclude_job(house: House, payload: str, pause: Callable[[], None]) -> None:
    """The job."""
    told = json.loads(payload)
    scope = Scope(told["agent"])

    def work(records: Records) -> tuple[AgentRow, Session]:
        return records.agents.get(scope), records.sessions.get(scope, told["session"])

    try:
        agent, session = house.store.read(work)
    except SessionUnknown:
        return  # it went with its thread
    if session.state != "active":  # else it goes on, and ends again
        conclude(house, agent, session, pause)


def conclude(
    house: House, agent: AgentRow, session: Session, pause: Callable[[], None] = nothing
) -> None:
    """Draw memories from a session that is over, and sum it up where enough was said."""
    scope = Scope(agent.ref)
    mark, spoken = house.store.read(
        lambda r: (mark_of(r, scope, session), r.endings.spoken(scope, session))
    )
    if mark.seq == session.last_seq:
        return
    folded = extract_until(house, scope, session.ref, session.last_seq, pause)
    if folded is None:
        return
    made = SummaryResult()
    if spoken.times >= LEAST_SPOKEN:
        made = sum_up(house, agent, session, folded, failures=mark.failures, pause=pause)
    house.store.write(lambda r: _settle(house, r, session, folded, made, mark))


def conclude_at_once(house: House, agent: AgentRow, session: Session, *, seconds: float) -> bool:
    """See to the end of a session now, for so long at most; False: the job that was asked for does."""
    scope = Scope(agent.ref)
    until = house.clock.now() + int(seconds * SECOND)

    def in_time() -> None:
        if house.clock.now() > until:
            raise LeaseLost("it takes too long to be waited for")

    def seen_to(records: Records) -> bool:
        present = records.sessions.get(scope, session.ref)
        return mark_of(records, scope, present).seq == present.last_seq

    if session.state == "active":
        return False
    if house.store.read(lambda r: has_conclusion(r, scope, session)):
        try:
            conclude(house, agent, session, in_time)
        except LeaseLost:
            return False
        return house.store.read(seen_to)
    return True


def _settle(
    house: House,
    records: Records,
    session: Session,
    folded: FoldedSession,
    made: SummaryResult,
    mark: Mark,
) -> None:
    scope, now = Scope(session.agent_ref), house.clock.now()
    records.memories.hold(scope)  # what is forgotten from now on finds it
    try:
        present = records.sessions.get(scope, session.ref)
    except SessionUnknown:
        return  # it went meanwhile
    if forgotten_keys(records, scope) != folded.gone:
        raise LeaseLost("something that it had read was forgotten meanwhile; try again")
    if made.failed:
        # Nothing is written now; the next sweep finds it unseen, and tries again.
        keep(records, scope, session, Mark(mark.seq, mark.failures + 1, made.cause), now=now)
        return
    if made.text:  # also if it says the same: it is as new as what was said last
        records.endings.summarize(scope, present, made.text, now=now)
    keep(records, scope, session, Mark(session.last_seq, 0, made.cause), now=now)


def summarize_by_hand(house: House, agent: AgentRow, session: Session) -> Session:
    """Sum a session up now, however little was said in it; as it is where there is nothing to say."""
    scope = Scope(agent.ref)
    if not session.message_count:
        raise BadInput("nothing was said in this session")
    last = house.store.read(lambda r: checkpoint_until(r, scope, session, session.last_seq))
    folded = fold(house, scope, session, last, until=session.last_seq)
    made = sum_up(house, agent, session, folded, failures=0, pause=nothing)
    cause = made.cause
    if made.failed:
        made = sum_up(house, agent, session, folded, failures=None, pause=nothing)

    def work(records: Records) -> Session:
        records.memories.hold(scope)
        present = records.sessions.get(scope, session.ref)
        if forgotten_keys(records, scope) != folded.gone:
            raise LeaseLost("something that it had read was forgotten meanwhile; try again")
        mark = mark_of(records, scope, present)
        if mark.cause != cause:
            keep(records, scope, present, mark._replace(cause=cause), now=house.clock.now())
        if not made.text or (made.text == present.summary and _is_current(present)):
            return present
        return records.endings.summarize(scope, present, made.text, now=house.clock.now())

    return house.store.write(work)


def _is_current(session: Session) -> bool:
    return session.summary_ms is not None and session.summary_ms >= session.last_activity_ms


def resummarize(records: Records, scope: Scope, session: Session, *, now: int) -> None:
    """Something that the session held was forgotten: its summary goes, and another is made."""
    records.endings.withhold(scope, session, now=now)
    if session.state != "active":
        keep(records, scope, session, Mark(), now=now)
        ask_conclusion(records, scope, session, now=now)
