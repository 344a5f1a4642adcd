"""Statements on what a thread leaves behind when it goes; every line names its scope."""

from __future__ import annotations

from .statements import Scoped

TURN_BLOCKS = Scoped("""
    SELECT block_hash FROM turns
    WHERE agent_id = :agent AND thread_id = :ref AND block_hash IS NOT NULL""")
THREAD_ENTRIES = Scoped("""
    SELECT entry FROM messages WHERE agent_id = :agent AND place BETWEEN :low AND :high
    UNION ALL SELECT t.n FROM marks m JOIN timeline t
        ON t.agent_id = :agent AND t.subject = m.id AND t.event <> 'message'
        WHERE m.agent_id = :agent AND m.thread_id = :ref
    UNION ALL SELECT t.n FROM sessions s JOIN timeline t
        ON t.agent_id = :agent AND t.subject = s.id AND t.event <> 'message'
        WHERE s.agent_id = :agent AND s.thread_id = :ref
    UNION ALL SELECT t.n FROM turns u JOIN timeline t
        ON t.agent_id = :agent AND t.subject = u.id AND t.event <> 'message'
        WHERE u.agent_id = :agent AND u.thread_id = :ref""")
