"""SQL of exchanges; as in `statements`, every line names its scope."""

from __future__ import annotations

from .statements import Across, Scoped

EXCHANGE = (
    "exchange_id, agent_id, id, pair, side, kind, status, caller, target, depth, thread_id, "
    "turn_id, given_turn, content, answer, error, tokens, turns, created_at, expires_at, "
    "surfaced_at, closed_at, entry"
)
EXCHANGE_ADD = Scoped("""
    INSERT INTO exchanges (agent_id, id, pair, side, kind, status, caller, target, depth,
        thread_id, turn_id, given_turn, content, answer, error, tokens, turns, created_at,
        expires_at, surfaced_at, closed_at, entry)
    VALUES (:agent, :id, :pair, :side, :kind, :status, :caller, :target, :depth, :thread, :turn,
        :given, :content, :answer, :error, :tokens, :turns, :created, :expires, :surfaced,
        :closed, :entry)
    RETURNING exchange_id""")
EXCHANGE_CHANGE = Scoped("""
    UPDATE exchanges SET status = :status, turn_id = :turn, given_turn = :given,
        content = :content, answer = :answer, error = :error, tokens = :tokens, turns = :turns,
        expires_at = :expires, surfaced_at = :surfaced, closed_at = :closed, entry = :entry
    WHERE agent_id = :agent AND exchange_id = :ref""")
EXCHANGE_IDS = Scoped("SELECT DISTINCT pair FROM exchanges WHERE agent_id = :agent")
# The caller's side first, of an errand that an agent gave itself.
EXCHANGE_FIND = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges WHERE agent_id = :agent AND pair = :pair ORDER BY side""")
EXCHANGES_NEWEST = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges WHERE agent_id = :agent
    ORDER BY exchange_id DESC LIMIT :limit""")
EXCHANGES_WAITING = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges
    WHERE agent_id = :agent AND side = 'target' AND surfaced_at IS NULL
        AND status = 'pending' AND content <> ''
    ORDER BY exchange_id LIMIT :limit""")
# Of questions those without a turn: of the others a thread has one. What was erased before it could
# be told never will be, and takes nobody's place.
EXCHANGES_PENDING = Scoped("""
    SELECT count(*) FROM exchanges
    WHERE agent_id = :agent AND side = 'caller' AND status = 'pending' AND kind = :kind
        AND target = coalesce(CAST(:target AS TEXT), target)
        AND (kind <> 'ask' OR turns = 0)
        AND (expires_at > :now OR (expires_at IS NULL AND content <> ''))""")
EXCHANGE_OF_TURN = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges
    WHERE agent_id = :agent AND turn_id = :turn AND side = 'target' AND status = 'pending'""")
EXCHANGES_GIVEN = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges WHERE agent_id = :agent AND given_turn = :turn
    ORDER BY exchange_id""")
# Erased with the thread; with the primary also those whose thread was removed for its age.
EXCHANGES_OF_THREAD = Scoped(f"""
    SELECT {EXCHANGE} FROM exchanges WHERE agent_id = :agent
        AND (thread_id = :ref OR (thread_id IS NULL AND :orphans = 1))
    ORDER BY exchange_id""")

# An exchange has two sides, and what becomes of one becomes of the other.
EXCHANGE_SIDES = Across(f"""
    SELECT {EXCHANGE} FROM exchanges WHERE pair = :pair ORDER BY agent_id, side""")
EXCHANGES_DUE = Across(f"""
    SELECT {EXCHANGE} FROM exchanges
    WHERE status = 'pending' AND expires_at <= :now AND side = 'caller'
    ORDER BY expires_at, exchange_id LIMIT :limit""")
