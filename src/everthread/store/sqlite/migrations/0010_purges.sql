-- What was distilled and then outlived its age: which messages of a thread went, how many, and a hash
-- over what the timeline sealed of them. A message of a lasting thread goes only where such a row says so.
CREATE TABLE purges (
    purge_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id   INTEGER NOT NULL REFERENCES agents,
    id         BLOB NOT NULL UNIQUE,
    thread_id  INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    receipt_id INTEGER NOT NULL REFERENCES receipts ON DELETE CASCADE,
    from_seq   INTEGER NOT NULL,
    to_seq     INTEGER NOT NULL CHECK (to_seq >= from_seq),
    messages   INTEGER NOT NULL CHECK (messages BETWEEN 0 AND to_seq - from_seq + 1),
    tokens     INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    purged_at  INTEGER NOT NULL,
    entry      INTEGER NOT NULL
) STRICT;
CREATE INDEX purges_of_agent ON purges (agent_id, purge_id);
CREATE UNIQUE INDEX purges_of_thread ON purges (thread_id, from_seq);
CREATE INDEX purges_of_receipt ON purges (receipt_id);

DROP TRIGGER messages_outlive_all_but_erasure;
CREATE TRIGGER messages_outlive_all_but_purge_and_erasure BEFORE DELETE ON messages
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
    AND NOT (OLD.archived = 0 AND EXISTS (
        SELECT 1 FROM purges
        WHERE thread_id = OLD.thread_id AND OLD.seq BETWEEN from_seq AND to_seq))
BEGIN SELECT RAISE(ABORT, 'everthread: messages of a lasting thread are never deleted'); END;

CREATE TRIGGER purges_outlive_all_but_erasure BEFORE DELETE ON purges
WHEN (SELECT kind <> 'ephemeral' AND erased_at IS NULL FROM threads
      WHERE thread_id = OLD.thread_id)
BEGIN SELECT RAISE(ABORT, 'everthread: purges of a lasting thread are never deleted'); END;
