"""Track: how much context a task's session has, by the turns or the harness in which it is worked at.

Two figures (X-22): all that was processed, with the session; the size of the context now, with its sitting.
Where no task is worked at, this is one look at one table.
"""

from __future__ import annotations

import json
import logging
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checkpoints import Cursor
from everthread.domain.errors import EverthreadError
from everthread.domain.fences import SESSION_CLOSING, SESSION_OPENING
from everthread.domain.sessions import Session
from everthread.domain.tasks import Sitting
from everthread.domain.turns import TurnRow
from everthread.ports import House, Records
from everthread.services.capture import Visit
from everthread.services.giving import Begun, given_before, quoted
from everthread.services.stretch import stretch_of

from .found import At, Desk
from .refresh import Run, asked_for, grown

log = logging.getLogger("everthread.task")

MOST = 20_000
"""Messages of a harness's session that are weighed at once."""

PURPOSE = "task"
"""Of what a prompt is told of a task's context."""

ASKS = (
    "Everthread: the context of this session has grown past what its task should carry. Where the task "
    "stands is written down. Ask the user to compact the conversation now (/compact), and go on from "
    "the summary alone."
)


def after_turn(house: House, turn: TurnRow, *, size: int) -> None:
    """A turn of a task's session ended; its request had that size. What goes wrong here ends no turn."""
    scope = Scope(turn.agent_ref)
    try:
        at = house.store.read(lambda r: _of_session(r, scope, turn.session_ref))
        if at is not None:
            agent = house.store.read(lambda r: r.agents.get(scope))
            grown(Desk(house, agent, at.task.project), at, current=size)
    except EverthreadError as trouble:
        log.warning("the context of a task was not looked after: %s", trouble)


def _of_session(records: Records, scope: Scope, session: int) -> At | None:
    sitting = records.sittings.of_session(scope, session)
    row = records.sessions.get(scope, session)
    if sitting is None or row.state != "active":
        return None
    return At(records.tasks.get(scope, sitting.task_ref), row, sitting)


# Beside a harness


class Counted(NamedTuple):
    """Up to where a harness's session was weighed for a task's, and what its context weighs."""

    seq: int
    epoch: int
    current: int


def heard(house: House, agent: AgentRow, run: Session) -> None:
    """A harness told something; if a task is worked at in its project, that counts for the task."""
    scope, project = Scope(agent.ref), run.project_normalized
    if project is None or run.parent_ref is not None:
        return
    active = house.store.read(lambda r: r.sittings.active(scope, project))
    if not active:
        return
    desk = Desk(house, agent, project)
    try:
        counted = house.store.write(lambda r: _weighed(r, desk, active[0], run))
        if counted is not None:
            at, now = counted
            grown(desk, at, current=now.current, run=Run(run, now.epoch))
    except EverthreadError as trouble:
        log.warning("the context of a task was not looked after: %s", trouble)


def _weighed(
    records: Records, desk: Desk, sitting: Sitting, run: Session
) -> tuple[At, Counted] | None:
    """Count what is new in the harness's session; None if its own is not at work any more."""
    at = _of_session(records, desk.scope, sitting.session_ref)
    if at is None:
        return None
    place = f"task:run:{run.id}"
    known = records.cursors.get(desk.scope, at.session.ref, place)
    stretch = stretch_of(records, desk.scope, run)
    first = known is None
    last = Counted(stretch.first - 1, stretch.epoch, 0)
    if known is not None:
        last = Counted(*json.loads(known.position))
    new = records.messages.of_session_after(desk.scope, run, after=last.seq, limit=MOST)
    # What was said before the task's session began is in the context, but not of its making.
    mine = sum(m.tokens for m in new if not first or m.at_ms >= at.session.started_ms)
    kept = last.current if last.epoch == stretch.epoch else 0
    here = sum(m.tokens for m in new if m.seq >= stretch.first)
    counted = Counted(max((m.seq for m in new), default=last.seq), stretch.epoch, kept + here)
    now = desk.house.clock.now()
    if mine:
        records.sessions.touch(desk.scope, at.session.ref, at=now, human=False, context=mine)
    cursor = Cursor(at.session.ref, place, json.dumps(counted), "", now)
    records.cursors.put(desk.scope, cursor)
    return at._replace(session=records.sessions.get(desk.scope, at.session.ref)), counted


def asked_of(records: Records, visit: Visit, run: Session, epoch: int) -> Begun | None:
    """What a prompt of a harness is told, once, where its context should be compacted."""
    project = run.project_normalized
    active = records.sittings.active(visit.scope, project) if project is not None else ()
    if project is None or not active:
        return None
    at = _of_session(records, visit.scope, active[0].session_ref)
    desk = Desk(visit.house, visit.agent, project)
    if at is None or not asked_for(records, desk, at, Run(run, epoch)):
        return None
    if given_before(records, visit.scope, run, PURPOSE, epoch) is not None:
        return None
    text = f"{SESSION_OPENING}{ASKS}\n{SESSION_CLOSING}"
    return Begun(text, PURPOSE, [quoted(run)], reason="the context of a task grew too large")
