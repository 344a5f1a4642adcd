"""Left: which files of an agent's tasks lie in projects, and may say what was erased from the store."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import EverthreadError
from everthread.domain.tasks.task_files import CHECKPOINTS, LONG_CONTEXT, OLD_LOG, SESSIONS
from everthread.ports import House
from everthread.services.tasks.desk import MOST, Desk

from .projection import folder_of

OURS = (
    "meta",
    "work",
    "work/patches",
    "logs",
    LONG_CONTEXT,
    "json",
    CHECKPOINTS,
    SESSIONS,
)
"""Where this program writes in a task's folder; what lies elsewhere there is people's own."""


def leftover_files(house: House, agent: AgentRow) -> list[str]:
    """Each by its whole path. A folder that cannot be looked into is named itself."""
    scope = Scope(agent.ref)
    found: list[str] = []
    for task in house.store.read(lambda r: r.tasks.all(scope, limit=MOST)):
        where = f"{task.project}/tasks/{task.slug}"
        try:
            folder = folder_of(Desk(house, agent, task.project), task)
            names = [f"{part}/{name}" for part in OURS for name in folder.names(part)]
            names += [OLD_LOG] if folder.digest(OLD_LOG) is not None else []
            found += [f"{folder.path}/{name}" for name in names if name not in OURS]
        except EverthreadError:
            found.append(where)
    return found
