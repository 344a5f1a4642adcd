"""`incidents`: what a person should look at. `outbox`: what others are told of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.edges.cli.base.daemon_or_store import daemon_or_store
from everthread.edges.cli.base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    common,
    examples,
    open_engine,
    open_to_read,
    project_here,
)
from everthread.edges.cli.base.remote import Document, short_id
from everthread.edges.cli.base.terminal import (
    NARROW,
    USUAL,
    Column,
    iso_time_text,
    say,
    show_json,
    show_list,
    table,
)
from everthread.edges.documents.tasks import event_document, incident_document

from .task_agent import task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

LIMIT = WholeNumber(1, 1_000)


@click.group(
    "incidents", cls=OrderedGroup, invoke_without_command=True, short_help="What to look at."
)
@click.option("--task", "slug", metavar="SLUG", help="Only those of this task of the project.")
@click.option("--all", "everything", is_flag=True, help="Resolved ones too.")
@click.option("--limit", type=LIMIT, default=50, show_default=True, help="How many at most.")
@common
def incidents(
    choice: Choice,
    slug: str | None,
    everything: bool,  # noqa: FBT001 - click gives it by name
    limit: int,
) -> None:
    """What a person should look at: interrupted sessions, emergencies, escalations, events that cannot
    be delivered. Newest first.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    project = None if slug is None else project_here()
    told = "false" if everything else "true"
    answer = daemon_or_store(
        choice,
        lambda far: far.get("incidents", task=slug, project=project, unresolved=told, limit=limit),
        lambda: _incidents_in_store(choice, slug, unresolved=not everything, limit=limit),
        near=slug is None,  # whose task that is, a command finds out by itself
    )
    answer.pop("agent", None)
    show_list(answer, "incidents", _table, "nothing to look at", as_json=choice.as_json, raw=True)


def _incidents_in_store(
    choice: Choice, slug: str | None, *, unresolved: bool, limit: int
) -> Document:
    with open_to_read(choice) as engine:
        if slug is None:
            found = agent_of(engine, choice).incidents(unresolved=unresolved, limit=limit + 1)
        else:
            task = task_of(engine, choice, slug, project=project_here())
            found = task.incidents(unresolved=unresolved, limit=limit + 1)
    told = [incident_document(each) for each in found[:limit]]
    return {"incidents": told, "more": len(found) > limit}


@incidents.command(
    "resolve",
    short_help="You looked at it.",
    epilog=examples('everthread incidents resolve 1a2b3c4d --note "the laptop was out of power"'),
)
@click.argument("incident", metavar="ID")
@click.option("--note", required=True, help="What came of it.")
@common
def resolve_command(choice: Choice, incident: str, note: str) -> None:
    """Say that you looked at an incident, and what came of it."""
    answer = daemon_or_store(
        choice,
        lambda far: far.post("incidents", incident, "resolve", note=note),
        lambda: _resolve_in_store(choice, incident, note),
        look="everthread incidents --all",
    )
    answer.pop("agent", None)
    if choice.as_json:
        show_json(answer, raw=True)
    else:
        say(f"incident {short_id(answer)} is resolved")


def _resolve_in_store(choice: Choice, incident: str, note: str) -> Document:
    with open_engine(choice) as engine:
        return incident_document(agent_of(engine, choice).resolve_incident(incident, note))


def _table(found: Sequence[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("severity", room=NARROW),
        Column("since (UTC)", room=USUAL),
        Column("what", folds=True),
    ]
    rows = [
        [
            short_id(each),
            each["kind"] if each["resolved_at"] is None else f"{each['kind']}, resolved",
            each["severity"],
            iso_time_text(each["created_at"]),
            each["summary"],
        ]
        for each in found
    ]
    return table(columns, rows)


@click.command("outbox", short_help="What others are told.")
@click.option("--limit", type=LIMIT, default=20, show_default=True, help="How many at most.")
@common
def outbox_command(choice: Choice, limit: int) -> None:
    """Events of tasks and how far they are on their way: to a file, a webhook, a command (settings
    outbox_file, outbox_url, outbox_command). Each is delivered at least once.
    """
    answer = daemon_or_store(
        choice, lambda far: far.get("events", limit=limit), lambda: _outbox_in_store(choice, limit)
    )
    answer.pop("agent", None)
    none = "no events yet: the end of a task's session makes one"
    show_list(answer, "events", _events_table, none, as_json=choice.as_json, raw=True)


def _outbox_in_store(choice: Choice, limit: int) -> Document:
    with open_to_read(choice) as engine:
        found = agent_of(engine, choice).events(limit=limit + 1)
    told = [event_document(each) for each in found[:limit]]
    return {"events": told, "more": len(found) > limit}


def _events_table(found: Sequence[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("type"),
        Column("to"),
        Column("state"),
        Column("tries", room=NARROW, right=True),
        Column("made (UTC)", room=USUAL),
        Column("last error", room=USUAL, folds=True),
    ]
    rows = [
        [
            short_id(each),
            each["type"],
            each["target"] or "nobody",
            each["state"],
            str(each["attempts"]),
            iso_time_text(each["created_at"]),
            each["error"] or "–",
        ]
        for each in found
    ]
    return table(columns, rows)
