"""SQL of injections and of what helped; as in `statements`, every line names its scope."""

from __future__ import annotations

from .statements import Across, Scoped

INJECTION = (
    "injection_id, agent_id, id, thread_id, session_id, turn_id, epoch, purpose, reason, "
    "body_hash, bytes, tokens, at, entry"
)
INJECTION_ADD = Scoped("""
    INSERT INTO injections (agent_id, id, thread_id, session_id, turn_id, epoch, purpose, reason,
        body_hash, bytes, tokens, at, entry)
    VALUES (:agent, :id, :thread, :session, :turn, :epoch, :purpose, :reason,
        :hash, :bytes, :tokens, :at, :entry)
    RETURNING injection_id""")
INJECTION_SAME = Scoped(f"""
    SELECT {INJECTION} FROM injections
    WHERE agent_id = :agent AND session_id = :session AND epoch = :epoch AND purpose = :purpose
        AND body_hash = :hash""")
INJECTIONS_ALL = Scoped(f"""
    SELECT {INJECTION} FROM injections WHERE agent_id = :agent
    ORDER BY injection_id DESC LIMIT :limit""")
INJECTIONS_OF_THREAD = Scoped(f"""
    SELECT {INJECTION} FROM injections WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY injection_id DESC LIMIT :limit""")
INJECTIONS_OF_SESSION = Scoped(f"""
    SELECT {INJECTION} FROM injections WHERE agent_id = :agent AND session_id = :session
    ORDER BY injection_id DESC LIMIT :limit""")
INJECTION_FOR = Scoped(f"""
    SELECT {INJECTION} FROM injections
    WHERE agent_id = :agent AND session_id = :session AND epoch = :epoch AND purpose = :purpose
    ORDER BY injection_id DESC LIMIT 1""")
INJECTED_IN = Scoped("""
    SELECT DISTINCT d.ref FROM injections i
    JOIN injected d ON d.agent_id = :agent AND d.injection_id = i.injection_id
    WHERE i.agent_id = :agent AND i.session_id = :session AND i.epoch = :epoch""")
INJECTIONS_OF_TURN = Scoped(f"""
    SELECT {INJECTION} FROM injections
    WHERE agent_id = :agent AND session_id = :session
        AND (turn_id = :turn OR (body_hash = :hash AND epoch = :epoch))
    ORDER BY injection_id""")
INJECTIONS_WITH = Scoped(f"""
    SELECT {INJECTION} FROM injections WHERE agent_id = :agent AND injection_id IN (
        SELECT injection_id FROM injected WHERE agent_id = :agent AND ref = :ref)
    ORDER BY injection_id""")
INJECTION_EMPTY = Scoped("""
    UPDATE injections SET body_hash = NULL, bytes = 0, tokens = 0, reason = :reason, entry = :entry
    WHERE agent_id = :agent AND injection_id = :ref""")
INJECTION_BODIES = Scoped("""
    SELECT body_hash FROM injections
    WHERE agent_id = :agent AND thread_id = :ref AND body_hash IS NOT NULL""")
INJECTION_ENTRIES = Scoped("""
    SELECT t.n FROM injections i JOIN timeline t
        ON t.agent_id = :agent AND t.subject = i.id AND t.event <> 'message'
    WHERE i.agent_id = :agent AND i.thread_id = :ref""")
INJECTIONS_LEAVE = Scoped("DELETE FROM injections WHERE agent_id = :agent AND thread_id = :ref")

INJECTED = "injection_id, rank, kind, ref, score, why"
INJECTED_ADD = Scoped("""
    INSERT INTO injected (agent_id, injection_id, rank, kind, ref, score, why)
    VALUES (:agent, :injection, :rank, :kind, :ref, :score, :why)""")
INJECTED_OF = Scoped("""
    SELECT rank, kind, ref, score, why FROM injected
    WHERE agent_id = :agent AND injection_id = :injection ORDER BY rank""")
INJECTED_LATELY = Scoped("""
    SELECT DISTINCT d.ref FROM turns t
    JOIN injections i ON i.agent_id = :agent AND i.session_id = t.session_id
        AND i.epoch = t.view_version AND i.body_hash = t.block_hash
    JOIN injected d ON d.agent_id = :agent AND d.injection_id = i.injection_id
    WHERE t.agent_id = :agent AND t.thread_id = :thread AND t.state <> 'failed'
        AND t.number > (SELECT turn_count FROM threads
            WHERE agent_id = :agent AND thread_id = :thread) - :turns""")
# A user-wide memory is given to other agents too, and what is forgotten is forgotten everywhere.
INJECTED_BY = Across("SELECT DISTINCT agent_id FROM injected WHERE ref = :ref ORDER BY agent_id")
INJECTED_END = Scoped("DELETE FROM injected WHERE agent_id = :agent AND injection_id = :injection")
INJECTED_FROM = Scoped("""
    SELECT DISTINCT d.ref FROM messages m
    JOIN injected d ON d.agent_id = :agent AND d.ref = m.id
    WHERE m.agent_id = :agent AND m.place BETWEEN :low AND :high""")

ELSEWHERE = Scoped("""
    SELECT CASE WHEN EXISTS (SELECT 1 FROM threads WHERE agent_id = :agent
            AND thread_id <> :thread AND message_count > 0 AND kind <> 'ephemeral')
        OR EXISTS (SELECT 1 FROM memories WHERE agent_id = :agent AND state = 'kept')
        OR EXISTS (SELECT 1 FROM marks WHERE agent_id = :agent AND thread_id = :thread)
        OR EXISTS (SELECT 1 FROM messages WHERE agent_id = :agent
            AND place BETWEEN :low AND :high)
        OR EXISTS (SELECT 1 FROM notes WHERE agent_id = :agent AND deleted_at IS NULL)
    THEN 1 ELSE 0 END""")
# A memory that reaches user-wide is found by every agent.
SHARED = Across("SELECT 1 FROM memories WHERE reach = 'user' AND state = 'kept' LIMIT 1")

TURNS_GIVEN = Scoped("""
    SELECT turn_id FROM turns
    WHERE agent_id = :agent AND session_id = :session AND block_hash = :hash""")
TURN_UNGIVEN = Scoped("""
    UPDATE turns SET block_hash = NULL, entry = :entry
    WHERE agent_id = :agent AND turn_id = :ref""")

USE = (
    "session_id, ref, kind, injected, best_rank, best_score, hits, mentioned, corrected, "
    "first_at, last_at, predicted, final, relevance, withheld, retold"
)
USE_ADD = Scoped("""
    INSERT INTO session_memories (agent_id, session_id, ref, kind, injected, best_rank, best_score,
        hits, mentioned, corrected, first_at, last_at, predicted, final, withheld, retold)
    VALUES (:agent, :session, :ref, :kind, :injected, :best_rank, :best_score, :hits, :mentioned,
        :corrected, :first_at, :last_at, :predicted, :final, :withheld, :retold)
    ON CONFLICT (session_id, ref) DO UPDATE SET
        injected = session_memories.injected + excluded.injected,
        hits = session_memories.hits + excluded.hits,
        mentioned = session_memories.mentioned + excluded.mentioned,
        corrected = session_memories.corrected + excluded.corrected,
        best_rank = CASE WHEN excluded.best_rank < session_memories.best_rank
            THEN excluded.best_rank ELSE session_memories.best_rank END,
        best_score = CASE WHEN excluded.best_score > session_memories.best_score
            THEN excluded.best_score ELSE session_memories.best_score END,
        last_at = CASE WHEN excluded.last_at > session_memories.last_at
            THEN excluded.last_at ELSE session_memories.last_at END,
        predicted = coalesce(excluded.predicted, session_memories.predicted),
        final = coalesce(excluded.final, session_memories.final),
        withheld = coalesce(session_memories.withheld, 0) + excluded.withheld,
        retold = coalesce(session_memories.retold, 0) + excluded.retold""")
USES_OF = Scoped(f"""
    SELECT {USE} FROM session_memories WHERE agent_id = :agent AND session_id = :session
    ORDER BY best_rank, ref""")
USE_GIVEN = Scoped("""
    SELECT 1 FROM session_memories
    WHERE agent_id = :agent AND session_id = :session AND ref = :ref AND injected > 0""")

SCORE = (
    "session_id, recovered, injected_count, novel_context_count, queries, score, confidence, "
    "updated_at, judged_at"
)
SCORE_OF = Scoped(f"""
    SELECT {SCORE} FROM session_scores WHERE agent_id = :agent AND session_id = :session""")
SCORES_ASKED = Scoped(f"""
    SELECT {SCORE} FROM session_scores WHERE agent_id = :agent AND queries <> '[]'
    ORDER BY session_id""")
# As with `injected`: what is forgotten is forgotten everywhere.
ASKED_BY = Across("SELECT DISTINCT agent_id FROM session_scores ORDER BY agent_id")
SCORE_KEEP = Scoped("""
    INSERT INTO session_scores (agent_id, session_id, recovered, injected_count,
        novel_context_count, queries, score, confidence, updated_at, judged_at)
    VALUES (:agent, :session, :recovered, :injected, :novel, :queries, :score, :confidence, :now,
        :judged)
    ON CONFLICT (session_id) DO UPDATE SET
        recovered = excluded.recovered, injected_count = excluded.injected_count,
        novel_context_count = excluded.novel_context_count, queries = excluded.queries,
        score = excluded.score, confidence = excluded.confidence,
        updated_at = excluded.updated_at, judged_at = excluded.judged_at""")
