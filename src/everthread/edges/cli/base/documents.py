"""The documents that commands show with --json."""

from __future__ import annotations

from everthread.edges.documents.rows import (
    LAST_SESSIONS,
    agent_document,
    agent_line,
    entry_document,
    job_document,
    memory_document,
    message_document,
    messages_in,
    note_document,
    said_document,
    session_document,
    store_document,
    thread_document,
    tombstone_document,
    turn_document,
    verdict_document,
)

__all__ = [
    "LAST_SESSIONS",
    "agent_document",
    "agent_line",
    "entry_document",
    "job_document",
    "memory_document",
    "message_document",
    "messages_in",
    "note_document",
    "said_document",
    "session_document",
    "store_document",
    "thread_document",
    "tombstone_document",
    "turn_document",
    "verdict_document",
]
