"""SQL of tasks, their sessions, incidents and events; as in `statements`, every line names its scope."""

from __future__ import annotations

from .harness import CHECKPOINT
from .statements import Across, Scoped

TASK = (
    "task_id, agent_id, id, slug, project, goal, acceptance, smoke, status, passed, step, blockers, "
    "next_steps, failures, sandbox, stopped_at, last_session, created_at, updated_at, entry"
)
TASK_ADD = Scoped("""
    INSERT INTO tasks (agent_id, id, slug, project, goal, acceptance, smoke, status, passed, step,
        blockers, next_steps, failures, sandbox, stopped_at, last_session, created_at, updated_at,
        entry)
    VALUES (:agent, :id, :slug, :project, :goal, :acceptance, :smoke, :status, :passed, :step,
        :blockers, :next_steps, :failures, :sandbox, :stopped, :last_session, :created, :updated,
        :entry)
    RETURNING task_id""")
TASK_GET = Scoped(f"SELECT {TASK} FROM tasks WHERE agent_id = :agent AND task_id = :ref")
TASK_HOLD = Scoped(f"""
    SELECT {TASK} FROM tasks WHERE agent_id = :agent AND task_id = :ref /*for update*/""")
TASK_FIND = Scoped(f"""
    SELECT {TASK} FROM tasks WHERE agent_id = :agent AND project = :project AND slug = :slug""")
TASKS_OF_PROJECT = Scoped(f"""
    SELECT {TASK} FROM tasks WHERE agent_id = :agent AND project = :project
    ORDER BY updated_at DESC, task_id DESC LIMIT :limit""")
TASKS_ALL = Scoped(f"""
    SELECT {TASK} FROM tasks WHERE agent_id = :agent
    ORDER BY updated_at DESC, task_id DESC LIMIT :limit""")
TASKS_ANY = Across("SELECT 1 FROM tasks LIMIT 1")
TASK_CHANGE = Scoped("""
    UPDATE tasks SET goal = :goal, acceptance = :acceptance, smoke = :smoke, status = :status,
        passed = :passed, step = :step, blockers = :blockers, next_steps = :next_steps,
        failures = :failures, sandbox = :sandbox, stopped_at = :stopped,
        last_session = :last_session, updated_at = :updated, entry = :entry
    WHERE agent_id = :agent AND task_id = :ref""")
TASK_ALIASES = Scoped("""
    SELECT alias FROM checkpoints
    WHERE agent_id = :agent AND task_id = :task AND alias >= :first AND alias < :beyond""")
TASK_CHECKPOINTS = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints WHERE agent_id = :agent AND task_id = :task
    ORDER BY created_at DESC, checkpoint_id DESC LIMIT :limit""")
TASK_CHECKPOINT = Scoped(f"""
    SELECT {CHECKPOINT} FROM checkpoints
    WHERE agent_id = :agent AND task_id = :task AND alias = :alias""")

SITTING = (
    "sitting_id, agent_id, id, session_id, task_id, owner, lease_until, goal, health, fix, sandboxed, "
    "resumed_from, outcome, record, current_tokens, refreshed_tokens, windows, entry"
)
SITTING_ADD = Scoped("""
    INSERT INTO sittings (agent_id, id, session_id, task_id, owner, lease_until, goal, health, fix,
        sandboxed, resumed_from, outcome, record, current_tokens, refreshed_tokens, windows, entry)
    VALUES (:agent, :id, :session, :task, :owner, :lease, :goal, :health, :fix, :sandboxed,
        :resumed, :outcome, :record, :current, :refreshed, :windows, :entry)
    RETURNING sitting_id""")
SITTING_OF = Scoped(f"""
    SELECT {SITTING} FROM sittings WHERE agent_id = :agent AND session_id = :session""")
SITTINGS_OF_TASK = Scoped(f"""
    SELECT {SITTING} FROM sittings WHERE agent_id = :agent AND task_id = :task
    ORDER BY sitting_id DESC LIMIT :limit""")
SITTING_CHANGE = Scoped("""
    UPDATE sittings SET owner = :owner, lease_until = :lease, goal = :goal, health = :health,
        fix = :fix, sandboxed = :sandboxed, resumed_from = :resumed, outcome = :outcome,
        record = :record, current_tokens = :current, refreshed_tokens = :refreshed,
        windows = :windows, entry = :entry
    WHERE agent_id = :agent AND sitting_id = :ref""")
SESSION_GATE = Scoped("""
    UPDATE sessions SET gate = :gate, entry = :entry
    WHERE agent_id = :agent AND session_id = :ref""")
SITTING_BEAT = Scoped("""
    UPDATE sittings SET
        lease_until = CASE WHEN lease_until < :until THEN :until ELSE lease_until END,
        current_tokens = coalesce(CAST(:current AS BIGINT), current_tokens)
    WHERE agent_id = :agent AND sitting_id = :ref""")
_SITTING = ", ".join(f"w.{column}" for column in SITTING.split(", "))
SITTINGS_LAPSED = Across(f"""
    SELECT {_SITTING} FROM sittings w JOIN sessions s ON s.session_id = w.session_id
    WHERE s.state IN ('init', 'active') AND w.lease_until <= :now
    ORDER BY w.lease_until, w.sitting_id LIMIT :limit""")
SITTINGS_ACTIVE = Scoped(f"""
    SELECT {_SITTING} FROM sittings w JOIN sessions s ON s.session_id = w.session_id
        JOIN tasks t ON t.task_id = w.task_id
    WHERE w.agent_id = :agent AND t.agent_id = :agent
        AND t.project = coalesce(CAST(:project AS TEXT), t.project)
        AND s.agent_id = :agent AND s.state IN ('init', 'active')
    ORDER BY w.sitting_id DESC""")

INCIDENT = (
    "incident_id, agent_id, id, task_id, session_id, kind, severity, summary, details, created_at, "
    "resolved_at, resolution, entry"
)
INCIDENT_ADD = Scoped("""
    INSERT INTO incidents (agent_id, id, task_id, session_id, kind, severity, summary, details,
        created_at, resolved_at, resolution, entry)
    VALUES (:agent, :id, :task, :session, :kind, :severity, :summary, :details, :created,
        :resolved, :resolution, :entry)
    RETURNING incident_id""")
INCIDENTS_ALL = Scoped(f"""
    SELECT {INCIDENT} FROM incidents WHERE agent_id = :agent
        AND (CAST(:task AS BIGINT) IS NULL OR task_id = :task)
        AND (:unresolved = 0 OR resolved_at IS NULL)
    ORDER BY created_at DESC, incident_id DESC LIMIT :limit""")
INCIDENT_IDS = Scoped("SELECT id FROM incidents WHERE agent_id = :agent")
INCIDENT_FIND = Scoped(f"SELECT {INCIDENT} FROM incidents WHERE agent_id = :agent AND id = :id")
INCIDENT_RESOLVE = Scoped("""
    UPDATE incidents SET resolved_at = :resolved, resolution = :resolution, entry = :entry
    WHERE agent_id = :agent AND incident_id = :ref""")

INCIDENT_LEAVE = Scoped("""
    UPDATE incidents SET summary = :summary, details = :details, resolution = :resolution,
        entry = :entry
    WHERE agent_id = :agent AND incident_id = :ref""")

EVENT = (
    "event_id, agent_id, id, type, body, target, state, attempts, due_at, error, created_at, "
    "delivered_at, entry"
)
EVENT_ADD = Scoped("""
    INSERT INTO outbox (agent_id, id, type, body, target, state, attempts, due_at, error,
        created_at, delivered_at, entry)
    VALUES (:agent, :id, :type, :body, :target, :state, :attempts, :due, :error, :created,
        :delivered, :entry)
    RETURNING event_id""")
EVENTS_ALL = Scoped(f"""
    SELECT {EVENT} FROM outbox WHERE agent_id = :agent ORDER BY event_id DESC LIMIT :limit""")
EVENTS_DUE = Across(f"""
    SELECT {EVENT} FROM outbox WHERE state = 'pending' AND due_at <= :now
    ORDER BY due_at, event_id LIMIT :limit OFFSET :skip""")
EVENT_GET = Scoped(f"SELECT {EVENT} FROM outbox WHERE agent_id = :agent AND event_id = :ref")
EVENT_HOLD = Scoped(f"""
    SELECT {EVENT} FROM outbox WHERE agent_id = :agent AND event_id = :ref /*for update*/""")
EVENT_CHANGE = Scoped("""
    UPDATE outbox SET state = :state, attempts = :attempts, due_at = :due, error = :error,
        delivered_at = :delivered, entry = :entry
    WHERE agent_id = :agent AND event_id = :ref""")
EVENT_LEAVE = Scoped("""
    UPDATE outbox SET body = '', state = :state, error = :error, entry = :entry
    WHERE agent_id = :agent AND event_id = :ref""")
