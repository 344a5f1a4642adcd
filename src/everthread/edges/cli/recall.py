"""`recall`: find again what was said or learnt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from everthread.edges.documents.recall import hit_document, recall_note

from .base.daemon_or_store import daemon_or_store
from .base.options import Choice, WholeNumber, agent_of, common, examples, open_to_read
from .base.remote import Document, absolute_folder, names_there, short_id
from .base.terminal import (
    Column,
    hanging,
    iso_time_text,
    plural,
    say,
    show,
    show_json,
    styled,
    table,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

LONGEST_SHOWN = 600
MOST_LINES = 8
LONGEST_BESIDE = 240
"""Characters of what stands beside a hit: it only completes it."""

TOLD = {
    "words": "it has words of the question",
    "meaning": "it means something alike",
    "context": "what was said before and after it fits",
    "nearby": "something close by in the conversation fits",
    "sitting": "much in its session fits",
    "speaker": "the question names who said it",
    "date": "it was said when the question asks about",
    "time told": "it tells a time, and the question asks for one",
    "rule": "it sets a rule",
    "asking": "it asks, so it seldom answers",
    "length": "it says little, or very much at once",
    "not mine": "an agent said it, and the question is after your own words",
    "told anew": "it tells anew what an older one told that fits better",
    "later value": "it tells a value later than most of what fits",
    "change told": "it says that something changed",
    "call": "it only calls a tool, and what came of that stands elsewhere",
    "in passing": "it tells nothing of how things are",
    "no figure": "it has no figure, and the question asks for one",
    "superseded": "what it says was taken back later",
    "recency": "it was learnt lately",
    "importance": "how much it matters, which fades",
    "learned": "what helped in earlier sessions",
    "bounds": "no score is above 1 or below 0",
    "faint": "even the best has few words of the question, and is little like it",
}
"""What the parts of a score say, for `--explain`."""

LONGEST_QUERY = 1_000_000
MOST_OTHERS = 10


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
    "--limit", type=WholeNumber(1, 1_000), default=5, show_default=True, help="How many at most."
)
@click.option(
    "--tokens",
    type=WholeNumber(1),
    help="Only what fits into so many tokens; what is too long is cut.",
)
@click.option(
    "--project",
    metavar="FOLDER",
    help="Only this project, and memories that hold everywhere.",
)
@click.option("--principal", metavar="NAME", help="Leave out what was said by or to others.")
@click.option("--explain", is_flag=True, help="Show each part of a score.")
@click.option("--full", is_flag=True, help="Show what was found whole, not just its first lines.")
@common
def recall_command(
    choice: Choice, query: str, *, explain: bool, full: bool, **options: Any
) -> None:
    """Find again what was said or learnt: by words, their forms and parts, and by meaning where the
    embedder is installed (`everthread embed setup`). What was recorded a moment ago is found.

    QUESTION is a question or some words; `-` reads it from the standard input. What comes back is
    data from earlier: verify it before you rely on it.
    """
    if query == "-":
        query = sys.stdin.read(LONGEST_QUERY)
    answer = _answer(choice, query, options)
    if not answer["hits"] and options["tokens"]:
        answer["note"] = _note_if_none_fits(choice, query, options) or answer.get("note")
    if choice.as_json:
        show_json(answer)
    elif answer["hits"]:
        for hit in answer["hits"]:
            show(*_hit_view(hit, explain=explain, full=full), "")
        if note := answer.get("note"):
            say(note)
    elif answer.get("note"):
        say(f"nothing shown of {answer['agent']}: {answer['note']}")
    else:
        left = answer.get("waiting")  # an older daemon does not know
        more = f"; {left:,} texts wait for `everthread index` to be found by meaning"
        say(f"nothing found of {answer['agent']}: try other words{more if left else ''}")
        _say_others(choice, answer["agent"])


def _answer(choice: Choice, query: str, options: dict[str, Any]) -> Document:
    return daemon_or_store(
        choice,
        lambda far: far.find("recall", **_request_body(query, options)),
        lambda: _recall_from_store(choice, query, options),
        # The daemon counts by a smaller vocabulary: what fits into so many tokens is not its to say.
        near=options["tokens"] is None,
    )


def _note_if_none_fits(choice: Choice, query: str, options: dict[str, Any]) -> str | None:
    """What --tokens left out is not nothing; other words would not help."""
    found = len(_answer(choice, query, {**options, "tokens": None})["hits"])
    few = plural(options["tokens"], "token")
    return f"{found:,} found, and none fits {few}; give --tokens more room" if found else None


def _say_others(choice: Choice, asked: str) -> None:
    """Who has several agents may have asked another than the one who knows."""
    found = daemon_or_store(
        choice, lambda far: {"names": names_there(far.daemon)}, lambda: _names(choice)
    )
    others = [name for name in found["names"] if name != asked]
    if others:
        more = " …" if len(others) > MOST_OTHERS else ""
        say(f"other agents: {', '.join(others[:MOST_OTHERS])}{more}; ask one with --agent NAME")


def _names(choice: Choice) -> Document:
    with open_to_read(choice) as engine:
        return {"names": [agent.name for agent in engine.agents()]}


def _request_body(query: str, options: dict[str, Any]) -> Document:
    return {
        "query": query,
        "patient": True,
        **options,
        "project": absolute_folder(options["project"]),
    }


def _recall_from_store(choice: Choice, query: str, options: dict[str, Any]) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        waiting = agent.index_few()  # no worker runs beside a command
        hits = agent.recall(query, **options)
    return {
        "agent": agent.name,
        "hits": [hit_document(hit) for hit in hits],
        "waiting": waiting,
        "note": recall_note(hits),
    }


def _first_lines(text: str) -> str:
    """Its first lines: the answers should be seen together."""
    lines = text.split("\n")
    head = "\n".join(lines[:MOST_LINES])[:LONGEST_SHOWN]
    return text if head == text else f"{head.rstrip()} … (--full shows all of it)"


def _hit_view(hit: Document, *, explain: bool, full: bool) -> list[RenderableType]:
    shown = hit["text"] if full else _first_lines(hit["text"])
    cut = "cut: without --tokens, --full shows all of it" if hit.get("cut") else ""
    tags = [hit["kind"] if hit["kind"] != "message" else _speaker(hit), _freshness(hit), cut]
    head = styled(
        (f"{hit['score']:.2f}  ", "bold"),
        (f"{iso_time_text(hit['at'])}  ", "dim"),
        (", ".join(filter(None, tags)), "cyan"),
        (f"  {short_id(hit)}", "dim"),
    )
    body = [styled((shown, "")), *_context_lines(hit)]
    return [head, *body, *([_parts(hit)] if explain else [styled((hit["why"], "dim"))])]


def _context_lines(hit: Document) -> Iterator[RenderableType]:
    """What completes it: "the second one" says nothing without the question that it answers."""
    for said in hit.get("context", ()):
        text = " ".join(str(said["text"]).split())
        shown = text if len(text) <= LONGEST_BESIDE else f"{text[:LONGEST_BESIDE]} …"
        yield hanging(" ", f"beside it, {said['name'] or said['role']}: {shown}", "dim")


def _speaker(hit: Document) -> str:
    """What a tool printed is part of a user's message for the provider, and nobody's word for people."""
    said = next(iter(hit["messages"]), None)
    if said is None:
        return ""
    return str(said["name"] or ("tool" if said.get("origin") == "tool" else said["role"]))


def _freshness(hit: Document) -> str:
    if hit["superseded"]:
        return "superseded"
    return {"fresh": "fresh", "changed": "changed since", "unknown": ""}[hit["fresh"]]


def _parts(hit: Document) -> RenderableType:
    columns = [Column("part"), Column("adds", right=True), Column("because", folds=True)]
    parts: dict[str, float] = hit["parts"]
    rows = [
        [name, f"{value:+.3f}", TOLD.get(name, "")]
        for name, value in parts.items()
        if round(value, 3)
    ]
    best = "all of it added up; 1 is the best that this question finds"
    return table(columns, [*rows, ["score", f"{hit['score']:.3f}", best]])
