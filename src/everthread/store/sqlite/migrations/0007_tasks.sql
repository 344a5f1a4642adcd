-- Tasks: work over many sessions, with gates; what its sessions have more than others; what a person
-- should look at; events on their way.

CREATE TABLE tasks (
    task_id      INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id     INTEGER NOT NULL REFERENCES agents,
    id           BLOB NOT NULL UNIQUE,
    slug         TEXT NOT NULL,
    project      TEXT NOT NULL,
    goal         TEXT NOT NULL,
    acceptance   TEXT NOT NULL,
    smoke        TEXT,
    status       TEXT NOT NULL CHECK (status IN ('in-progress', 'complete', 'blocked')),
    passed       INTEGER NOT NULL CHECK (passed BETWEEN -1 AND 10),
    step         INTEGER NOT NULL,
    blockers     TEXT NOT NULL,
    next_steps   TEXT NOT NULL,
    failures     TEXT NOT NULL,
    sandbox      TEXT,
    stopped_at   INTEGER,
    last_session TEXT,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    entry        INTEGER NOT NULL,
    UNIQUE (agent_id, project, slug)
) STRICT;
CREATE INDEX tasks_by_change ON tasks (agent_id, updated_at DESC, task_id DESC);

-- A task's checkpoint is one of its session's, with a name and a file of its own.
ALTER TABLE checkpoints ADD COLUMN task_id INTEGER REFERENCES tasks;
ALTER TABLE checkpoints ADD COLUMN alias TEXT;
ALTER TABLE checkpoints ADD COLUMN document_hash BLOB;
CREATE UNIQUE INDEX checkpoints_of_task ON checkpoints (task_id, alias) WHERE task_id IS NOT NULL;

CREATE TABLE sittings (
    sitting_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id         INTEGER NOT NULL REFERENCES agents,
    id               BLOB NOT NULL UNIQUE,
    session_id       INTEGER NOT NULL UNIQUE REFERENCES sessions ON DELETE CASCADE,
    task_id          INTEGER NOT NULL REFERENCES tasks,
    owner            TEXT NOT NULL,
    lease_until      INTEGER NOT NULL,
    goal             TEXT NOT NULL,
    health           TEXT NOT NULL CHECK (health IN ('pass', 'fail', 'skipped', 'flaky')),
    fix              INTEGER NOT NULL CHECK (fix IN (0, 1)),
    sandboxed        INTEGER NOT NULL CHECK (sandboxed IN (0, 1)),
    resumed_from     TEXT,
    outcome          TEXT CHECK (outcome IN ('success', 'partial', 'failed')),
    record           TEXT NOT NULL,
    current_tokens   INTEGER NOT NULL,
    refreshed_tokens INTEGER NOT NULL,
    windows          TEXT NOT NULL,
    entry            INTEGER NOT NULL
) STRICT;
CREATE INDEX sittings_of_task ON sittings (task_id, sitting_id DESC);

CREATE TABLE incidents (
    incident_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id    INTEGER NOT NULL REFERENCES agents,
    id          BLOB NOT NULL UNIQUE,
    task_id     INTEGER REFERENCES tasks,
    session_id  INTEGER REFERENCES sessions ON DELETE SET NULL,
    kind        TEXT NOT NULL,
    severity    TEXT NOT NULL,
    summary     TEXT NOT NULL,
    details     TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    resolved_at INTEGER,
    resolution  TEXT,
    entry       INTEGER NOT NULL
) STRICT;
CREATE INDEX incidents_of_agent ON incidents (agent_id, created_at DESC, incident_id DESC);
CREATE INDEX incidents_of_session ON incidents (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE outbox (
    event_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id     INTEGER NOT NULL REFERENCES agents,
    id           BLOB NOT NULL UNIQUE,
    type         TEXT NOT NULL,
    body         TEXT NOT NULL,
    target       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'kept')),
    attempts     INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    delivered_at INTEGER,
    entry        INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at, event_id) WHERE state = 'pending';
CREATE INDEX outbox_of_agent ON outbox (agent_id, event_id DESC);
