"""Sweep: the safety net under sessions that nobody ended, or whose end nobody saw to.

It goes by last activity alone: no calendar, no time zone. It only moves and asks, so that a run is
short; what was missed while no program ran is asked for with the first run after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session, continues
from everthread.domain.errors import SessionUnknown, ThreadUnknown
from everthread.ports import House, QuietQuery, Records
from everthread.services.archive.end import LOOKED_BACK, ask_conclusion, end
from everthread.services.archive.sessions import hours_of
from everthread.services.harness.session_owner import is_alive

PAGE = 50
HOURLY, DAILY = 200, 2_000
"""Sessions that one run sees to at most; the next one goes on."""


def sweep_sessions(house: House, pause: Callable[[], None], *, most: int = HOURLY) -> int:
    """End what is too quiet, and have every end seen to; how many sessions were touched."""
    touched: set[int] = set()
    for session in chain(_quiet_sessions(house), _unconcluded_sessions(house)):
        if len(touched) >= most:
            break
        act = _end_if_there if session.state == "active" else _ask_conclusion
        if session.ref not in touched and house.store.write(
            lambda r, s=session, act=act: act(house, r, s)
        ):
            touched.add(session.ref)
        pause()
    return len(touched)


def _ask_conclusion(house: House, records: Records, session: Session) -> bool:
    ask_conclusion(records, Scope(session.agent_ref), session, now=house.clock.now())
    return True


def _quiet_sessions(house: House) -> Iterator[Session]:
    wanted = QuietQuery(house.clock.now(), house.policy.inactivity_hours, limit=PAGE)
    while page := house.store.read(lambda r, w=wanted: r.endings.quiet(w)):
        yield from page
        wanted = wanted._replace(after=page[-1].ref)


def _unconcluded_sessions(house: House) -> Iterator[Session]:
    now = house.clock.now()
    wanted = QuietQuery(now, house.policy.inactivity_hours, limit=PAGE, since=now - LOOKED_BACK)
    while page := house.store.read(lambda r, w=wanted: r.endings.unseen(w)):
        yield from page
        wanted = wanted._replace(after=page[-1].ref)


def _end_if_there(house: House, records: Records, found: Session) -> bool:
    try:
        return _end_if_quiet(house, records, found)
    except (SessionUnknown, ThreadUnknown):
        return False  # it went between the look and the lock


def _end_if_quiet(house: House, records: Records, found: Session) -> bool:
    """End it, unless somebody goes on with it: looked at again under the lock of its thread."""
    scope, now = Scope(found.agent_ref), house.clock.now()
    records.threads.hold(scope, found.thread_ref)
    session = records.sessions.get(scope, found.ref)
    agent = records.agents.get(scope)
    if session.state != "active" or session.task is not None:
        return False
    if continues(session.pulse_ms, at=now, hours=hours_of(house, agent)):
        return False
    held = records.turns.open_on(scope, session.thread_ref)
    if held is not None and held.session_ref == session.ref:
        return False
    if session.harness is not None:
        if is_alive(house, records, scope, session, now=now):
            return False
        if session.message_count and house.policy.checkpoints == "on":
            from everthread.services.harness.checkpoint import ask_checkpoint  # noqa: PLC0415 - slow to load, seldom needed

            ask_checkpoint(records, scope, session, "session_end", due_at=now, now=now)
    end(records, scope, session, now=now, ended=session.last_activity_ms)
    return True
