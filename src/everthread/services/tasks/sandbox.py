"""Sandbox: a session of a task that drifted may only read, until a person allows more (R-32).

That it is one stands in the store. A mark in the home folder tells hooks, which cannot ask the store; it
is made from the store and can be made again. What was asked for in it is put down line by line.

The end of the session ends no sandbox: an agent could end it by one call. Its project is held until a
person allowed more, or the process that worked at it is gone.
"""

from __future__ import annotations

import json
import logging
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.contents import mapping
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import EverthreadError, SandboxActive
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.safety.sandbox import (
    Decision,
    deny_write,
    is_shell,
    only_reads,
    tool_allowed,
)
from everthread.domain.safety.sandbox_places import FOLDERS, is_within, places_named
from everthread.domain.tasks.task_files import LONG_CONTEXT
from everthread.domain.tasks.tasks import Sitting, Task
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.ports.markers import Marker

from .desk import MOST, Desk, TaskSession

log = logging.getLogger("everthread.task")

NOT_SANDBOXED = Decision(allow=True, reason="no sandbox")

MOST_PLACES = 5_000
"""Places of a call that are looked up, for the harness waits; a call that names more counts as if one of
them lay in the sandbox."""


class ToolRequest(NamedTuple):
    """A harness asks about a tool."""

    harness: str
    tool: str
    given: object
    folders: Sequence[str]
    """Where it works, as real paths."""


def held_sessions(house: House, records: Records, scope: Scope) -> list[TaskSession]:
    """The sessions of the agent that may only read, and those of which the process must not go on."""
    found = [
        _task_session(records, scope, records.tasks.get(scope, one.task_ref), one)
        for one in records.sittings.active(scope, None)
        if one.sandboxed
    ]
    known = {at.task.ref for at in found}
    for task in records.tasks.all(scope, limit=MOST):
        if task.sandbox_json is not None and task.ref not in known:
            left = (
                one
                for one in _sandboxed_sittings(records, scope, task)
                if not house.gone(one.owner)
            )
            found.extend(_task_session(records, scope, task, one) for one in islice(left, 1))
    return found


def _sandboxed_sittings(records: Records, scope: Scope, task: Task) -> Iterator[Sitting]:
    """Its latest sessions, as far back as they were in the sandbox; without starts that were refused."""
    for sitting in records.sittings.of_task(scope, task.ref, limit=MOST):
        if not sitting.sandboxed:
            return
        if sitting.health != "fail" or sitting.fix:
            yield sitting


def _task_session(records: Records, scope: Scope, task: Task, sitting: Sitting) -> TaskSession:
    return TaskSession(task, records.sessions.get(scope, sitting.session_ref), sitting)


def sync_markers(desk: Desk) -> None:
    """Have the marks say what the store says."""
    if desk.house.markers is None:
        return

    def look(records: Records) -> dict[Marker, str]:
        mine = [
            a
            for a in held_sessions(desk.house, records, desk.scope)
            if a.task.project == desk.project
        ]
        task = mine[0].task.slug if mine else _open_task(records, desk)
        return {"sandbox": mine[0].session.alias if mine else "", "tasks": task}

    for mark, about in desk.house.store.read(look).items():
        if about:
            desk.house.markers.put(mark, desk.project, desk.agent.id, about)
        else:
            desk.house.markers.drop(mark, desk.project, desk.agent.id)


def _open_task(records: Records, desk: Desk) -> str:
    """The task because of which harnesses should ask about tools: one that a session works at, or
    whose next session may only read; "" where there is none."""
    active = records.sittings.active(desk.scope, desk.project)
    if active:
        return records.tasks.get(desk.scope, active[0].task_ref).slug
    tasks = records.tasks.of_project(desk.scope, desk.project, limit=MOST)
    drifted = (one for one in tasks if one.sandbox_json is not None and one.status != "complete")
    return next((task.slug for task in drifted), "")


def sandboxed_session(records: Records, desk: Desk) -> TaskSession | None:
    """The task and the session at work that are in a sandbox here; None where none are."""
    active = records.sittings.active(desk.scope, desk.project)
    sitting = next((one for one in active if one.sandboxed), None)
    if sitting is None:
        return None
    task = records.tasks.get(desk.scope, sitting.task_ref)
    return _task_session(records, desk.scope, task, sitting)


def must_be_free(house: House, scope: Scope, project: str | None, why: str) -> None:
    """Refuse what would change something while the agent is held: in that project, None: in any."""
    for at in house.store.read(lambda r: held_sessions(house, r, scope)):
        if project is None or is_within(project, at.task.project):
            slug = at.task.slug
            raise SandboxActive(
                f"{why}: {slug} is in a sandbox, and stays in it when its session ends. "
                f"A person has to look at it: `everthread task allow --task {slug} --note …`"
            )


def decide_tool(desk: Desk, asking: ToolRequest) -> Decision:
    """May a harness run this tool now? Where the sandbox is concerned, what was asked is put down."""
    found = desk.house.store.read(lambda r: held_sessions(desk.house, r, desk.scope))
    if all(at.task.project != desk.project for at in found):
        sync_markers(desk)  # a mark that nobody took away must not hold anybody up
    decision = NOT_SANDBOXED
    for at in found:
        judged = _decide(desk.house, at.task.project, asking)
        if judged is not None:
            facts = {"harness": asking.harness, "tool": asking.tool[:200], "allowed": judged.allow}
            there = desk._replace(project=at.task.project)
            log_sandbox(there, at, "tool", **facts, reason=strip_secrets(judged.reason))
            decision = judged if decision.allow else decision
    return decision


def _decide(house: House, project: str, asking: ToolRequest) -> Decision | None:
    """What the sandbox of that project says to the call; None if it is none of its business.

    Who works in the project only reads. Who works elsewhere writes nothing into it: neither by naming a
    place there, nor by a shell in a folder above it, whose commands could reach anything below.
    """
    given = mapping(asking.given)

    def inside(place: str) -> bool:
        return any(
            is_within(house.files.real(posixpath.join(folder, place)), project)
            for folder in asking.folders
        )

    if any(is_within(folder, project) for folder in asking.folders):
        return tool_allowed(asking.harness, asking.tool, given, inside=inside)
    if only_reads(asking.harness, asking.tool):
        return None
    if is_shell(asking.harness, asking.tool):
        told = [str(value) for name, value in (given or {}).items() if value and name in FOLDERS]
        above = any(is_within(project, folder) for folder in asking.folders)
        if above or any(inside(place) for place in told):
            return tool_allowed(asking.harness, asking.tool, given, inside=inside)
        return None
    named = list(islice(places_named(asking.given), MOST_PLACES + 1))
    there = len(named) > MOST_PLACES or any(inside(place) for place in set(named))
    return deny_write(asking.tool) if there else None


# What happened in it


def log_of(at: TaskSession) -> str:
    return f"{LONG_CONTEXT}/{at.session.alias}.jsonl"


def log_sandbox(desk: Desk, at: TaskSession, what: str, **facts: Any) -> None:
    """One line about a session in a sandbox; a folder that cannot be written changes no decision."""
    entry = {"time": text_of(desk.house.clock.now()), "event": what, **Redactor().value(facts)}
    try:
        if desk.house.folders is not None:
            folder = desk.house.folders.open(desk.project, at.task.slug, create=True)
            folder.append(log_of(at), json.dumps(entry, ensure_ascii=False) + "\n")
    except EverthreadError as trouble:
        log.warning("%s could not be written: %s", log_of(at), trouble)


def log_sandbox_start(desk: Desk, at: TaskSession) -> None:
    """It began in a sandbox: why."""
    if at.sitting.sandboxed:
        log_sandbox(
            desk, at, "started", session=at.session.alias, gate=at.task.gate, why=at.task.sandbox
        )


def log_sandbox_end(desk: Desk, task: Task, session: Session, how: str) -> None:
    """It is over: how often it asked for what."""
    sitting = desk.house.store.read(lambda r: r.sittings.of_session(desk.scope, session.ref))
    if sitting is not None and sitting.sandboxed:
        at = TaskSession(task, session, sitting)
        log_sandbox(
            desk, at, "ended", how=how, windows=sitting.windows, tools=_tool_counts(desk, at)
        )


def _tool_counts(desk: Desk, at: TaskSession) -> dict[str, int]:
    counts = {"asked": 0, "denied": 0}
    folders = desk.house.folders
    try:
        text = (
            None if folders is None else folders.open(desk.project, at.task.slug).read(log_of(at))
        )
    except EverthreadError:
        text = None
    for line in (text or "").splitlines():
        found = _parse_line(line)
        if found.get("event") == "tool":
            counts["asked"] += 1
            counts["denied"] += not found.get("allowed")
    return counts


def _parse_line(text: str) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(text)) or {}
    except ValueError:
        return {}  # torn, or somebody wrote into it
