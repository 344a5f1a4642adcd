"""A project with git, an engine, and a task in it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import everthread
from everthread.domain.tasks.tasks import Event
from everthread.engine.tasking import Task
from everthread.providers.git_run import surroundings
from everthread.settings import Settings
from everthread.testing import FrozenClock

CONFIG = ".agentic-governance/config.json"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
        cwd=folder,
        env=surroundings(os.environ),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def git_project(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        return _repository_in(folder)
    shutil.copytree(_repository(), folder, dirs_exist_ok=True)
    git(folder, "update-index", "-q", "--refresh")  # the copied files have other inodes
    return folder


@functools.cache
def _repository() -> Path:
    """One for all who want nothing else in it."""
    place = Path(tempfile.mkdtemp(prefix="et-project-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    made = place / "project"
    made.mkdir()
    return _repository_in(made)


def _repository_in(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    (folder / "kept.py").write_text("one = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "The first")
    return folder


class Site:
    """Where a task is worked at."""

    def __init__(self, root: Path, *, repository: bool = True, **settings: Any) -> None:
        self.home = root / "home"
        self.project = root / "project"
        self.project.mkdir(parents=True, exist_ok=True)
        if repository:
            git_project(self.project)
        self.place: str | Path = root / "store.db"
        self.settings = Settings.load(home=self.home, environ={}).with_(**settings)

    def open(self, clock: FrozenClock | None = None) -> everthread.Everthread:
        return everthread.connect(self.place, background=False, settings=self.settings, clock=clock)

    def write(self, name: str, text: str) -> Path:
        place = self.project / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def script(self, name: str, text: str) -> str:
        """A program of the project; how it is called."""
        place = self.write(name, f"#!/bin/sh\n{text}\n")
        place.chmod(0o755)
        return f"./{name}"

    def config(self, **parts: Any) -> None:
        self.write(CONFIG, json.dumps(parts))


class Work:
    """A task, and what its folder says."""

    def __init__(self, site: Site, engine: everthread.Everthread, task: Task) -> None:
        self.site = site
        self.engine = engine
        self.task = task
        self.folder = site.project / "tasks" / task.slug

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text())

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    @property
    def lines(self) -> list[str]:
        """The log lines."""
        log = self.folder / "logs" / "session.log"
        return [json.loads(line)["message"] for line in log.read_text().splitlines()]

    @property
    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text("logs/session.log").splitlines()]

    @property
    def record(self) -> list[dict[str, Any]]:
        """Of the newest session."""
        return self.task.sessions()[0].sitting.record

    def step(self, name: str) -> dict[str, Any]:
        return next(entry for entry in reversed(self.record) if entry["name"] == name)

    @property
    def events(self) -> Sequence[Event]:
        house = self.task._desk.house  # pyright: ignore[reportPrivateUsage] - a look behind the door
        scope = self.task._desk.scope  # pyright: ignore[reportPrivateUsage] - as above
        return house.store.read(lambda r: r.outbox.all(scope, limit=100))

    def kinds(self) -> list[str]:
        """Of its checkpoints, oldest first."""
        return [checkpoint.kind for checkpoint in reversed(self.task.checkpoints())]


def work(
    site: Site,
    *,
    smoke: str | Sequence[str] | None = "true",
    clock: FrozenClock | None = None,
    slug: str = "parser-rewrite",
) -> Work:
    engine = site.open(clock)
    made = engine.agent("ada").new_task(
        slug, goal="Read it in one pass", project=str(site.project), smoke=smoke
    )
    return Work(site, engine, made)
