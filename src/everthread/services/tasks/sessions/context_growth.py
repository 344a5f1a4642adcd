"""Track: how much context a task's session has, by the turns or the harness in which it is worked at.

Two figures (X-22): all that was processed, with the session; the size of the context now, with its sitting.
Where no task is worked at, this is one look at one table.
"""

from __future__ import annotations

import json
import logging
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.errors import EverthreadError, SessionUnknown, TaskRefused, TaskUnknown
from everthread.domain.given.packing import SESSION_CLOSING, SESSION_OPENING
from everthread.domain.harness.checkpoints import Cursor
from everthread.domain.tasks.tasks import Sitting
from everthread.ports import House, Records
from everthread.services.harness.capture import Visit
from everthread.services.harness.give import GivenBlock, quoted_session, text_given_before
from everthread.services.harness.stretch import stretch_of
from everthread.services.job_names import REFRESH
from everthread.services.tasks.desk import Desk, TaskSession

from .refresh import Run, due_now, fork_or_refresh, is_compaction_asked, note_size

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


def after_turn(house: House, turn: TurnRow, *, size: int) -> bool:
    """A turn of a task's session ended; its request had that size. Is there work for the worker now?

    Only counted: whoever ended the turn waits for no fork and no refresh (R-8). What goes wrong here ends
    no turn.
    """
    scope = Scope(turn.agent_ref)

    def work(records: Records) -> bool:
        at = _session_at_work(records, scope, turn.session_ref)
        if at is None:
            return False
        desk = Desk(house, records.agents.get(scope), at.task.project)
        return _ask_if_due(records, desk, at, size)

    try:
        return house.store.write(work)
    except EverthreadError as trouble:
        log.warning("the context of a task was not looked after: %s", trouble)
        return False


def _ask_if_due(
    records: Records, desk: Desk, at: TaskSession, current: int, run: Run | None = None
) -> bool:
    """Put the size down; where a fork or a refresh is due, ask the worker for it. Was it asked?"""
    note_size(records, desk, at, current)
    if due_now(records, desk, at, current=current, run=run) is None:
        return False
    now, window = desk.house.clock.now(), None if run is None else run.session.ref
    told = {"agent": desk.scope.agent, "session": at.session.ref, "run": window}
    once = f"{at.session.ref}:{window or ''}"
    payload = json.dumps(told)
    records.jobs.add(REFRESH, payload, due_at=now, now=now, agent=desk.scope.agent, once=once)
    return True


def run_refresh_job(house: House, payload: str) -> None:
    """Fork or refresh, if that is still due."""
    told: dict[str, Any] = json.loads(payload)
    scope = Scope(told["agent"])

    def read(records: Records) -> tuple[Desk, TaskSession, int, Run | None] | None:
        at = _session_at_work(records, scope, told["session"])
        if at is None:
            return None
        desk = Desk(house, records.agents.get(scope), at.task.project)
        if told["run"] is None:
            return desk, at, at.sitting.current_tokens, None
        window = records.sessions.get(scope, told["run"])
        known = _run_size(records, scope, at, window)
        return None if known is None else (desk, at, known.current, Run(window, known.epoch))

    try:
        found = house.store.read(read)
        if found is not None:
            desk, at, current, run = found
            fork_or_refresh(desk, at, current=current, run=run)
    except (SessionUnknown, TaskUnknown, TaskRefused) as gone:
        # It ended, or was erased, before it was its turn.
        log.info("a context was not refreshed: %s", gone)


def _session_at_work(records: Records, scope: Scope, session: int) -> TaskSession | None:
    sitting = records.sittings.of_session(scope, session)
    row = records.sessions.get(scope, session)
    if sitting is None or row.state != "active":
        return None
    return TaskSession(records.tasks.get(scope, sitting.task_ref), row, sitting)


# Beside a harness


class RunSize(NamedTuple):
    """Up to where a harness's session was weighed for a task's, and what its context weighs."""

    seq: int
    epoch: int
    current: int


def count_harness_run(house: House, agent: AgentRow, run: Session) -> bool:
    """A harness told something; if a task is worked at in its project, that counts for the task.

    Is there work for the worker now? The harness waits for no git and no sentinel.
    """
    scope, project = Scope(agent.ref), run.project_normalized
    if project is None or run.parent_ref is not None:
        return False
    active = house.store.read(lambda r: r.sittings.active(scope, project))
    if not active:
        return False
    desk = Desk(house, agent, project)
    try:
        return house.store.write(lambda r: _weigh_run(r, desk, active[0], run))
    except EverthreadError as trouble:
        log.warning("the context of a task was not looked after: %s", trouble)
        return False


def _place(run: Session) -> str:
    return f"task:run:{run.id}"


def _run_size(records: Records, scope: Scope, at: TaskSession, run: Session) -> RunSize | None:
    found = records.cursors.get(scope, at.session.ref, _place(run))
    return None if found is None else RunSize(*json.loads(found.position))


def _weigh_run(records: Records, desk: Desk, sitting: Sitting, run: Session) -> bool:
    """Count what is new in the harness's session; is there work for the worker now?"""
    # Of two who count at once, the second counts what the first has left.
    records.tasks.hold(desk.scope, sitting.task_ref)
    at = _session_at_work(records, desk.scope, sitting.session_ref)
    if at is None:
        return False
    known = _run_size(records, desk.scope, at, run)
    stretch = stretch_of(records, desk.scope, run)
    first = known is None
    last = known or RunSize(stretch.first - 1, stretch.epoch, 0)
    new = records.messages.of_session_after(desk.scope, run, after=last.seq, limit=MOST)
    # What was said before the task's session began is in the context, but not of its making.
    mine = sum(m.tokens for m in new if not first or m.at_ms >= at.session.started_ms)
    kept = last.current if last.epoch == stretch.epoch else 0
    here = sum(m.tokens for m in new if m.seq >= stretch.first)
    counted = RunSize(max((m.seq for m in new), default=last.seq), stretch.epoch, kept + here)
    now = desk.house.clock.now()
    if mine:
        records.sessions.touch(desk.scope, at.session.ref, at=now, human=False, context=mine)
    cursor = Cursor(at.session.ref, _place(run), json.dumps(counted), "", now)
    records.cursors.put(desk.scope, cursor)
    at = at._replace(session=records.sessions.get(desk.scope, at.session.ref))
    return _ask_if_due(records, desk, at, counted.current, Run(run, counted.epoch))


def compaction_notice(
    records: Records, visit: Visit, run: Session, epoch: int
) -> GivenBlock | None:
    """What a prompt of a harness is told, once, where its context should be compacted."""
    project = run.project_normalized
    active = records.sittings.active(visit.scope, project) if project is not None else ()
    if project is None or not active:
        return None
    at = _session_at_work(records, visit.scope, active[0].session_ref)
    desk = Desk(visit.house, visit.agent, project)
    if at is None or not is_compaction_asked(records, desk, at, Run(run, epoch)):
        return None
    if text_given_before(records, visit.scope, run, PURPOSE, epoch) is not None:
        return None
    text = f"{SESSION_OPENING}{ASKS}\n{SESSION_CLOSING}"
    return GivenBlock(
        text, PURPOSE, [quoted_session(run)], reason="the context of a task grew too large"
    )
