"""Untold: what was forgotten leaves the files of tasks, too, as it left their rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.errors import TaskRefused
from everthread.domain.forgetting.forgotten_tasks import (
    Rest,
    Tells,
    document_without,
    entries_without,
    lines_without,
    make_teller,
)
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts
from everthread.domain.tasks.task_files import EMERGENCY, LOG, LONG_CONTEXT, OLD_LOG
from everthread.domain.tasks.tasks import Task
from everthread.ports import Folder, House, Records
from everthread.services.tasks.desk import Desk

from .projection import ALL, folder_of, write_projection

log = logging.getLogger("everthread")

LOGS = "logs"
TRIES = 5


def withdraw_words(
    house: House, agent: AgentRow, gone: ForgottenTexts, touched: Collection[int] = ()
) -> bool:
    """Write the files anew of every task that told it, as rows or in a log. Is all of it out?

    What people wrote into a log stays, and is told.
    """
    scope, tells, out = Scope(agent.ref), make_teller(gone), True
    tasks, told = house.store.read(
        lambda r: (r.tasks.all(scope, limit=ALL), _tasks_with_gaps(r, scope))
    )
    for task in tasks:
        desk = Desk(house, agent, task.project)
        try:
            if task.ref in touched or task.ref in told:
                write_projection(desk, task, whole=True)
            left = _clear_logs(desk, task, tells)
        except TaskRefused as refused:
            log.warning("the files of %s still hold what is gone: %s", task.slug, refused)
            out = False
            continue
        for name in left:
            log.warning("what someone wrote was left as it is: in %s of %s", name, task.slug)
            out = False
    return out


def _tasks_with_gaps(records: Records, scope: Scope) -> set[int]:
    """The tasks one of whose checkpoints lost its words."""
    return {
        task.ref
        for task in records.tasks.all(scope, limit=ALL)
        if any(
            row.document_hash is None
            for row in records.tasks.checkpoints(scope, task.ref, limit=ALL)
        )
    }


def _clear_logs(desk: Desk, task: Task, tells: Tells) -> list[str]:
    """Take it out of what was only ever appended to; the files in which somebody else still tells it."""
    folder = folder_of(desk, task)
    ours = [f"{LOGS}/{name}" for name in folder.names(LOGS) if name.endswith(".log")]
    ours += [f"{LONG_CONTEXT}/{name}" for name in folder.names(LONG_CONTEXT)]
    found = [(name, lines_without) for name in ours]
    found += [(LOG, entries_without), (OLD_LOG, entries_without), (EMERGENCY, document_without)]
    return [name for name, without in found if _rewrite_log(folder, name, tells, without)]


def _rewrite_log(
    folder: Folder, name: str, tells: Tells, without: Callable[[str, Tells], Rest]
) -> bool:
    """Does it still tell it, in words that are not ours?"""
    for _ in range(TRIES):
        seen = folder.digest(name)
        text = folder.read(name) if seen is not None else None
        if text is None:
            return False
        rest = without(text, tells)
        if rest.text == text:
            return rest.stays
        # Whoever added a line meanwhile must find it there afterwards.
        if folder.digest(name) == seen:
            folder.write(name, rest.text)
            return rest.stays
    raise TaskRefused(f"{name} is being written all the time")
