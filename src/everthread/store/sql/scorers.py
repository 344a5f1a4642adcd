"""SQL of the scorer: which sessions are to be judged, what they tell, and what was learnt of them."""

from __future__ import annotations

from .injections import SCORE, USE
from .statements import Scoped

SCORER = "trained, sessions, learnt, past, history, updated_at"
SCORER_OF = Scoped(f"SELECT {SCORER} FROM scorers WHERE agent_id = :agent")
SCORER_KEEP = Scoped("""
    INSERT INTO scorers (agent_id, trained, sessions, learnt, past, history, updated_at)
    VALUES (:agent, :trained, :sessions, :learnt, :past, :history, :now)
    ON CONFLICT (agent_id) DO UPDATE SET trained = excluded.trained, sessions = excluded.sessions,
        learnt = excluded.learnt, past = excluded.past, history = excluded.history,
        updated_at = excluded.updated_at""")
SCORER_DROP = Scoped("DELETE FROM scorers WHERE agent_id = :agent")

_SCORE = ", ".join(f"c.{column.strip()}" for column in SCORE.split(","))
UNJUDGED = Scoped(f"""
    SELECT {_SCORE} FROM session_scores c JOIN sessions s ON s.session_id = c.session_id
    WHERE c.agent_id = :agent AND s.agent_id = :agent AND c.judged_at IS NULL
        AND (s.state IN ('complete', 'terminated') OR s.last_activity_at < :quiet)
    ORDER BY c.session_id LIMIT :limit""")
JUDGED = Scoped(f"""
    SELECT {SCORE} FROM session_scores
    WHERE agent_id = :agent AND judged_at IS NOT NULL
    ORDER BY session_id DESC LIMIT :limit""")
RELEVANCE = Scoped("""
    UPDATE session_memories SET relevance = :relevance
    WHERE agent_id = :agent AND session_id = :session AND ref = :ref""")
# The plus: by its sessions, which are few, and not by the agent, who has all of them.
LIFTS = Scoped(f"""
    SELECT {USE} FROM session_memories WHERE +agent_id = :agent AND kind NOT IN ('message', '')
        AND session_id IN (SELECT DISTINCT session_id FROM session_memories
            WHERE agent_id = :agent AND withheld > 0 ORDER BY session_id DESC LIMIT :limit)
    ORDER BY session_id, ref""")
