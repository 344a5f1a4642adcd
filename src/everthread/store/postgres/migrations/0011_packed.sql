-- The server packs large texts by itself, so this stays empty; the statements are the same on both engines.
CREATE TABLE packed (
    body_id  BIGINT PRIMARY KEY REFERENCES bodies ON DELETE CASCADE,
    agent_id BIGINT NOT NULL REFERENCES agents,
    data     BYTEA NOT NULL
);
