"""`memories`: list, show, edit, history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from everthread.domain.ids import short
from everthread.domain.memory.memories import STATES
from everthread.domain.redaction.secrets import redacted

from .documents import entry_document, memory_document
from .options import Choice, Ordered, agent_of, common, examples, help_if_alone, opened
from .remember import KIND, told
from .remote import short_id, tell, tell_facts, tell_line, there
from .terminal import NARROW, USUAL, Column, pairs, say, show, show_json, table, when

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.memory.memories import Memory
    from everthread.services.memory.memories import Version

LONGEST_SHOWN = 200
FRESH = {
    "fresh": "fresh: the files are as they were",
    "changed": "changed since: verify before relying on it",
    "unknown": "unknown: it names no file that can be looked at",
}


@click.group(
    "memories", cls=Ordered, invoke_without_command=True, short_help="What an agent remembers."
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
        "everthread memories list --tag release --state all",
    ),
)
@click.option("--kind", type=KIND, help="Only of this kind.")
@click.option("--tag", metavar="TAG", help="Only those tagged so.")
@click.option(
    "--state",
    type=click.Choice([*STATES, "all"]),
    default="kept",
    show_default=True,
    help="Only those in this state.",
)
@click.option("--project", metavar="FOLDER", help="Only those of this project.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many."
)
@common
def list_command(choice: Choice, **wanted: Any) -> None:
    """An agent's memories, last said first."""
    if far := there(choice):
        answer = far.get("memories", **wanted)
        tell(choice, answer, "memories", ("id", "kind", "updated_at", "text"), "no such memories")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memories(**wanted)
    if choice.as_json:
        show_json({"agent": agent.name, "memories": [memory_document(each) for each in found]})
    elif found:
        show(_table(found))
    else:
        say("no such memories; `everthread remember` keeps one")


@memories.command("show", epilog=examples("everthread memories show 1a2b3c4d"))
@click.argument("memory", metavar="ID")
@common
def show_command(choice: Choice, memory: str) -> None:
    """One memory: all that is known of it, and whether the files it speaks of are as they were."""
    if far := there(choice):
        tell_facts(choice, far.get("memories", memory))
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.memory(memory)
        fresh = agent.freshness(found.id)
        purged = agent.purged_sources(found.id)
    document = {**memory_document(found), "fresh": fresh, "purged_sources": purged}
    if choice.as_json:
        show_json({"agent": agent.name, **document})
    else:
        shown = {name: value for name, value in document.items() if value not in (None, "", [], {})}
        show(pairs([(name, _plain(name, value)) for name, value in shown.items()]))
        if purged and set(purged) == set(document["sources"]):
            say("every message that it came from was distilled, and purged when its age was over")


@memories.command(
    "edit", epilog=examples('everthread memories edit 1a2b3c4d "Prefers spaces in YAML"')
)
@click.argument("memory", metavar="ID")
@click.argument("text")
@common
def edit_command(choice: Choice, memory: str, text: str) -> None:
    """Correct a memory: TEXT, or `-` for the standard input, takes its place. `history` shows both."""
    said = told(text)
    if far := there(choice):
        answer = far.patch("memories", memory, text=said)
        tell_line(choice, answer, f"{short_id(answer)}  takes the place of {memory}")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        old = agent.memory(memory)
        new = agent.edit(old.id, said)
    if choice.as_json:
        show_json({"agent": agent.name, **memory_document(new), "supersedes": [old.id]})
    elif new.id == old.id:
        say(f"{short(old.key_id)}  says that already")
    else:
        say(f"{short(new.key_id)}  takes the place of {short(old.key_id)}")


@memories.command("history", epilog=examples("everthread memories history 1a2b3c4d"))
@click.argument("memory", metavar="ID")
@common
def history_command(choice: Choice, memory: str) -> None:
    """All versions of a memory, oldest first, and what happened to each."""
    if far := there(choice):
        answer = far.get("memories", memory, "history")
        tell(choice, answer, "versions", ("id", "state", "updated_at", "text"), "nothing is known")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        versions = agent.history(memory)
    if choice.as_json:
        show_json({"agent": agent.name, "versions": [_version(each) for each in versions]})
    else:
        show(_history(versions))


def _version(version: Version) -> dict[str, Any]:
    events = [entry_document(entry) for entry in version.events]
    return {**memory_document(version.memory), "events": events}


def _table(found: list[Memory]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("kind"),
        Column("said (UTC)", room=USUAL),
        Column("text", folds=True),
        Column("tags", room=NARROW, folds=True),
    ]
    rows = [
        [short(m.key_id), m.kind, when(m.updated_ms), _text(m), ", ".join(_marks(m))] for m in found
    ]
    return table(columns, rows)


def _marks(memory: Memory) -> list[str]:
    state = [] if memory.state == "kept" else [memory.state]
    wide = [] if memory.reach == "agent" else [f"{memory.reach}-wide"]
    return [*state, *(["pinned"] if memory.pinned else []), *wide, *memory.tags]


def _text(memory: Memory) -> str:
    if memory.state == "forgotten":
        return "–"
    text = redacted(memory.text).replace("\n", " ")
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _history(versions: list[Version]) -> RenderableType:
    columns = [
        Column("at (UTC)"),
        Column("id", style="bold"),
        Column("event"),
        Column("text", folds=True),
    ]
    events = sorted(((e, v.memory) for v in versions for e in v.events), key=lambda each: each[0].n)
    rows = [[when(e.at_ms), short(m.key_id), e.event, _text(m)] for e, m in events]
    return table(columns, rows)


def _plain(name: str, value: Any) -> str:
    if name == "fresh":
        return FRESH[value]
    if isinstance(value, dict):
        return "\n".join(f"{path} {digest[:12]}" for path, digest in value.items())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return ", ".join(value)  # pyright: ignore[reportUnknownArgumentType]
    return str(value)
