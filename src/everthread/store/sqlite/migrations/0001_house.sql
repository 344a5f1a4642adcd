-- Every table carries agent_id. Local integer references keep rows small; public ids are UUIDv7.
-- A reference that a program may still hold (thread, session, turn) is never given out twice.
-- Times are milliseconds UTC. Hashed content is TEXT (what is hashed must come back byte for byte).

CREATE TABLE agents (
    agent_id         INTEGER PRIMARY KEY,
    id               BLOB NOT NULL UNIQUE,
    name             TEXT NOT NULL UNIQUE,
    model            TEXT,
    window_tokens    INTEGER NOT NULL,
    inactivity_hours REAL,
    time_zone        TEXT NOT NULL DEFAULT 'UTC',
    system_hash      BLOB,
    tools_hash       BLOB,
    created_at       INTEGER NOT NULL,
    entry            INTEGER NOT NULL
) STRICT;

CREATE TABLE bodies (
    body_id  INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agents,
    hash     BLOB NOT NULL,
    -- Before the content: counting a use must not rewrite a large row.
    uses     INTEGER NOT NULL DEFAULT 1,
    content  TEXT NOT NULL,
    UNIQUE (agent_id, hash)
) STRICT;

CREATE TABLE threads (
    thread_id               INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id                INTEGER NOT NULL REFERENCES agents,
    id                      BLOB NOT NULL UNIQUE,
    kind                    TEXT NOT NULL CHECK (kind IN ('primary', 'background', 'ephemeral')),
    key                     TEXT NOT NULL,
    lineage                 INTEGER NOT NULL DEFAULT 1,
    last_seq                INTEGER NOT NULL DEFAULT 0,
    message_count           INTEGER NOT NULL DEFAULT 0,
    turn_count              INTEGER NOT NULL DEFAULT 0,
    view_version            INTEGER NOT NULL DEFAULT 0,
    view_at                 INTEGER NOT NULL DEFAULT 0,
    computed_context_tokens INTEGER NOT NULL DEFAULT 0,
    last_input_tokens       INTEGER NOT NULL DEFAULT 0,
    last_distilled_at       INTEGER,
    last_activity_at        INTEGER NOT NULL,
    created_at              INTEGER NOT NULL,
    closed_at               INTEGER,
    erased_at               INTEGER,
    entry                   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_primary_per_agent ON threads (agent_id)
    WHERE kind = 'primary' AND erased_at IS NULL;
CREATE UNIQUE INDEX one_thread_per_key ON threads (agent_id, key) WHERE erased_at IS NULL;
CREATE INDEX ephemeral_by_activity ON threads (last_activity_at) WHERE kind = 'ephemeral';

CREATE TABLE sessions (
    session_id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id           INTEGER NOT NULL REFERENCES agents,
    id                 BLOB NOT NULL UNIQUE,
    thread_id          INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    key                TEXT NOT NULL,
    state              TEXT NOT NULL
        CHECK (state IN ('init', 'active', 'suspended', 'complete', 'terminated')),
    channel            TEXT,
    harness            TEXT,
    project            TEXT,
    project_normalized TEXT,
    task               TEXT,
    gate               TEXT,
    principal          TEXT,
    parent_id          INTEGER REFERENCES sessions ON DELETE SET NULL,
    previous_id        INTEGER REFERENCES sessions ON DELETE SET NULL,
    started_at         INTEGER NOT NULL,
    last_human_at      INTEGER,
    last_activity_at   INTEGER NOT NULL,
    ended_at           INTEGER,
    message_count      INTEGER NOT NULL DEFAULT 0,
    first_seq          INTEGER NOT NULL DEFAULT 0,
    last_seq           INTEGER NOT NULL DEFAULT 0,
    context_tokens     INTEGER NOT NULL DEFAULT 0,
    checkpoint_count   INTEGER NOT NULL DEFAULT 0,
    summary            TEXT,
    summary_at         INTEGER,
    entry              INTEGER NOT NULL,
    UNIQUE (agent_id, key)
) STRICT;
CREATE INDEX sessions_of_thread ON sessions (thread_id, started_at);
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_previous ON sessions (previous_id) WHERE previous_id IS NOT NULL;

CREATE TABLE channels (
    agent_id     INTEGER NOT NULL REFERENCES agents,
    transport    TEXT NOT NULL,
    channel_key  TEXT NOT NULL,
    thread_id    INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    session_id   INTEGER REFERENCES sessions ON DELETE SET NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (agent_id, transport, channel_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX channels_of_thread ON channels (thread_id);
CREATE INDEX channels_of_session ON channels (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE turns (
    turn_id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id        INTEGER NOT NULL REFERENCES agents,
    id              BLOB NOT NULL UNIQUE,
    thread_id       INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    session_id      INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number          INTEGER NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('open', 'done', 'failed')),
    owner           TEXT NOT NULL,
    lease_until     INTEGER NOT NULL,
    model           TEXT,
    window_tokens   INTEGER NOT NULL,
    view_version    INTEGER NOT NULL,
    first_seq       INTEGER NOT NULL,
    last_seq        INTEGER NOT NULL,
    system_hash     BLOB,
    tools_hash      BLOB,
    block_hash      BLOB,
    computed_tokens INTEGER NOT NULL,
    context_tokens  INTEGER NOT NULL,
    reported        TEXT,
    error           TEXT,
    opened_at       INTEGER NOT NULL,
    closed_at       INTEGER,
    entry           INTEGER NOT NULL,
    UNIQUE (thread_id, number)
) STRICT;
CREATE UNIQUE INDEX one_open_turn_per_thread ON turns (thread_id) WHERE state = 'open';
CREATE INDEX turns_of_session ON turns (session_id);

-- A message's place is its thread, its lane (live or archive) and its seq in one number, so that the
-- live messages of a thread lie together, in the order of seq, which is also the order of time.
-- What was said earlier is archive, and found by its own time. A message's id tells its thread and
-- seq, so that it needs no index of its own.
CREATE TABLE messages (
    place       INTEGER PRIMARY KEY,
    agent_id    INTEGER NOT NULL,
    id          BLOB NOT NULL,
    thread_id   INTEGER NOT NULL,
    session_id  INTEGER,
    turn_id     INTEGER,
    seq         INTEGER NOT NULL,
    role        TEXT NOT NULL CHECK (role = 'user' OR role = 'assistant' OR role = 'system'),
    kind        TEXT NOT NULL
        CHECK (kind = 'said' OR kind = 'summary' OR kind = 'marker' OR kind = 'notice'),
    origin      TEXT NOT NULL
        CHECK (origin = 'user' OR origin = 'agent' OR origin = 'tool' OR origin = 'system'),
    source      TEXT NOT NULL
        CHECK (source = 'turn' OR source = 'record' OR source = 'hook' OR source = 'import'),
    external_id TEXT,
    name        TEXT,
    principal   TEXT,
    archived    INTEGER NOT NULL,
    form        INTEGER NOT NULL,
    content     TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    entry       INTEGER NOT NULL,
    CHECK (place = ((thread_id * 2 + archived) << 36) + seq)
) STRICT;
CREATE UNIQUE INDEX once_per_source ON messages (agent_id, source, external_id)
    WHERE external_id IS NOT NULL;
CREATE INDEX archive_by_time ON messages (thread_id, at, seq) WHERE archived = 1;

CREATE TABLE marks (
    mark_id       INTEGER PRIMARY KEY,
    agent_id      INTEGER NOT NULL REFERENCES agents,
    id            BLOB NOT NULL UNIQUE,
    thread_id     INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    receipt_id    INTEGER,
    action        TEXT NOT NULL CHECK (action IN ('hide', 'shorten')),
    from_seq      INTEGER NOT NULL,
    to_seq        INTEGER NOT NULL CHECK (to_seq >= from_seq),
    since_version INTEGER NOT NULL,
    until_version INTEGER,
    entry         INTEGER NOT NULL
) STRICT;
CREATE INDEX marks_of_thread ON marks (thread_id, from_seq);

CREATE TABLE calibrations (
    agent_id   INTEGER NOT NULL REFERENCES agents,
    model      TEXT NOT NULL,
    numbers    TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE timeline (
    agent_id INTEGER NOT NULL REFERENCES agents,
    n        INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    event    TEXT NOT NULL,
    subject  BLOB NOT NULL,
    salt     BLOB,
    digest   BLOB NOT NULL,
    hash     BLOB NOT NULL,
    PRIMARY KEY (agent_id, n)
) STRICT, WITHOUT ROWID;

-- Messages have one entry each and name it; everything else is found by what it speaks of.
CREATE INDEX timeline_subjects ON timeline (agent_id, subject) WHERE event <> 'message';

CREATE TABLE tombstones (
    tombstone_id INTEGER PRIMARY KEY,
    agent_id     INTEGER NOT NULL REFERENCES agents,
    id           BLOB NOT NULL UNIQUE,
    subject      BLOB NOT NULL,
    what         TEXT NOT NULL,
    reason       TEXT,
    messages     INTEGER NOT NULL,
    erased_at    INTEGER NOT NULL,
    entry        INTEGER NOT NULL
) STRICT;

-- agent_id is NULL for work that belongs to the store as a whole.
CREATE TABLE jobs (
    job_id      INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id    INTEGER REFERENCES agents,
    kind        TEXT NOT NULL,
    once        TEXT,
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('due', 'running', 'dead')),
    due_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    owner       TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    fence       INTEGER NOT NULL DEFAULT 0,
    error       TEXT,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs (due_at) WHERE state <> 'dead';
CREATE UNIQUE INDEX jobs_once ON jobs (kind, once) WHERE once IS NOT NULL AND state = 'due';

CREATE TABLE schedule (
    agent_id INTEGER REFERENCES agents,
    name     TEXT PRIMARY KEY,
    last_at  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER messages_are_never_edited BEFORE UPDATE ON messages
BEGIN SELECT RAISE(ABORT, 'everthread: messages are append-only'); END;

CREATE TRIGGER messages_outlive_all_but_erasure BEFORE DELETE ON messages
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: messages of a lasting thread are never deleted'); END;

CREATE TRIGGER turns_outlive_all_but_erasure BEFORE DELETE ON turns
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: turns of a lasting thread are never deleted'); END;

CREATE TRIGGER messages_go_with_their_thread AFTER DELETE ON threads
BEGIN
    DELETE FROM messages
    WHERE place BETWEEN (OLD.thread_id * 2) << 36 AND ((OLD.thread_id * 2 + 2) << 36) - 1;
END;

CREATE TRIGGER sessions_outlive_all_but_erasure BEFORE DELETE ON sessions
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: sessions of a lasting thread are never deleted'); END;

CREATE TRIGGER only_ephemeral_threads_go BEFORE DELETE ON threads
WHEN OLD.kind <> 'ephemeral'
BEGIN SELECT RAISE(ABORT, 'everthread: only ephemeral threads are deleted'); END;

CREATE TRIGGER kinds_do_not_change BEFORE UPDATE OF kind ON threads
WHEN OLD.kind <> NEW.kind
BEGIN SELECT RAISE(ABORT, 'everthread: a thread keeps its kind'); END;

CREATE TRIGGER sessions_move_legally BEFORE UPDATE OF state ON sessions
WHEN OLD.state <> NEW.state AND OLD.state || '>' || NEW.state NOT IN (
    'init>active', 'init>suspended', 'init>terminated',
    'active>complete', 'active>suspended', 'active>terminated',
    'complete>suspended', 'suspended>active', 'suspended>terminated')
BEGIN SELECT RAISE(ABORT, 'everthread: illegal session transition'); END;
