"""Rows that name each other and do not fit: what the timeline's seals cannot show.

A row seals what it says, not which thread, session or turn it belongs to: those are numbers of this
one store, which an import gives anew. But each is named from two sides, so a changed one disagrees
with the other.
"""

from __future__ import annotations

from .statements import Across, Scoped

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
    ("summary", _OF_NO_SUCH.format("receipt")): Scoped("""
        SELECT s.id FROM summaries s
        LEFT JOIN receipts r ON r.receipt_id = s.receipt_id AND r.agent_id = :agent
        WHERE s.agent_id = :agent AND (r.receipt_id IS NULL OR r.thread_id <> s.thread_id)"""),
    ("thread", "its view is older than what was made of it"): Scoped("""
        SELECT t.id FROM threads t WHERE t.agent_id = :agent AND t.view_version < (
            SELECT max(v.version) FROM (
                SELECT thread_id, since_version AS version FROM marks WHERE agent_id = :agent
                UNION ALL SELECT thread_id, until_version FROM marks WHERE agent_id = :agent
                UNION ALL SELECT thread_id, view_version FROM turns WHERE agent_id = :agent
            ) AS v WHERE v.thread_id = t.thread_id)"""),
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

MISCOUNTED = Scoped("""
    SELECT id, key, message_count, found + purged FROM (
        SELECT t.id, t.key, t.message_count, (
            SELECT count(*) FROM messages m WHERE m.agent_id = :agent AND m.place
                BETWEEN (t.thread_id * 2) << 36 AND ((t.thread_id * 2 + 2) << 36) - 1) AS found, (
            SELECT CAST(coalesce(sum(p.messages), 0) AS BIGINT) FROM purges p
            WHERE p.agent_id = :agent AND p.thread_id = t.thread_id) AS purged
        FROM threads t WHERE t.agent_id = :agent AND t.erased_at IS NULL) AS counted
    WHERE found + purged <> message_count""")

OWNED = {
    "messages": "message",
    "threads": "thread",
    "sessions": "session",
    "turns": "turn",
    "marks": "mark",
    "memories": "memory",
    "notes": "note",
    "injections": "injection",
    "receipts": "receipt",
    "summaries": "summary",
    "checkpoints": "checkpoint",
    "compactions": "compaction",
    "tasks": "task",
    "sittings": "sitting",
    "incidents": "incident",
    "outbox": "event",
    "exchanges": "exchange",
    "purges": "purge",
    "shrunk": "body",
    "tombstones": "tombstone",
    "timeline": "timeline",
}
"""Tables of rows that an agent owns, and what such a row is called."""


def _count_ownerless(table: str, name: str) -> str:
    return f"""SELECT r.agent_id, (SELECT min(t.key) FROM threads t WHERE t.agent_id = r.agent_id
        AND t.kind = 'primary') AS key, '{name}' AS name, count(*) AS found
    FROM {table} r WHERE r.agent_id NOT IN (SELECT agent_id FROM agents) GROUP BY r.agent_id"""


OWNERLESS = Across(
    f"{' UNION ALL '.join(_count_ownerless(t, n) for t, n in OWNED.items())} ORDER BY 1, 3"
)
"""How many rows name an agent that is not there, with the key of its primary thread. The engines refuse
that, but SQLite only to those who ask it to.
"""
