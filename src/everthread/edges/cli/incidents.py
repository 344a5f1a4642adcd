"""`incidents`: what a person should look at. `outbox`: what others are told of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.ids import short
from everthread.edges.documents.tasks import event_document, incident_document

from .options import Choice, Ordered, agent_of, common, examples, opened, project_here
from .remote import short_id, tell, tell_line, there
from .terminal import NARROW, USUAL, Column, say, show, show_json, table, when
from .whose import task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.tasks.tasks import Event, Incident

LIMIT = click.IntRange(1, 1_000)
SHOWN_THERE = ("kind", "severity", "created_at", "summary")


@click.group("incidents", cls=Ordered, invoke_without_command=True, short_help="What to look at.")
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
    if far := there(choice):
        project = None if slug is None else project_here()
        told = "false" if everything else "true"
        answer = far.get("incidents", task=slug, project=project, unresolved=told, limit=limit)
        tell(choice, answer, "incidents", ("id", *SHOWN_THERE), "nothing to look at")
        return
    with opened(choice) as engine:
        if slug is None:
            agent = agent_of(engine, choice)
            found = agent.incidents(unresolved=not everything, limit=limit)
        else:
            task = task_of(engine, choice, slug, project=project_here())
            found = task.incidents(unresolved=not everything, limit=limit)
    if choice.as_json:
        show_json({"incidents": [incident_document(each) for each in found]}, raw=True)
    elif found:
        show(_table(found))
    else:
        say("nothing to look at")


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
    if far := there(choice):
        answer = far.post("incidents", incident, "resolve", note=note)
        tell_line(choice, answer, f"incident {short_id(answer)} is resolved")
        return
    with opened(choice) as engine:
        done = agent_of(engine, choice).resolve_incident(incident, note)
    if choice.as_json:
        show_json(incident_document(done), raw=True)
    else:
        say(f"incident {short(done.key_id)} is resolved")


def _table(found: Sequence[Incident]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("severity", room=NARROW),
        Column("since (UTC)", room=USUAL),
        Column("what", folds=True),
    ]
    rows = [
        [
            short(each.key_id),
            each.kind if each.resolved_ms is None else f"{each.kind}, resolved",
            each.severity,
            when(each.created_ms),
            each.summary,
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
    if far := there(choice):
        answer = far.get("events", limit=limit)
        tell(choice, answer, "events", ("id", "type", "target", "state", "error"), "no events yet")
        return
    with opened(choice) as engine:
        found = agent_of(engine, choice).events(limit=limit)
    if choice.as_json:
        show_json({"events": [event_document(each) for each in found]}, raw=True)
    elif found:
        show(_events(found))
    else:
        say("no events yet: the end of a task's session makes one")


def _events(found: Sequence[Event]) -> RenderableType:
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
            short(each.key_id),
            each.type,
            each.target or "nobody",
            each.state,
            str(each.attempts),
            when(each.created_ms),
            each.error or "–",
        ]
        for each in found
    ]
    return table(columns, rows)
