-- Each turn asks for the newest receipts, each judged session for what was held out: neither may sort a whole life.
CREATE INDEX receipts_newest ON receipts (agent_id, receipt_id);
CREATE INDEX receipts_of_thread ON receipts (thread_id, receipt_id);
CREATE INDEX session_memories_withheld ON session_memories (agent_id, session_id) WHERE withheld > 0;
