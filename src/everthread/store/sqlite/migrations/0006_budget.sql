-- The disk budget: which bodies are output of tools alone, and what was left of those that were shrunk.

-- The record of a shrinking, sealed in the timeline. The messages still name the hash of the whole.
CREATE TABLE shrunk (
    shrunk_id INTEGER PRIMARY KEY,
    agent_id  INTEGER NOT NULL REFERENCES agents,
    id        BLOB NOT NULL UNIQUE,
    hash      BLOB NOT NULL,
    size      INTEGER NOT NULL,
    kept_hash BLOB NOT NULL,
    kept_size INTEGER NOT NULL CHECK (kept_size < size),
    shrunk_at INTEGER NOT NULL,
    -- The same content came again since, so the body is whole.
    restored  INTEGER NOT NULL CHECK (restored IN (0, 1)),
    entry     INTEGER NOT NULL,
    UNIQUE (agent_id, hash)
) STRICT;

-- One row for each message in which a body is what a tool answered. Derived from the messages, and
-- looked up only when space is needed: a body is output alone if these are all of its uses.
CREATE TABLE outputs (
    agent_id INTEGER NOT NULL REFERENCES agents,
    body_id  INTEGER NOT NULL REFERENCES bodies ON DELETE CASCADE,
    place    INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
    times    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    settled  INTEGER NOT NULL CHECK (settled IN (0, 1)),
    PRIMARY KEY (body_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX outputs_of_message ON outputs (place);
CREATE INDEX outputs_by_age ON outputs (at, body_id) WHERE settled = 0;

-- How far each thread was looked through for them.
CREATE TABLE weighed (
    agent_id  INTEGER NOT NULL REFERENCES agents,
    thread_id INTEGER PRIMARY KEY REFERENCES threads ON DELETE CASCADE,
    seq       INTEGER NOT NULL
) STRICT;
