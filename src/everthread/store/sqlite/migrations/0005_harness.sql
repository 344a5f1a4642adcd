-- What the sessions of harnesses leave: checkpoints to go on from, how far their transcripts were read,
-- what their own compactions dropped; and the keys to the API.

CREATE INDEX sessions_of_project ON sessions (agent_id, project_normalized, started_at)
    WHERE project_normalized IS NOT NULL;

-- Ordered by time, then by the order of writing: several may be written within one millisecond.
CREATE TABLE checkpoints (
    checkpoint_id        INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id             INTEGER NOT NULL REFERENCES agents,
    id                   BLOB NOT NULL UNIQUE,
    session_id           INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- Its session's, which never changes: looked for by project, newest first.
    project_normalized   TEXT,
    kind                 TEXT NOT NULL CHECK (kind IN (
        'periodic', 'pre_compaction', 'agent', 'explicit', 'session_end', 'gate_transition',
        'decision', 'file_change', 'error_recovery', 'interrupted', 'emergency',
        'context_refresh', 'distillation')),
    created_at           INTEGER NOT NULL,
    prompt_count         INTEGER NOT NULL,
    total_prompts        INTEGER NOT NULL,
    through_seq          INTEGER NOT NULL,
    task                 TEXT,
    gate                 TEXT,
    step                 TEXT,
    can_resume           INTEGER NOT NULL CHECK (can_resume IN (0, 1)),
    resume_instructions  TEXT,
    activity             TEXT NOT NULL,
    safety               TEXT,
    parent_checkpoint_id INTEGER REFERENCES checkpoints ON DELETE SET NULL,
    text_hash            BLOB,
    state_hash           BLOB,
    schema_version       INTEGER NOT NULL,
    entry                INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoints_of_session
    ON checkpoints (session_id, agent_id, created_at DESC, checkpoint_id DESC);
CREATE INDEX checkpoints_of_project
    ON checkpoints (agent_id, project_normalized, created_at DESC, checkpoint_id DESC);
CREATE INDEX checkpoints_of_agent ON checkpoints (agent_id, created_at DESC, checkpoint_id DESC);
CREATE INDEX checkpoints_by_age ON checkpoints (created_at);
CREATE INDEX checkpoints_by_parent ON checkpoints (parent_checkpoint_id)
    WHERE parent_checkpoint_id IS NOT NULL;

-- `place` is a file, or whatever the dialect reads; `position` where to go on, in its own words.
CREATE TABLE cursors (
    agent_id   INTEGER NOT NULL REFERENCES agents,
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    place      TEXT NOT NULL,
    position   TEXT NOT NULL,
    pending    TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE compactions (
    compaction_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id      INTEGER NOT NULL REFERENCES agents,
    id            BLOB NOT NULL UNIQUE,
    session_id    INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    checkpoint_id INTEGER REFERENCES checkpoints ON DELETE SET NULL,
    trigger       TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'given', 'scored', 'failed')),
    first_seq     INTEGER NOT NULL,
    last_seq      INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    summary_hash  BLOB,
    given_hash    BLOB,
    score         TEXT,
    restore       TEXT NOT NULL,
    error         TEXT,
    created_at    INTEGER NOT NULL,
    scored_at     INTEGER,
    entry         INTEGER NOT NULL
) STRICT;
CREATE INDEX compactions_of_session
    ON compactions (session_id, agent_id, created_at DESC, compaction_id DESC);
CREATE INDEX compactions_of_agent ON compactions (agent_id, created_at DESC, compaction_id DESC);
CREATE INDEX compactions_by_checkpoint ON compactions (checkpoint_id)
    WHERE checkpoint_id IS NOT NULL;

-- agent_id is NULL: a key belongs to the store as a whole. Of the secret only its hash is kept.
CREATE TABLE tokens (
    token_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id   INTEGER REFERENCES agents,
    id         BLOB NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    hash       BLOB NOT NULL UNIQUE,
    scopes     TEXT NOT NULL,
    agents     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE TRIGGER compactions_outlive_all_but_erasure BEFORE DELETE ON compactions
WHEN (SELECT t.kind <> 'ephemeral' AND t.erased_at IS NULL
      FROM sessions s JOIN threads t ON t.thread_id = s.thread_id
      WHERE s.session_id = OLD.session_id)
BEGIN SELECT RAISE(ABORT, 'everthread: compactions of a lasting thread are never deleted'); END;

-- What a harness's session was given for a purpose is looked up with every prompt.
CREATE INDEX injections_of_session ON injections (session_id, epoch, purpose);
