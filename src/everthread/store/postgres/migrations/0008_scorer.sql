-- Learning what helps. The session's figures hold what was predicted and what it was worth in the end.

ALTER TABLE session_memories ADD COLUMN predicted DOUBLE PRECISION;
ALTER TABLE session_memories ADD COLUMN final DOUBLE PRECISION;
ALTER TABLE session_memories ADD COLUMN relevance DOUBLE PRECISION;
-- How often it was withheld by the hold-out, and told again by the person; NULL: before this was counted.
ALTER TABLE session_memories ADD COLUMN withheld BIGINT;
ALTER TABLE session_memories ADD COLUMN retold BIGINT;

-- When `score` and `confidence` were written.
ALTER TABLE session_scores ADD COLUMN judged_at BIGINT;

-- What was learnt, one row an agent: derived from the figures above, numbers alone.
CREATE TABLE scorers (
    agent_id   BIGINT PRIMARY KEY REFERENCES agents,
    trained    BIGINT NOT NULL,
    sessions   BIGINT NOT NULL,
    learnt     TEXT NOT NULL,
    past       TEXT NOT NULL,
    history    TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
