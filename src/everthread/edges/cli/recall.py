"""`recall`: find again what was said or learnt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.ids import short
from everthread.domain.recall.shown import shown_text
from everthread.domain.redaction.secrets import redacted
from everthread.edges.documents.recalled import hit_document

from .options import Choice, agent_of, common, examples, opened
from .remote import agent_there, remote, tell
from .terminal import Column, say, show, show_json, styled, table, when

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.recall.hits import Hit
    from everthread.engine import Agent, Everthread

LONGEST_SHOWN = 600
LONGEST_QUERY = 1_000_000
FEW = 32
"""Vectors that a command makes by itself: about a second of work."""


@click.command(
    "recall",
    short_help="Find again what was said or learnt.",
    epilog=examples(
        'everthread recall "what did we say about the parser?"',
        'everthread recall "which port" --limit 3 --explain',
        "git log -1 --format=%s | everthread recall -",
    ),
)
@click.argument("query", metavar="QUESTION")
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=5, show_default=True, help="How many at most."
)
@click.option("--tokens", type=click.IntRange(1), help="Only what fits into so many tokens.")
@click.option(
    "--project",
    metavar="FOLDER",
    help="Only this project, and memories that hold everywhere.",
)
@click.option("--principal", metavar="NAME", help="Leave out what was said by or to others.")
@click.option("--explain", is_flag=True, help="Show each part of a score.")
@common
def recall_command(choice: Choice, query: str, explain: bool, **options: Any) -> None:  # noqa: FBT001 - click passes it by name
    """Find again what was said or learnt: by words, their forms and parts, and by meaning where the
    embedder is installed (`everthread embed setup`). What was recorded a moment ago is found.

    QUESTION is a question or some words; `-` reads it from the standard input. What comes back is
    data from earlier: verify it before you rely on it.
    """
    if query == "-":
        query = sys.stdin.read(LONGEST_QUERY)
    if daemon := remote(choice):
        path = ("agents", agent_there(daemon, choice), "recall")
        answer = daemon.post(*path, body={"query": query, **options})
        tell(choice, answer, "hits", ("score", "at", "kind", "id", "text"), "nothing found")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        wordless = _embedded(engine, agent)
        hits = agent.recall(query, **options)
    if choice.as_json:
        show_json({"agent": agent.name, "hits": [hit_document(hit) for hit in hits]})
    elif hits:
        for hit in hits:
            show(*_drawn(hit, explain=explain), "")
    else:
        more = f"; {wordless:,} texts wait for `everthread index` to be found by meaning"
        say(f"nothing found: try other words{more if wordless else ''}")


def _embedded(engine: Everthread, agent: Agent) -> int:
    """Make the few vectors that are missing, since no worker runs beside a command; how many are left."""
    from everthread.services.memory.index import catch_up

    embedder = engine.house.embedder
    if embedder is None:
        return 0
    catch_up(engine.house, agent.row)
    counts = engine.house.index.of(agent.row).counts(embedder.name)
    waiting = counts.cards - counts.embedded
    if 0 < waiting <= FEW:
        agent.index()
        return 0
    return waiting


def _drawn(hit: Hit, *, explain: bool) -> list[RenderableType]:
    text = shown_text(hit, redacted)
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"
    # What a tool printed is part of a user's message for the provider, and nobody's word for people.
    who = next((m.name or ("tool" if m.origin == "tool" else m.role) for m in hit.messages), "")
    tags = [tag for tag in (hit.kind if hit.kind != "message" else who, _fresh(hit)) if tag]
    head = styled(
        (f"{hit.score:.2f}  ", "bold"),
        (f"{when(hit.at_ms)}  ", "dim"),
        (", ".join(tags), "cyan"),
        (f"  {short_id(hit)}", "dim"),
    )
    body = styled((shown, ""))
    return [head, body, *([_parts(hit)] if explain else [styled((hit.why, "dim"))])]


def short_id(hit: Hit) -> str:
    return short(bytes.fromhex(hit.id.replace("-", "")))


def _fresh(hit: Hit) -> str:
    if hit.superseded:
        return "superseded"
    return {"fresh": "fresh", "changed": "changed since", "unknown": ""}[hit.fresh]


def _parts(hit: Hit) -> RenderableType:
    columns = [Column("part"), Column("adds", right=True)]
    rows = [[name, f"{value:+.3f}"] for name, value in hit.parts.items() if round(value, 3)]
    most = " (at most 1)" if sum(hit.parts.values()) > 1 else ""
    return table(columns, [*rows, [f"score{most}", f"{hit.score:.3f}"]])
