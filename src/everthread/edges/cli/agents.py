"""`agents`: who is in the store."""

from __future__ import annotations

import click

from .documents import agent_line
from .options import Choice, Whole, common, examples, opened, refuse_agent
from .remote import Document, remote
from .terminal import NARROW, USUAL, Column, say, say_if_more, show, show_json, table, when_told


@click.command(
    "agents",
    short_help="The agents of the store.",
    epilog=examples("everthread agents", "everthread agents --limit 5 --json"),
)
@click.option("--limit", type=Whole(1, 100_000), default=50, show_default=True, help="How many.")
@common
def agents_command(choice: Choice, limit: int) -> None:
    """The agents: how many messages each holds, and when something was last said. Lately active first."""
    refuse_agent(choice, "it lists them all; `everthread status --agent NAME` shows one")
    daemon = remote(choice)
    found: list[Document] = _here(choice) if daemon is None else daemon.get("agents")["agents"]
    found.sort(key=lambda each: each.get("last_activity") or "", reverse=True)
    shown, more = found[:limit], len(found) > limit
    if choice.as_json:
        show_json({"agents": shown, "more": more})
    elif shown:
        _show(shown)
        say_if_more(more=more)
    else:
        say("no agents yet; `everthread remember` or a harness's first session makes one")


def _here(choice: Choice) -> list[Document]:
    with opened(choice) as engine:
        return [
            agent_line(agent.row, [thread.row_seen for thread in agent.threads()])
            for agent in engine.agents()
        ]


def _show(found: list[Document]) -> None:
    columns = [
        Column("agent", style="bold", folds=True),
        Column("messages", right=True),
        Column("last said (UTC)"),
        Column("model", room=NARROW),
        Column("made (UTC)", room=USUAL),
    ]
    rows = [
        [
            each["agent"],
            f"{each.get('message_count', 0):,}",  # an older daemon does not know
            when_told(each.get("last_activity")),
            each["model"] or "–",
            when_told(each["created_at"]),
        ]
        for each in found
    ]
    show(table(columns, rows))
