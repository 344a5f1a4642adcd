"""`doctor`: is anything not right, and what is to be done about it?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import EmbedderFailed, NotAStore
from everthread.domain.times import ms_of

from .base.exits import NO
from .base.options import Choice, agents_of, common, examples, open_to_read, settings_of
from .base.terminal import plural, say, show, show_json, styled

if TYPE_CHECKING:
    from everthread.services.upkeep.diagnose import Finding
    from everthread.settings import Fault

LOOKED_AT = 50
"""So many of the newest sessions of an agent are looked through."""


@click.command(
    "doctor",
    short_help="Is anything not right, and what to do about it.",
    epilog=examples("everthread doctor", "everthread doctor --json"),
)
@common
def doctor_command(choice: Choice) -> None:
    """Look for what needs a hand: settings that are wrong, files that wait to be written, distillations
    that failed or lost too much, work that was given up, the index, the embedder, how much space is
    left, and whether the store can be written; then, for each harness that was installed, whether it
    is really captured, the daemon and the spool. Each check says plainly how it stands, and what to do.

    Ends with 1 if there is something to do. `everthread verify` checks what was said itself.
    """
    from everthread.settings import Settings

    choice.settings, faults = Settings.load_readable()
    location, found, stored = _store_findings(choice, broken=bool(faults))
    found = [
        *_settings_findings(faults),
        *found,
        _embedder_finding(choice),
        *_harness_findings(choice, stored),
        *_project_findings(choice),
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
            return engine.location, engine.diagnose(*agents), stored
    except NotAStore:
        settings = settings_of(choice)
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


def _harness_findings(choice: Choice, stored: dict[str, int]) -> list[Finding]:
    from everthread.edges.install.checkup import checkup
    from everthread.edges.install.machine import this_machine

    return checkup(this_machine(settings_of(choice)), stored)


def _project_findings(choice: Choice) -> list[Finding]:
    """Is what is said in this very folder kept? Told where it is not, and where a file must be mended."""
    from everthread.edges.harnesses.binding import binding_of
    from everthread.edges.harnesses.privacy import is_private_at, read_private
    from everthread.services.upkeep.diagnose import Finding
    from everthread.wiring import project_folder

    folder = project_folder()
    if folder is None:
        return []
    home = settings_of(choice).home
    binding = binding_of(folder, home)
    if binding.agent is None:
        meant = binding.reason.startswith("switched off")
        advice = "" if meant else "mend the file; until then nothing of this project is kept"
        return [Finding("this project", fine=meant, says=binding.reason, advice=advice)]
    now = ms_of(datetime.now(UTC))
    if is_private_at(read_private(home).spans("", binding.folder), now):
        says = "is private: nothing of it is kept (everthread private off)"
        return [Finding("this project", fine=True, says=says)]
    return []


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
    for each in found:
        mark, style = ("fine", "green") if each.fine else ("look", "bold red")
        whose = f"{each.agent}: " if each.agent else ""
        show(
            styled((f"{mark}  ", style), (f"{each.check:<15}", "bold"), (f"{whose}{each.says}", ""))
        )
        if each.advice:
            show(styled((f"      {each.advice}", "cyan")))
    say(f"\n{plural(todo, 'thing')} to look at" if todo else "\neverything is fine")
