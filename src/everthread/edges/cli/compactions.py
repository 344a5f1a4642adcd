"""`compactions`: what a harness's own compactions kept, what we gave back, what is lost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.harness.compaction_loss import whole_percents
from everthread.domain.harness.happenings import HARNESSES
from everthread.domain.times import MINUTE, ms_of
from everthread.edges.documents.checkpoints import compaction_document

from .base.daemon_or_store import daemon_or_store, without_agent
from .base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
)
from .base.remote import AgentAtDaemon, Document, short_id
from .base.terminal import (
    NARROW,
    WIDE,
    Column,
    iso_time_text,
    plural,
    say,
    show,
    show_json,
    show_list,
    styled,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Compaction
    from everthread.domain.harness.compaction_loss import Outcome
    from everthread.engine import Agent, Everthread

    Found = tuple[Compaction, Session, Outcome | None]

LIMIT = WholeNumber(1, 1_000)
SHARES = ("harness_kept", "given_back", "recoverable", "lost")
COMPACTS_WITHIN = 10 * MINUTE
"""A harness that compacts is done by then; one that was announced before that did not happen."""


@click.group(
    "compactions",
    cls=OrderedGroup,
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
    answer = daemon_or_store(
        choice,
        lambda far: _list_from_daemon(far, session, limit),
        lambda: _list_from_store(choice, session, limit),
    )
    none = "no compactions yet: harnesses make them (`everthread install`)"
    show_list(answer, "compactions", _table, none, as_json=choice.as_json, raw=True)


def _list_from_daemon(far: AgentAtDaemon, session: str | None, limit: int) -> Document:
    answer = far.get("compactions", session=session, limit=limit)
    told = [without_agent(each) for each in answer["compactions"]]
    return {"compactions": told, "more": answer.get("more", False)}


def _list_from_store(choice: Choice, session: str | None, limit: int) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        every = agent.compactions(session=session, limit=limit + 1)
        found = _with_outcomes(engine, agent, every[:limit])
    told = [compaction_document(*each) for each in found]
    return {"compactions": told, "more": len(every) > limit}


@compactions.command(
    "show",
    short_help="One of them: shares, and what is missing.",
    epilog=examples("everthread compactions show 1a2b3c4d"),
)
@click.argument("compaction", metavar="ID")
@common
def show_command(choice: Choice, compaction: str) -> None:
    """What one compaction kept, what was given back, and what is missing, item by item."""
    answer = daemon_or_store(
        choice,
        lambda far: without_agent(far.get("compactions", compaction)),
        lambda: _show_from_store(choice, compaction),
    )
    if choice.as_json:
        show_json(answer, raw=True)
        return
    head = f"{short_id(answer)}, {iso_time_text(answer['created_at'])} UTC, {answer['trigger']}"
    show(styled((f"{head}, session {short_id(answer, 'session_id')}", "bold")))
    say(_outcome_sentence(answer))
    if answer["missing"]:
        show("", _missing_table(answer["missing"]))
        say("\n`everthread compactions restore ID [NUMBER …]` puts some into the next prompt")


def _show_from_store(choice: Choice, compaction: str) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        row, session, outcome = _with_outcomes(engine, agent, [agent.compaction(compaction)])[0]
    missing = [] if outcome is None else [list(one) for one in outcome.missing]
    return {**compaction_document(row, session, outcome), "missing": missing}


@compactions.command(
    "restore",
    short_help="Put what is missing into the next prompt.",
    epilog=examples(
        "everthread compactions restore 1a2b3c4d", "everthread compactions restore 1a2b3c4d 1 3"
    ),
)
@click.argument("compaction", metavar="ID")
@click.argument("items", metavar="[NUMBER]...", type=WholeNumber(1), nargs=-1)
@common
def restore_command(choice: Choice, compaction: str, items: tuple[int, ...]) -> None:
    """Put evidence that a compaction cost into the session's next prompt: the items of these numbers,
    as `show` counts them, or all of them.
    """
    answer = daemon_or_store(
        choice,
        lambda far: far.post("compactions", compaction, "restore", items=items or None),
        lambda: _restore_in_store(choice, compaction, items),
        look=f"everthread compactions show {compaction}",
    )
    lines = answer["restored"]
    if choice.as_json:
        show_json({"restored": lines}, raw=True)
    elif lines:
        say(f"{plural(len(lines), 'item')} will be in the next prompt of that session")
    else:
        say("nothing is missing: there is nothing to restore")


def _restore_in_store(choice: Choice, compaction: str, items: tuple[int, ...]) -> Document:
    with open_engine(choice) as engine:
        return {"restored": agent_of(engine, choice).restore(compaction, items or None)}


def _with_outcomes(engine: Everthread, agent: Agent, rows: Sequence[Compaction]) -> list[Found]:
    def work(ref: int) -> Session:
        return engine.house.store.read(lambda r: r.sessions.get(agent.scope, ref))

    return [(row, work(row.session_ref), agent.compaction_outcome(row)) for row in rows]


def _outcome_sentence(answer: Document) -> str:
    """Who kept what, in one sentence; the shares add up to the whole."""
    harness = answer["harness"]
    name = HARNESSES.get(harness or "", harness or "the harness")
    if answer["state"] == "failed":
        return f"did not happen: {name} said “{answer['error']}”"
    if answer["state"] == "open":
        return _announced_sentence(answer, name)
    if answer["items"] is None:
        return "not measured: the summary is not known, or its score is still to come"
    shares = [answer[part] for part in SHARES]
    unknown = max(0.0, 1 - sum(shares)) if answer["items"] else 0.0
    kept, given, away, lost, unasked = whole_percents([*shares, unknown])
    found = f", {away}% one recall away" if answer["recoverable"] else ""
    left = f", {unasked}% not asked for in time" if unasked else ""
    return (
        f"{name} kept {kept}%, Everthread gave back {given}%{found}, {lost}% lost{left} "
        f"({answer['items']:,} items)"
    )


def _announced_sentence(answer: Document, name: str) -> str:
    """A harness tells that it is about to compact; it may decline, or be stopped, and tells nothing."""
    age = ms_of(datetime.now(UTC)) - ms_of(answer["created_at"])
    if age < COMPACTS_WITHIN:
        return f"announced: {name} has not told so far that it happened"
    return f"did not happen: {name} announced it, and nothing followed"


def _table(found: Sequence[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("at (UTC)", room=NARROW),
        Column("trigger", room=WIDE),
        Column("session", room=WIDE),
        Column("outcome", folds=True),
    ]
    rows = [
        [
            short_id(each),
            iso_time_text(each["created_at"]),
            each["trigger"],
            short_id(each, "session_id"),
            _outcome_sentence(each),
        ]
        for each in found
    ]
    return table(columns, rows)


def _missing_table(missing: Sequence[Sequence[Any]]) -> RenderableType:
    columns = [Column("n", right=True), Column("recall"), Column("what", folds=True)]
    rows = [[str(n), _recall_word(*told), line] for n, (_, line, *told) in enumerate(missing, 1)]
    return table(columns, rows)


def _recall_word(found: bool, asked: bool = True) -> str:  # noqa: FBT001, FBT002 - as it is listed
    if found:
        return "finds it"
    return "does not" if asked else "not asked"
