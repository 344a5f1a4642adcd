"""`verify`: recompute what was sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .documents import verdict_document
from .exits import NO
from .options import Choice, agents_of, common, examples, opened
from .terminal import WIDE, Column, counted, progress, say, show, show_json, styled, table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.timeline import Fault
    from everthread.services.upkeep.verify import Verdict


@click.command(
    "verify",
    short_help="Check that nothing was changed, removed or moved.",
    epilog=examples("everthread verify", "everthread verify --agent ada && echo sound"),
)
@common
def verify_command(choice: Choice) -> None:
    """Check that nothing was changed, removed or moved behind Everthread's back: every entry of the
    hash-chained timeline is recomputed, and every row compared with what its entry sealed.

    Without --agent all agents are checked. Ends with 1 if anything is wrong.
    """
    with opened(choice) as engine:
        verdicts: list[Verdict] = []
        for agent in agents_of(engine, choice):
            with progress(f"checking {agent.name}") as note:
                verdicts.append(engine.verify(agent, note))
    sound = all(verdict.sound for verdict in verdicts)
    if choice.as_json:
        show_json({"sound": sound, "agents": [verdict_document(each) for each in verdicts]})
    else:
        _told(verdicts)
    if not sound:
        click.get_current_context().exit(NO)


def _told(verdicts: list[Verdict]) -> None:
    if not verdicts:
        say("no agents, hence nothing to check")
    for verdict in verdicts:
        show(verdict_line(verdict))
        if not verdict.sound:
            show(_faults(verdict.faults))


def verdict_line(verdict: Verdict) -> RenderableType:
    """The outcome in one line."""
    checked = (
        f"{counted(verdict.entries, 'entry', 'entries')} and {counted(verdict.rows, 'row')} checked"
    )
    if verdict.sound:
        return styled((verdict.agent, "bold"), (" is sound: ", "green"), (checked, ""))
    wrong = f" is not sound: {counted(len(verdict.faults), 'fault')}; "
    return styled((verdict.agent, "bold"), (wrong, "bold red"), (checked, ""))


def _faults(faults: list[Fault]) -> RenderableType:
    columns = [
        Column("entry", right=True),
        Column("of"),
        Column("subject", room=WIDE),
        Column("what is wrong", folds=True),
    ]
    rows = [["–" if f.n is None else f"{f.n:,}", f.event, f.subject, f.problem] for f in faults]
    return table(columns, rows)
