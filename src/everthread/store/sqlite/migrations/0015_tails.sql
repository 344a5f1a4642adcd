-- A message's id ends with its thread's own end: it is found by that, however many threads there are.
CREATE INDEX threads_by_tail ON threads (agent_id, substr(id, 13)) WHERE erased_at IS NULL;
