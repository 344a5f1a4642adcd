"""`doctor`: is anything not right, and what is to be done about it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import EmbedderFailed, NotAStore

from .base.exits import NO
from .base.options import (
    Choice,
    agents_of,
    common,
    examples,
    is_missing,
    open_to_read,
    settings_of,
)
from .base.terminal import console, hanging, plural, say, show, show_json, styled
from .project_status import elsewhere_findings, project_findings

if TYPE_CHECKING:
    from everthread.services.upkeep.diagnose import Finding
    from everthread.settings import Fault

LOOKED_AT = 50
"""So many of the newest sessions of an agent are looked through."""
LOOK_SECONDS = 10
"""So long the file is looked through: enough for some gigabytes."""


@click.command(
    "doctor",
    short_help="Is anything not right, and what to do about it.",
    epilog=examples("everthread doctor", "everthread doctor --json"),
)
@common
def doctor_command(choice: Choice) -> None:
    """Look for what needs a hand: settings that are wrong, files that wait to be written, distillations
    that failed or lost too much, work that was given up, the index, the embedder, how much space is
    left, whether the store can be written, whether its file is damaged; then, for each harness that was
    installed, whether it is really captured, the daemon and the spool. Each check says plainly how it
    stands, and what to do.

    Ends with 1 if there is something to do. `everthread verify` checks what was said itself.
    """
    from everthread.settings import Settings

    choice.settings, faults = Settings.load_readable()
    location, found, stored = _store_findings(choice, broken=bool(faults))
    found = [
        *_settings_findings(faults),
        *found,
        *_damage_findings(choice),
        _embedder_finding(choice),
        *_harness_findings(choice, stored),
        *project_findings(settings_of(choice)),
    ]
    todo = [each for each in found if not each.fine]
    if choice.as_json:
        checks = [each._asdict() for each in found]
        show_json({"store": location, "fine": not todo, "checks": checks})
    else:
        _show_findings(found, len(todo))
    if todo:
        click.get_current_context().exit(NO)


def _settings_findings(faults: Sequence[Fault]) -> list[Finding]:
    """What is written in the settings and cannot be meant; nothing where all of it can be read."""
    from everthread.services.upkeep.diagnose import Finding

    return [
        Finding("settings", fine=False, says=fault.says, advice=_settings_advice(fault))
        for fault in faults
    ]


def _settings_advice(fault: Fault) -> str:
    from everthread.settings import names

    until = "until then other commands refuse to run; the checks below go by what can be read"
    if fault.name is None:
        return until
    if fault.name not in names():
        return f"everthread config unset {fault.name}; {until}"
    if fault.source.startswith("file"):
        return f"everthread config set {fault.name} VALUE, or config unset {fault.name}; {until}"
    return f"change or unset that variable; {until}"


def _store_findings(choice: Choice, *, broken: bool) -> tuple[str, list[Finding], dict[str, int]]:
    """The store, its findings, and when each harness's newest session in it was last active."""
    from everthread.edges.install.checkup import anything_installed, newest
    from everthread.edges.install.machine import this_machine
    from everthread.services.upkeep.diagnose import Finding

    try:
        with open_to_read(choice) as engine:
            agents = agents_of(engine, choice)
            rows = [s for agent in agents for s in agent.sessions(limit=LOOKED_AT)]
            stored = newest([(row.harness, row.last_activity_ms) for row in rows])
            elsewhere = elsewhere_findings(settings_of(choice), rows)
            return engine.location, [*engine.diagnose(*agents), *elsewhere], stored
    except NotAStore:
        settings = settings_of(choice)
        if not is_missing(settings.store_target):
            raise  # what is there may have been one
        if broken:
            says = f"there is none at {settings.store_target}; the settings may name another"
            advice = "see to the settings first"
            finding = Finding("store", fine=False, says=says, advice=advice)
            return settings.store_target, [finding], {}
        if choice.store or not anything_installed(this_machine(settings)):
            raise
        # Installed, and no session yet: the first one makes the store.
        says = "there is none yet; the first session of a harness makes it"
        return settings.store_target, [Finding("store", fine=True, says=says)], {}


def _damage_findings(choice: Choice) -> list[Finding]:
    """Is the file as SQLite wrote it? Other checks see only the pages that they happen to read."""
    from everthread.services.upkeep.diagnose import Finding
    from everthread.wiring import is_damaged

    settings = settings_of(choice)
    if "://" in settings.store_target or is_missing(settings.store_target):
        return []
    match is_damaged(settings, seconds=LOOK_SECONDS):
        case True:
            says = f"{settings.store_target} is damaged; what can be read of it stays as it is"
            advice = (
                "put a backup in its place; everthread verify tells what can be read, and how to get that "
                "out"
            )
            return [Finding("damage", fine=False, says=says, advice=advice)]
        case None:
            says = f"none in what {LOOK_SECONDS} seconds sufficed to look through"
            advice = "everthread verify looks through all of it"
            return [Finding("damage", fine=True, says=says, advice=advice)]
        case False:
            return [Finding("damage", fine=True, says="none in the file of the store")]


def _harness_findings(choice: Choice, stored: dict[str, int]) -> list[Finding]:
    from everthread.edges.install.checkup import checkup
    from everthread.edges.install.machine import this_machine

    return checkup(this_machine(settings_of(choice)), stored)


def _embedder_finding(choice: Choice) -> Finding:
    """Without the model recall goes by words: that is fine. A model that is damaged is not."""
    from everthread.services.upkeep.diagnose import Finding
    from everthread.wiring import check_embedder, embedder_facts

    facts = embedder_facts(settings_of(choice))
    if not facts.usable:
        return Finding("embedder", fine=True, says=facts.line)
    try:
        check_embedder()
    except EmbedderFailed as wrong:
        advice = f"install it again: {facts.install}"
        return Finding("embedder", fine=False, says=str(wrong), advice=advice)
    return Finding("embedder", fine=True, says=facts.line)


def _show_findings(found: Sequence[Finding], todo: int) -> None:
    width = console().width
    for each in found:
        mark, style = ("fine", "green") if each.fine else ("look", "bold red")
        whose = f"{each.agent}: " if each.agent else ""
        lead, says = [(f"{mark}  ", style), (f"{each.check:<15}", "bold")], f"{whose}{each.says}"
        line = styled(*lead, (says, ""))
        # What does not fit beside it stands below: a path that is broken cannot be copied.
        show(*([line] if line.cell_len <= width else [styled(*lead), hanging(" " * 5, says)]))
        if each.advice:
            show(hanging(" " * 5, each.advice, "cyan"))
    say(f"\n{plural(todo, 'thing')} to look at" if todo else "\neverything is fine")
