"""`compactions`: what a harness's own compactions kept, what we gave back, what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.harness.happenings import HARNESSES
from everthread.domain.ids import short
from everthread.edges.documents.attended import compaction_document

from .options import Choice, Ordered, agent_of, common, examples, help_if_alone, opened
from .terminal import NARROW, WIDE, Column, counted, say, show, show_json, styled, table, when

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Compaction
    from everthread.domain.harness.compacting import Outcome
    from everthread.engine import Agent, Everthread

    Found = tuple[Compaction, Session, Outcome | None]

LIMIT = click.IntRange(1, 1_000)


@click.group(
    "compactions",
    cls=Ordered,
    invoke_without_command=True,
    short_help="What a harness's own compactions cost.",
)
@common
def compactions(_choice: Choice) -> None:
    """A harness compacts its context when it wants. Before it does, everything said is on disk; after
    it, rules, open requests and evidence are given back; and what its summary kept is measured.
    """
    help_if_alone()


@compactions.command("list", epilog=examples("everthread compactions list"))
@click.option("--session", metavar="ID", help="Only those of this session.")
@click.option("--limit", type=LIMIT, default=20, show_default=True, help="How many at most.")
@common
def list_command(choice: Choice, session: str | None, limit: int) -> None:
    """The newest compactions, newest first, with what became of what was said."""
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = _found(engine, agent, agent.compactions(session=session, limit=limit))
    if choice.as_json:
        show_json({"compactions": [compaction_document(*each) for each in found]}, raw=True)
    elif found:
        show(_table(found))
    else:
        say("no compactions yet: harnesses make them (`everthread install`)")


@compactions.command(
    "show",
    short_help="One of them: shares, and what is missing.",
    epilog=examples("everthread compactions show 1a2b3c4d"),
)
@click.argument("compaction", metavar="ID")
@common
def show_command(choice: Choice, compaction: str) -> None:
    """What one compaction kept, what was given back, and what is missing, item by item."""
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        row, session, outcome = _found(engine, agent, [agent.compaction(compaction)])[0]
    if choice.as_json:
        missing = [] if outcome is None else [list(one) for one in outcome.missing]
        show_json({**compaction_document(row, session, outcome), "missing": missing}, raw=True)
        return
    head = f"{short(row.key_id)}, {when(row.created_ms)} UTC, {row.trigger}"
    show(styled((f"{head}, session {short(session.key_id)}", "bold")))
    say(told(session, outcome))
    if outcome is not None and outcome.missing:
        show("", _missing(outcome))
        say("\n`everthread compactions restore ID [NUMBER …]` puts some into the next prompt")


@compactions.command(
    "restore",
    short_help="Put what is missing into the next prompt.",
    epilog=examples(
        "everthread compactions restore 1a2b3c4d", "everthread compactions restore 1a2b3c4d 1 3"
    ),
)
@click.argument("compaction", metavar="ID")
@click.argument("items", metavar="[NUMBER]...", type=click.IntRange(1), nargs=-1)
@common
def restore_command(choice: Choice, compaction: str, items: tuple[int, ...]) -> None:
    """Put evidence that a compaction cost into the session's next prompt: the items of these numbers,
    as `show` counts them, or all of them.
    """
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        lines = agent.restore(compaction, items or None)
    if choice.as_json:
        show_json({"restored": lines}, raw=True)
    elif lines:
        say(f"{counted(len(lines), 'item')} will be in the next prompt of that session")
    else:
        say("nothing is missing: there is nothing to restore")


def _found(engine: Everthread, agent: Agent, rows: Sequence[Compaction]) -> list[Found]:
    def work(ref: int) -> Session:
        return engine.house.store.read(lambda r: r.sessions.get(agent.scope, ref))

    return [(row, work(row.session_ref), agent.compaction_outcome(row)) for row in rows]


def told(session: Session, outcome: Outcome | None) -> str:
    """Who kept what, in one sentence."""
    if outcome is None:
        return "not measured: the summary is not known, or its score is still to come"
    name = HARNESSES.get(session.harness or "", session.harness or "the harness")
    away = f", {outcome.recoverable:.0%} one recall away" if outcome.recoverable else ""
    return (
        f"{name} kept {outcome.harness:.0%}, Everthread gave back {outcome.given:.0%}{away}, "
        f"{outcome.lost:.0%} lost ({outcome.items:,} items)"
    )


def _table(found: Sequence[Found]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("at (UTC)", room=NARROW),
        Column("trigger", room=WIDE),
        Column("session", room=WIDE),
        Column("outcome", folds=True),
    ]
    rows = [
        [
            short(row.key_id),
            when(row.created_ms),
            row.trigger,
            short(session.key_id),
            told(session, outcome),
        ]
        for row, session, outcome in found
    ]
    return table(columns, rows)


def _missing(outcome: Outcome) -> RenderableType:
    columns = [Column("n", right=True), Column("recall"), Column("what", folds=True)]
    rows = [
        [str(n), "finds it" if one.found else "does not", one.line]
        for n, one in enumerate(outcome.missing, 1)
    ]
    return table(columns, rows)
