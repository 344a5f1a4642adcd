"""Unsay in tasks: what was forgotten leaves tasks, their sessions, incidents and events on their way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.forgetting.forgotten_tasks import (
    Tells,
    event_tells,
    incident_without,
    json_without,
    make_teller,
    sitting_without,
    task_without,
)
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts
from everthread.domain.harness.checkpoints import Cursor
from everthread.domain.memory.memories import State
from everthread.domain.tasks.checkpoint_rules import WAITING
from everthread.domain.tasks.task_files import WITHHELD
from everthread.domain.tasks.tasks import Task
from everthread.ports import House, Records

ALL = 1 << 62


class TouchedTasks(NamedTuple):
    tasks: Sequence[int]
    """Those whose files are to be written anew."""
    memories: int
    """How many that checkpoints had left went with their words."""


def clear_tasks(
    house: House, records: Records, agent: AgentRow, gone: ForgottenTexts
) -> TouchedTasks:
    """Take it out. An event that tells it is not told."""
    scope, now, tells = Scope(agent.ref), house.clock.now(), make_teller(gone)
    touched = [
        task.ref
        for task in records.tasks.all(scope, limit=ALL)
        if any(
            [
                _clear_task(records, scope, task, tells, now),
                *_clear_sittings(records, scope, task, tells, now),
            ]
        )
    ]
    mirrored = _unmirror(records, scope, tells, now)
    for one in records.incidents.all(scope, limit=ALL):
        less = incident_without(one, tells)
        if less != one:
            records.incidents.withhold(scope, less, now=now)
    for event in records.outbox.all(scope, limit=ALL):
        if event_tells(event, tells):
            records.outbox.withhold(scope, event, WITHHELD, now=now)
    return TouchedTasks(touched, mirrored)


def _unmirror(records: Records, scope: Scope, tells: Tells, now: int) -> int:
    """What checkpoints left as memories goes as the checkpoints' own words do; how many went."""
    tags, went = {task.tag for task in records.tasks.all(scope, limit=ALL)}, 0
    if not tags:
        return went
    records.memories.hold(scope)
    states: tuple[State, ...] = ("kept", "superseded")
    for memory in (m for s in states for m in records.memories.all(scope, state=s, limit=ALL)):
        if memory.origin == "agent" and tags & set(memory.tags) and tells(memory.text):
            records.memories.forget(scope, memory, now=now)
            went += 1
    return went


def _clear_task(records: Records, scope: Scope, task: Task, tells: Tells, now: int) -> bool:
    if task_without(task, tells) == task:
        return False
    # Whoever is about to change it waits, or has just changed it: what stands there now is looked at.
    held = records.tasks.hold(scope, task.ref)
    records.tasks.withhold(scope, task_without(held, tells), now=now)
    return True


def _clear_sittings(
    records: Records, scope: Scope, task: Task, tells: Tells, now: int
) -> list[bool]:
    """Of each of its sessions: did it tell it?"""
    found: list[bool] = []
    for sitting in records.sittings.of_task(scope, task.ref, limit=ALL):
        less = sitting_without(sitting, tells)
        if less != sitting:
            records.sittings.withhold(scope, less, now=now)
            session = records.sessions.get(scope, sitting.session_ref)
            records.injections.withhold([session.key_id], now=now)
        found.append(less != sitting)
        _clear_waiting(records, scope, sitting.session_ref, tells, now)
    return found


def _clear_waiting(records: Records, scope: Scope, session: int, tells: Tells, now: int) -> None:
    cursor = records.cursors.get(scope, session, WAITING)
    if cursor is None or not cursor.pending_json:
        return
    left = json_without(cursor.pending_json, tells)
    if left != cursor.pending_json:
        records.cursors.put(scope, Cursor(session, WAITING, cursor.position, left, now))
