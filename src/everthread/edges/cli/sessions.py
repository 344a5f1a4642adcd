"""`sessions`: list, show, timeline, resume, end, summarize."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import click

from everthread.domain.conversation.messages import Block
from everthread.domain.conversation.sessions import undated
from everthread.domain.redaction.secrets import redacted

from .documents import entry_document, message_document, session_document
from .options import Choice, Ordered, Whole, agent_of, common, examples, help_if_alone, opened
from .remote import Document, short_id
from .terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    clean,
    counted,
    pairs,
    say,
    say_if_more,
    show,
    show_json,
    styled,
    table,
    when_told,
)
from .through import not_taken, through

if TYPE_CHECKING:
    from rich.console import RenderableType

    from .remote import There

LONGEST_SHOWN = 2_000
LONGEST_CALL = 160

NOTHING: tuple[object, ...] = (None, [])
LIMIT = Whole(1, 100_000)


@click.group(
    "sessions", cls=Ordered, invoke_without_command=True, short_help="An agent's sittings."
)
@common
def sessions(_choice: Choice) -> None:
    """Sessions are sittings on a thread: a gap of hours ends one, and the next message opens another.

    An ID is an id, an alias such as session-2026-02-20-1a2b3c4d, or any unique ending of either.
    """
    help_if_alone()


@sessions.command(
    "list", epilog=examples("everthread sessions list --thread agent:ada:main --limit 5")
)
@click.option("--thread", metavar="KEY", help="Only those of this thread.")
@click.option("--task", "slug", metavar="SLUG", help="Only those of this task of the project.")
@click.option("--limit", type=LIMIT, default=50, show_default=True, help="How many at most.")
@common
def list_command(choice: Choice, thread: str | None, slug: str | None, limit: int) -> None:
    """An agent's sessions, newest activity first."""
    if slug is not None:
        from .audit import list_sessions

        list_sessions(choice, slug, limit)
        return
    answer = through(
        choice,
        lambda far: far.get("sessions", thread=thread, limit=limit),
        lambda: _listed(choice, thread, limit),
    )
    if choice.as_json:
        show_json(answer)
    elif answer["sessions"]:
        show(sessions_table(answer["sessions"]))
        say_if_more(more=answer.get("more", False))
    else:
        say("no sessions yet: the first message opens one")


def _listed(choice: Choice, thread: str | None, limit: int) -> Document:
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.sessions(agent, thread=thread, limit=limit + 1)
    told = [session_document(agent.row, each) for each in found[:limit]]
    return {"sessions": told, "more": len(found) > limit}


@sessions.command(
    "show",
    short_help="One session and what was said in it.",
    epilog=examples("everthread sessions show 1a2b3c4d --limit 5"),
)
@click.argument("session", metavar="ID")
@click.option("--limit", type=LIMIT, default=20, show_default=True, help="How many messages.")
@common
def show_command(choice: Choice, session: str, limit: int) -> None:
    """One session: what is known about it, and the newest of what was said in it."""
    answer = through(
        choice,
        lambda far: _asked(far, session, limit),
        lambda: _shown(choice, session, limit),
    )
    if choice.as_json:
        show_json(answer)
        return
    said = answer.pop("messages")
    answer.pop("more", None)  # which is told in figures
    show(pairs([(name, _plain(value)) for name, value in answer.items() if value not in NOTHING]))
    hidden = answer["message_count"] - len(said)
    if hidden > 0:
        say(f"\n… {counted(hidden, 'earlier message')}; --limit shows more")
    for message in said:
        show("", *_message(answer["agent"], message))


def _asked(far: There, session: str, limit: int) -> Document:
    answer = far.get("sessions", session, limit=limit)
    if far.here and len(answer["messages"]) < min(limit, answer["message_count"]):
        raise not_taken()  # an answer holds only so much, and the store all of it
    return answer


def _shown(choice: Choice, session: str, limit: int) -> Document:
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.session(agent, session, limit=limit)
    said = [message_document(message) for message in found.messages]
    more = len(said) < found.session.message_count
    return {**session_document(agent.row, found), "messages": said, "more": more}


@sessions.command(
    "timeline",
    short_help="What the hash-chained log says.",
    epilog=examples("everthread sessions timeline", "everthread sessions timeline 1a2b3c4d"),
)
@click.argument("session", metavar="[ID]", required=False)
@click.option("--task", "slug", metavar="SLUG", help="Only what is about this task.")
@click.option("--limit", type=LIMIT, default=50, show_default=True, help="How many entries.")
@common
def timeline_command(choice: Choice, session: str | None, slug: str | None, limit: int) -> None:
    """What the hash-chained log says: of one session, of a task, or of all that happened to the agent."""
    if slug is not None:
        from .audit import timeline

        timeline(choice, slug, limit)
        return
    answer = through(
        choice,
        lambda far: far.get("timeline", session=session, limit=limit),
        lambda: _told(choice, session, limit),
    )
    if choice.as_json:
        show_json(answer)
    else:
        show(_entries(answer["entries"]))
        say_if_more(more=answer.get("more", False))


def _told(choice: Choice, session: str | None, limit: int) -> Document:
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.timeline(agent.name, session=session, limit=limit + 1)
    told = [entry_document(entry) for entry in found[-limit:]]
    return {"agent": agent.name, "entries": told, "more": len(found) > limit}


def sessions_table(found: list[Document]) -> RenderableType:
    """The thread is told where there are several; a harness's session also by how its own id begins."""
    threads = len({each["thread"] for each in found}) > 1
    summed = any(each["summary"] for each in found)
    columns = [
        Column("id", style="bold"),
        Column("state"),
        Column("started (UTC)", room=NARROW),
        Column("active (UTC)", room=WIDE),
        Column("messages", room=USUAL, right=True),
        Column("where", folds=True),
        *([Column("thread", room=WIDE, folds=True)] if threads else []),
        *([Column("summary", room=USUAL, folds=True)] if summed else []),
    ]
    return table(columns, [_cells(each, threads=threads, summed=summed) for each in found])


def _cells(session: Document, *, threads: bool, summed: bool) -> list[str]:
    summary = redacted(undated(session["summary"] or ""))
    thread = [session["thread"]] if threads else []
    return [*_row(session), *thread, *([_cut(summary) or "–"] if summed else [])]


def _row(session: Document) -> list[str]:
    where = session["channel"] or "–"
    if session["harness"] is not None:
        where = f"{session['harness']} {session['key'][:8]}"
    return [
        short_id(session),
        session["state"],
        when_told(session["started_at"]),
        when_told(session["last_activity"]),
        f"{session['message_count']:,}",
        where,
    ]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(cast("list[str]", value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _entries(entries: list[Document]) -> RenderableType:
    columns = [
        Column("entry", right=True),
        Column("at (UTC)", room=USUAL),
        Column("event", style="bold"),
        Column("subject", folds=True),
        Column("hash", room=WIDE, style="dim"),
    ]
    rows = [
        [f"{e['n']:,}", when_told(e["at"]), e["event"], e["subject"], e["hash"][:16]]
        for e in entries
    ]
    return table(columns, rows)


def _message(agent: str, message: Document) -> list[RenderableType]:
    """Who said it and when, and below it what was said."""
    from rich.padding import Padding

    from everthread.domain.redaction.nested import Redactor

    theirs = message["role"] == "assistant"
    who = message["name"] or (agent if theirs else message["origin"])
    # Before anything is cut: half a secret is a secret still.
    redactor = Redactor()
    content = redactor.value(message["content"])
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said = redactor.text("\n".join(filter(None, (_block(block) for block in blocks))))
    if len(said) > LONGEST_SHOWN:
        more = len(said) - LONGEST_SHOWN
        said = f"{said[:LONGEST_SHOWN]}\n… {counted(more, 'more character')}; --json shows all"
    return [
        styled((who, "bold cyan" if theirs else "bold"), (f"  {when_told(message['at'])}", "dim")),
        Padding(styled((said, "")), (0, 0, 0, 2)),
    ]


def _block(block: Block) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block["text"])
    if kind == "tool_use":
        return f"[calls {block.get('name')} {_cut(json.dumps(block.get('input')))}]"
    if kind == "tool_result":
        return f"[result: {_cut(_result(block.get('content')))}]"
    return f"[{kind}]"


def _result(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _cut(text: str) -> str:
    line = clean(text).replace("\n", " ")
    return line if len(line) <= LONGEST_CALL else f"{line[: LONGEST_CALL - 1]}…"
