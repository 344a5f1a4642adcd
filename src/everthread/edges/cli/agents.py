"""`agents`: who is in the store."""

from __future__ import annotations

import click

from .base.documents import LAST_SESSIONS, agent_line
from .base.options import Choice, WholeNumber, common, examples, open_to_read, refuse_agent
from .base.remote import Document, remote_daemon
from .base.terminal import (
    NARROW,
    USUAL,
    Column,
    iso_time_text,
    say,
    say_if_more,
    show,
    show_json,
    table,
)


@click.command(
    "agents",
    short_help="The agents of the store.",
    epilog=examples("everthread agents", "everthread agents --limit 5 --json"),
)
@click.option(
    "--limit", type=WholeNumber(1, 100_000), default=50, show_default=True, help="How many."
)
@common
def agents_command(choice: Choice, limit: int) -> None:
    """The agents: how many messages each holds, and when something was last said. Lately active first."""
    refuse_agent(choice, "it lists them all; `everthread status --agent NAME` shows one")
    daemon = remote_daemon(choice)
    found: list[Document] = (
        _agents_in_store(choice) if daemon is None else daemon.get("agents")["agents"]
    )
    found.sort(key=lambda each: each.get("last_activity") or "", reverse=True)
    shown, more = found[:limit], len(found) > limit
    if choice.as_json:
        show_json({"agents": shown, "more": more})
    elif shown:
        _show(shown)
        say_if_more(more=more)
    else:
        say("no agents yet; `everthread remember` or a harness's first session makes one")


def _agents_in_store(choice: Choice) -> list[Document]:
    with open_to_read(choice) as engine:
        return [
            agent_line(
                agent.row,
                [thread.row_seen for thread in agent.threads()],
                agent.sessions(limit=LAST_SESSIONS),
            )
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
            iso_time_text(each.get("last_activity")),
            each["model"] or "–",
            iso_time_text(each["created_at"]),
        ]
        for each in found
    ]
    show(table(columns, rows))
