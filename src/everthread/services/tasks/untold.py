"""Untold: what was forgotten leaves the files of tasks, too, as it left their checkpoints."""

from __future__ import annotations

import logging

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import TaskRefused
from everthread.domain.tasks import Task
from everthread.ports import House, Records

from .found import Desk
from .project import ALL, projected

log = logging.getLogger("everthread")


def untold(house: House, agent: AgentRow) -> bool:
    """Write the files anew of every task one of whose checkpoints lost its words. Is all of it out?"""
    scope, out = Scope(agent.ref), True
    for task in house.store.read(lambda r: _told(r, scope)):
        try:
            projected(Desk(house, agent, task.project), task)
        except TaskRefused as refused:
            log.warning("the files of %s still hold what is gone: %s", task.slug, refused)
            out = False
    return out


def _told(records: Records, scope: Scope) -> list[Task]:
    return [
        task
        for task in records.tasks.all(scope, limit=ALL)
        if any(
            row.document_hash is None
            for row in records.tasks.checkpoints(scope, task.ref, limit=ALL)
        )
    ]
