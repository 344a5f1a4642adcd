"""`sessions`: list, show, timeline, resume, end, summarize."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import click

from everthread.domain.conversation.messages import Block
from everthread.domain.conversation.sessions import undated
from everthread.domain.errors import SessionUnknown
from everthread.domain.ids import short
from everthread.domain.redaction.secrets import redacted

from .daemon import served_by_daemon
from .documents import entry_document, message_document, session_document
from .options import Choice, Ordered, agent_of, common, examples, help_if_alone, opened
from .remote import tell, tell_facts, tell_line, there
from .terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    clean,
    counted,
    pairs,
    say,
    show,
    show_json,
    soon_told,
    styled,
    table,
    when,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.agents import AgentRow
    from everthread.domain.conversation.messages import Message
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.timeline import Entry
    from everthread.engine import Agent
    from everthread.services.upkeep.report import SessionReport

    from .remote import There

LONGEST_SHOWN = 2_000
LONGEST_CALL = 160

SHOWN_THERE = ("session_id", "state", "last_activity", "message_count", "channel")
LIMIT = click.IntRange(1, 100_000)
FOLLOWS = {
    "daemon": "the daemon draws its memories, and sums it up if a person spoke five times in it",
    "later": "its memories and its summary take longer: the next worker on this store makes them "
    "(everthread up)",
}
"""What follows from its end, where this command has not done it."""


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
    if far := there(choice):
        answer = far.get("sessions", thread=thread, limit=limit)
        tell(choice, answer, "sessions", SHOWN_THERE, "no sessions yet")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.sessions(agent, thread=thread, limit=limit)
    if choice.as_json:
        show_json({"sessions": [session_document(agent.row, each) for each in found]})
    elif found:
        show(sessions_table(found))
    else:
        say("no sessions yet: the first message opens one")


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
    if far := there(choice):
        answer = far.get("sessions", session, limit=limit)
        if not choice.as_json:
            answer["messages"] = [f"{m['role']}: {_said_there(m)}" for m in answer["messages"]]
        tell_facts(choice, answer)
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.session(agent, session, limit=limit)
    if choice.as_json:
        said = [message_document(message) for message in found.messages]
        show_json({**session_document(agent.row, found), "messages": said})
        return
    show(pairs(_facts(agent.row, found)))
    hidden = found.session.message_count - len(found.messages)
    if hidden > 0:
        say(f"\n… {counted(hidden, 'earlier message')}; --limit shows more")
    for message in found.messages:
        show("", *_message(agent.name, message))


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
    if far := there(choice):
        answer = far.get("timeline", session=session, limit=limit)
        tell(choice, answer, "entries", ("n", "at", "event", "subject"), "nothing happened yet")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        entries = engine.timeline(agent.name, session=session, limit=limit)
    if choice.as_json:
        show_json({"agent": agent.name, "entries": [entry_document(entry) for entry in entries]})
    else:
        show(_entries(entries))


@sessions.command(
    "resume",
    short_help="Make an earlier session current again.",
    epilog=examples(
        "everthread sessions resume 1a2b3c4d --channel webchat",
        "everthread sessions resume --continue",
    ),
)
@click.argument("session", metavar="[ID]", required=False)
@click.option("--continue", "newest", is_flag=True, help="The one with the newest activity.")
@click.option("--channel", metavar="NAME", help="Only for this channel, such as webchat.")
@common
def resume_command(
    choice: Choice, *, session: str | None, newest: bool, channel: str | None
) -> None:
    """Make an earlier session the current one again: the next message goes on in it.

    A session of a harness is the harness's to go on with: of such a one, this tells where it stood.
    """
    if (session is None) is not newest:
        raise click.UsageError("name a session, or give --continue for the newest one")
    if far := there(choice):
        answer = far.post("sessions", session or _newest_there(far), "resume", channel=channel)
        tell_line(choice, answer, f"{answer['session_id']} is current again")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        known = agent.newest_session() if session is None else agent.session(session)
        if known.harness is not None and channel is None:
            _tell_where_it_stood(choice, agent, known)
            return
        resumed = agent.resume(known.id, channel=channel)
        found = engine.session(agent, resumed.id, limit=1)
    if choice.as_json:
        show_json(session_document(agent.row, found))
    else:
        where = f" on {channel}" if channel else ""
        say(f"{resumed.alias} is current again{where}: the next message goes on in it")


@sessions.command(
    "end",
    short_help="End a session now.",
    epilog=examples("everthread sessions end", "everthread sessions end 1a2b3c4d"),
)
@click.argument("session", metavar="[ID]", required=False)
@common
def end_command(choice: Choice, session: str | None) -> None:
    """End a session: the one that is named, else the one that goes on.

    What was said in it is drawn into memories, and it is summed up: by the daemon if one serves this
    store, else by this command.
    """
    if far := there(choice):
        answer = far.post("sessions", session or _newest_there(far, state="active"), "end")
        tell_line(choice, answer, f"{answer['session_id']} is {answer['state']}")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        over = agent.end_session(session)
        seen_to = "daemon" if served_by_daemon(choice) else _concluded(agent, over)
        found = engine.session(agent, over.id, limit=1)
    if choice.as_json:
        show_json({**session_document(agent.row, found), "seen_to": seen_to})
    else:
        say(f"{over.alias} is {over.state}: the next message opens another")
        summed = "and it is summed up" if found.session.summary else "it is too short for a summary"
        say(FOLLOWS.get(seen_to, f"its memories are drawn, {summed}"))


def _concluded(agent: Agent, session: Session) -> str:
    """Draw its memories and sum it up; whoever waits for long is told for what."""
    with soon_told("drawing its memories and summing it up …"):
        return "here" if agent.conclude_session(session.id) else "later"


@sessions.command(
    "summarize",
    short_help="Sum a session up now.",
    epilog=examples("everthread sessions summarize", "everthread sessions summarize 1a2b3c4d"),
)
@click.argument("session", metavar="[ID]", required=False)
@common
def summarize_command(choice: Choice, session: str | None) -> None:
    """Sum a session up in two to five sentences: the one that is named, else the newest.

    Sessions that end are summed up by themselves if a person spoke five times in them.
    """
    if far := there(choice):
        answer = far.post("sessions", session or _newest_there(far), "summarize")
        tell_line(choice, answer, answer["summary"] or "nothing was said that could be summed up")
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        told = agent.summarize_session(session)
        found = engine.session(agent, told.id, limit=1)
    if choice.as_json:
        show_json(session_document(agent.row, found))
    else:
        say(redacted(told.summary or "") or "nothing was said in it that could be summed up")


def _newest_there(far: There, state: str | None = None) -> str:
    """The session with the newest activity that is no subagent's, at another daemon."""
    for each in far.get("sessions", limit=100)["sessions"]:
        if each["parent_session"] is None and state in (None, each["state"]):
            return str(each["id"])
    raise SessionUnknown(f"{far.agent} has no session there that could be meant; name one")


def _said_there(message: dict[str, Any]) -> str:
    said = message["content"]
    return said if isinstance(said, str) else "\n".join(_block(each) for each in said)


def _tell_where_it_stood(choice: Choice, agent: Agent, session: Session) -> None:
    """What a new session of the harness needs to go on from this one."""
    text = agent.recovery(session.id)
    if choice.as_json:
        show_json({"session": session.id, "recovery": text})
    else:
        say(text or "nothing was said in this session")


def sessions_table(found: list[SessionReport]) -> RenderableType:
    """The thread is told where there are several; a harness's session also by how its own id begins."""
    threads = len({each.thread.key for each in found}) > 1
    summed = any(each.session.summary for each in found)
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


def _cells(report: SessionReport, *, threads: bool, summed: bool) -> list[str]:
    summary = redacted(undated(report.session.summary or ""))
    thread = [report.thread.key] if threads else []
    return [*_row(report), *thread, *([_cut(summary) or "–"] if summed else [])]


def _row(report: SessionReport) -> list[str]:
    session = report.session
    where = session.channel or "–"
    if session.harness is not None:
        where = f"{session.harness} {session.key[:8]}"
    return [
        short(session.key_id),
        session.state,
        when(session.started_ms),
        when(session.last_activity_ms),
        f"{session.message_count:,}",
        where,
    ]


def _facts(agent: AgentRow, report: SessionReport) -> list[tuple[str, str]]:
    document = session_document(agent, report)
    return [(name, _plain(value)) for name, value in document.items() if value not in (None, [])]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(cast("list[str]", value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _entries(entries: list[Entry]) -> RenderableType:
    columns = [
        Column("entry", right=True),
        Column("at (UTC)", room=USUAL),
        Column("event", style="bold"),
        Column("subject", folds=True),
        Column("hash", room=WIDE, style="dim"),
    ]
    rows = [[f"{e.n:,}", when(e.at_ms), e.event, e.subject_id, e.hash.hex()[:16]] for e in entries]
    return table(columns, rows)


def _message(agent: str, message: Message) -> list[RenderableType]:
    """Who said it and when, and below it what was said."""
    from rich.padding import Padding

    from everthread.domain.redaction.nested import Redactor

    who = message.name or (agent if message.role == "assistant" else message.origin)
    style = "bold cyan" if message.role == "assistant" else "bold"
    # Before anything is cut: half a secret is a secret still.
    redactor = Redactor()
    blocks = redactor.value(message.blocks)
    said = redactor.text("\n".join(filter(None, (_block(block) for block in blocks))))
    if len(said) > LONGEST_SHOWN:
        more = len(said) - LONGEST_SHOWN
        said = f"{said[:LONGEST_SHOWN]}\n… {counted(more, 'more character')}; --json shows all"
    return [
        styled((who, style), (f"  {when(message.at_ms)}", "dim")),
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
