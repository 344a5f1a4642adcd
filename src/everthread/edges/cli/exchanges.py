"""`send` and `exchanges`: one agent tells another; who asked whom for what, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.errors import BadInput
from everthread.domain.ids import short
from everthread.domain.redaction.secrets import redacted
from everthread.edges.documents.exchanges import exchange_document

from .options import Choice, Ordered, agent_of, common, examples, help_if_alone, opened
from .remember import told
from .remote import short_id, tell, tell_facts, tell_line, there
from .terminal import USUAL, WIDE, Column, pairs, say, show, show_json, table, when

if TYPE_CHECKING:
    from everthread.domain.exchanges.exchanges import Exchange


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
    said = told(text).strip()
    if far := there(choice):
        answer = far.post("send", target=target, content=said)
        tell_line(choice, answer, f"{short_id(answer)}  waits for {target}, from {far.agent}")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        made = agent.send(target, said)
    if choice.as_json:
        show_json({"agent": agent.name, **exchange_document(made)})
    else:
        say(f"{short(made.pair)}  waits for {made.target}, from {made.caller}")


@click.group(
    "exchanges",
    cls=Ordered,
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
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, limit: int) -> None:
    """An agent's exchanges, newest first."""
    if far := there(choice):
        answer = far.get("exchanges", limit=limit)
        fields = ("id", "kind", "caller", "target", "status", "content")
        tell(choice, answer, "exchanges", fields, "no exchanges yet")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.exchanges(limit=limit)
    if choice.as_json:
        show_json({"agent": agent.name, "exchanges": [exchange_document(e) for e in found]})
    elif found:
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
        show(table(columns, [_row(each) for each in found]))
    else:
        say("no exchanges yet; `everthread send` begins one")


def _row(exchange: Exchange) -> list[str]:
    return [
        short(exchange.pair),
        exchange.kind,
        exchange.caller,
        exchange.target,
        exchange.status,
        str(exchange.depth),
        when(exchange.created_ms),
        redacted(exchange.content),
    ]


@exchanges.command("show", epilog=examples("everthread exchanges show 1a2b3c4d"))
@click.argument("exchange", metavar="ID")
@common
def show_command(choice: Choice, exchange: str) -> None:
    """One exchange: what was said, what was answered, and when."""
    if far := there(choice):
        tell_facts(choice, far.get("exchanges", exchange))
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.exchange(exchange)
    document = exchange_document(found)
    if choice.as_json:
        show_json({"agent": agent.name, **document})
    else:
        show(pairs([(name, str(value)) for name, value in document.items() if value is not None]))
