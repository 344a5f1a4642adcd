"""`send` and `exchanges`: one agent tells another; who asked whom for what, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.errors import BadInput
from everthread.edges.documents.exchanges import exchange_document

from .base.daemon_or_store import daemon_or_store
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
from .base.remote import Document, short_id
from .base.terminal import (
    USUAL,
    WIDE,
    Column,
    iso_time_text,
    pairs,
    say,
    show,
    show_json,
    show_list,
    table,
)
from .remember import text_or_stdin

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command(
    "send",
    short_help="Tell an agent something in another's name.",
    epilog=examples('everthread send shop "The API answers 409 now" --from billing'),
)
@click.argument("target", metavar="AGENT")
@click.argument("text")
@click.option("--from", "caller", metavar="NAME", help="The agent that sends it.")
@common
def send_command(choice: Choice, target: str, text: str, caller: str | None) -> None:
    """Leave TEXT for AGENT; `-` reads it from the standard input.

    AGENT is told of it once: in its next turn with a human, or with the next prompt in its project.
    """
    if caller is not None and choice.agent is not None and caller != choice.agent:
        raise BadInput("--from and --agent name different agents; one of them is enough")
    choice.agent = choice.agent or caller
    said = text_or_stdin(text).strip()
    answer = daemon_or_store(
        choice,
        lambda far: far.post("send", target=target, content=said),
        lambda: _send_in_store(choice, target, said),
        look="everthread exchanges list",
    )
    if choice.as_json:
        show_json(answer)
    else:
        say(f"{short_id(answer)}  waits for {answer['target']}, from {answer['caller']}")


def _send_in_store(choice: Choice, target: str, said: str) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        made = agent.send(target, said)
    return {"agent": agent.name, **exchange_document(made)}


@click.group(
    "exchanges",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="What agents asked, sent and gave each other.",
)
@common
def exchanges(_choice: Choice) -> None:
    """Whatever one agent asks, sends or gives another leaves a record with both.

    An ID is an id or any unique ending of it.
    """
    help_if_alone()


@exchanges.command("list", epilog=examples("everthread exchanges list --agent shop"))
@click.option(
    "--limit", type=WholeNumber(1, 10_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, limit: int) -> None:
    """An agent's exchanges, newest first."""
    answer = daemon_or_store(
        choice,
        lambda far: far.get("exchanges", limit=limit),
        lambda: _list_from_store(choice, limit),
    )
    none = "no exchanges yet; `everthread send` begins one"
    show_list(answer, "exchanges", _table, none, as_json=choice.as_json)


def _table(exchanges: list[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("from"),
        Column("to"),
        Column("status"),
        Column("depth", room=WIDE),
        Column("began (UTC)", room=USUAL),
        Column("text", folds=True),
    ]
    return table(columns, [_row(each) for each in exchanges])


def _list_from_store(choice: Choice, limit: int) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.exchanges(limit=limit + 1)
    told = [exchange_document(each) for each in found[:limit]]
    return {"agent": agent.name, "exchanges": told, "more": len(found) > limit}


def _row(exchange: Document) -> list[str]:
    return [
        short_id(exchange),
        exchange["kind"],
        exchange["caller"],
        exchange["target"],
        exchange["status"],
        str(exchange["depth"]),
        iso_time_text(exchange["created_at"]),
        exchange["content"],
    ]


@exchanges.command("show", epilog=examples("everthread exchanges show 1a2b3c4d"))
@click.argument("exchange", metavar="ID")
@common
def show_command(choice: Choice, exchange: str) -> None:
    """One exchange: what was said, what was answered, and when."""
    answer = daemon_or_store(
        choice,
        lambda far: far.get("exchanges", exchange),
        lambda: _show_from_store(choice, exchange),
    )
    if choice.as_json:
        show_json(answer)
    else:
        said = {name: value for name, value in answer.items() if name != "agent"}
        show(pairs([(name, str(value)) for name, value in said.items() if value is not None]))


def _show_from_store(choice: Choice, exchange: str) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.exchange(exchange)
    return {"agent": agent.name, **exchange_document(found)}
