"""`notes`: add, list, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .base.daemon_or_store import daemon_or_store
from .base.documents import note_document
from .base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    agent_to_tell,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
)
from .base.remote import Document, short_id
from .base.terminal import USUAL, Column, iso_time_text, say, show_json, show_list, table
from .remember import text_or_stdin

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.group(
    "notes", cls=OrderedGroup, invoke_without_command=True, short_help="What was jotted down."
)
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
    said = text_or_stdin(text)
    answer = daemon_or_store(
        choice,
        lambda far: far.post("notes", text=said, category=category, origin="user"),
        lambda: _add_to_store(choice, said, category),
        look="everthread notes list",
    )
    if choice.as_json:
        show_json(answer)
    else:
        say(f"{short_id(answer)}  noted under {answer['category']} for {answer['agent']}")


def _add_to_store(choice: Choice, said: str, category: str) -> Document:
    with open_engine(choice, create=True) as engine:
        agent = agent_to_tell(engine, choice)
        note = agent.note(said, category=category, origin="user")
    return {"agent": agent.name, **note_document(note)}


@notes.command("list", epilog=examples("everthread notes list --category decision"))
@click.option("--category", metavar="NAME", help="Only those under this category.")
@click.option(
    "--limit", type=WholeNumber(1, 100_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, category: str | None, limit: int) -> None:
    """An agent's notes, newest first."""
    answer = daemon_or_store(
        choice,
        lambda far: far.get("notes", category=category, limit=limit),
        lambda: _list_from_store(choice, category, limit),
    )
    none = "no such notes; `everthread notes add` writes one"
    show_list(answer, "notes", _table, none, as_json=choice.as_json)


def _table(notes: list[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("category"),
        Column("noted (UTC)", room=USUAL),
        Column("text", folds=True),
    ]
    rows = [
        [short_id(note), note["category"], iso_time_text(note["created_at"]), note["text"]]
        for note in notes
    ]
    return table(columns, rows)


def _list_from_store(choice: Choice, category: str | None, limit: int) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.notes(category=category, limit=limit + 1)
    told = [note_document(note) for note in found[:limit]]
    return {"agent": agent.name, "notes": told, "more": len(found) > limit}


@notes.command("delete", epilog=examples("everthread notes delete 1a2b3c4d"))
@click.argument("note", metavar="ID")
@common
def delete_command(choice: Choice, note: str) -> None:
    """Delete a note. Its text goes for good."""
    answer = daemon_or_store(
        choice,
        lambda far: far.delete("notes", note),
        lambda: _delete_in_store(choice, note),
        look="everthread notes list",
    )
    if choice.as_json:
        show_json(answer)
    else:
        say(f"{note}  deleted")


def _delete_in_store(choice: Choice, note: str) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        agent.unnote(note)
    return {"agent": agent.name, "deleted": note}
