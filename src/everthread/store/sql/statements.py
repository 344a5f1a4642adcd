"""SQL that both engines understand, written once. A statement names its scope, or is `Across`."""

from __future__ import annotations

from everthread.domain.errors import BadInput


class Scoped(str):
    """A statement that is bound to one agent. It cannot be written without `:agent`."""

    __slots__ = ()

    def __new__(cls, sql: str) -> Scoped:
        if ":agent" not in sql:
            raise BadInput(f"a statement must be scoped by :agent: {sql.strip():.80}")
        return super().__new__(cls, sql)


class Across(str):
    """A statement that looks across agents on purpose: schema, jobs, sweeps, the list of agents."""

    __slots__ = ()


class Insert(str):
    """Rows by position, the agent first: the statement for what is written most."""

    __slots__ = ()

    def __new__(cls, table: str, columns: str) -> Insert:
        names = ["agent_id", *columns.split(", ")]
        marks = ", ".join("?" * len(names))
        return super().__new__(cls, f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})")


# Agents ---------------------------------------------------------------------------------------

AGENT = (
    "agent_id, id, name, model, window_tokens, inactivity_hours, time_zone, "
    "system_hash, tools_hash, created_at, entry"
)
AGENT_NAMED = Across(f"SELECT {AGENT} FROM agents WHERE name = :name")
AGENT_GET = Scoped(f"SELECT {AGENT} FROM agents WHERE agent_id = :agent")
AGENTS_ALL = Across(f"SELECT {AGENT} FROM agents ORDER BY name")
AGENT_ADD = Across("""
    INSERT INTO agents (id, name, window_tokens, created_at, entry)
    VALUES (:id, :name, :window, :now, 1) ON CONFLICT (name) DO NOTHING""")
AGENT_DEFINE = Scoped("""
    UPDATE agents SET model = :model, window_tokens = :window, inactivity_hours = :hours,
        time_zone = :zone, system_hash = :system, tools_hash = :tools, entry = :entry
    WHERE agent_id = :agent""")
CALIBRATION = Scoped("SELECT numbers FROM calibrations WHERE agent_id = :agent AND model = :model")
CALIBRATE = Scoped("""
    INSERT INTO calibrations (agent_id, model, numbers, updated_at)
    VALUES (:agent, :model, :numbers, :now)
    ON CONFLICT (agent_id, model)
    DO UPDATE SET numbers = excluded.numbers, updated_at = excluded.updated_at""")

# Threads --------------------------------------------------------------------------------------

AT_ONCE = 32
"""Rows that are looked up by one statement: one at a time, each waits for whoever computes beside."""
THREAD = (
    "thread_id, agent_id, id, kind, key, lineage, last_seq, message_count, turn_count, "
    "view_version, view_at, computed_context_tokens, last_input_tokens, last_distilled_at, "
    "last_activity_at, created_at, closed_at, erased_at, working_state, entry"
)
THREAD_KEYED = Scoped(f"""
    SELECT {THREAD} FROM threads
    WHERE agent_id = :agent AND key = :key AND erased_at IS NULL""")
THREAD_GET = Scoped(f"SELECT {THREAD} FROM threads WHERE agent_id = :agent AND thread_id = :ref")
THREADS_ALL = Scoped(f"""
    SELECT {THREAD} FROM threads WHERE agent_id = :agent AND erased_at IS NULL
    ORDER BY CASE kind WHEN 'primary' THEN 0 WHEN 'background' THEN 1 ELSE 2 END,
        last_activity_at DESC, thread_id""")
THREADS_TAILED = Scoped(f"""
    SELECT {THREAD} FROM threads WHERE agent_id = :agent AND erased_at IS NULL
        AND substr(id, 13) IN ({", ".join(f":t{n}" for n in range(AT_ONCE))})""")
THREAD_ADD = Scoped("""
    INSERT INTO threads (agent_id, id, kind, key, lineage, last_activity_at, created_at, entry)
    VALUES (:agent, :id, :kind, :key, :lineage, :now, :now, :entry)""")
# PostgreSQL locks the row; SQLite, with its one writer, reads over the comment.
THREAD_HOLD = Scoped(f"""
    SELECT {THREAD} FROM threads WHERE agent_id = :agent AND thread_id = :ref /*for update*/""")
THREAD_GROW = Scoped("""
    UPDATE threads SET last_seq = :last_seq, message_count = :count, view_at = :view_at,
        last_activity_at = :activity
    WHERE agent_id = :agent AND thread_id = :ref""")
THREAD_NOTE = Scoped("""
    UPDATE threads SET
        computed_context_tokens = coalesce(CAST(:computed AS BIGINT), computed_context_tokens),
        last_input_tokens = coalesce(CAST(:reported AS BIGINT), last_input_tokens),
        view_version = coalesce(CAST(:view_version AS BIGINT), view_version)
    WHERE agent_id = :agent AND thread_id = :ref""")
THREAD_DISTILLED = Scoped("""
    UPDATE threads SET last_distilled_at = :at, view_version = :version,
        computed_context_tokens = :computed, last_input_tokens = 0
    WHERE agent_id = :agent AND thread_id = :ref""")
THREAD_WORKS_ON = Scoped("""
    UPDATE threads SET working_state = :state WHERE agent_id = :agent AND thread_id = :ref""")
THREAD_COUNT_TURN = Scoped("""
    UPDATE threads SET turn_count = turn_count + 1
    WHERE agent_id = :agent AND thread_id = :ref RETURNING turn_count""")
THREAD_CLOSE = Scoped("""
    UPDATE threads SET closed_at = :now, entry = :entry
    WHERE agent_id = :agent AND thread_id = :ref""")
THREADS_IDLE = Across(f"""
    SELECT {THREAD} FROM threads WHERE kind = 'ephemeral' AND erased_at IS NULL AND last_activity_at < :before
    ORDER BY last_activity_at LIMIT :limit""")
THREAD_REMOVE = Scoped("DELETE FROM threads WHERE agent_id = :agent AND thread_id = :ref")
THREAD_ERASED = Scoped("""
    UPDATE threads SET erased_at = :now, closed_at = :now, entry = :entry, message_count = 0,
        computed_context_tokens = 0, working_state = NULL
    WHERE agent_id = :agent AND thread_id = :ref""")
ERASE_MESSAGES = Scoped(
    "DELETE FROM messages WHERE agent_id = :agent AND place BETWEEN :low AND :high"
)
ERASE_TURNS = Scoped("DELETE FROM turns WHERE agent_id = :agent AND thread_id = :ref")
ERASE_SESSIONS = Scoped("DELETE FROM sessions WHERE agent_id = :agent AND thread_id = :ref")
ERASE_MARKS = Scoped("DELETE FROM marks WHERE agent_id = :agent AND thread_id = :ref")
ERASE_CHANNELS = Scoped("DELETE FROM channels WHERE agent_id = :agent AND thread_id = :ref")
TOMBSTONE_ADD = Scoped("""
    INSERT INTO tombstones (agent_id, id, subject, what, reason, messages, erased_at, entry)
    VALUES (:agent, :id, :subject, :what, :reason, :messages, :now, :entry)""")
TOMBSTONE = "id, subject, what, reason, messages, erased_at, entry"

# Channels -------------------------------------------------------------------------------------

CHANNEL = "transport, channel_key, thread_id, session_id"
CHANNEL_FIND = Scoped(f"""
    SELECT {CHANNEL} FROM channels
    WHERE agent_id = :agent AND transport = :transport AND channel_key = :key""")
CHANNELS_ALL = Scoped(
    f"SELECT {CHANNEL} FROM channels WHERE agent_id = :agent ORDER BY transport, channel_key"
)
CHANNEL_BIND = Scoped("""
    INSERT INTO channels (agent_id, transport, channel_key, thread_id, session_id, created_at)
    VALUES (:agent, :transport, :key, :thread, :session, :now)
    ON CONFLICT (agent_id, transport, channel_key)
    DO UPDATE SET thread_id = excluded.thread_id, session_id = excluded.session_id""")

# Sessions -------------------------------------------------------------------------------------

SESSION = (
    "session_id, agent_id, id, thread_id, key, state, channel, harness, project, "
    "project_normalized, task, gate, principal, parent_id, previous_id, started_at, "
    "last_human_at, last_activity_at, ended_at, message_count, first_seq, last_seq, "
    "context_tokens, checkpoint_count, summary, summary_at, entry"
)
SESSION_KEYED = Scoped(f"SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND key = :key")
SESSION_GET = Scoped(
    f"SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND session_id = :ref"
)
SESSION_IDS = Scoped("SELECT session_id, id FROM sessions WHERE agent_id = :agent")
SESSION_LATEST = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY started_at DESC, session_id DESC LIMIT 1""")
SESSION_LATEST_AT = Scoped(f"""
    SELECT {SESSION} FROM sessions
    WHERE agent_id = :agent AND thread_id = :thread AND started_at <= :at
    ORDER BY started_at DESC, session_id DESC LIMIT 1""")
SESSION_LIVE = Scoped(f"""
    SELECT {SESSION} FROM sessions
    WHERE agent_id = :agent AND thread_id = :thread AND state = 'active'
    ORDER BY coalesce(last_human_at, last_activity_at) DESC, session_id DESC LIMIT 1""")
SESSIONS_ALL = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent
    ORDER BY last_activity_at DESC, session_id DESC LIMIT :limit""")
SESSIONS_OWN = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND parent_id IS NULL
    ORDER BY last_activity_at DESC, session_id DESC LIMIT :limit""")
SESSIONS_OF = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY last_activity_at DESC, session_id DESC LIMIT :limit""")
SESSIONS_OF_PROJECT = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND project_normalized = :project
        AND parent_id IS NULL AND message_count >= :least
    ORDER BY last_activity_at DESC, session_id DESC LIMIT :limit""")
SESSION_CHILDREN = Scoped(f"""
    SELECT {SESSION} FROM sessions WHERE agent_id = :agent AND parent_id = :ref
    ORDER BY started_at, session_id""")
SESSIONS_COUNT = Scoped("SELECT count(*) FROM sessions WHERE agent_id = :agent")
SESSION_ADD = Scoped("""
    INSERT INTO sessions (agent_id, id, thread_id, key, state, channel, harness, project,
        project_normalized, task, gate, principal, parent_id, previous_id, started_at,
        last_human_at, last_activity_at, ended_at, entry)
    VALUES (:agent, :id, :thread, :key, :state, :channel, :harness, :project,
        :project_normalized, :task, :gate, :principal, :parent, :previous, :started,
        :human, :activity, :ended, :entry)
    RETURNING session_id""")
SESSION_MOVE = Scoped("""
    UPDATE sessions SET state = :state, ended_at = :ended, entry = :entry
    WHERE agent_id = :agent AND session_id = :ref""")
SESSION_TOUCH = Scoped("""
    UPDATE sessions SET message_count = :count, first_seq = :first, last_seq = :last,
        context_tokens = :context, last_activity_at = :activity, last_human_at = :human
    WHERE agent_id = :agent AND session_id = :ref""")
SESSION_HOLD = Scoped(f"""
    SELECT {SESSION} FROM sessions
    WHERE agent_id = :agent AND session_id = :ref /*for update*/""")

# Turns ----------------------------------------------------------------------------------------

TURN = (
    "turn_id, agent_id, id, thread_id, session_id, number, state, owner, lease_until, model, "
    "window_tokens, view_version, first_seq, last_seq, system_hash, tools_hash, block_hash, "
    "computed_tokens, context_tokens, reported, error, opened_at, closed_at, entry"
)
TURN_OPEN_ON = Scoped(f"""
    SELECT {TURN} FROM turns WHERE agent_id = :agent AND thread_id = :thread AND state = 'open'""")
TURN_GET = Scoped(f"SELECT {TURN} FROM turns WHERE agent_id = :agent AND turn_id = :ref")
TURN_NUMBERED = Scoped(f"""
    SELECT {TURN} FROM turns
    WHERE agent_id = :agent AND thread_id = :thread AND number = :number""")
TURN_ADD = Scoped("""
    INSERT INTO turns (agent_id, id, thread_id, session_id, number, state, owner, lease_until,
        model, window_tokens, view_version, first_seq, last_seq, system_hash, tools_hash,
        block_hash, computed_tokens, context_tokens, opened_at, entry)
    VALUES (:agent, :id, :thread, :session, :number, 'open', :owner, :lease,
        :model, :window, :view_version, :first_seq, :last_seq, :system, :tools,
        :block, :computed, :context, :opened, :entry)
    RETURNING turn_id""")
TURN_EXTEND = Scoped("""
    UPDATE turns SET last_seq = :last_seq, lease_until = :until
    WHERE agent_id = :agent AND turn_id = :ref AND state = 'open' AND owner = :owner""")
TURN_CLOSE = Scoped("""
    UPDATE turns SET state = :state, last_seq = :last_seq, model = :model, reported = :reported,
        error = :error, closed_at = :closed, entry = :entry
    WHERE agent_id = :agent AND turn_id = :ref AND state = 'open' AND owner = :owner""")
TURNS_RENEW = Across("""
    UPDATE turns SET lease_until = :until
    WHERE turn_id = :ref AND owner = :owner AND state = 'open'""")
# The plus keeps SQLite from going through every turn there was, in order, for the few that are open.
TURNS_ABANDONED = Across(f"""
    SELECT {TURN} FROM turns
    WHERE state = 'open' AND (lease_until <= :now OR lease_until > :absurd)
    ORDER BY +turn_id LIMIT :limit""")
TURNS_OF = Scoped(f"""
    SELECT {TURN} FROM turns WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY number DESC LIMIT :limit""")

# Messages -------------------------------------------------------------------------------------

MESSAGE = (
    "id, thread_id, session_id, turn_id, seq, role, kind, origin, source, external_id, name, "
    "principal, archived, form, content, tokens, at, created_at, entry"
)
MESSAGE_ADD = Insert("messages", f"place, {MESSAGE}")
MESSAGE_KNOWN = Scoped("""
    SELECT external_id FROM messages
    WHERE agent_id = :agent AND source = :source AND external_id = :external_id""")
# Live messages are in order, which is that of time unless a clock was set back; the archive has an index.
MESSAGES_LIVE = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high ORDER BY place DESC LIMIT :limit""")
MESSAGES_LIVE_BEFORE = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND (SELECT place FROM messages WHERE agent_id = :agent
        AND place BETWEEN :low AND :high AND (at, seq) < (:at, :seq) ORDER BY place DESC LIMIT 1)
    ORDER BY place DESC LIMIT :limit""")
MESSAGES_ARCHIVE = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND thread_id = :thread AND archived = 1
        AND (at, seq) > (:after_at, :after_seq) AND (at, seq) < (:at, :seq)
    ORDER BY at DESC, seq DESC LIMIT :limit""")
MESSAGES_BETWEEN = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high ORDER BY place""")
MESSAGES_AFTER = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high ORDER BY place LIMIT :limit""")
MESSAGE_PLACED = Scoped(
    f"SELECT {MESSAGE} FROM messages WHERE agent_id = :agent AND place = :place"
)
MESSAGES_PLACED = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place IN ({", ".join(f":p{n}" for n in range(AT_ONCE))})""")
MESSAGES_HOLDING = Scoped("""
    SELECT place FROM messages WHERE agent_id = :agent AND content LIKE :sign AND content LIKE :other
    ORDER BY place DESC LIMIT :limit""")
MESSAGES_WEIGHT = Scoped("""
    SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT) FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND kind IN ('said', 'summary')""")
MESSAGES_SPOKEN = Scoped("""
    SELECT count(*) FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND kind = 'said'""")
MESSAGES_OF_SESSION = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
    ORDER BY place DESC LIMIT :limit""")
ARCHIVE_OF_SESSION = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
    ORDER BY at DESC, seq DESC LIMIT :limit""")
SESSION_AFTER = Scoped(f"""
    SELECT {MESSAGE} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
    ORDER BY place LIMIT :limit""")
SESSION_PROMPTS = Scoped("""
    SELECT count(*) FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
      AND origin = 'user' AND kind = 'said'""")
MESSAGES_TAIL = Scoped("""
    SELECT seq, tokens FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high ORDER BY place DESC LIMIT :limit""")
MESSAGES_WITH_BODIES = Scoped("""
    SELECT form, content FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND form > 1""")
MESSAGES_COUNT = Scoped("""
    SELECT count(*) FROM messages WHERE agent_id = :agent AND place BETWEEN :low AND :high""")

# Marks ----------------------------------------------------------------------------------------

MARK = (
    "mark_id, id, thread_id, receipt_id, action, from_seq, to_seq, since_version, "
    "until_version, saved, entry, kept"
)
MARKS_OF = Scoped(f"""
    SELECT {MARK} FROM marks WHERE agent_id = :agent AND thread_id = :thread ORDER BY from_seq""")
MARK_ADD = Scoped("""
    INSERT INTO marks (agent_id, id, thread_id, receipt_id, action, from_seq, to_seq,
        since_version, until_version, saved, entry, kept)
    VALUES (:agent, :id, :thread, :receipt, :action, :from_seq, :to_seq, :since, :until, :saved,
        :entry, :kept)
    RETURNING mark_id""")
MARKS_BY = Scoped(f"""
    SELECT {MARK} FROM marks WHERE agent_id = :agent AND receipt_id = :receipt ORDER BY from_seq""")
MARK_END = Scoped("""
    UPDATE marks SET until_version = :until, entry = :entry
    WHERE agent_id = :agent AND mark_id = :ref""")

# Timeline -------------------------------------------------------------------------------------

ENTRY = "n, at, event, subject, salt, digest, hash"
HEAD_READ = Scoped("""
    SELECT n, hash FROM timeline WHERE agent_id = :agent ORDER BY n DESC LIMIT 1""")
ENTRY_ADD = Insert("timeline", ENTRY)
ENTRIES_PAGE = Scoped(f"""
    SELECT {ENTRY} FROM timeline WHERE agent_id = :agent AND n > :after ORDER BY n LIMIT :limit""")
ENTRIES_NEWEST = Scoped(f"""
    SELECT {ENTRY} FROM timeline WHERE agent_id = :agent ORDER BY n DESC LIMIT :limit""")
# SQLite guesses that an agent has a handful of entries, and would look through all of them for one subject.
BY_SUBJECT = "INDEXED BY timeline_subjects"
ENTRIES_ABOUT = Scoped(f"""
    SELECT {ENTRY} FROM timeline {BY_SUBJECT}
    WHERE agent_id = :agent AND subject = :subject AND event <> 'message' ORDER BY n""")
ENTRY_UNSALT = Scoped("""
    UPDATE timeline SET salt = NULL WHERE agent_id = :agent AND n = :n""")

# Jobs -----------------------------------------------------------------------------------------

JOB = (
    "job_id, agent_id, kind, once, payload, state, due_at, attempts, owner, lease_until, fence, "
    "error, created_at"
)
JOB_ADD = Across("""
    INSERT INTO jobs (agent_id, kind, once, payload, state, due_at, created_at)
    VALUES (CAST(:agent AS BIGINT), :kind, :once, :payload, 'due', :due_at, :now)
    ON CONFLICT (kind, once) WHERE once IS NOT NULL AND state = 'due' DO NOTHING""")
_CLAIMABLE = """due_at <= :now AND (state = 'due' OR (state = 'running'
            AND (lease_until <= :now OR lease_until > :absurd)))"""
JOBS_CLAIMABLE = Across(f"SELECT DISTINCT kind FROM jobs WHERE {_CLAIMABLE}")
JOB_CLAIM = Across(f"""
    UPDATE jobs SET state = 'running', owner = :owner, lease_until = :until,
        fence = fence + 1, attempts = attempts + 1
    WHERE job_id = (
        SELECT job_id FROM jobs
        WHERE kind = :kind AND {_CLAIMABLE}
        ORDER BY due_at, job_id LIMIT 1 /*skip locked*/)
    RETURNING {JOB}""")
JOB_CANCEL = Across("DELETE FROM jobs WHERE kind = :kind AND once = :once AND state = 'due'")
JOB_WAITS = Across("""
    SELECT 1 FROM jobs WHERE kind = :kind AND once = :once AND state = 'due'""")
JOB_HOLD = Across("""
    UPDATE jobs SET lease_until = :until WHERE job_id = :ref AND fence = :fence
        AND state = 'running'""")
JOB_FINISH = Across("DELETE FROM jobs WHERE job_id = :ref AND fence = :fence AND state = 'running'")
JOB_RETRY = Across("""
    UPDATE jobs SET state = :state, due_at = :due_at, error = :error, owner = NULL, once = NULL
    WHERE job_id = :ref AND fence = :fence AND state = 'running'""")
JOB_SPARE = Across("""
    UPDATE jobs SET attempts = attempts - 1
    WHERE job_id = :ref AND attempts > 0 AND (
        (fence = :fence AND state = 'running') OR (fence > :fence AND state <> 'dead'))""")
JOBS_NEXT = Across("""
    SELECT kind, min(CASE state WHEN 'running' THEN lease_until ELSE due_at END)
    FROM jobs WHERE state <> 'dead' GROUP BY kind""")
JOBS_ALL = Across(f"SELECT {JOB} FROM jobs ORDER BY job_id")
DUTY_LAST = Across("SELECT last_at FROM schedule WHERE name = :name")
DUTY_FIRST = Across("""
    INSERT INTO schedule (name, last_at) VALUES (:name, :now) ON CONFLICT (name) DO NOTHING""")
DUTY_TAKE = Across("""
    UPDATE schedule SET last_at = :now WHERE name = :name AND last_at = :last""")
NOTE_SEEN = Across("""
    INSERT INTO schedule (name, last_at) VALUES (:name, :now)
    ON CONFLICT (name) DO UPDATE SET last_at = :now""")
NOTES_SEEN = Across("""
    SELECT name, last_at FROM schedule
    WHERE substr(name, 1, CAST(:length AS INTEGER)) = :beginning ORDER BY name""")
NOTE_DROP = Across("DELETE FROM schedule WHERE name = :name")
