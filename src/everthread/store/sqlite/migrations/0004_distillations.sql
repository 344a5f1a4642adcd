-- Distillations: what a thread's view shows instead of what it hides, the receipt of each, what is to
-- be written to files, and what models cost.

ALTER TABLE threads ADD COLUMN working_state TEXT;

-- How many tokens a shortened message saves; its mark then speaks of one message.
ALTER TABLE marks ADD COLUMN saved INTEGER;
CREATE INDEX marks_of_receipt ON marks (receipt_id) WHERE receipt_id IS NOT NULL;

-- Opened before work starts, closed from what was seen. An open one is also the lease on its thread.
CREATE TABLE receipts (
    receipt_id           INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id             INTEGER NOT NULL REFERENCES agents,
    id                   BLOB NOT NULL UNIQUE,
    thread_id            INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    -- Of those that changed the view; one that was refused or failed burns no number.
    number               INTEGER,
    outcome              TEXT NOT NULL
        CHECK (outcome IN ('open', 'ok', 'degraded', 'refused', 'failed', 'undone')),
    mode                 TEXT NOT NULL CHECK (mode IN ('full', 'light', 'shorten')),
    distiller            TEXT NOT NULL,
    owner                TEXT NOT NULL,
    lease_until          INTEGER NOT NULL,
    turn_count           INTEGER NOT NULL,
    messages_before      INTEGER NOT NULL,
    messages_after       INTEGER NOT NULL,
    tokens_before        INTEGER NOT NULL,
    tokens_after         INTEGER NOT NULL,
    facts_extracted      INTEGER NOT NULL,
    decisions_extracted  INTEGER NOT NULL,
    open_items_extracted INTEGER NOT NULL,
    flush_succeeded      INTEGER CHECK (flush_succeeded IN (0, 1)),
    struck               INTEGER NOT NULL,
    fired                TEXT NOT NULL,
    detail               TEXT NOT NULL,
    score                TEXT,
    errors               TEXT NOT NULL,
    opened_at            INTEGER NOT NULL,
    closed_at            INTEGER,
    undone_at            INTEGER,
    undone_seq           INTEGER,
    entry                INTEGER NOT NULL,
    UNIQUE (thread_id, number),
    CHECK ((outcome = 'open') = (closed_at IS NULL)),
    CHECK ((outcome = 'undone') = (undone_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX one_distillation_per_thread ON receipts (thread_id) WHERE outcome = 'open';
CREATE INDEX receipts_of_agent ON receipts (agent_id, opened_at);

-- What the view shows first, from one of its versions until another. One receipt may have several:
-- where another one is undone, the later ones are made anew.
CREATE TABLE summaries (
    summary_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id      INTEGER NOT NULL REFERENCES agents,
    id            BLOB NOT NULL UNIQUE,
    thread_id     INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    receipt_id    INTEGER NOT NULL REFERENCES receipts ON DELETE CASCADE,
    since_version INTEGER NOT NULL,
    until_version INTEGER,
    text_hash     BLOB,
    digest_hash   BLOB,
    tokens        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    entry         INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_summary_in_view ON summaries (thread_id) WHERE until_version IS NULL;
CREATE INDEX summaries_of_receipt ON summaries (receipt_id);
CREATE INDEX summaries_of_thread ON summaries (thread_id, since_version);

CREATE TABLE summary_sentences (
    agent_id   INTEGER NOT NULL REFERENCES agents,
    summary_id INTEGER NOT NULL REFERENCES summaries ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    section    TEXT NOT NULL,
    text       TEXT NOT NULL,
    -- The public ids of the messages it rests on: a sentence without one is not shown.
    sources    TEXT NOT NULL,
    verdict    TEXT NOT NULL,
    shown      INTEGER NOT NULL CHECK (shown IN (0, 1)),
    PRIMARY KEY (summary_id, n),
    CHECK (shown = 0 OR sources <> '[]')
) STRICT, WITHOUT ROWID;

-- Written before a file is touched, settled after; one that is open is tried again.
CREATE TABLE intents (
    intent_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id   INTEGER NOT NULL REFERENCES agents,
    id         BLOB NOT NULL UNIQUE,
    receipt_id INTEGER NOT NULL REFERENCES receipts ON DELETE CASCADE,
    what       TEXT NOT NULL CHECK (what IN ('write', 'withdraw')),
    state      TEXT NOT NULL CHECK (state IN ('open', 'done', 'void')),
    payload    TEXT NOT NULL,
    attempts   INTEGER NOT NULL,
    error      TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
) STRICT;
CREATE INDEX intents_of_receipt ON intents (receipt_id);
CREATE INDEX intents_open ON intents (intent_id) WHERE state = 'open';

-- What model distillers cost, by day: the cap is looked up here before each call.
CREATE TABLE spending (
    agent_id      INTEGER NOT NULL REFERENCES agents,
    day           TEXT NOT NULL,
    distiller     TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    micros        INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, distiller)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER receipts_outlive_all_but_erasure BEFORE DELETE ON receipts
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: receipts of a lasting thread are never deleted'); END;
