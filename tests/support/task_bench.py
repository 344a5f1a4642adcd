"""A task that a session works at, with a clock that stands still, and a way to look into its folder."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings
from everthread.engine.tasking import Task
from everthread.testing import FrozenClock

SLUG = "parser-rewrite"
G0 = {"task_definition": "one pass instead of two", "acceptance_criteria": "all tests green"}
ONE_PASS = {
    "decision": "The parser reads the file in one pass",
    "rationale": "two passes read every file twice",
    "alternatives": ["keep two passes and cache the tokens"],
}


def git(folder: Path, *words: str) -> str:
    """What git says in that folder."""
    given = (
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    done = subprocess.run(
        ["git", *given, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def project_in(folder: Path, *, versioned: bool = True) -> Path:
    """A project with one file, committed where it has git."""
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "parser.py").write_text("def parse(): ...\n")
    if versioned:
        git(project, "init", "-q")
        git(project, "add", ".")
        git(project, "commit", "-qm", "first")
    return project


class Bench:
    """An agent at a task."""

    def __init__(self, et: Everthread, project: Path, clock: FrozenClock) -> None:
        self.et = et
        self.project = project
        self.clock = clock
        self.agent: Agent = et.agent("ada")
        self.task: Task = self.agent.new_task(SLUG, goal="Parse in one pass", project=str(project))

    @property
    def folder(self) -> Path:
        return self.project / "tasks" / SLUG

    def file(self, name: str) -> Any:
        """What a file of the task's folder says."""
        return json.loads((self.folder / name).read_text())

    def documents(self) -> list[dict[str, Any]]:
        """What the checkpoints say, oldest first."""
        rows = reversed(self.task.checkpoints())
        return [json.loads(self.task.document(row)) for row in rows]

    def kinds(self) -> list[str]:
        return [document["type"] for document in self.documents()]

    def write(self, name: str, text: str) -> Path:
        """A file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@contextmanager
def bench(
    folder: Path,
    *,
    versioned: bool = True,
    store: str | Path = "memory://",
    begun: bool = True,
    **settings: Any,
) -> Generator[Bench]:
    """A task that a session works at; the clock moves only when it is told to."""
    clock = FrozenClock()
    project = project_in(folder, versioned=versioned)
    chosen = Settings(embedder="off", **settings)
    with everthread.connect(store, settings=chosen, clock=clock, background=False) as et:
        found = Bench(et, project, clock)
        if begun:
            found.task.start()
        yield found
