"""SQL of how sessions end; as in `statements`, every line names its scope or looks across on purpose."""

from __future__ import annotations

from .statements import MESSAGE, SESSION, Across, Scoped

_SESSION = ", ".join(f"s.{column}" for column in SESSION.split(", "))
# The pulse of a session, and the hours without one that end it. Milliseconds of an hour: 3,600,000.
_OVERDUE = """
    coalesce(s.last_human_at, s.last_activity_at)
        <= :now - 3600000 * coalesce(a.inactivity_hours, :hours)"""

# What is too quiet is so for every agent, each by its own hours.
QUIET = Across(f"""
    SELECT {_SESSION} FROM sessions s JOIN agents a ON a.agent_id = s.agent_id
    WHERE s.state = 'active' AND s.task IS NULL AND s.session_id > :after AND {_OVERDUE}
        AND NOT EXISTS (
            SELECT 1 FROM turns t
            WHERE t.thread_id = s.thread_id AND t.session_id = s.session_id AND t.state = 'open')
    ORDER BY s.session_id LIMIT :limit""")
UNSEEN = Across(f"""
    SELECT {_SESSION} FROM sessions s
        JOIN agents a ON a.agent_id = s.agent_id JOIN threads h ON h.thread_id = s.thread_id
    WHERE s.state IN ('complete', 'suspended', 'terminated') AND h.kind = 'primary'
        AND (s.parent_id IS NULL OR s.task IS NOT NULL) AND s.message_count > 0 AND s.session_id > :after
        AND s.last_activity_at >= :since AND {_OVERDUE}
        AND NOT EXISTS (
            SELECT 1 FROM cursors c
            WHERE c.session_id = s.session_id AND c.place = 'ended'
                AND c.position = CAST(s.last_seq AS TEXT))
    ORDER BY s.session_id LIMIT :limit""")

SUMMARIZE = Scoped("""
    UPDATE sessions SET summary = :summary, summary_at = :now, entry = :entry
    WHERE agent_id = :agent AND session_id = :ref""")
SUMMARIZED = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND summary IS NOT NULL
    ORDER BY session_id""")
# Without what goes on, what was said after it was summed up, and what another person said.
RECENT = Scoped(f"""
    SELECT {_SESSION} FROM sessions s
    WHERE s.agent_id = :agent AND (s.parent_id IS NULL OR s.task IS NOT NULL)
        AND s.summary IS NOT NULL AND s.state NOT IN ('init', 'active')
        AND s.last_activity_at > :since AND s.session_id <> :without
        AND coalesce(s.project_normalized, '') = :project
        AND NOT EXISTS (
            SELECT 1 FROM messages m
            WHERE m.agent_id = :agent AND m.session_id = s.session_id
                AND m.created_at > s.summary_at
                AND m.place IN (
                    s.thread_id * 2 * :lane + s.last_seq,
                    (s.thread_id * 2 + 1) * :lane + s.last_seq))
        AND (:principal = '' OR (coalesce(s.principal, '') IN ('', :principal)
            AND NOT EXISTS (
                SELECT 1 FROM messages m
                WHERE m.agent_id = :agent AND m.session_id = s.session_id
                    AND coalesce(m.principal, '') NOT IN ('', :principal)
                    AND (m.place BETWEEN s.thread_id * 2 * :lane + s.first_seq
                            AND s.thread_id * 2 * :lane + s.last_seq
                        OR m.place BETWEEN (s.thread_id * 2 + 1) * :lane + s.first_seq
                            AND (s.thread_id * 2 + 1) * :lane + s.last_seq))))
    ORDER BY s.last_activity_at DESC, s.session_id DESC LIMIT :limit""")

# A session's first message lies in one of two lanes; the place of each is made as `place_at` does.
OPENED = Scoped("""
    SELECT count(*) FROM sessions s JOIN threads h ON h.thread_id = s.thread_id
    WHERE s.agent_id = :agent AND h.kind = 'primary' AND s.started_at >= :since
        AND coalesce(s.principal, '') = :principal
        AND EXISTS (
            SELECT 1 FROM messages m
            WHERE m.agent_id = :agent AND m.origin = 'user'
                AND (m.source = 'turn'
                    OR (m.source = 'record' AND m.created_at - m.at < :within))
                AND m.place IN (
                    s.thread_id * 2 * :lane + s.first_seq,
                    (s.thread_id * 2 + 1) * :lane + s.first_seq))""")
SAID_AFTER = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
    ORDER BY place LIMIT :limit""")
SPOKEN = Scoped("""
    SELECT count(*) FILTER (WHERE origin = 'user'), min(at), max(at) FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
        AND kind = 'said'""")
