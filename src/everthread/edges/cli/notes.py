"""`notes`: add, list, delete."""

from __future__ import annotations

import click

from everthread.domain.ids import short
from everthread.domain.redaction.secrets import redacted

from .documents import note_document
from .options import (
    Choice,
    Ordered,
    agent_of,
    agent_to_tell,
    common,
    examples,
    help_if_alone,
    opened,
)
from .remember import told
from .remote import short_id, tell, tell_line, there
from .terminal import USUAL, Column, say, show, show_json, table, when


@click.group("notes", cls=Ordered, invoke_without_command=True, short_help="What was jotted down.")
@common
def notes(_choice: Choice) -> None:
    """Notes are jotted down by the agent, or by you for it, each under a category.

    An ID is an id or any unique ending of it.
    """
    help_if_alone()


@notes.command(
    "add", epilog=examples('everthread notes add "Ask Mel about it" --category question')
)
@click.argument("text")
@click.option(
    "--category", metavar="NAME", default="note", show_default=True, help="What it goes under."
)
@common
def add_command(choice: Choice, text: str, category: str) -> None:
    """Write TEXT down; `-` reads it from the standard input. Secrets are taken out."""
    said = told(text)
    if far := there(choice):
        answer = far.post("notes", text=said, category=category, origin="user")
        tell_line(choice, answer, f"{short_id(answer)}  noted under {category} for {far.agent}")
        return
    with opened(choice, create=True) as engine:
        agent = agent_to_tell(engine, choice)
        note = agent.note(said, category=category, origin="user")
    if choice.as_json:
        show_json({"agent": agent.name, **note_document(note)})
    else:
        say(f"{short(note.key_id)}  noted under {note.category} for {agent.name}")


@notes.command("list", epilog=examples("everthread notes list --category decision"))
@click.option("--category", metavar="NAME", help="Only those under this category.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, category: str | None, limit: int) -> None:
    """An agent's notes, newest first."""
    if far := there(choice):
        answer = far.get("notes", category=category, limit=limit)
        tell(choice, answer, "notes", ("id", "category", "created_at", "text"), "no such notes")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.notes(category=category, limit=limit)
    if choice.as_json:
        show_json({"agent": agent.name, "notes": [note_document(note) for note in found]})
    elif found:
        columns = [
            Column("id", style="bold"),
            Column("category"),
            Column("noted (UTC)", room=USUAL),
            Column("text", folds=True),
        ]
        rows = [[short(n.key_id), n.category, when(n.created_ms), redacted(n.text)] for n in found]
        show(table(columns, rows))
    else:
        say("no such notes; `everthread notes add` writes one")


@notes.command("delete", epilog=examples("everthread notes delete 1a2b3c4d"))
@click.argument("note", metavar="ID")
@common
def delete_command(choice: Choice, note: str) -> None:
    """Delete a note. Its text goes for good."""
    if far := there(choice):
        tell_line(choice, far.delete("notes", note), f"{note}  deleted")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        agent.unnote(note)
    if choice.as_json:
        show_json({"agent": agent.name, "deleted": note})
    else:
        say(f"{note}  deleted")
