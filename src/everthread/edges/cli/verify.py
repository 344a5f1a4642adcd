"""`verify`: recompute what was sealed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from everthread.domain.errors import StoreDamaged

from .base.documents import verdict_document
from .base.exits import NO, STORE
from .base.options import Choice, agents_of, common, examples, open_to_read, settings_of
from .base.terminal import WIDE, Column, plural, progress, say, show, show_json, styled, table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.damage import Damage
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

    Without --agent all agents are checked. Ends with 1 if anything is wrong. Of a SQLite file that is
    damaged it tells what can be read, and how to get that out; then it ends with 5.
    """
    from everthread.wiring import is_damaged

    verdicts: list[Verdict] = []
    try:
        verdicts = _verdicts(choice)
        damaged = is_damaged(settings_of(choice))
    except StoreDamaged:
        damaged = True
    if damaged:
        _tell_damage(choice)
        click.get_current_context().exit(STORE)
    sound = all(verdict.sound for verdict in verdicts)
    if choice.as_json:
        show_json({"sound": sound, "agents": [verdict_document(each) for each in verdicts]})
    else:
        _show_verdicts(verdicts)
    if not sound:
        click.get_current_context().exit(NO)


def _verdicts(choice: Choice) -> list[Verdict]:
    verdicts: list[Verdict] = []
    with open_to_read(choice) as engine:
        for agent in agents_of(engine, choice):
            with progress(f"checking {agent.name}") as note:
                verdicts.append(engine.verify(agent, note))
        if choice.agent is None:
            verdicts += engine.ownerless()
    return verdicts


MOST_TOLD = 5
"""Of what SQLite says of its file; the rest is like it."""


def _tell_damage(choice: Choice) -> None:
    from everthread.wiring import damage_of

    found = damage_of(settings_of(choice))
    if choice.as_json:
        parts = [part._asdict() for part in found.parts]
        show_json({"sound": False, "damaged": {**found._asdict(), "parts": parts}})
        return
    show(styled((found.where, "bold"), (" is damaged. SQLite says of it:", "bold red")))
    for line in found.found[:MOST_TOLD]:
        say(f"  {line}")
    if len(found.found) > MOST_TOLD:
        say(f"  and {len(found.found) - MOST_TOLD} or more of the kind")
    columns = [Column("table"), Column("rows that can be read", right=True), Column("these are")]
    told = [part for part in found.parts if part.rows or not part.whole]
    rows = [[p.table, f"{p.rows:,}", "all" if p.whole else "not all"] for p in told]
    show(table(columns, rows))
    _tell_ways_out(found)


def _tell_ways_out(found: Damage) -> None:
    if not found.agents:
        say("What to do: put a backup in its place. Nothing that was said can be read without one.")
        return
    name, *others = found.agents
    file = shlex.quote(found.where)
    say(
        "What to do: put a backup in its place, one that `everthread backup` made. Without one, bring"
    )
    say("what was said, as far as it can be read, into a new store:")
    say(f"  everthread export --rescue --raw --agent {name} -o {name}.jsonl --store {file}")
    say(f"  everthread import {name}.jsonl --agent {name} --store NEW.db")
    if others:
        say(f"and the same for {', '.join(others)}")


def _show_verdicts(verdicts: list[Verdict]) -> None:
    if not verdicts:
        say("no agents, hence nothing to check")
    for verdict in verdicts:
        show(verdict_line(verdict))
        if not verdict.sound:
            show(_faults(verdict.faults))


def verdict_line(verdict: Verdict) -> RenderableType:
    """The outcome in one line."""
    checked = (
        f"{plural(verdict.entries, 'entry', 'entries')} and {plural(verdict.rows, 'row')} checked"
    )
    if verdict.sound:
        return styled((verdict.agent, "bold"), (" is sound: ", "green"), (checked, ""))
    wrong = f" is not sound: {plural(len(verdict.faults), 'fault')}; "
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
