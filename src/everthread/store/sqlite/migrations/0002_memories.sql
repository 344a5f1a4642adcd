-- Memories, what they withhold, what is primed for the next turn, and notes.
-- A memory's text is never overwritten: it is superseded by another row, or forgotten. Its row stays.

CREATE TABLE memories (
    memory_id  INTEGER PRIMARY KEY,
    agent_id   INTEGER NOT NULL REFERENCES agents,
    id         BLOB NOT NULL UNIQUE,
    state      TEXT NOT NULL CHECK (state IN ('kept', 'superseded', 'forgotten')),
    kind       TEXT NOT NULL,
    text       TEXT NOT NULL,
    reach      TEXT NOT NULL CHECK (reach IN ('agent', 'project', 'user')),
    project    TEXT,
    principal  TEXT,
    origin     TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'tool', 'imported')),
    confidence REAL NOT NULL CHECK (confidence >= 0 AND confidence <= 1),
    importance REAL NOT NULL CHECK (importance >= 0 AND importance <= 1),
    pinned     INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    tags       TEXT NOT NULL,
    sources    TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    receipt_id INTEGER,
    session_id INTEGER REFERENCES sessions ON DELETE SET NULL,
    valid_from INTEGER,
    valid_to   INTEGER,
    -- The public id of the memory that took its place.
    successor  BLOB,
    said       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    entry      INTEGER NOT NULL,
    CHECK ((state = 'forgotten') = (text = '')),
    CHECK (reach <> 'project' OR project IS NOT NULL),
    CHECK (state <> 'superseded' OR successor IS NOT NULL)
) STRICT;
CREATE INDEX memories_by_entry ON memories (agent_id, entry);
CREATE INDEX memories_kept ON memories (agent_id, updated_at) WHERE state = 'kept';
CREATE INDEX memories_user_wide ON memories (reach) WHERE reach = 'user' AND state = 'kept';
CREATE INDEX memories_succeeded ON memories (agent_id, successor) WHERE successor IS NOT NULL;
CREATE INDEX memories_of_session ON memories (session_id) WHERE session_id IS NOT NULL;

-- Messages that recall leaves out or ranks below: what a forgotten or superseded memory came from.
CREATE TABLE withheld (
    agent_id  INTEGER NOT NULL REFERENCES agents,
    message   BLOB NOT NULL,
    memory_id INTEGER NOT NULL REFERENCES memories,
    why       TEXT NOT NULL CHECK (why IN ('forgotten', 'superseded')),
    PRIMARY KEY (agent_id, message, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX withheld_by_memory ON withheld (memory_id);

CREATE TABLE notes (
    note_id    INTEGER PRIMARY KEY,
    agent_id   INTEGER NOT NULL REFERENCES agents,
    id         BLOB NOT NULL UNIQUE,
    thread_id  INTEGER REFERENCES threads ON DELETE CASCADE,
    category   TEXT NOT NULL,
    text       TEXT NOT NULL,
    origin     TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'tool', 'imported')),
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    entry      INTEGER NOT NULL,
    CHECK ((deleted_at IS NOT NULL) = (text = ''))
) STRICT;
CREATE INDEX notes_by_entry ON notes (agent_id, entry);
CREATE INDEX notes_of_thread ON notes (thread_id) WHERE thread_id IS NOT NULL;

-- Memories that the next turn of a thread is given whatever is asked, until one has completed.
CREATE TABLE primed (
    agent_id      INTEGER NOT NULL REFERENCES agents,
    thread_id     INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    memory_id     INTEGER NOT NULL REFERENCES memories,
    receipt_id    INTEGER,
    primed_at     INTEGER NOT NULL,
    consumed_turn INTEGER REFERENCES turns ON DELETE SET NULL,
    PRIMARY KEY (agent_id, thread_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX primed_on_thread ON primed (thread_id);
CREATE INDEX primed_by_memory ON primed (memory_id);
CREATE INDEX primed_by_turn ON primed (consumed_turn) WHERE consumed_turn IS NOT NULL;

CREATE TRIGGER memories_are_never_deleted BEFORE DELETE ON memories
BEGIN SELECT RAISE(ABORT, 'everthread: memories are forgotten, not deleted'); END;

CREATE TRIGGER memories_are_never_rewritten BEFORE UPDATE OF text ON memories
WHEN OLD.text <> NEW.text AND NEW.text <> ''
BEGIN SELECT RAISE(ABORT, 'everthread: a memory is superseded, never rewritten'); END;

CREATE TRIGGER notes_outlive_all_but_erasure BEFORE DELETE ON notes
WHEN OLD.thread_id IS NULL OR (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: notes of a lasting thread are never deleted'); END;

CREATE TRIGGER notes_are_never_rewritten BEFORE UPDATE OF text ON notes
WHEN OLD.text <> NEW.text AND NEW.text <> ''
BEGIN SELECT RAISE(ABORT, 'everthread: a note is deleted, never rewritten'); END;
