"""Trust: which commands of a project may run. A repository's files name them; a person allows them.

`new` allows the command that it writes itself. What else a file names runs only after `trust`, and no
longer than the file stays what it is.
"""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.tasks.commands import (
    Command,
    Grant,
    NamedCommand,
    named_command,
    trusts_file,
)
from everthread.domain.tasks.governance import Governance, read_governance
from everthread.domain.tasks.task_files import META
from everthread.domain.tasks.tasks import Task
from everthread.ports import TrustList
from everthread.services.tasks.desk import Desk
from everthread.services.tasks.files.session_log import CONFIG

TASKS = "tasks"


class ProjectCommand(NamedTuple):
    """A command that a file of the project names, and whether it may run."""

    what: str
    """smoke, for now."""
    command: Command
    seconds: float
    asked: NamedCommand | None
    """As the file names it; None where the file cannot be read."""
    why_not: str | None
    """Why it may not run; None if it may."""


def smoke_of(desk: Desk, task: Task) -> ProjectCommand | None:
    """The smoke command: the task's own, else that of the project's configuration; None without any."""
    limit = desk.house.policy.smoke_minutes * 60
    if task.smoke is not None:
        return _project_command(desk, f"{TASKS}/{task.slug}/{META}", task.smoke, limit)
    folders = desk.house.folders
    told = read_governance(None if folders is None else folders.project_file(desk.project, CONFIG))
    if told.smoke is None:
        return None
    return _project_command(desk, CONFIG, told.smoke, min(told.smoke_seconds or limit, limit))


def _project_command(desk: Desk, file: str, command: Command, seconds: float) -> ProjectCommand:
    trusted = desk.house.trusted
    if trusted is None:
        return ProjectCommand("smoke", command, seconds, None, "this program trusts no commands")
    try:
        source = trusted.read(desk.project, file)
        if source is None:
            return ProjectCommand("smoke", command, seconds, None, f"{file} is not there")
        asked = named_command(source.path, source.content, command)
        return ProjectCommand("smoke", command, seconds, asked, trusted.why_not(asked))
    except EverthreadError as trouble:
        return ProjectCommand("smoke", command, seconds, None, str(trouble))


def trusted_rules(desk: Desk) -> Governance:
    """What the project's configuration says, if the user trusted a command of it as it is now; else
    nothing.
    """
    trusted = desk.house.trusted
    if trusted is None:
        return Governance()
    try:
        source = trusted.read(desk.project, CONFIG)
        if source is None or not trusts_file(source.path, source.content, trusted.all()):
            return Governance()
    except EverthreadError:
        return Governance()
    return read_governance(source.content.decode("utf-8", "replace"))


def trust(desk: Desk, wanted: ProjectCommand) -> Grant:
    """Allow the command, as its file names it now."""
    if wanted.asked is None:
        raise TaskRefused(f"it cannot be trusted: {wanted.why_not}")
    return _trust_port(desk).trust(wanted.asked, now=desk.house.clock.now())


def trust_own(desk: Desk, task: Task) -> None:
    """Whoever makes a task with a command allows that command."""
    wanted = None if task.smoke is None else smoke_of(desk, task)
    if wanted is not None and wanted.asked is not None:
        trust(desk, wanted)


def revoke(desk: Desk, task: Task) -> int:
    """Allow none of the commands that the task's files name; how many that were."""
    wanted = smoke_of(desk, task)
    if wanted is None or wanted.asked is None:
        return 0
    return _trust_port(desk).revoke(wanted.asked.file)


def _trust_port(desk: Desk) -> TrustList:
    if desk.house.trusted is None:
        raise TaskRefused("this program trusts no commands")
    return desk.house.trusted
