"""A project whose task drifted, so that its session may only read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import everthread
from everthread import wiring
from everthread.domain.safety.safety import Reading, Window
from everthread.engine.tasking import Task
from everthread.settings import Settings


class Alarmed:
    """A sentinel that finds everything grave."""

    name = "alarmed"

    def probe(self, window: Window) -> Reading:
        return Reading(1.0, "high", probe="alarmed")


def drifting(engine: everthread.Everthread, project: Path, slug: str = "parser-rewrite") -> Task:
    """A task of the project's own agent; its session ended when the probe found it grave."""
    name = wiring.project_agent(project)
    assert name is not None
    engine.house = replace(engine.house, sentinel=Alarmed())
    agent = engine.agent(name)
    task = agent.new_task(slug, goal="Read it in one pass", project=str(project))
    begun = task.start()
    agent.turn("Go on.", session=begun.at.session.key).done("I looked at it.")
    task.end("partial", summary="It drifted.")
    assert task.row.sandbox is not None
    return task


def sandbox(home: Path, project: Path) -> str:
    """A session in a sandbox, worked at by this process; its alias."""
    settings = Settings.load(home=home, environ={})
    with everthread.connect(background=False, settings=settings) as engine:
        return drifting(engine, project).start().at.session.alias
