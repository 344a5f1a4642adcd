"""SQL of what the sessions of harnesses leave; as in `statements`, every line names its scope."""

from __future__ import annotations

from .statements import Across, Scoped

CHECKPOINT = (
    "checkpoint_id, agent_id, id, session_id, kind, created_at, prompt_count, total_prompts, "
    "through_seq, task, gate, step, can_resume, resume_instructions, activity, safety, "
    "parent_checkpoint_id, text_hash, state_hash, schema_version, task_id, alias, document_hash, entry"
)
CHECKPOINT_ADD = Scoped("""
    INSERT INTO checkpoints (agent_id, id, session_id, project_normalized, kind, created_at,
        prompt_count, total_prompts, through_seq, task, gate, step, can_resume,
        resume_instructions, activity, safety, parent_checkpoint_id, text_hash, state_hash,
        schema_version, task_id, alias, document_hash, entry)
    VALUES (:agent, :id, :session,
        (SELECT project_normalized FROM sessions
            WHERE agent_id = :agent AND session_id = :session),
        :kind, :created, :prompts, :total, :through, :task, :gate, :step, :can_resume,
        :instructions, :activity, :safety, :parent, :text, :state, :schema, :task_ref,
        :alias, :document, :entry)
    RETURNING checkpoint_id""")
CHECKPOINT_COUNT = Scoped("""
    UPDATE sessions SET checkpoint_count = checkpoint_count + 1
    WHERE agent_id = :agent AND session_id = :session""")
CHECKPOINT_GET = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent AND checkpoint_id = :ref""")
CHECKPOINT_FIND = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent AND id = :id""")
CHECKPOINT_IDS = Scoped("SELECT id FROM checkpoints WHERE agent_id = :agent")
CHECKPOINTS_OF_SESSION = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent AND session_id = :session
    ORDER BY created_at DESC, checkpoint_id DESC LIMIT :limit""")
CHECKPOINTS_OF_PROJECT = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints
    WHERE agent_id = :agent AND project_normalized = :project AND created_at >= :since
    ORDER BY created_at DESC, checkpoint_id DESC LIMIT :limit""")
CHECKPOINTS_NEWEST = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent
    ORDER BY created_at DESC, checkpoint_id DESC LIMIT :limit""")
# Those of a task are its audit trail, and kept as long as it is.
CHECKPOINTS_BEYOND = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent AND session_id = :session
        AND task_id IS NULL
    ORDER BY created_at DESC, checkpoint_id DESC LIMIT :limit OFFSET :keep""")
# What is too old is too old for every agent; the newest of a session that may go on stays.
CHECKPOINTS_OLD = Across(f"""
    SELECT {", ".join(f"c.{column}" for column in CHECKPOINT.split(", "))}
    FROM checkpoints c JOIN sessions s ON s.session_id = c.session_id
    WHERE c.created_at < :before AND c.task_id IS NULL AND NOT (
        (s.state = 'suspended' OR (s.task IS NOT NULL AND s.state <> 'complete'))
        AND NOT EXISTS (
            SELECT 1 FROM checkpoints n WHERE n.session_id = c.session_id
                AND (n.created_at, n.checkpoint_id) > (c.created_at, c.checkpoint_id)))
    ORDER BY c.created_at, c.checkpoint_id LIMIT :limit""")
CHECKPOINT_LEAVE = Scoped("""
    UPDATE checkpoints SET text_hash = :text, state_hash = :state, document_hash = NULL,
        resume_instructions = NULL, activity = :activity, safety = NULL, entry = :entry
    WHERE agent_id = :agent AND checkpoint_id = :ref""")
CHECKPOINT_REMOVE = Scoped("""
    DELETE FROM checkpoints WHERE agent_id = :agent AND checkpoint_id = :ref
    RETURNING text_hash, state_hash, document_hash""")

CURSOR = "session_id, place, position, pending, updated_at"
CURSOR_GET = Scoped(f"""
    SELECT {CURSOR} FROM cursors
    WHERE agent_id = :agent AND session_id = :session AND place = :place""")
CURSORS_OF = Scoped(f"""
    SELECT {CURSOR} FROM cursors WHERE agent_id = :agent AND session_id = :session
    ORDER BY place""")
CURSOR_PUT = Scoped("""
    INSERT INTO cursors (agent_id, session_id, place, position, pending, updated_at)
    SELECT :agent, session_id, :place, :position, :pending, :now FROM sessions
    WHERE agent_id = :agent AND session_id = :session
    ON CONFLICT (session_id, place) DO UPDATE SET position = excluded.position,
        pending = excluded.pending, updated_at = excluded.updated_at""")
ERASED_AT = Scoped("""
    SELECT MAX(CASE WHEN subject = :subject THEN erased_at ELSE 0 END), MAX(erased_at)
    FROM tombstones WHERE agent_id = :agent AND what = 'session'""")

COMPACTION = (
    "compaction_id, agent_id, id, session_id, checkpoint_id, trigger, state, first_seq, last_seq, "
    "tokens_before, tokens_after, summary_hash, given_hash, score, restore, error, created_at, "
    "scored_at, entry"
)
COMPACTION_ADD = Scoped("""
    INSERT INTO compactions (agent_id, id, session_id, checkpoint_id, trigger, state, first_seq,
        last_seq, tokens_before, tokens_after, summary_hash, given_hash, score, restore, error,
        created_at, scored_at, entry)
    VALUES (:agent, :id, :session, :checkpoint, :trigger, :state, :first, :last, :before, :after,
        :summary, :given, :score, :restore, :error, :created, :scored, :entry)
    RETURNING compaction_id""")
COMPACTION_CHANGE = Scoped("""
    UPDATE compactions SET checkpoint_id = :checkpoint, trigger = :trigger, state = :state,
        first_seq = :first, last_seq = :last, tokens_before = :before, tokens_after = :after,
        summary_hash = :summary, given_hash = :given, score = :score, restore = :restore,
        error = :error, scored_at = :scored, entry = :entry
    WHERE agent_id = :agent AND compaction_id = :ref""")
COMPACTION_GET = Scoped(f"""
    SELECT {COMPACTION} FROM compactions WHERE agent_id = :agent AND compaction_id = :ref""")
COMPACTION_FIND = Scoped(f"""
    SELECT {COMPACTION} FROM compactions WHERE agent_id = :agent AND id = :id""")
COMPACTION_IDS = Scoped("SELECT id FROM compactions WHERE agent_id = :agent")
COMPACTIONS_OF_SESSION = Scoped(f"""
    SELECT {COMPACTION} FROM compactions WHERE agent_id = :agent AND session_id = :session
    ORDER BY created_at DESC, compaction_id DESC LIMIT :limit""")
COMPACTIONS_NEWEST = Scoped(f"""
    SELECT {COMPACTION} FROM compactions WHERE agent_id = :agent
    ORDER BY created_at DESC, compaction_id DESC LIMIT :limit""")

# A key belongs to the store, not to an agent.
TOKEN = "token_id, id, name, hash, scopes, agents, created_at, used_at, revoked_at"
TOKEN_ADD = Across("""
    INSERT INTO tokens (id, name, hash, scopes, agents, created_at, used_at, revoked_at)
    VALUES (:id, :name, :hash, :scopes, :agents, :created, :used, :revoked)
    RETURNING token_id""")
TOKEN_FIND = Across(f"SELECT {TOKEN} FROM tokens WHERE hash = :hash AND revoked_at IS NULL")
TOKENS_ALL = Across(f"SELECT {TOKEN} FROM tokens ORDER BY created_at DESC, token_id DESC")
TOKEN_USED = Across("""
    UPDATE tokens SET used_at = :now
    WHERE token_id = :ref AND (used_at IS NULL OR used_at < :now)""")
TOKEN_REVOKE = Across("""
    UPDATE tokens SET revoked_at = :now WHERE token_id = :ref AND revoked_at IS NULL""")

# What a thread leaves behind when it goes. The rows themselves go with their sessions.
ATTENDED_BODIES = Scoped("""
    SELECT c.text_hash, c.state_hash FROM sessions s
        JOIN checkpoints c ON c.agent_id = :agent AND c.session_id = s.session_id
        WHERE s.agent_id = :agent AND s.thread_id = :ref
    UNION ALL SELECT c.document_hash, NULL FROM sessions s
        JOIN checkpoints c ON c.agent_id = :agent AND c.session_id = s.session_id
        WHERE s.agent_id = :agent AND s.thread_id = :ref
    UNION ALL SELECT c.summary_hash, c.given_hash FROM sessions s
        JOIN compactions c ON c.agent_id = :agent AND c.session_id = s.session_id
        WHERE s.agent_id = :agent AND s.thread_id = :ref""")
ATTENDED_ENTRIES = Scoped("""
    SELECT t.n FROM sessions s
        JOIN checkpoints c ON c.agent_id = :agent AND c.session_id = s.session_id
        JOIN timeline t ON t.agent_id = :agent AND t.subject = c.id AND t.event <> 'message'
        WHERE s.agent_id = :agent AND s.thread_id = :ref
    UNION ALL SELECT t.n FROM sessions s
        JOIN sittings w ON w.agent_id = :agent AND w.session_id = s.session_id
        JOIN timeline t ON t.agent_id = :agent AND t.subject = w.id AND t.event <> 'message'
        WHERE s.agent_id = :agent AND s.thread_id = :ref
    UNION ALL SELECT t.n FROM sessions s
        JOIN compactions c ON c.agent_id = :agent AND c.session_id = s.session_id
        JOIN timeline t ON t.agent_id = :agent AND t.subject = c.id AND t.event <> 'message'
        WHERE s.agent_id = :agent AND s.thread_id = :ref""")

# What transcripts bring is asked for by the hundred; what is missing of a hundred is null, and fits nothing.
KNOWN_AT_ONCE = 100
_IDS = ", ".join(f":id{n}" for n in range(KNOWN_AT_ONCE))
MESSAGES_KNOWN = Scoped(f"""
    SELECT external_id FROM messages WHERE agent_id = :agent AND source = :source
    AND external_id IN ({_IDS})""")
MESSAGES_BROUGHT = Scoped(f"""
    SELECT external_id, role, form, content FROM messages WHERE agent_id = :agent AND source = :source
    AND external_id IN ({_IDS})""")
