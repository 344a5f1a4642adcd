-- What stands is few among all memories, and asked for at every start and whenever a file is written.
CREATE INDEX memories_standing ON memories (agent_id, pinned, updated_at)
    WHERE state = 'kept' AND (pinned = 1 OR (origin = 'user' AND kind IN ('rule', 'identity', 'preference')));
