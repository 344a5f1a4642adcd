"""Statements on what was purged; as in `statements`, every line names its scope."""

from __future__ import annotations

from .statements import MARK, Across, Scoped

PURGE = "purge_id, id, thread_id, receipt_id, from_seq, to_seq, messages, tokens, hash, purged_at, entry"
PURGE_ADD = Scoped("""
    INSERT INTO purges (agent_id, id, thread_id, receipt_id, from_seq, to_seq, messages, tokens,
        hash, purged_at, entry)
    VALUES (:agent, :id, :thread, :receipt, :from_seq, :to_seq, :messages, :tokens, :hash, :now,
        :entry)
    RETURNING purge_id""")
PURGES_OF_THREAD = Scoped(f"""
    SELECT {PURGE} FROM purges WHERE agent_id = :agent AND thread_id = :thread ORDER BY from_seq""")
PURGES_OF_RECEIPT = Scoped(f"""
    SELECT {PURGE} FROM purges WHERE agent_id = :agent AND receipt_id = :receipt ORDER BY from_seq""")
PURGES_ALL = Scoped(f"""
    SELECT t.id, {", ".join(f"p.{name}" for name in PURGE.split(", "))}
    FROM purges p JOIN threads t ON t.thread_id = p.thread_id
    WHERE p.agent_id = :agent AND t.agent_id = :agent ORDER BY p.purge_id""")
# A purge begins inside the mark whose messages it took; looked for so, years of them cost nothing.
PURGES_DUE = Across(f"""
    SELECT m.agent_id, coalesce((
            SELECT max(p.to_seq) + 1 FROM purges p
            WHERE p.thread_id = m.thread_id AND p.from_seq BETWEEN m.from_seq AND m.to_seq),
        m.from_seq), {", ".join(f"m.{name}" for name in MARK.split(", "))}
    FROM receipts r
        JOIN threads t ON t.thread_id = r.thread_id
        JOIN marks m ON m.thread_id = r.thread_id AND m.receipt_id = r.receipt_id
    WHERE t.kind = :kind AND t.erased_at IS NULL
        AND r.outcome IN ('ok', 'degraded') AND r.closed_at < :before
        AND m.action = 'hide' AND m.until_version IS NULL
        AND NOT EXISTS (SELECT 1 FROM purges p
            WHERE p.thread_id = m.thread_id AND p.from_seq BETWEEN m.from_seq AND m.to_seq
                AND p.to_seq >= m.to_seq)
    ORDER BY m.mark_id LIMIT :limit""")

# The timeline writes messages in the order of their seq.
PURGED_SEALS = Scoped("""
    SELECT e.digest, m.entry, m.tokens
    FROM messages m JOIN timeline e ON e.agent_id = :agent AND e.n = m.entry
    WHERE m.agent_id = :agent AND m.place BETWEEN :low AND :high ORDER BY m.entry""")
PURGED_CONTENTS = Scoped("""
    SELECT seq, form, content FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND form > 1""")

# With the thread ------------------------------------------------------------------------------

PURGE_ENTRIES = Scoped("""
    SELECT entry FROM purges WHERE agent_id = :agent AND thread_id = :ref""")
ERASE_PURGES = Scoped("DELETE FROM purges WHERE agent_id = :agent AND thread_id = :ref")
