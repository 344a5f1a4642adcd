"""Sandbox: a session of a task that drifted may only read, until a person allows more (R-32).

That it is one stands in the store. A mark in the home folder tells hooks, which cannot ask the store; it
is made from the store and can be made again. What was asked for in it is put down line by line.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.contents import mapping
from everthread.domain.errors import EverthreadError, SandboxActive
from everthread.domain.redaction import redacted
from everthread.domain.redaction_json import Redactor
from everthread.domain.sandbox import Decision, allowed
from everthread.domain.task_files import LONG_CONTEXT
from everthread.domain.tasks import Sitting
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.ports.markers import Mark

from .found import MOST, At, Desk

log = logging.getLogger("everthread.task")

NOT_SANDBOXED = Decision(allow=True, reason="no sandbox")


def sandboxed(records: Records, scope: Scope, project: str | None) -> Sitting | None:
    """The session of that project (None: of any) that may only read; None where none does."""
    return next((one for one in records.sittings.active(scope, project) if one.sandboxed), None)


def marked_so(desk: Desk) -> None:
    """Have the marks say what the store says."""
    if desk.house.markers is None:
        return

    def look(records: Records) -> dict[Mark, str]:
        at = standing_in(records, desk)
        return {"sandbox": at.session.alias if at else "", "tasks": _open_task(records, desk)}

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
    held = (task for task in tasks if task.sandbox_json is not None and task.status != "complete")
    return next((task.slug for task in held), "")


def standing_in(records: Records, desk: Desk) -> At | None:
    """The task and the session that are in a sandbox here; None where none are."""
    sitting = sandboxed(records, desk.scope, desk.project)
    if sitting is None:
        return None
    session = records.sessions.get(desk.scope, sitting.session_ref)
    return At(records.tasks.get(desk.scope, sitting.task_ref), session, sitting)


def must_be_free(house: House, scope: Scope, project: str | None, why: str) -> None:
    """Refuse what would change something while a session of that agent is in a sandbox."""
    sitting = house.store.read(lambda r: sandboxed(r, scope, project))
    if sitting is None:
        return
    task = house.store.read(lambda r: r.tasks.get(scope, sitting.task_ref))
    raise SandboxActive(
        f"{why}: {task.slug} is in a sandbox. End its session, and have a person look at it: "
        f"`everthread task allow --task {task.slug} --note …`"
    )


def asked_tool(desk: Desk, harness: str, tool: str, given: object) -> Decision:
    """May a harness run this tool in the project now? In a sandbox, what was asked is put down."""
    at = desk.house.store.read(lambda r: standing_in(r, desk))
    if at is None:
        marked_so(desk)  # a mark that nobody took away must not hold anybody up
        return NOT_SANDBOXED
    decision = allowed(harness, tool, mapping(given))
    facts = {"harness": harness, "tool": tool[:200], "allowed": decision.allow}
    documented(desk, at, "tool", **facts, reason=redacted(decision.reason))
    return decision


# What happened in it


def log_of(at: At) -> str:
    return f"{LONG_CONTEXT}/{at.session.alias}.jsonl"


def documented(desk: Desk, at: At, what: str, **facts: Any) -> None:
    """One line about a session in a sandbox; a folder that cannot be written changes no decision."""
    entry = {"time": text_of(desk.house.clock.now()), "event": what, **Redactor().value(facts)}
    try:
        if desk.house.folders is not None:
            folder = desk.house.folders.open(desk.project, at.task.slug, create=True)
            folder.append(log_of(at), json.dumps(entry, ensure_ascii=False) + "\n")
    except EverthreadError as trouble:
        log.warning("%s could not be written: %s", log_of(at), trouble)


def begun(desk: Desk, at: At) -> None:
    """It began in a sandbox: why."""
    if at.sitting.sandboxed:
        documented(
            desk, at, "started", session=at.session.alias, gate=at.task.gate, why=at.task.sandbox
        )


def over(desk: Desk, at: At, how: str) -> None:
    """It is over: how often it asked for what."""
    if at.sitting.sandboxed:
        documented(desk, at, "ended", how=how, windows=at.sitting.windows, tools=_counted(desk, at))


def _counted(desk: Desk, at: At) -> dict[str, int]:
    counts = {"asked": 0, "denied": 0}
    folders = desk.house.folders
    try:
        text = (
            None if folders is None else folders.open(desk.project, at.task.slug).read(log_of(at))
        )
    except EverthreadError:
        text = None
    for line in (text or "").splitlines():
        found = _line(line)
        if found.get("event") == "tool":
            counts["asked"] += 1
            counts["denied"] += not found.get("allowed")
    return counts


def _line(text: str) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(text)) or {}
    except ValueError:
        return {}  # torn, or somebody wrote into it
