"""`task` at another daemon: the project is the folder of the same name on that machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from everthread.domain.errors import BadInput, TaskUnknown
from everthread.domain.gates import read_evidence

from .options import Choice, project_here
from .remote import There, tell, tell_facts, there
from .terminal import say, show_json

Document = dict[str, Any]

SHOWN = ("task", "goal", "status", "gate", "asks", "session", "last_checkpoint", "blockers")
LISTED = ("task", "status", "gate", "updated_at", "goal")


class TaskThere(NamedTuple):
    """A task of another daemon."""

    far: There
    slug: str
    project: str

    def get(self, *path: str, **query: object) -> Document:
        return self.far.get("tasks", self.slug, *path, project=self.project, **query)

    def post(self, verb: str, **body: object) -> Document:
        return self.far.post("tasks", self.slug, verb, project=self.project, **body)


def task_there(choice: Choice, slug: str | None) -> TaskThere | None:
    """The task that is meant: named, or the one open task of this project there."""
    far = there(choice)
    if far is None:
        return None
    project = project_here()
    if slug is not None:
        return TaskThere(far, slug, project)
    rows: list[Document] = far.get("tasks", project=project)["tasks"]
    names = [str(row["task"]) for row in rows if row["status"] != "complete"]
    if len(names) != 1:
        known = ", ".join(names) or "none is open"
        raise TaskUnknown(f"which task of {project} at {far.daemon.url}? Name one: {known}")
    return TaskThere(far, names[0], project)


def new_there(choice: Choice, far: There, smoke: str | None, **given: object) -> None:
    """`task new`. A command is named on the machine where it runs, never from afar."""
    if smoke is not None:
        raise BadInput("a command cannot be named from afar: run this on the daemon's machine")
    answer = far.post("tasks", project=project_here(), **given)
    tell_facts(choice, answer, *SHOWN)


def list_there(choice: Choice, far: There, *, everywhere: bool) -> None:
    """`task list`."""
    if everywhere:
        raise BadInput("--everywhere is for the daemon's machine; from afar a project is asked for")
    answer = far.get("tasks", project=project_here())
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
