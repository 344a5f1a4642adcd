-- What agents ask, send and hand to each other: one row for each side, which `pair` ties together.
CREATE TABLE exchanges (
    exchange_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id    INTEGER NOT NULL REFERENCES agents,
    id          BLOB NOT NULL UNIQUE,
    pair        BLOB NOT NULL,
    side        TEXT NOT NULL CHECK (side IN ('caller', 'target')),
    kind        TEXT NOT NULL CHECK (kind IN ('ask', 'send', 'spawn')),
    status      TEXT NOT NULL
        CHECK (status IN ('pending', 'responded', 'delivered', 'timeout', 'error')),
    -- By name: an export of one agent carries its own side alone.
    caller      TEXT NOT NULL,
    target      TEXT NOT NULL,
    depth       INTEGER NOT NULL CHECK (depth >= 1),
    thread_id   INTEGER REFERENCES threads ON DELETE SET NULL,
    turn_id     INTEGER REFERENCES turns ON DELETE SET NULL,
    given_turn  INTEGER REFERENCES turns ON DELETE SET NULL,
    content     TEXT NOT NULL CHECK (length(content) <= 2000),
    answer      TEXT CHECK (length(answer) <= 2000),
    error       TEXT,
    tokens      INTEGER NOT NULL,
    turns       INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    surfaced_at INTEGER,
    closed_at   INTEGER,
    entry       INTEGER NOT NULL,
    UNIQUE (agent_id, pair, side),
    CHECK (kind = 'spawn' OR caller <> target)
) STRICT;
CREATE INDEX exchanges_by_pair ON exchanges (pair);
CREATE INDEX exchanges_of_agent ON exchanges (agent_id, exchange_id);
CREATE INDEX exchanges_waiting ON exchanges (agent_id, exchange_id)
    WHERE side = 'target' AND surfaced_at IS NULL;
CREATE INDEX exchanges_pending ON exchanges (agent_id, kind, target)
    WHERE side = 'caller' AND status = 'pending';
CREATE INDEX exchanges_due ON exchanges (expires_at) WHERE status = 'pending';
CREATE INDEX exchanges_of_thread ON exchanges (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX exchanges_of_turn ON exchanges (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX exchanges_given ON exchanges (given_turn) WHERE given_turn IS NOT NULL;
