-- What was injected where and why, and what of it helped.
-- The text of an injection is a body; a row without one says why nothing was injected.

CREATE TABLE injections (
    injection_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id     INTEGER NOT NULL REFERENCES agents,
    id           BLOB NOT NULL UNIQUE,
    thread_id    INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    session_id   INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn_id      INTEGER REFERENCES turns ON DELETE CASCADE,
    epoch        INTEGER NOT NULL,
    purpose      TEXT NOT NULL,
    reason       TEXT NOT NULL,
    body_hash    BLOB,
    bytes        INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    entry        INTEGER NOT NULL,
    CHECK (body_hash IS NOT NULL OR bytes + tokens = 0)
) STRICT;
CREATE UNIQUE INDEX injected_once ON injections (session_id, epoch, purpose, body_hash)
    WHERE body_hash IS NOT NULL;
CREATE INDEX injections_of_thread ON injections (thread_id, injection_id);
CREATE INDEX injections_of_turn ON injections (turn_id) WHERE turn_id IS NOT NULL;

-- `ref` is the public id of the message, memory or note that an injection holds.
CREATE TABLE injected (
    agent_id     INTEGER NOT NULL REFERENCES agents,
    injection_id INTEGER NOT NULL REFERENCES injections ON DELETE CASCADE,
    rank         INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    ref          BLOB NOT NULL,
    score        REAL NOT NULL,
    why          TEXT NOT NULL,
    PRIMARY KEY (injection_id, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_refs ON injected (ref);

CREATE TABLE session_memories (
    agent_id   INTEGER NOT NULL REFERENCES agents,
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    ref        BLOB NOT NULL,
    kind       TEXT NOT NULL,
    injected   INTEGER NOT NULL,
    best_rank  INTEGER NOT NULL,
    best_score REAL NOT NULL,
    hits       INTEGER NOT NULL,
    mentioned  INTEGER NOT NULL,
    corrected  INTEGER NOT NULL,
    first_at   INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    PRIMARY KEY (session_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_memories_refs ON session_memories (agent_id, ref);

-- `score` and `confidence` are for the scorer; until it has judged, they are NULL.
CREATE TABLE session_scores (
    session_id          INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    agent_id            INTEGER NOT NULL REFERENCES agents,
    recovered           INTEGER NOT NULL CHECK (recovered IN (0, 1)),
    injected_count      INTEGER NOT NULL,
    novel_context_count INTEGER NOT NULL,
    queries             TEXT NOT NULL,
    score               REAL,
    confidence          REAL,
    updated_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX session_scores_of_agent ON session_scores (agent_id, updated_at);
