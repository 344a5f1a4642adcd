"""SQL of distillations; as in `statements`, every line names its scope."""

from __future__ import annotations

from .statements import MARK, Across, Scoped

RECEIPT = (
    "receipt_id, agent_id, id, thread_id, number, outcome, mode, distiller, owner, lease_until, "
    "turn_count, messages_before, messages_after, tokens_before, tokens_after, facts_extracted, "
    "decisions_extracted, open_items_extracted, flush_succeeded, struck, fired, detail, score, "
    "errors, opened_at, closed_at, undone_at, undone_seq, entry"
)
RECEIPT_ADD = Scoped("""
    INSERT INTO receipts (agent_id, id, thread_id, number, outcome, mode, distiller, owner,
        lease_until, turn_count, messages_before, messages_after, tokens_before, tokens_after,
        facts_extracted, decisions_extracted, open_items_extracted, flush_succeeded, struck, fired,
        detail, score, errors, opened_at, closed_at, undone_at, undone_seq, entry)
    VALUES (:agent, :id, :thread, :number, :outcome, :mode, :distiller, :owner,
        :lease_until, :turn_count, :messages_before, :messages_after, :tokens_before, :tokens_after,
        :facts, :decisions, :open_items, :flushed, :struck, :fired,
        :detail, :score, :errors, :opened, :closed, :undone, :undone_seq, :entry)
    RETURNING receipt_id""")
_CHANGING = """
        number = :number, outcome = :outcome, mode = :mode, distiller = :distiller,
        messages_before = :messages_before, messages_after = :messages_after,
        tokens_before = :tokens_before, tokens_after = :tokens_after, facts_extracted = :facts,
        decisions_extracted = :decisions, open_items_extracted = :open_items,
        flush_succeeded = :flushed, struck = :struck, fired = :fired, detail = :detail,
        score = :score, errors = :errors, closed_at = :closed, undone_at = :undone,
        undone_seq = :undone_seq, entry = :entry"""
RECEIPT_CHANGE = Scoped(f"""
    UPDATE receipts SET {_CHANGING} WHERE agent_id = :agent AND receipt_id = :ref""")
RECEIPT_CLOSE = Scoped(f"""
    UPDATE receipts SET {_CHANGING}
    WHERE agent_id = :agent AND receipt_id = :ref AND outcome = 'open' AND owner = :owner""")
RECEIPT_RENEW = Scoped("""
    UPDATE receipts SET lease_until = :until
    WHERE agent_id = :agent AND receipt_id = :ref AND outcome = 'open' AND owner = :owner""")
RECEIPT_GET = Scoped(
    f"SELECT {RECEIPT} FROM receipts WHERE agent_id = :agent AND receipt_id = :ref"
)
RECEIPT_FIND = Scoped(f"SELECT {RECEIPT} FROM receipts WHERE agent_id = :agent AND id = :id")
RECEIPT_IDS = Scoped("SELECT id FROM receipts WHERE agent_id = :agent")
RECEIPT_OPEN_ON = Scoped(f"""
    SELECT {RECEIPT} FROM receipts
    WHERE agent_id = :agent AND thread_id = :thread AND outcome = 'open'""")
RECEIPT_UNDONE = Scoped("""
    SELECT max(undone_seq) FROM receipts WHERE agent_id = :agent AND thread_id = :thread""")
RECEIPTS_OF = Scoped(f"""
    SELECT {RECEIPT} FROM receipts
    WHERE agent_id = :agent AND thread_id = :thread AND number IS NOT NULL ORDER BY number""")
RECEIPTS_NEWEST = Scoped(f"""
    SELECT {RECEIPT} FROM receipts WHERE agent_id = :agent
    ORDER BY receipt_id DESC LIMIT :limit""")
RECEIPTS_NEWEST_OF = Scoped(f"""
    SELECT {RECEIPT} FROM receipts WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY receipt_id DESC LIMIT :limit""")
# The plus: as with turns, the index of those that are open, and not all of them in order.
RECEIPTS_OPEN = Across(f"""
    SELECT {RECEIPT} FROM receipts WHERE outcome = 'open' ORDER BY +receipt_id LIMIT :limit""")
RECEIPTS_UNSCORED = Across(f"""
    SELECT {RECEIPT} FROM receipts
    WHERE score IS NULL AND mode = 'full' AND outcome IN ('ok', 'degraded')
        AND closed_at < :before AND errors NOT LIKE :never
    ORDER BY receipt_id DESC LIMIT :limit""")

SUMMARY = (
    "summary_id, id, thread_id, receipt_id, since_version, until_version, text_hash, digest_hash, "
    "tokens, created_at, entry"
)
SUMMARY_ADD = Scoped("""
    INSERT INTO summaries (agent_id, id, thread_id, receipt_id, since_version, until_version,
        text_hash, digest_hash, tokens, created_at, entry)
    VALUES (:agent, :id, :thread, :receipt, :since, :until, :text, :digest, :tokens, :now, :entry)
    RETURNING summary_id""")
SUMMARY_AT = Scoped(f"""
    SELECT {SUMMARY} FROM summaries
    WHERE agent_id = :agent AND thread_id = :thread AND since_version <= :version
        AND (until_version IS NULL OR until_version > :version)
    ORDER BY summary_id DESC LIMIT 1""")
SUMMARY_NEWEST_OF = Scoped(f"""
    SELECT {SUMMARY} FROM summaries WHERE agent_id = :agent AND receipt_id = :receipt
    ORDER BY summary_id DESC LIMIT 1""")
SUMMARIES_OF = Scoped(f"""
    SELECT {SUMMARY} FROM summaries WHERE agent_id = :agent AND thread_id = :thread
    ORDER BY summary_id""")
SUMMARY_END = Scoped("""
    UPDATE summaries SET until_version = :until, entry = :entry
    WHERE agent_id = :agent AND summary_id = :ref""")
SUMMARY_EMPTY = Scoped("""
    UPDATE summaries SET text_hash = NULL, digest_hash = NULL, entry = :entry
    WHERE agent_id = :agent AND summary_id = :ref""")

SENTENCE = "summary_id, n, section, text, sources, verdict, shown"
SENTENCE_ADD = Scoped("""
    INSERT INTO summary_sentences (agent_id, summary_id, n, section, text, sources, verdict, shown)
    VALUES (:agent, :summary, :n, :section, :text, :sources, :verdict, :shown)""")
SENTENCES_OF = Scoped("""
    SELECT n, section, text, sources, verdict, shown FROM summary_sentences
    WHERE agent_id = :agent AND summary_id = :summary ORDER BY n""")
SENTENCES_END = Scoped("""
    DELETE FROM summary_sentences WHERE agent_id = :agent AND summary_id = :summary""")

INTENT = (
    "intent_id, agent_id, id, receipt_id, what, state, payload, attempts, error, created_at, "
    "settled_at"
)
INTENT_ADD = Scoped("""
    INSERT INTO intents (agent_id, id, receipt_id, what, state, payload, attempts, error, created_at)
    VALUES (:agent, :id, :receipt, :what, :state, :payload, :attempts, :error, :created)
    RETURNING intent_id""")
INTENTS_OF = Scoped(f"""
    SELECT {INTENT} FROM intents WHERE agent_id = :agent AND receipt_id = :receipt
    ORDER BY intent_id""")
INTENTS_OPEN = Across(f"""
    SELECT {INTENT} FROM intents WHERE state = 'open' ORDER BY intent_id LIMIT :limit""")
INTENT_SETTLE = Scoped("""
    UPDATE intents SET state = :state, payload = :payload, attempts = :attempts, error = :error,
        settled_at = :settled
    WHERE agent_id = :agent AND intent_id = :ref""")

SPENDING = "day, distiller, calls, input_tokens, output_tokens, micros"
SPEND = Scoped("""
    INSERT INTO spending (agent_id, day, distiller, calls, input_tokens, output_tokens, micros)
    VALUES (:agent, :day, :distiller, :calls, :input, :output, :micros)
    ON CONFLICT (agent_id, day, distiller) DO UPDATE SET
        calls = spending.calls + excluded.calls,
        input_tokens = spending.input_tokens + excluded.input_tokens,
        output_tokens = spending.output_tokens + excluded.output_tokens,
        micros = spending.micros + excluded.micros""")
# The cap is one for the whole store: it is one person's purse.
SPENT = Across("""
    SELECT day, distiller, CAST(sum(calls) AS BIGINT), CAST(sum(input_tokens) AS BIGINT),
        CAST(sum(output_tokens) AS BIGINT), CAST(sum(micros) AS BIGINT)
    FROM spending WHERE day = :day GROUP BY day, distiller ORDER BY distiller""")

# What a thread leaves behind when it goes.
SUMMARY_BODIES = Scoped("""
    SELECT text_hash, digest_hash FROM summaries WHERE agent_id = :agent AND thread_id = :ref""")
RECEIPT_ENTRIES = Scoped("""
    SELECT t.n FROM receipts r JOIN timeline t
        ON t.agent_id = :agent AND t.subject = r.id AND t.event <> 'message'
        WHERE r.agent_id = :agent AND r.thread_id = :ref
    UNION ALL SELECT t.n FROM summaries s JOIN timeline t
        ON t.agent_id = :agent AND t.subject = s.id AND t.event <> 'message'
        WHERE s.agent_id = :agent AND s.thread_id = :ref""")
RECEIPTS_LEAVE = Scoped("DELETE FROM receipts WHERE agent_id = :agent AND thread_id = :ref")
SUMMARIES_LEAVE = Scoped("DELETE FROM summaries WHERE agent_id = :agent AND thread_id = :ref")

# What a view shows. A thread that never ends gathers marks: only those of the messages that are shown
# are read whole, and of what is hidden no more than where it lies.
_ACTING = """
    agent_id = :agent AND thread_id = :thread AND since_version <= :version
    AND (until_version IS NULL OR until_version > :version)"""
MARKS_HIDING = Scoped(f"""
    SELECT from_seq, to_seq FROM marks WHERE {_ACTING} AND action = 'hide' ORDER BY from_seq""")
MARKS_SHORTENING = Scoped(f"""
    SELECT {MARK} FROM marks
    WHERE {_ACTING} AND action = 'shorten' AND from_seq BETWEEN :first AND :last
    ORDER BY from_seq, mark_id""")
