"""`task` at another daemon: the project is the folder of the same name on that machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everthread.domain.errors import BadInput, DaemonFailed, TaskUnknown
from everthread.domain.harness.projects import task_holder
from everthread.domain.tasks.gates import read_evidence
from everthread.edges.cli.base.options import Choice, project_here, settings_of
from everthread.edges.cli.base.remote import (
    AgentAtDaemon,
    names_there,
    own_there,
    remote_daemon,
    tell,
    tell_facts,
)
from everthread.edges.cli.base.terminal import say, show_json

if TYPE_CHECKING:
    from everthread.edges.http.client import RemoteDaemon

Document = dict[str, Any]

SHOWN = (
    "task",
    "goal",
    "status",
    "gate",
    "asks",
    "session",
    "owner",
    "last_checkpoint",
    "blockers",
)
LISTED = ("task", "status", "gate", "updated_at", "agent", "goal")


class TaskThere(NamedTuple):
    """A task of another daemon."""

    far: AgentAtDaemon
    slug: str
    project: str

    def get(self, *path: str, **query: object) -> Document:
        return self.far.get("tasks", self.slug, *path, project=self.project, **query)

    def post(self, verb: str, **body: object) -> Document:
        return self.far.post("tasks", self.slug, verb, project=self.project, **body)


def task_there(choice: Choice, slug: str | None) -> TaskThere | None:
    """The task that is meant: named, or the one open task of this project there."""
    daemon = remote_daemon(choice)
    if daemon is None:
        return None
    project = project_here()
    rows = [row for row in _rows(daemon, choice, project) if _is_meant(row, slug)]
    own = own_there(choice)
    name = task_holder(own, list(dict.fromkeys(str(row["agent"]) for row in rows)))
    slugs = [str(row["task"]) for row in rows if row["agent"] == name]
    if name is None or len(slugs) != 1:
        known = ", ".join(f"{row['task']} of {row['agent']}" for row in rows) or "there is none"
        what = "which task" if slug is None else f"which task {slug!r:.80}"
        wrong = BadInput if rows else TaskUnknown
        raise wrong(f"{what} of {project} at {daemon.url}? Name it, or --agent: {known}")
    return TaskThere(AgentAtDaemon(daemon, name), slugs[0], project)


def _is_meant(row: Document, slug: str | None) -> bool:
    return row["status"] != "complete" if slug is None else row["task"] == slug


def _rows(daemon: RemoteDaemon, choice: Choice, project: str) -> list[Document]:
    """The project's tasks there, each with whose it is: of the agent that is named, else of all."""
    asked = choice.agent or settings_of(choice).agent
    found: list[Document] = []
    for name in [asked] if asked else names_there(daemon):
        try:
            rows: list[Document] = AgentAtDaemon(daemon, name).get("tasks", project=project)[
                "tasks"
            ]
        except DaemonFailed:
            if asked:
                raise
            continue  # an agent that does not work in this project, for this token
        found += [{**row, "agent": name} for row in rows]
    return found


def new_there(choice: Choice, daemon: RemoteDaemon, smoke: str | None, **given: object) -> None:
    """`task new`, for this project's agent and never just the only one: it is made there if need be.

    A command is named on the machine where it runs, never from afar.
    """
    if smoke is not None:
        raise BadInput("a command cannot be named from afar: run this on the daemon's machine")
    project = project_here()
    name = choice.agent or settings_of(choice).agent or own_there(choice)
    if name is None:
        raise BadInput(f"{project} has no agent. Name one with --agent")
    answer = AgentAtDaemon(daemon, name).post("tasks", project=project, **given)
    tell_facts(choice, answer, *SHOWN)


def list_there(choice: Choice, daemon: RemoteDaemon, *, everywhere: bool) -> None:
    """`task list`."""
    if everywhere:
        raise BadInput("--everywhere is for the daemon's machine; from afar a project is asked for")
    answer = {"tasks": _rows(daemon, choice, project_here())}
    tell(choice, answer, "tasks", LISTED, "no tasks yet: everthread task new SLUG --goal …")


def tell_task(choice: Choice, answer: Document) -> None:
    """How it stands now, after the steps of a ritual if there was one."""
    if choice.as_json:
        show_json(answer, raw=True)
        return
    for step in answer.get("ritual", ()):
        say(f"{step['name']}: {step['result']}  {step.get('detail', '')}".rstrip())
    if answer.get("context"):
        say(str(answer["context"]))
    tell_facts(choice, answer, *SHOWN, "checkpoint")


def words_of(evidence: Sequence[str]) -> dict[str, str]:
    """Evidence as texts by name. A file would be looked for on the other machine."""
    pieces = [read_evidence(word) for word in evidence]
    if any(piece.file for piece in pieces):
        raise BadInput("evidence for another daemon is NAME=TEXT: it cannot read files of yours")
    return {piece.name: piece.text for piece in pieces}
