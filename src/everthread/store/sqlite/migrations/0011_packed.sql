-- Large bodies are kept packed (zlib); such a row of `bodies` has no content of its own. A table apart:
-- a column more would make newer versions of SQLite read every old row again.
CREATE TABLE packed (
    body_id  INTEGER PRIMARY KEY REFERENCES bodies ON DELETE CASCADE,
    agent_id INTEGER NOT NULL REFERENCES agents,
    data     BLOB NOT NULL
) STRICT;
