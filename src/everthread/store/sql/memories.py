"""SQL of memories, notes and what is primed; as in `statements`, every line names its scope."""

from __future__ import annotations

from everthread.domain.memory.memories import STANDING

from .statements import AT_ONCE, Across, Scoped

# Memories -------------------------------------------------------------------------------------

MEMORY = (
    "memory_id, agent_id, id, state, kind, text, reach, project, principal, origin, confidence, "
    "importance, pinned, tags, sources, evidence, receipt_id, session_id, valid_from, valid_to, "
    "successor, said, created_at, updated_at, entry"
)
MEMORY_ADD = Scoped("""
    INSERT INTO memories (agent_id, id, state, kind, text, reach, project, principal, origin,
        confidence, importance, pinned, tags, sources, evidence, receipt_id, session_id,
        valid_from, valid_to, successor, said, created_at, updated_at, entry)
    VALUES (:agent, :id, :state, :kind, :text, :reach, :project, :principal, :origin,
        :confidence, :importance, :pinned, :tags, :sources, :evidence, :receipt, :session,
        :valid_from, :valid_to, :successor, :said, :created, :updated, :entry)
    RETURNING memory_id""")
MEMORY_CHANGE = Scoped("""
    UPDATE memories SET state = :state, text = :text, confidence = :confidence,
        importance = :importance, pinned = :pinned, tags = :tags, sources = :sources,
        evidence = :evidence, valid_from = :valid_from, valid_to = :valid_to,
        successor = :successor, said = :said, updated_at = :updated, entry = :entry
    WHERE agent_id = :agent AND memory_id = :ref""")
MEMORY_GET = Scoped(f"SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND memory_id = :ref")
MEMORY_FIND = Scoped(f"SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND id = :id")
MEMORY_IDS = Scoped("SELECT id FROM memories WHERE agent_id = :agent")
MEMORIES_IN_STATE = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND state = :state
    ORDER BY updated_at DESC, memory_id DESC LIMIT :limit""")
MEMORIES_NEWEST = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent
    ORDER BY updated_at DESC, memory_id DESC LIMIT :limit""")
SAID_AT_ONCE = 200
MEMORIES_SAYING = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND state = :state
        AND text IN ({", ".join(f":t{n}" for n in range(SAID_AT_ONCE))})
    ORDER BY memory_id""")
_STANDS = f"""agent_id = :agent AND state = 'kept'
        AND (pinned = 1 OR (origin = 'user' AND kind IN ({", ".join(f"'{k}'" for k in STANDING)})))
        AND (valid_from IS NULL OR valid_from <= :at) AND (valid_to IS NULL OR valid_to > :at)"""
_PINNED_FIRST = "ORDER BY pinned DESC, updated_at DESC, memory_id DESC LIMIT :limit"
MEMORIES_STANDING = Scoped(f"SELECT {MEMORY} FROM memories WHERE {_STANDS} {_PINNED_FIRST}")
# The words of people to harnesses, and for all: not for one person alone, nor for one project.
MEMORIES_STANDING_BESIDE = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE {_STANDS}
        AND origin = 'user' AND project IS NULL AND principal IS NULL
        AND session_id IN (SELECT session_id FROM sessions
            WHERE agent_id = :agent AND harness IS NOT NULL AND principal IS NULL)
    {_PINNED_FIRST}""")
MEMORIES_OF_PROJECT = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND state = 'kept'
        AND (project = :project OR session_id IN (SELECT session_id FROM sessions
            WHERE agent_id = :agent AND project_normalized = :project))
    ORDER BY updated_at DESC, memory_id DESC LIMIT :limit""")
# What ends of the thread's own sessions drew, and for all: by no distillation, harness or person alone.
MEMORIES_DRAWN = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND entry > :after
        AND state = 'kept' AND receipt_id IS NULL AND project IS NULL AND principal IS NULL
        AND (valid_from IS NULL OR valid_from <= :at) AND (valid_to IS NULL OR valid_to > :at)
        AND session_id IN (SELECT session_id FROM sessions WHERE agent_id = :agent
            AND thread_id = :thread AND harness IS NULL AND principal IS NULL)
    ORDER BY entry DESC LIMIT :limit""")
# The same of harnesses: nothing of theirs is ever distilled, so it is there for as long as it is kept.
MEMORIES_DRAWN_BESIDE = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent
        AND state = 'kept' AND receipt_id IS NULL AND project IS NULL AND principal IS NULL
        AND (valid_from IS NULL OR valid_from <= :at) AND (valid_to IS NULL OR valid_to > :at)
        AND session_id IN (SELECT session_id FROM sessions
            WHERE agent_id = :agent AND harness IS NOT NULL AND principal IS NULL)
    ORDER BY entry DESC LIMIT :limit""")
MEMORIES_SINCE = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND entry > :after
    ORDER BY entry LIMIT :limit""")
MEMORIES_BEFORE = Scoped(f"""
    SELECT {MEMORY} FROM memories WHERE agent_id = :agent AND successor = :id
    ORDER BY memory_id""")
# A receipt stands where a successor would. There are fewer receipts than memories.
MEMORIES_TAKEN_BACK = Scoped(f"""
    SELECT {", ".join(f"m.{name}" for name in MEMORY.split(", "))}
    FROM receipts r JOIN memories m
        ON m.agent_id = :agent AND m.successor = r.id AND m.state = 'superseded'
    WHERE r.agent_id = :agent ORDER BY m.memory_id""")
MEMORIES_SOURCED = Scoped(f"""
    SELECT {MEMORY} FROM memories
    WHERE agent_id = :agent AND state <> 'forgotten' AND sources <> '[]' ORDER BY memory_id""")
# What a person said to be theirs with every agent. Only `visible` decides who is shown it.
MEMORIES_USER_WIDE = Across(f"""
    SELECT {MEMORY} FROM memories WHERE reach = 'user' AND state = 'kept'
    ORDER BY memory_id""")

# What they withhold ---------------------------------------------------------------------------

WITHHELD = "message, memory_id, why"
WITHHOLD = Scoped("""
    INSERT INTO withheld (agent_id, message, memory_id, why)
    VALUES (:agent, :message, :memory, :why)
    ON CONFLICT (agent_id, message, memory_id) DO UPDATE SET why = excluded.why""")
WITHHELD_ALL = Scoped("SELECT message, why FROM withheld WHERE agent_id = :agent")
REPLACED = Scoped(f"""
    SELECT message, text FROM withheld JOIN memories USING (memory_id)
    WHERE withheld.agent_id = :agent AND memories.agent_id = :agent
        AND why = 'superseded' AND state = 'superseded'
        AND message IN ({", ".join(f":m{n}" for n in range(AT_ONCE))})""")
WITHHELD_FREE = Scoped("""
    DELETE FROM withheld WHERE agent_id = :agent AND memory_id = :memory AND why = 'superseded'""")
WITHHELD_END = Scoped("DELETE FROM withheld WHERE agent_id = :agent AND message = :message")

# What is primed -------------------------------------------------------------------------------

PRIMED = "thread_id, memory_id, receipt_id, primed_at, consumed_turn"
PRIME = Scoped("""
    INSERT INTO primed (agent_id, thread_id, memory_id, receipt_id, primed_at)
    VALUES (:agent, :thread, :memory, CAST(:receipt AS BIGINT), :now)
    ON CONFLICT (agent_id, thread_id, memory_id) DO UPDATE SET
        receipt_id = excluded.receipt_id, primed_at = excluded.primed_at, consumed_turn = NULL""")
PRIMED_ON = Scoped(f"""
    SELECT {", ".join(f"m.{name}" for name in MEMORY.split(", "))}
    FROM primed p JOIN memories m ON m.agent_id = :agent AND m.memory_id = p.memory_id
    WHERE p.agent_id = :agent AND p.thread_id = :thread AND p.consumed_turn IS NULL
        AND m.state = 'kept'
    ORDER BY p.primed_at, m.memory_id""")
PRIMED_CONSUME = Scoped("""
    UPDATE primed SET consumed_turn = :turn
    WHERE agent_id = :agent AND thread_id = :thread AND memory_id = :memory AND consumed_turn IS NULL""")
PRIMED_END = Scoped("DELETE FROM primed WHERE agent_id = :agent AND memory_id = :memory")
PRIMED_UNDO = Scoped("""
    DELETE FROM primed
    WHERE agent_id = :agent AND receipt_id = :receipt AND consumed_turn IS NULL""")
PRIMED_LEAVE = Scoped("DELETE FROM primed WHERE agent_id = :agent AND thread_id = :ref")

# Notes ----------------------------------------------------------------------------------------

NOTE = "note_id, agent_id, id, thread_id, category, text, origin, created_at, deleted_at, entry"
NOTE_ADD = Scoped("""
    INSERT INTO notes (agent_id, id, thread_id, category, text, origin, created_at, entry)
    VALUES (:agent, :id, :thread, :category, :text, :origin, :created, :entry)
    RETURNING note_id""")
NOTE_DELETE = Scoped("""
    UPDATE notes SET text = '', deleted_at = :now, entry = :entry
    WHERE agent_id = :agent AND note_id = :ref""")
NOTES_ALL = Scoped(f"""
    SELECT {NOTE} FROM notes WHERE agent_id = :agent AND deleted_at IS NULL
    ORDER BY created_at DESC, note_id DESC LIMIT :limit""")
NOTES_OF = Scoped(f"""
    SELECT {NOTE} FROM notes
    WHERE agent_id = :agent AND thread_id = :thread AND deleted_at IS NULL
    ORDER BY created_at DESC, note_id DESC LIMIT :limit""")
NOTES_SINCE = Scoped(f"""
    SELECT {NOTE} FROM notes WHERE agent_id = :agent AND entry > :after
    ORDER BY entry LIMIT :limit""")
NOTE_GET = Scoped(f"""
    SELECT {NOTE} FROM notes
    WHERE agent_id = :agent AND note_id = :ref AND deleted_at IS NULL""")
NOTE_FIND = Scoped(f"SELECT {NOTE} FROM notes WHERE agent_id = :agent AND id = :id")
NOTE_IDS = Scoped("SELECT id FROM notes WHERE agent_id = :agent AND deleted_at IS NULL")
NOTES_LEAVE = Scoped("DELETE FROM notes WHERE agent_id = :agent AND thread_id = :ref")
NOTE_ENTRIES = Scoped("""
    SELECT t.n FROM notes o JOIN timeline t
        ON t.agent_id = :agent AND t.subject = o.id AND t.event <> 'message'
    WHERE o.agent_id = :agent AND o.thread_id = :ref""")
