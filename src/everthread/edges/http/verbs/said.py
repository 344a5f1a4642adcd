"""What was said: messages, sessions, the timeline; and recording what was said elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from everthread.edges.documents.rows import entry_document, message_document, session_document
from everthread.edges.http import inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everthread.domain.conversation.messages import Message
    from everthread.edges.http.call import Call

Document = dict[str, Any]

MOST_BYTES = 8_000_000
"""What an answer may hold of messages; the newest are kept, and at least one."""


def list_messages(call: Call, wanted: inputs.Messages) -> Document:
    """The newest messages of a thread, oldest of them first."""
    agent, limit = call.agent, wanted.limit
    found = agent.messages(limit=limit, tokens=wanted.tokens, thread=wanted.thread)
    kept = _fitting_messages(found)
    more = len(agent.messages(limit=len(kept) + 1, thread=wanted.thread)) > len(kept)
    thread = agent.primary.key if wanted.thread is None else wanted.thread
    return {
        "agent": agent.name,
        "thread": thread,
        "messages": kept,
        "more": more,
    }


def record(call: Call, wanted: inputs.Record) -> Document:
    """Append what was said elsewhere or earlier; idempotent by (source, id)."""
    done = call.agent.record(
        wanted.entries,
        thread=wanted.thread,
        session=wanted.session,
        source=wanted.source,
        channel=wanted.channel,
        project=wanted.project,
        parent=wanted.parent,
    )
    if done.added:
        call.engine.nudge()  # its vectors are made behind the write
    return done._asdict()


def list_sessions(call: Call, wanted: inputs.OnThread) -> Document:
    """Newest activity first."""
    agent, limit = call.agent, wanted.limit
    found = call.engine.sessions(agent, thread=wanted.thread, limit=limit + 1)
    told = [session_document(agent.row, each) for each in found[:limit]]
    return {"sessions": told, "more": len(found) > limit}


def show_session(call: Call, wanted: inputs.OneSession) -> Document:
    """One session with the newest of what was said in it."""
    agent = call.agent
    found = call.engine.session(agent, call.path["session"], limit=wanted.limit)
    kept = _fitting_messages(found.messages)
    more = len(kept) < found.session.message_count
    return {**session_document(agent.row, found), "messages": kept, "more": more}


def resume_session(call: Call, wanted: inputs.Resume) -> Document:
    """Make an earlier session the current one again."""
    agent = call.agent
    resumed = agent.resume(call.path["session"], channel=wanted.channel)
    return session_document(agent.row, call.engine.session(agent, resumed.id, limit=1))


def end_session(call: Call, _asked: inputs.Asked) -> Document:
    """End a session now; it is summed up in the background."""
    agent = call.agent
    over = agent.end_session(call.path["session"])
    return session_document(agent.row, call.engine.session(agent, over.id, limit=1))


def summarize_session(call: Call, _asked: inputs.Asked) -> Document:
    """Sum a session up now; it goes on as before."""
    agent = call.agent
    told = agent.summarize_session(call.path["session"])
    return session_document(agent.row, call.engine.session(agent, told.id, limit=1))


def timeline(call: Call, wanted: inputs.TimelineOf) -> Document:
    """The newest entries of the hash-chained log, oldest of them first; no text."""
    agent, limit = call.agent, wanted.limit
    found = call.engine.timeline(agent, session=wanted.session, limit=limit + 1)
    told = [entry_document(entry) for entry in found[-limit:]]
    return {"agent": agent.name, "entries": told, "more": len(found) > limit}


def _fitting_messages(messages: Sequence[Message]) -> list[Document]:
    """The newest that fit into an answer, oldest first."""
    kept: list[Document] = []
    room = MOST_BYTES
    for message in reversed(messages):
        document = message_document(message)
        room -= len(msgspec.json.encode(document))
        if room < 0 and kept:
            break
        kept.append(document)
    return kept[::-1]
