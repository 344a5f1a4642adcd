"""Smoke: does the project work? A command says so; what was not run did not pass."""

from __future__ import annotations

from typing import NamedTuple

from everthread.domain.errors import EverthreadError, TaskRefused
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.commands import CommandRun, command_line
from everthread.domain.tasks.governance import read_governance
from everthread.domain.tasks.rituals import HEALTHY, Step, detail_text, health_line
from everthread.domain.tasks.tasks import Health, Task
from everthread.ports import Records
from everthread.services.tasks.desk import Desk, TaskSession, at_work, task_of
from everthread.services.tasks.files.session_log import CONFIG, log_line

from .trust import ProjectCommand, smoke_of

NAME = "smoke"
TAIL = 300
"""Characters of what it printed that are recorded."""


class HealthCheck(NamedTuple):
    """How healthy the project is, and how that is known."""

    health: Health
    step: Step


def check(desk: Desk, task: Task) -> HealthCheck:
    """Run the smoke command; one that fails is run once more. Never inside a transaction."""
    began = desk.house.clock.now()
    try:
        health, detail = _check_health(desk, task)
    except EverthreadError as trouble:
        # It is there and could not be run: whether the project works, nobody knows.
        health, detail = "fail", f"it could not be run: {trouble}"
    spent = max(0, desk.house.clock.now() - began) / 1_000
    return HealthCheck(health, Step(NAME, health, detail, spent))


def must_be_repaired(desk: Desk, slug: str | None) -> None:
    """In a session that repairs what fails, the smoke command has to pass before new work goes on."""
    task = desk.house.store.read(lambda r: task_of(r, desk, slug))
    at = desk.house.store.read(lambda r: at_work(r, desk, task))
    if at is None or not at.sitting.fix:
        return
    checked = check(desk, task)
    log_health(desk, at, checked)
    if checked.health not in HEALTHY:  # what was not run did not pass either
        raise TaskRefused(
            f"the smoke command does not pass yet: {detail_text(checked.step.detail, 300)} — "
            f"{at.session.alias} is there to repair that"
        )
    desk.house.store.write(lambda r: _mark_repaired(r, desk, at, checked.health))


def _mark_repaired(records: Records, desk: Desk, at: TaskSession, health: Health) -> None:
    records.tasks.hold(desk.scope, at.task.ref)
    sitting = records.sittings.of_session(desk.scope, at.session.ref)
    if sitting is not None and sitting.fix:
        now = desk.house.clock.now()
        well = sitting._replace(fix=False, health=health)
        records.sittings.change(desk.scope, well, "mended", now=now)


def log_health(desk: Desk, at: TaskSession, checked: HealthCheck) -> None:
    """The log line of a check."""
    log_line(
        desk,
        at.task,
        health_line(checked.health),
        level="error" if checked.health == "fail" else "info",
        trace=at.session.key_id.hex(),
        session_id=at.session.alias,
        health=checked.health,
        detail=detail_text(checked.step.detail),
    )


def _check_health(desk: Desk, task: Task) -> tuple[Health, str]:
    try:
        wanted = smoke_of(desk, task)
    except EverthreadError as trouble:
        return "skipped", f"warning: {trouble}"
    if wanted is None:
        return "skipped", _why_no_command(desk)
    line = strip_secrets(command_line(wanted.command))
    if wanted.why_not is not None:
        how = f"`everthread task trust --task {task.slug}`"
        return "skipped", f"warning: {line:.120} was not run: {wanted.why_not} ({how})"
    return _run_and_judge(desk, wanted, line[:120])


def _run_and_judge(desk: Desk, wanted: ProjectCommand, line: str) -> tuple[Health, str]:
    first = _run(desk, wanted)
    if first is None:
        return "skipped", "warning: this program runs no commands"
    if first.passed:
        return "pass", f"{line}: {first.seconds:.1f} s"
    # What hung once would hang again: its whole time is not spent twice.
    again = None if first.timed_out else _run(desk, wanted)
    if again is not None and again.passed:
        return "flaky", f"{line} failed, then passed: {_failure_text(first)}"
    return "fail", f"{line} failed{' twice' if again else ''}: {_failure_text(again or first)}"


def _why_no_command(desk: Desk) -> str:
    told = "warning: there is no smoke command; whether the project works is not known"
    folders = desk.house.folders
    rules = read_governance(None if folders is None else folders.project_file(desk.project, CONFIG))
    return told if rules.problem is None else f"warning: {CONFIG} does not count: {rules.problem}"


def _run(desk: Desk, wanted: ProjectCommand) -> CommandRun | None:
    if desk.house.commands is None:
        return None
    run = desk.house.commands.run
    return run(wanted.command, folder=desk.project, seconds=wanted.seconds)


def _failure_text(ran: CommandRun) -> str:
    """How it ended, and the end of what it printed."""
    how = ran.error or (
        f"exit {ran.code}" if (ran.code or 0) >= 0 else f"signal {-(ran.code or 0)}"
    )
    # Secrets go before anything is cut, for half of one is not known as one.
    printed = " ".join(strip_secrets(ran.output).split())
    return f"{how}; {printed[-TAIL:]}" if printed else how
