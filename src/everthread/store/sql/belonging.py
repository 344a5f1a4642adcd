"""Rows that name each other and do not fit: what the timeline's seals cannot show.

A row seals what it says, not which thread, session or turn it belongs to: those are numbers of this
one store, which an import gives anew. But each is named from two sides, so a changed one disagrees
with the other.
"""

from __future__ import annotations

from .statements import Scoped

_OF_NO_SUCH = "it names a {0} that is not there, or that is of another thread"

MISPLACED: dict[tuple[str, str], Scoped] = {
    ("message", _OF_NO_SUCH.format("session")): Scoped("""
        SELECT m.id FROM messages m
        LEFT JOIN sessions s ON s.session_id = m.session_id AND s.agent_id = :agent
        WHERE m.agent_id = :agent AND m.session_id IS NOT NULL
            AND (s.session_id IS NULL OR s.thread_id <> m.thread_id)"""),
    ("message", "it names a turn that is not there, or that is of another session"): Scoped("""
        SELECT m.id FROM messages m
        LEFT JOIN turns t ON t.turn_id = m.turn_id AND t.agent_id = :agent
        WHERE m.agent_id = :agent AND m.turn_id IS NOT NULL
            AND (t.turn_id IS NULL OR t.thread_id <> m.thread_id OR t.session_id <> m.session_id)"""),
    ("turn", _OF_NO_SUCH.format("session")): Scoped("""
        SELECT t.id FROM turns t
        LEFT JOIN sessions s ON s.session_id = t.session_id AND s.agent_id = :agent
        WHERE t.agent_id = :agent AND (s.session_id IS NULL OR s.thread_id <> t.thread_id)"""),
    ("mark", _OF_NO_SUCH.format("receipt")): Scoped("""
        SELECT m.id FROM marks m
        LEFT JOIN receipts r ON r.receipt_id = m.receipt_id AND r.agent_id = :agent
        WHERE m.agent_id = :agent AND m.receipt_id IS NOT NULL
            AND (r.receipt_id IS NULL OR r.thread_id <> m.thread_id)"""),
    ("session", "it counts other messages than name it"): Scoped("""
        SELECT s.id FROM sessions s
        LEFT JOIN (SELECT session_id, count(*) AS found FROM messages
            WHERE agent_id = :agent AND session_id IS NOT NULL GROUP BY session_id) AS held
            ON held.session_id = s.session_id
        WHERE s.agent_id = :agent AND s.message_count <> coalesce(held.found, 0)
            AND (s.message_count < coalesce(held.found, 0) OR NOT EXISTS (
                SELECT 1 FROM purges p WHERE p.agent_id = :agent AND p.thread_id = s.thread_id))
            AND EXISTS (SELECT 1 FROM threads t WHERE t.agent_id = :agent
                AND t.thread_id = s.thread_id AND t.erased_at IS NULL)"""),
}
"""By what is of whose kind and what is wrong with it: the ids of such rows."""
