"""Statements on output of tools and on what was shrunk."""

from __future__ import annotations

from .statements import BY_SUBJECT, Across, Insert, Scoped

SHRUNK = "shrunk_id, id, hash, size, kept_hash, kept_size, shrunk_at, restored, entry"
SHRUNK_ADD = Scoped("""
    INSERT INTO shrunk (agent_id, id, hash, size, kept_hash, kept_size, shrunk_at, restored, entry)
    VALUES (:agent, :id, :hash, :size, :kept_hash, :kept_size, :now, 0, :entry)
    ON CONFLICT (agent_id, hash) DO UPDATE SET kept_hash = excluded.kept_hash,
        kept_size = excluded.kept_size, shrunk_at = excluded.shrunk_at, restored = 0,
        entry = excluded.entry
    RETURNING shrunk_id""")
SHRUNK_OF = Scoped(f"SELECT {SHRUNK} FROM shrunk WHERE agent_id = :agent AND hash = :hash")
SHRUNK_HASHES = Scoped("SELECT hash, kept_hash FROM shrunk WHERE agent_id = :agent")
SAVED = Across("""
    SELECT count(*), CAST(coalesce(sum(size - kept_size), 0) AS BIGINT)
    FROM shrunk WHERE restored = 0""")

BODY_SHRINK = Scoped("""
    UPDATE bodies SET content = :kept
    WHERE agent_id = :agent AND body_id = :body AND uses = :uses""")
SHRUNK_RESTORED = Scoped("""
    UPDATE shrunk SET restored = 1
    WHERE agent_id = :agent AND hash = :hash AND restored = 0""")

# A hash says that something was there: with the body its record goes too, and what it was sealed with.
SHRUNK_UNSALT = Scoped(f"""
    UPDATE timeline {BY_SUBJECT} SET salt = NULL
    WHERE agent_id = :agent AND event <> 'message' AND subject IN (
        SELECT id FROM shrunk WHERE agent_id = :agent AND hash = :hash
            AND NOT EXISTS (SELECT 1 FROM bodies WHERE agent_id = :agent AND hash = :hash))""")
SHRUNK_SWEEP = Scoped("""
    DELETE FROM shrunk WHERE agent_id = :agent AND hash = :hash
        AND NOT EXISTS (SELECT 1 FROM bodies WHERE agent_id = :agent AND hash = :hash)""")

WEIGHED = Scoped("SELECT seq FROM weighed WHERE agent_id = :agent AND thread_id = :thread")
WEIGH_FIRST = Scoped("""
    INSERT INTO weighed (agent_id, thread_id, seq) VALUES (:agent, :thread, 0)
    ON CONFLICT (thread_id) DO NOTHING""")
WEIGH = Scoped("""
    UPDATE weighed SET seq = :until
    WHERE agent_id = :agent AND thread_id = :thread AND seq = :after""")
WRITTEN = Scoped("""
    SELECT place, seq, form, content, at FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND form IN (1, 3) ORDER BY place""")
BODY_REF = Scoped("SELECT body_id FROM bodies WHERE agent_id = :agent AND hash = :hash")
OUTPUT_ADD = Insert("outputs", "body_id, place, times, at, settled")

OLDEST = Across("""
    SELECT o.agent_id, o.body_id, b.hash, b.uses, o.at
    FROM outputs o JOIN bodies b ON b.body_id = o.body_id
    WHERE o.settled = 0 AND o.at < :before AND (o.at, o.body_id) > (:at, :body)
        AND NOT EXISTS (SELECT 1 FROM outputs n WHERE n.body_id = o.body_id
            AND (n.at > o.at OR (n.at = o.at AND n.place > o.place)))
        AND b.uses = (SELECT sum(u.times) FROM outputs u WHERE u.body_id = o.body_id)
    ORDER BY o.at, o.body_id LIMIT :limit""")
OUTPUT_PLACES = Scoped("""
    SELECT place FROM outputs WHERE agent_id = :agent AND body_id = :body ORDER BY place""")
OUTPUT_SETTLE = Scoped("""
    UPDATE outputs SET settled = 1 WHERE agent_id = :agent AND body_id = :body""")
