"""`injections`: what was injected where and why, and what the agent knew at a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from everthread.edges.documents.recall import injected_document, knew_document

from .base.daemon_or_store import daemon_or_store
from .base.options import Choice, WholeNumber, agent_of, common, examples, open_to_read
from .base.remote import Document, short_id
from .base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    iso_time_text,
    pairs,
    plural,
    show,
    show_json,
    show_list,
    styled,
    table,
    time_text,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.services.giving.turn_knowledge import TurnKnowledge


@click.command(
    "injections",
    short_help="What was injected where, and why.",
    epilog=examples("everthread injections --limit 5", "everthread injections --turn 12"),
)
@click.option(
    "--turn",
    type=WholeNumber(1, meant="the number of a turn"),
    metavar="N",
    help="What the agent knew at this turn.",
)
@click.option("--session", metavar="ID", help="Only those of this session.")
@click.option(
    "--limit",
    type=WholeNumber(1, 100_000),
    default=50,
    show_default=True,
    help="How many at most.",
)
@common
def injections_command(choice: Choice, turn: int | None, session: str | None, limit: int) -> None:
    """What was injected beside the user's words: when, why, how large, under which hash; newest first.

    With --turn, what the agent knew at that turn of its primary thread: the block it was given, where
    each item came from, and how much of the conversation its view held.
    """
    if turn is not None and session is not None:
        raise click.UsageError("--turn and --session do not go together: a turn has one session")
    if turn is not None:
        with open_to_read(choice) as engine:
            agent = agent_of(engine, choice)
            _show_turn(choice, agent.name, agent.knew(turn))
        return
    answer = daemon_or_store(
        choice,
        lambda far: far.get("injections", session=session, limit=limit),
        lambda: _list_from_store(choice, session, limit),
    )
    none = "nothing was injected yet: what is recalled for a turn is logged here"
    show_list(answer, "injections", _table, none, as_json=choice.as_json)


def _list_from_store(choice: Choice, session: str | None, limit: int) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.injections(session=session, limit=limit + 1)
    told = [injected_document(each) for each in found[:limit]]
    return {"agent": agent.name, "injections": told, "more": len(found) > limit}


def _show_turn(choice: Choice, agent: str, known: TurnKnowledge) -> None:
    if choice.as_json:
        show_json({"agent": agent, **knew_document(known)})
        return
    held = f"{plural(known.view_messages, 'message')}, {known.view_tokens:,} tokens"
    show(
        pairs(
            [
                ("turn", f"{known.turn.number:,}, {time_text(known.turn.opened_ms)}"),
                ("view", f"{held} before the user's message"),
                ("injected", _given_line(known)),
            ]
        )
    )
    for piece in known.pieces:
        show("", styled((f"{piece.given.rank}  ", "dim"), (piece.heading, "bold")))
        show(styled((piece.text, "")), styled((f"why: {piece.given.why}", "dim")))


def _given_line(known: TurnKnowledge) -> str:
    if known.text is not None:
        first = next(i for i in known.injections if i.text == known.text).injection
        return f"{first.reason}; {first.size:,} bytes, {first.tokens:,} tokens, hash {_hash(first.hash)}"
    return "; ".join(i.injection.reason for i in known.injections) or "nothing"


def _hash(value: str | None) -> str:
    return "–" if value is None else value[:16]


def _table(found: Sequence[Document]) -> RenderableType:
    columns = [
        Column("at (UTC)", room=NARROW),
        Column("turn", right=True),
        Column("session", room=WIDE),
        Column("purpose", style="bold"),
        Column("items", right=True),
        Column("bytes", room=USUAL, right=True),
        Column("hash", room=WIDE, style="dim"),
        Column("reason", folds=True),
    ]
    return table(columns, [_row(each) for each in found])


def _row(each: Document) -> list[str]:
    return [
        iso_time_text(each["at"]),
        "–" if each["turn"] is None else f"{each['turn']:,}",
        short_id(each, "session"),
        each["purpose"],
        f"{len(each['items']):,}",
        f"{each['bytes']:,}",
        _hash(each["hash"]),
        each["reason"],
    ]
