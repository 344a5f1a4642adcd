"""`install` and `uninstall`: tell the harnesses about us, and take it back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import BadInput, InstallRefused

from .base.exits import Declined
from .base.options import Choice, common, examples, refuse_agent, settings_of
from .base.terminal import bytes_text, confirm, plural, say, show, show_json, styled

if TYPE_CHECKING:
    from everthread.edges.install.changes import Change
    from everthread.edges.install.installation import Plan
    from everthread.edges.install.parts import Installer, Machine
    from everthread.edges.install.purge_home import PurgePlan
    from everthread.settings import Settings

HARNESSES = ("claude-code", "codex", "gemini", "opencode", "openclaw", "openclaw-legacy")

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@click.command(
    "install",
    short_help="Tell Claude Code and the others about Everthread.",
    epilog=examples(
        "everthread install", "everthread install claude-code --yes", "everthread install --dry-run"
    ),
)
@click.argument("harnesses", nargs=-1, metavar="[HARNESS]...", type=click.Choice(HARNESSES))
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the changes and make none.")
@click.option("--plain", is_flag=True, help="Claude Code: hooks in its settings, no plugin.")
@click.option(
    "--instructions",
    is_flag=True,
    help="Also a section in the instruction file of each harness (AGENTS.md, GEMINI.md).",
)
@click.option("--service", is_flag=True, help="Also start the daemon with every login.")
@click.option("--verbose", is_flag=True, help="Show what is in our own new files too.")
@common
def install_command(
    choice: Choice,
    harnesses: tuple[str, ...],
    *,
    yes: bool,
    dry_run: bool,
    service: bool,
    verbose: bool,
    **form: bool,
) -> None:
    """Change the settings of the harnesses on this machine so that their sessions are kept and given
    back: claude-code, codex, gemini, opencode, openclaw, openclaw-legacy. Without a name: those that are
    found here, but for openclaw-legacy.

    Shows each change first, our own new files by their names and sizes, and asks. Without a terminal
    and without --yes it changes nothing and ends with 2. What is there already stays; a second run has
    nothing to do. `everthread uninstall` takes all of it back.
    """
    from everthread.edges.install.installation import install, plan
    from everthread.edges.install.login import Login
    from everthread.edges.install.machine import must_last, must_speak, place_client, this_machine

    refuse_agent(choice, "each project has its own agent")
    must_speak()
    if not dry_run:
        must_last()
    settings = settings_of(choice)
    machine = this_machine(settings, **form)
    run = _Run(choice, _consent(yes=yes, dry_run=dry_run), verbose=verbose)
    chosen = _chosen(machine, harnesses)

    def do(planned: Plan) -> None:
        place_client(settings)
        install(planned, machine)

    for each in chosen:
        run.go(each, partial(plan, each, machine), do)
    if service:
        login = Login(settings)
        run.go(login, partial(plan, login, machine), lambda _: run.say_all(login.start()))
    run.end("install")


@click.command(
    "uninstall",
    short_help="Take it back: their settings as they were before.",
    epilog=examples("everthread uninstall", "everthread uninstall codex --yes"),
)
@click.argument("harnesses", nargs=-1, metavar="[HARNESS]...", type=click.Choice(HARNESSES))
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the changes and make none.")
@click.option("--purge", is_flag=True, help="Also remove everything that was ever kept, for good.")
@common
def uninstall_command(
    choice: Choice, harnesses: tuple[str, ...], *, yes: bool, dry_run: bool, purge: bool
) -> None:
    """Take back what `everthread install` changed. A file that nobody touched since becomes what it was,
    byte for byte; from others exactly our entries are taken out. Without a name: every harness.

    With the last harness the daemon stops too. What was kept stays, unless --purge is given.
    """
    from everthread.edges.install.installation import removal, uninstall
    from everthread.edges.install.login import Login
    from everthread.edges.install.machine import installer, installers_in_use, retire, this_machine

    refuse_agent(choice, "all of it goes")
    if purge and harnesses:
        raise BadInput("--purge removes all data, so it goes with no harness's name")
    settings = settings_of(choice)
    machine = this_machine(settings)
    consent = _consent(yes=yes, dry_run=dry_run)
    run = _Run(choice, consent)
    for each in map(installer, harnesses) if harnesses else installers_in_use(machine):
        run.go(each, partial(removal, each, machine), partial(uninstall, around=machine))
    login = Login(settings)
    if not harnesses and (planned := login.removal()).changes:
        run.go(login, lambda: planned, lambda _: run.say_all(login.stop()))
    if run.may_change:
        # Who wants the daemon with every login, or never had a harness, needs it for something else.
        wanted = bool(login.removal().changes) or not any(row["done"] for row in run.rows)
        run.tell(retire(machine, stop=not wanted))
    if not run.rows and not run.refused and not run.told:
        run.tell(["no harness here knows Everthread: there is nothing to take back"])
    if purge and not run.may_change:
        run.tell([f"{_purge_plan(settings).says}; with --yes it would go"])
        run.waiting = run.waiting or consent is Consent.NOBODY
    run.end("uninstall")
    if purge and run.may_change:
        _purge(consent, settings)


# ---- how


class Consent(Enum):
    """Who says yes."""

    GIVEN = "given"
    ASK = "ask"
    NOBODY = "nobody"
    """Nobody is there to ask: nothing is changed, and the exit code says so."""
    DRY = "dry"
    """Nothing is to be changed, and that is what was asked for."""


def _consent(*, yes: bool, dry_run: bool) -> Consent:
    if dry_run:
        return Consent.DRY
    if yes:
        return Consent.GIVEN
    return Consent.ASK if sys.stdin.isatty() and sys.stdout.isatty() else Consent.NOBODY


def _chosen(machine: Machine, names: Sequence[str]) -> list[Installer]:
    from everthread.edges.install.machine import installer, installers_here

    if names:
        return [installer(name) for name in dict.fromkeys(names)]
    found = installers_here(machine)
    if not found:
        raise BadInput(
            "none of the harnesses was found here. Name one to install for it all the same: "
            + ", ".join(HARNESSES)
        )
    return found


class _Run:
    """Shows, asks and does, harness by harness; what is refused for one does not stop the others."""

    def __init__(self, choice: Choice, consent: Consent, *, verbose: bool = False) -> None:
        self.choice = choice
        self.verbose = verbose
        self.consent = consent
        self.rows: list[dict[str, object]] = []
        self.refused: list[str] = []
        self.waiting = False
        self.told: list[str] = []
        """What was done beside the harnesses."""

    @property
    def may_change(self) -> bool:
        return self.consent in (Consent.GIVEN, Consent.ASK)

    def say(self, text: str) -> None:
        if not self.choice.as_json:
            say(text)

    def tell(self, lines: Sequence[str]) -> None:
        self.told += lines
        for line in lines:
            self.say(line)

    def say_all(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(f"  {line}")

    def go(
        self, installer: Installer, plan: Callable[[], Plan], do: Callable[[Plan], None]
    ) -> None:
        """One harness."""
        try:
            planned = plan()
            self.show(planned)
            done = bool(planned.changes) and self.agreed(planned)
            if done:
                do(planned)
            elif not planned.changes and self.may_change:
                do(planned)  # the book may have to learn, or to forget
        except InstallRefused as wrong:
            self.refused.append(f"{installer.title}: {wrong}")
            return
        self.rows.append(_row(planned, done=done))
        if done or not planned.changes:
            self.say_all(planned.told)

    def show(self, planned: Plan) -> None:
        if self.choice.as_json:
            return
        title = planned.installer.title
        if not planned.changes:
            say(f"{title}: nothing to do")
            return
        show(styled((f"{title}: {plural(len(planned.changes), 'file')}", "bold")))
        for change in planned.changes:
            _show_change(change, verbose=self.verbose)
        if not self.verbose and any(_is_new(change) for change in planned.changes):
            show(styled(("  --verbose shows what is in the new files", "dim")))

    def agreed(self, planned: Plan) -> bool:
        if self.consent is Consent.ASK:
            yes = confirm(f"Make these changes for {planned.installer.title}?")
            if not yes:
                self.say("  nothing was changed")
            return yes
        if self.consent is Consent.NOBODY:
            self.waiting = True
        return self.consent is Consent.GIVEN

    def end(self, verb: str) -> None:
        """Say it to programs; end with what did not go."""
        if self.choice.as_json:
            told = {"refused": self.refused, "waiting": self.waiting, "told": self.told}
            show_json({"harnesses": self.rows, **told})
        if self.refused:
            raise InstallRefused("\n".join(self.refused))
        if self.waiting:
            raise BadInput(f"nothing was changed, and nobody is here to ask: {verb} with --yes")


def _purge_plan(settings: Settings) -> PurgePlan:
    from everthread.edges.install.purge_home import purge_plan

    return purge_plan(settings)


def _purge(consent: Consent, settings: Settings) -> None:
    """Remove the home folder with all that was ever kept."""
    from everthread.edges.install.purge_home import purge

    what = _purge_plan(settings)
    if consent is Consent.ASK:
        say(what.says)
        prompt = "This cannot be undone. Type the name of the folder to go on"
        if click.prompt(prompt, err=True, default="", show_default=False) != what.home.name:
            raise Declined("that is not its name; nothing was removed")
    purge(what)
    say(f"removed {what.home}")


def _is_new(change: Change) -> bool:
    """Is it a file of ours, where none was before?"""
    return change.owned and change.before is None


def _show_change(change: Change, *, verbose: bool) -> None:
    from everthread.edges.install.changes import diff

    size = f" ({bytes_text(len(change.after or b''))})" if _is_new(change) else ""
    show(styled((f"  {change.verb} {change.path}{size}: {change.why}", "dim")))
    # A file that is ours alone comes and goes whole: there is nothing of anybody else's in it to look at.
    whole = change.owned and (change.after is None or (change.before is None and not verbose))
    for line in () if whole else diff(change):
        show(styled((f"    {line}", _STYLES.get(line[:1], ""))))


def _row(planned: Plan, *, done: bool) -> dict[str, object]:
    from everthread.edges.install.changes import diff

    changes = [
        {
            "path": str(change.path),
            "verb": change.verb,
            "why": change.why,
            "diff": "\n".join(diff(change)),
        }
        for change in planned.changes
    ]
    name, title = planned.installer.name, planned.installer.title
    return {"name": name, "title": title, "changes": changes, "done": done, "told": planned.told}
