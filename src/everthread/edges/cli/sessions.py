"""`sessions`: list, show, timeline, resume, end, summarize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from everthread.domain.conversation.sessions import undated_summary
from everthread.domain.redaction.secrets import strip_secrets

from .base.daemon_or_store import daemon_or_store, daemon_unfit
from .base.documents import entry_document, message_document, session_document
from .base.options import (
    Choice,
    OrderedGroup,
    WholeNumber,
    agent_of,
    common,
    examples,
    help_if_alone,
    open_to_read,
)
from .base.remote import Document, short_id
from .base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    iso_time_text,
    pairs,
    plural,
    say,
    say_if_more,
    show,
    show_json,
    show_list,
    table,
)
from .message_view import message_view, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from .base.remote import AgentAtDaemon

NOTHING: tuple[object, ...] = (None, [])
MEANINGS = {
    "context_tokens": " (of all requests of its turns together; `everthread threads` has the size now)",
}
"""What a figure counts, where its name does not say it."""
LIMIT = WholeNumber(1, 100_000)


@click.group(
    "sessions", cls=OrderedGroup, invoke_without_command=True, short_help="An agent's sittings."
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
        from .tasks.audit import list_sessions

        list_sessions(choice, slug, limit)
        return
    answer = daemon_or_store(
        choice,
        lambda far: far.get("sessions", thread=thread, limit=limit),
        lambda: _list_from_store(choice, thread, limit),
    )
    none = "no sessions yet: the first message opens one"
    show_list(answer, "sessions", sessions_table, none, as_json=choice.as_json)


def _list_from_store(choice: Choice, thread: str | None, limit: int) -> Document:
    with open_to_read(choice) as engine:
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
    answer = daemon_or_store(
        choice,
        lambda far: _show_from_daemon(far, session, limit),
        lambda: _show_from_store(choice, session, limit),
    )
    if choice.as_json:
        show_json(answer)
        return
    said = answer.pop("messages")
    answer.pop("more", None)  # which is told in figures
    show(
        pairs(
            [
                (name, _value_text(value) + MEANINGS.get(name, ""))
                for name, value in answer.items()
                if value not in NOTHING
            ]
        )
    )
    hidden = answer["message_count"] - len(said)
    if hidden > 0:
        say(f"\n… {plural(hidden, 'earlier message')}; --limit shows more")
    for message in said:
        show("", *message_view(answer["agent"], message))


def _show_from_daemon(far: AgentAtDaemon, session: str, limit: int) -> Document:
    answer = far.get("sessions", session, limit=limit)
    if far.here and len(answer["messages"]) < min(limit, answer["message_count"]):
        raise daemon_unfit()  # an answer holds only so much, and the store all of it
    return answer


def _show_from_store(choice: Choice, session: str, limit: int) -> Document:
    with open_to_read(choice) as engine:
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
        from .tasks.audit import timeline

        timeline(choice, slug, limit)
        return
    answer = daemon_or_store(
        choice,
        lambda far: far.get("timeline", session=session, limit=limit),
        lambda: _timeline_from_store(choice, session, limit),
    )
    if choice.as_json:
        show_json(answer)
    else:
        show(_entries(answer["entries"]))
        say_if_more(more=answer.get("more", False))


def _timeline_from_store(choice: Choice, session: str | None, limit: int) -> Document:
    with open_to_read(choice) as engine:
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
    summary = strip_secrets(undated_summary(session["summary"] or ""))
    thread = [session["thread"]] if threads else []
    return [*_row(session), *thread, *([one_line(summary) or "–"] if summed else [])]


def _row(session: Document) -> list[str]:
    where = session["channel"] or "–"
    if session["harness"] is not None:
        where = f"{session['harness']} {session['key'][:8]}"
    return [
        short_id(session),
        session["state"],
        iso_time_text(session["started_at"]),
        iso_time_text(session["last_activity"]),
        f"{session['message_count']:,}",
        where,
    ]


def _value_text(value: Any) -> str:
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
        [f"{e['n']:,}", iso_time_text(e["at"]), e["event"], e["subject"], e["hash"][:16]]
        for e in entries
    ]
    return table(columns, rows)
