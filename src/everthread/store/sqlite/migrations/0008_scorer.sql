-- Learning what helps. The session's figures hold what was predicted and what it was worth in the end.

ALTER TABLE session_memories ADD COLUMN predicted REAL;
ALTER TABLE session_memories ADD COLUMN final REAL;
ALTER TABLE session_memories ADD COLUMN relevance REAL;
-- How often it was withheld by the hold-out, and told again by the person; NULL: before this was counted.
ALTER TABLE session_memories ADD COLUMN withheld INTEGER;
ALTER TABLE session_memories ADD COLUMN retold INTEGER;

-- When `score` and `confidence` were written.
ALTER TABLE session_scores ADD COLUMN judged_at INTEGER;

-- What was learnt, one row an agent: derived from the figures above, numbers alone.
CREATE TABLE scorers (
    agent_id   INTEGER PRIMARY KEY REFERENCES agents,
    trained    INTEGER NOT NULL,
    sessions   INTEGER NOT NULL,
    learnt     TEXT NOT NULL,
    past       TEXT NOT NULL,
    history    TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
