"""`memories`: list, show, edit, history."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.memory.memories import ORIGINS, STATES
from everthread.domain.times import text_of
from everthread.edges.documents.kept import shown_documents

from .base.daemon_or_store import daemon_or_store
from .base.documents import entry_document, memory_document
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
from .base.remote import AgentAtDaemon, Document, absolute_folder, short_id
from .base.terminal import (
    NARROW,
    USUAL,
    Column,
    iso_time_text,
    pairs,
    say,
    show,
    show_json,
    show_list,
    table,
)
from .remember import KIND, text_or_stdin

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.services.memory.memories import Version

LONGEST_SHOWN = 200
NOTHING: tuple[object, ...] = (None, "", [], {})
"""What a field holds that has nothing to say."""
FRESH = {
    "fresh": "fresh: the files are as they were",
    "changed": "changed since: verify before relying on it",
    "unknown": "unknown: it names no file that can be looked at",
}


@click.group(
    "memories", cls=OrderedGroup, invoke_without_command=True, short_help="What an agent remembers."
)
@common
def memories(_choice: Choice) -> None:
    """Memories are what is worth keeping of what was said. They are superseded, never overwritten.

    An ID is an id or any unique ending of it. `everthread remember` and `forget` add and remove.
    """
    help_if_alone()


@memories.command(
    "list",
    epilog=examples(
        "everthread memories list --kind decision",
        "everthread memories list --told",
        "everthread memories list --tag release --state all",
    ),
)
@click.option("--kind", type=KIND, help="Only of this kind.")
@click.option("--tag", metavar="TAG", help="Only those tagged so.")
@click.option(
    "--state",
    type=click.Choice(["current", *STATES, "all"]),
    default="current",
    show_default=True,
    help="Only those in this state; the current ones are kept and have not ended.",
)
@click.option("--project", metavar="FOLDER", help="Only those of this project.")
@click.option("--origin", type=click.Choice(ORIGINS), help="Only those by whose word it is.")
@click.option(
    "--told",
    is_flag=True,
    help="Only what was told to be remembered, not drawn from what was said.",
)
@click.option(
    "--limit", type=WholeNumber(1, 100_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, **wanted: Any) -> None:
    """An agent's memories, last said first: those that hold. Of all states, those that are kept lead."""
    answer = daemon_or_store(
        choice,
        lambda far: _list_from_daemon(far, wanted),
        lambda: _list_from_store(choice, wanted),
    )
    none = "no such memories; `everthread remember` keeps one"
    show_list(answer, "memories", _table, none, as_json=choice.as_json)


def _list_from_daemon(far: AgentAtDaemon, wanted: Document) -> Document:
    told = "true" if wanted["told"] else None
    return far.get(
        "memories", **{**wanted, "project": absolute_folder(wanted["project"]), "told": told}
    )


def _list_from_store(choice: Choice, wanted: Document) -> Document:
    limit = wanted["limit"]
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memories(**{**wanted, "limit": limit + 1})
        told = shown_documents(agent, found[:limit])
    return {"agent": agent.name, "memories": told, "more": len(found) > limit}


@memories.command("show", epilog=examples("everthread memories show 1a2b3c4d"))
@click.argument("memory", metavar="ID")
@common
def show_command(choice: Choice, memory: str) -> None:
    """One memory: all that is known of it, and whether the files it speaks of are as they were."""
    answer = daemon_or_store(
        choice, lambda far: far.get("memories", memory), lambda: _show_from_store(choice, memory)
    )
    if choice.as_json:
        show_json(answer)
        return
    shown = {n: value for n, value in answer.items() if n != "agent" and value not in NOTHING}
    show(pairs([(name, _value_text(name, value)) for name, value in shown.items()]))
    purged = answer["purged_sources"]
    if purged and set(purged) == set(answer["sources"]):
        say("every message that it came from was distilled, and purged when its age was over")


def _show_from_store(choice: Choice, memory: str) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memory(memory)
        fresh = agent.freshness(found.id)
        purged = agent.purged_sources(found.id)
        (told,) = shown_documents(agent, [found])
    document = {**told, "fresh": fresh, "purged_sources": purged}
    return {"agent": agent.name, **document}


@memories.command(
    "edit", epilog=examples('everthread memories edit 1a2b3c4d "Prefers spaces in YAML"')
)
@click.argument("memory", metavar="ID")
@click.argument("text")
@common
def edit_command(choice: Choice, memory: str, text: str) -> None:
    """Correct a memory: TEXT, or `-` for the standard input, takes its place. `history` shows both."""
    said = text_or_stdin(text)
    answer = daemon_or_store(
        choice,
        lambda far: far.patch("memories", memory, text=said),
        lambda: _edit_in_store(choice, memory, said),
        look=f"everthread memories history {memory}",
    )
    if choice.as_json:
        show_json(answer)
    elif answer["supersedes"]:
        (old,) = answer["supersedes"]
        say(f"{short_id(answer)}  takes the place of {short_id({'id': old})}")
    else:
        say(f"{short_id(answer)}  says that already")


def _edit_in_store(choice: Choice, memory: str, said: str) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        old = agent.memory(memory)
        new = agent.edit(old.id, said)
    replaced = [] if new.id == old.id else [old.id]
    return {"agent": agent.name, **memory_document(new), "supersedes": replaced}


@memories.command("history", epilog=examples("everthread memories history 1a2b3c4d"))
@click.argument("memory", metavar="ID")
@common
def history_command(choice: Choice, memory: str) -> None:
    """All versions of a memory, oldest first, and what happened to each."""
    answer = daemon_or_store(
        choice,
        lambda far: far.get("memories", memory, "history"),
        lambda: _history_from_store(choice, memory),
    )
    if choice.as_json:
        show_json(answer)
    else:
        show(_history_table(answer["versions"]))


def _history_from_store(choice: Choice, memory: str) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        versions = agent.history(memory)
    return {"agent": agent.name, "versions": [_version(each) for each in versions]}


def _version(version: Version) -> Document:
    events = [entry_document(entry) for entry in version.events]
    return {**memory_document(version.memory), "events": events}


def _table(found: list[Document]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("by", room=USUAL),
        Column("said", room=USUAL),
        Column("text", folds=True),
    ]
    rows = [[short_id(m), m["kind"], _origin_text(m), _said_on(m), _text(m)] for m in found]
    marks = [", ".join(_marks(m)) for m in found]
    if any(marks):  # else the text has its room
        columns.append(Column("tags", room=NARROW, folds=True))
        rows = [[*row, mark] for row, mark in zip(rows, marks, strict=True)]
    return table(columns, rows)


def _said_on(memory: Document) -> str:
    """The day; `show` tells the hour."""
    said = memory.get("said_at", memory["updated_at"])  # an older daemon does not know
    return iso_time_text(said)[:10]


def _origin_text(memory: Document) -> str:
    """Whose word it is, and whether they told it or it was drawn from what they said."""
    return memory["origin"] if memory["sources"] else f"{memory['origin']}, told"


def _marks(memory: Document) -> list[str]:
    state = [_validity_text(memory)] if memory["state"] == "kept" else [memory["state"]]
    whose = f" of {memory['owner']}" if "owner" in memory else ""
    wide = [] if memory["scope"] == "agent" else [f"{memory['scope']}-wide{whose}"]
    return [*filter(None, state), *(["pinned"] if memory["pinned"] else []), *wide, *memory["tags"]]


def _validity_text(memory: Document) -> str:
    """Whether what is kept holds no more, or not yet: recall leaves it out, so the list says why."""
    now = text_of(int(time.time() * 1000))
    if memory["valid_to"] is not None and memory["valid_to"] <= now:
        return f"ended {memory['valid_to'][:10]}"
    if memory["valid_from"] is not None and memory["valid_from"] > now:
        return f"from {memory['valid_from'][:10]}"
    return ""


def _text(memory: Document) -> str:
    if memory["state"] == "forgotten":
        return "–"
    text = str(memory["text"]).replace("\n", " ")
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _history_table(versions: list[Document]) -> RenderableType:
    columns = [
        Column("at (UTC)"),
        Column("id", style="bold"),
        Column("event"),
        Column("text", folds=True),
    ]
    events = sorted(((e, v) for v in versions for e in v["events"]), key=lambda each: each[0]["n"])
    rows = [[iso_time_text(e["at"]), short_id(m), e["event"], _text(m)] for e, m in events]
    return table(columns, rows)


def _value_text(name: str, value: Any) -> str:
    if name == "fresh":
        return FRESH[value]
    if isinstance(value, dict):
        return "\n".join(f"{path} {digest[:12]}" for path, digest in value.items())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return ", ".join(value)  # pyright: ignore[reportUnknownArgumentType]
    return str(value)
