"""Tasks over HTTP. They belong to a project on the daemon's machine; a token may name only such as its
agent works in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.edges.documents.rows import entry_document
from everthread.edges.documents.tasks import (
    begun_document,
    checked_document,
    checkpoint_file_document,
    ended_document,
    event_document,
    failed_document,
    incident_document,
    put_down_document,
    reached_document,
    sitting_document,
    standing_document,
    task_document,
)
from everthread.edges.http.key_limits import must_be_worked_in

if TYPE_CHECKING:
    from everthread.edges.http import task_shapes
    from everthread.edges.http.call import Call
    from everthread.engine import Agent
    from everthread.engine.tasking import Task
    from everthread.services.tasks.new import TaskFields

Document = dict[str, Any]


def _agent_for(call: Call, project: str) -> Agent:
    """The agent, if the token may speak of that project."""
    agent = call.agent
    must_be_worked_in(call.key, call.engine, agent, project)
    return agent


def _task(call: Call, project: str) -> Task:
    agent = _agent_for(call, project)
    owner = agent.worker_in(project)
    return agent.task(call.path["task"], project=project, owner=owner)


def list_tasks(call: Call, wanted: task_shapes.InProject) -> Document:
    """The tasks of a project, latest change first."""
    limit = wanted.limit
    rows = _agent_for(call, wanted.project).tasks(project=wanted.project, limit=limit + 1)
    told = [task_document(row) for row in rows[:limit]]
    return {"agent": call.agent.name, "tasks": told, "more": len(rows) > limit}


def new_task(call: Call, wanted: task_shapes.NewTask) -> Document:
    """Make a task with its folder, and its agent where there is none and the token may make agents.

    A command is named on the machine itself, never from afar.
    """
    said: TaskFields = {"goal": wanted.goal, "acceptance": wanted.acceptance}
    if call.makes:  # an agent stays for good, so nobody makes one for a task that is refused
        must_be_worked_in(call.key, call.engine, None, wanted.project)
        call.engine.must_take_task(wanted.slug, project=wanted.project, **said)
        call.engine.agent(call.path["agent"])
    agent = _agent_for(call, wanted.project)
    made = agent.new_task(wanted.slug, project=wanted.project, **said)
    return {"agent": agent.name, **task_document(made.row)}


def show_task(call: Call, wanted: task_shapes.OfTask) -> Document:
    """How a task stands."""
    return _status_document(call, _task(call, wanted.project))


def _status_document(call: Call, task: Task) -> Document:
    return {"agent": call.agent.name, **standing_document(task.status())}


def start(call: Call, wanted: task_shapes.Start) -> Document:
    """Begin a session with the startup ritual."""
    task = _task(call, wanted.project)
    begun = task.start(goal=wanted.goal, from_gate=wanted.from_gate, fix=wanted.fix)
    return {**_status_document(call, task), **begun_document(begun)}


def checkpoint(call: Call, wanted: task_shapes.Mark) -> Document:
    """Put down where the task stands."""
    task = _task(call, wanted.project)
    done = task.checkpoint(
        wanted.kind,
        wanted.summary,
        decisions=wanted.decisions,
        files=wanted.files,
        tests=wanted.tests,
        error=wanted.error,
        resolution=wanted.resolution,
        step=wanted.step,
        next_steps=wanted.next_steps,
        questions=wanted.questions,
        resume=wanted.resume,
        can_resume=wanted.can_resume,
    )
    text = "" if done.checkpoint is None else task.document(done.checkpoint)
    return {"agent": call.agent.name, **put_down_document(done, text)}


def gate(call: Call, wanted: task_shapes.Pass) -> Document:
    """Pass a gate with what it asks for, or with a waiver."""
    task = _task(call, wanted.project)
    done = task.gate(
        wanted.gate,
        evidence=wanted.evidence,
        waiver=wanted.waiver,
        summary=wanted.summary,
        next_steps=wanted.next_steps,
    )
    return {
        **_status_document(call, task),
        "checkpoint": done.checkpoint.alias,
        "waived": done.passage.waiver is not None,
    }


def fail(call: Call, wanted: task_shapes.Fail) -> Document:
    """A step failed: what follows."""
    task = _task(call, wanted.project)
    done = task.fail(wanted.step, wanted.kind, wanted.detail)
    return {"agent": call.agent.name, **failed_document(done)}


def step_passed(call: Call, wanted: task_shapes.StepPassed) -> Document:
    """A step that had failed went through."""
    row = _task(call, wanted.project).passed(wanted.step)
    return {"agent": call.agent.name, **task_document(row)}


def end(call: Call, wanted: task_shapes.End) -> Document:
    """End the session with the shutdown ritual."""
    task = _task(call, wanted.project)
    done = task.end(
        wanted.outcome,
        summary=wanted.summary,
        completed=wanted.completed,
        blocked=wanted.blocked,
        next_steps=wanted.next_steps,
        hint=wanted.hint,
    )
    return {"agent": call.agent.name, **ended_document(done)}


def used(call: Call, wanted: task_shapes.Used) -> Document:
    """How large the context is: at the soft cap the session forks, and a refresh is made when it is due."""
    task = _task(call, wanted.project)
    reached = task.used(current=wanted.current, processed=wanted.processed)
    return {**_status_document(call, task), **reached_document(reached)}


def stop(call: Call, wanted: task_shapes.Stop) -> Document:
    """An emergency: end the session at once."""
    done = _task(call, wanted.project).stop(wanted.reason)
    made = done.checkpoint
    return {
        "agent": call.agent.name,
        **task_document(done.task),
        "checkpoint": None if made is None else made.alias,
        "patch": done.patch,
    }


def list_sessions(call: Call, wanted: task_shapes.OfTask) -> Document:
    """The sessions of a task with their relations, newest first."""
    task, name, limit = _task(call, wanted.project), call.agent.name, wanted.limit
    found = task.sessions(limit=limit + 1)
    told = [sitting_document(sat, name) for sat in found[:limit]]
    return {"agent": name, "task": task.slug, "sessions": told, "more": len(found) > limit}


def list_checkpoints(call: Call, wanted: task_shapes.OfTask) -> Document:
    """The checkpoints of a task, newest first."""
    task, name, limit = _task(call, wanted.project), call.agent.name, wanted.limit
    found = task.checkpoints(limit=limit + 1)
    told = [checkpoint_file_document(each, task.document(each)) for each in found[:limit]]
    return {"agent": name, "task": task.slug, "checkpoints": told, "more": len(found) > limit}


def timeline(call: Call, wanted: task_shapes.OfTask) -> Document:
    """What the sealed log holds about a task, oldest first."""
    task, name, limit = _task(call, wanted.project), call.agent.name, wanted.limit
    found = task.timeline(limit=limit + 1)
    told = [entry_document(entry) for entry in found[-limit:]]
    return {"agent": name, "task": task.slug, "entries": told, "more": len(found) > limit}


def verify(call: Call, wanted: task_shapes.Verify) -> Document:
    """Compare the files of a task with the store; `repair` makes them anew from it."""
    found = _task(call, wanted.project).verify(repair=wanted.repair)
    return {"agent": call.agent.name, **checked_document(found)}


def list_incidents(call: Call, wanted: task_shapes.Everywhere) -> Document:
    """What a person should look at, newest first."""
    agent, whose, limit = call.agent, call.agent, wanted.limit
    if wanted.task is not None and wanted.project is not None:
        must_be_worked_in(call.key, call.engine, agent, wanted.project)
        whose = agent.task(wanted.task, project=wanted.project)
    found = whose.incidents(unresolved=wanted.unresolved, limit=limit + 1)
    told = [incident_document(each) for each in found[:limit]]
    return {"agent": agent.name, "incidents": told, "more": len(found) > limit}


def resolve(call: Call, wanted: task_shapes.Resolve) -> Document:
    """Say that somebody looked at an incident, and what came of it."""
    agent = call.agent
    done = agent.resolve_incident(call.path["incident"], wanted.note)
    return {"agent": agent.name, **incident_document(done)}


def list_events(call: Call, wanted: task_shapes.Limited) -> Document:
    """The outbox, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.events(limit=limit + 1)
    told = [event_document(each) for each in found[:limit]]
    return {"agent": agent.name, "events": told, "more": len(found) > limit}
