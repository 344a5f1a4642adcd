"""The tools by which an agent runs the rituals of its tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from everthread.domain.errors import BadInput
from everthread.domain.redaction.secrets import strip_secrets
from everthread.edges.documents.rows import entry_document
from everthread.edges.documents.tasks import (
    checked_document,
    checkpoint_file_document,
    incident_document,
    owner_text,
    sitting_document,
)
from everthread.edges.http.key_limits import must_be_worked_in

from .blocks import Item, of_items
from .caller import Desk

if TYPE_CHECKING:
    from everthread.engine import Agent
    from everthread.engine.tasking import Task
    from everthread.services.tasks.status import Standing

Arguments = Mapping[str, Any]

LONGEST = 4_000
SHOWN = 20


def _project(desk: Desk) -> str:
    if desk.folder is None:
        raise BadInput("tasks belong to a project, and this session works in none")
    return desk.folder


def _agent(desk: Desk) -> tuple[Agent, str]:
    agent, project = desk.writing(), _project(desk)
    must_be_worked_in(desk.caller.key, desk.engine, agent, project)
    return agent, project


def _task(desk: Desk, given: Arguments) -> Task:
    agent, project = _agent(desk)
    return agent.task(given.get("task"), project=project, owner=agent.worker_in(project))


def task_status(desk: Desk, given: Arguments) -> str:
    agent, project = desk.reading(), _project(desk)
    if agent is None:
        return "There are no tasks in this project."
    must_be_worked_in(desk.caller.key, desk.engine, agent, project)
    return _standing_text(agent.task(given.get("task"), project=project).status())


def _standing_text(told: Standing) -> str:
    row, at = told.task, told.at
    lines = [
        f"Task {row.slug} is {row.status} at {row.gate} ({told.gate_name}), which asks for "
        f"{' and '.join(told.asks)}.",
        "Nobody works at it."
        if at is None
        else f"Session {at.session.alias} works at it: {owner_text(told)}.",
        f"{told.arc.summary_line}.",
    ]
    if row.stopped_ms is not None:
        lines.append("It was stopped in an emergency: a person has to allow the next start.")
    if row.sandbox is not None or (at is not None and at.sitting.sandboxed):
        lines.append("It is in a sandbox: only reading is allowed.")
    said = [Item("goal", row.goal, LONGEST)]
    said += [Item(f"blocker {n}", text, LONGEST) for n, text in enumerate(row.blockers, 1)]
    said += [Item(f"next step {n}", text, LONGEST) for n, text in enumerate(row.next_steps, 1)]
    said += [Item(f"incident, {i.kind}", i.summary, LONGEST) for i in told.incidents[:5]]
    return "\n".join([*lines, of_items(said)])


def task_new(desk: Desk, given: Arguments) -> str:
    agent, project = _agent(desk)
    made = agent.new_task(
        given["slug"],
        goal=given["goal"],
        project=project,
        acceptance=given.get("acceptance", ()),
    )
    return f"Task {made.slug} is made. task_start begins its first session."


def task_start(desk: Desk, given: Arguments) -> str:
    task = _task(desk, given)
    begun = task.start(
        goal=given.get("goal"),
        from_gate=given.get("from_gate"),
        fix=bool(given.get("fix", False)),
    )
    items = [
        Item(f"changed since the last session {n}", c, LONGEST) for n, c in _many(begun.changed)
    ]
    if begun.context:
        items.append(Item("where the last session stood", begun.context, LONGEST))
    ritual = _ritual(begun.at.sitting.record)
    return "\n".join(filter(None, [ritual, of_items(items), _standing_text(task.status())]))


def _many(texts: Iterable[str]) -> Iterable[tuple[int, str]]:
    return enumerate(texts, 1)


def _ritual(record: Iterable[Mapping[str, Any]]) -> str:
    """The steps by name and result; what they found is quoted as data."""
    steps = list(record)
    head = ", ".join(f"{step['name']}: {step['result']}" for step in steps)
    items = [Item(str(s["name"]), str(s["detail"]), LONGEST) for s in steps if s.get("detail")]
    return "\n".join(filter(None, [head, of_items(items)]))


def task_checkpoint(desk: Desk, given: Arguments) -> str:
    done = _task(desk, given).checkpoint(
        given["type"],
        given["summary"],
        decisions=given.get("decisions", ()),
        files=given.get("files", ()),
        error=given.get("error"),
        resolution=given.get("resolution"),
        next_steps=given.get("next_steps", ()),
        questions=given.get("questions", ()),
        resume=given.get("resume"),
    )
    over = ". Sum up now: pass the gate" if done.arc.over else ""
    if done.checkpoint is None:
        return f"{done.waiting} changed files wait to become one checkpoint; {done.arc.summary_line}{over}."
    return f"Checkpoint {done.checkpoint.alias} is written; {done.arc.summary_line}{over}."


def task_gate(desk: Desk, given: Arguments) -> str:
    task = _task(desk, given)
    done = task.gate(
        given["gate"],
        evidence=given.get("evidence", {}),
        waiver=given.get("waiver"),
        summary=given.get("summary"),
        next_steps=given.get("next_steps", ()),
    )
    waived = " by a waiver" if done.passage.waiver is not None else ""
    told = f"G{done.passage.number} is passed{waived} with checkpoint {done.checkpoint.alias}."
    return f"{told}\n{_standing_text(task.status())}"


def task_fail(desk: Desk, given: Arguments) -> str:
    failed = _task(desk, given).fail(given["step"], given["kind"], given.get("detail", ""))
    lines = [f"Failed {failed.next.failures.total} times in a row. Now {failed.next.words}."]
    if failed.rolls_back_to:
        lines.append(f"The last checkpoint to go back to is {failed.rolls_back_to}.")
    if failed.suggestion is not None:
        heading = f"{failed.suggestion.kind} of the fixer"
        lines.append(of_items([Item(heading, failed.suggestion.text, LONGEST)]))
    return "\n".join(lines)


def task_used(desk: Desk, given: Arguments) -> str:
    reached = _task(desk, given).used(current=given["current"], processed=given.get("processed", 0))
    if reached is None:
        return "It may go on growing."
    told = f"Checkpoint {reached.checkpoint.alias} says where it stood. "
    if reached.forked:
        told += f"Session {reached.at.session.alias} goes on; leave the context before it behind."
    return f"{told}\n{of_items([Item('where it stood', reached.context, LONGEST)])}"


def task_end(desk: Desk, given: Arguments) -> str:
    done = _task(desk, given).end(
        given["outcome"],
        summary=given["summary"],
        completed=given.get("completed", ()),
        blocked=given.get("blocked", ()),
        next_steps=given.get("next_steps", ()),
    )
    return (
        f"{_ritual(done.record)}\nTask {done.task.slug} is {done.task.status} at {done.task.gate}."
    )


def task_audit(desk: Desk, given: Arguments) -> str:
    agent, project = desk.reading(), _project(desk)
    if agent is None:
        return "There are no tasks in this project."
    must_be_worked_in(desk.caller.key, desk.engine, agent, project)
    task = agent.task(given.get("task"), project=project)
    records = _records(task, given["what"], agent.name)
    heading = f"{given['what']} of task {task.row.slug}"
    if not records:
        return f"There are no {heading}."
    told = "\n".join(json.dumps(each, ensure_ascii=False) for each in records)
    return of_items([Item(heading, told, LONGEST)])


def _records(task: Task, what: str, agent: str) -> list[dict[str, Any]]:
    """Newest first, as the API shows them."""
    if what == "sessions":
        return [sitting_document(sat, agent) for sat in task.sessions(limit=SHOWN)]
    if what == "timeline":
        return [entry_document(each) for each in task.timeline(limit=SHOWN)]
    if what == "checkpoints":
        kept = task.checkpoints(limit=SHOWN)
        return [{"kind": each.kind, **checkpoint_file_document(each, "")} for each in kept]
    if what == "incidents":
        return [incident_document(each) for each in task.incidents(limit=SHOWN)]
    return [checked_document(task.verify())]


def task_stop(desk: Desk, given: Arguments) -> str:
    stopped = _task(desk, given).stop(strip_secrets(given["reason"]))
    return f"Task {stopped.task.slug} is stopped. A person has to allow the next start."


TASK_ACTIONS: Mapping[str, Callable[[Desk, Arguments], str]] = {
    action.__name__: action
    for action in (
        task_status,
        task_new,
        task_start,
        task_checkpoint,
        task_gate,
        task_fail,
        task_used,
        task_end,
        task_audit,
        task_stop,
    )
}
