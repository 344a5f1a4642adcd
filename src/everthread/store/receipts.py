"""Receipts, summaries and intents: opened, closed, shown, withheld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.distilling.receipts import (
    NOT_ASKED,
    Intent,
    IntentState,
    Receipt,
    Sentence,
    Spending,
    SummaryRow,
)
from everthread.domain.errors import DistillationBusy, LeaseLost, ReceiptUnknown
from everthread.domain.ids import with_ending
from everthread.domain.timeline import receipt_facts, summary_facts

from .bodies import BodyTable
from .link import Link
from .sql import receipts as sql
from .timeline import TimelineTable


class ReceiptTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def add(self, scope: Scope, receipt: Receipt) -> Receipt:
        if receipt.outcome == "open" and self.open_on(scope, receipt.thread_ref) is not None:
            raise DistillationBusy("a distillation of this thread is under way already")
        event = f"receipt.{receipt.outcome if receipt.outcome != 'open' else 'opened'}"
        n = self._seal(scope, event, receipt, receipt.opened_ms)
        row = self._db.one(
            sql.RECEIPT_ADD,
            scope,
            id=receipt.key_id,
            thread=receipt.thread_ref,
            owner=receipt.owner,
            lease_until=receipt.lease_until,
            turn_count=receipt.turn_count,
            opened=receipt.opened_ms,
            **_changed_columns(receipt),
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        return receipt._replace(ref=row[0], agent_ref=scope.agent, entry=n)

    def close(self, scope: Scope, receipt: Receipt) -> Receipt:
        assert receipt.closed_ms is not None, "it is closed now"
        n = self._seal(scope, f"receipt.{receipt.outcome}", receipt, receipt.closed_ms)
        changed = self._db.run(
            sql.RECEIPT_CLOSE,
            scope,
            ref=receipt.ref,
            owner=receipt.owner,
            **_changed_columns(receipt),
            entry=n,
        )
        if not changed:
            raise LeaseLost("this distillation is no longer this process's: it was given up")
        return receipt._replace(entry=n)

    def change(self, scope: Scope, receipt: Receipt, event: str, *, now: int) -> Receipt:
        n = self._seal(scope, event, receipt, now)
        self._db.run(
            sql.RECEIPT_CHANGE, scope, ref=receipt.ref, **_changed_columns(receipt), entry=n
        )
        return receipt._replace(entry=n)

    def renew(self, scope: Scope, receipt: Receipt, *, until: int) -> None:
        fixed = {"ref": receipt.ref, "owner": receipt.owner, "until": until}
        if not self._db.run(sql.RECEIPT_RENEW, scope, **fixed):
            raise LeaseLost("this distillation is no longer this process's: it was given up")

    def get(self, scope: Scope, ref: int) -> Receipt:
        row = self._db.one(sql.RECEIPT_GET, scope, ref=ref)
        if row is None:
            raise ReceiptUnknown("there is no such receipt")
        return Receipt._make(row)

    def open_on(self, scope: Scope, thread: int) -> Receipt | None:
        row = self._db.one(sql.RECEIPT_OPEN_ON, scope, thread=thread)
        return None if row is None else Receipt._make(row)

    def of_thread(self, scope: Scope, thread: int) -> Sequence[Receipt]:
        return [Receipt._make(row) for row in self._db.all(sql.RECEIPTS_OF, scope, thread=thread)]

    def newest(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Receipt]:
        if thread is None:
            rows = self._db.all(sql.RECEIPTS_NEWEST, scope, limit=limit)
        else:
            rows = self._db.all(sql.RECEIPTS_NEWEST_OF, scope, thread=thread, limit=limit)
        return [Receipt._make(row) for row in rows]

    def ending(self, scope: Scope, digits: str) -> Sequence[Receipt]:
        ids = with_ending((raw for (raw,) in self._db.all(sql.RECEIPT_IDS, scope)), digits)
        rows = (self._db.one(sql.RECEIPT_FIND, scope, id=raw) for raw in ids)
        return [Receipt._make(row) for row in rows if row is not None]

    def undone_seq(self, scope: Scope, thread: int) -> int | None:
        row = self._db.one(sql.RECEIPT_UNDONE, scope, thread=thread)
        return None if row is None else row[0]

    def abandoned(self, *, limit: int) -> Sequence[tuple[Scope, Receipt]]:
        rows = self._db.all(sql.RECEIPTS_OPEN, None, limit=limit)
        return [(Scope(r.agent_ref), r) for r in map(Receipt._make, rows)]

    def unscored(self, *, before: int, limit: int) -> Sequence[tuple[Scope, Receipt]]:
        fixed = {"never": f"%{NOT_ASKED}%", "before": before, "limit": limit}
        rows = self._db.all(sql.RECEIPTS_UNSCORED, None, **fixed)
        return [(Scope(r.agent_ref), r) for r in map(Receipt._make, rows)]

    def _seal(self, scope: Scope, event: str, receipt: Receipt, at: int) -> int:
        return self._timeline.seal(scope, event, receipt.key_id, receipt_facts(receipt), at)

    def entries(self, scope: Scope, thread: int) -> list[int]:
        """The entries that speak of a thread's receipts and summaries."""
        return [n for (n,) in self._db.all(sql.RECEIPT_ENTRIES, scope, ref=thread)]

    def leave(self, scope: Scope, thread: int) -> None:
        """A thread goes: its receipts, summaries and intents go with it."""
        rows = self._db.all(sql.SUMMARY_BODIES, scope, ref=thread)
        BodyTable(self._db, self._timeline).release(
            scope, [h for row in rows for h in row if h is not None]
        )
        self._db.run(sql.SUMMARIES_LEAVE, scope, ref=thread)
        self._db.run(sql.RECEIPTS_LEAVE, scope, ref=thread)


class SummaryTable:
    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline
        self._bodies = BodyTable(db, timeline)

    def at(self, scope: Scope, thread: int, version: int) -> SummaryRow | None:
        row = self._db.one(sql.SUMMARY_AT, scope, thread=thread, version=version)
        return None if row is None else SummaryRow._make(row)

    def newest_of(self, scope: Scope, receipt: int) -> SummaryRow | None:
        row = self._db.one(sql.SUMMARY_NEWEST_OF, scope, receipt=receipt)
        return None if row is None else SummaryRow._make(row)

    def all(self, scope: Scope, thread: int) -> Sequence[SummaryRow]:
        rows = self._db.all(sql.SUMMARIES_OF, scope, thread=thread)
        return [SummaryRow._make(row) for row in rows]

    def add(
        self,
        scope: Scope,
        summary: SummaryRow,
        text: str,
        digest: str,
        sentences: Sequence[Sentence],
    ) -> SummaryRow:
        bodies = [body_of(text), body_of(digest)]
        self._bodies.put(scope, bodies)
        summary = summary._replace(text_hash=bodies[0].hash, digest_hash=bodies[1].hash)
        n = self._seal(scope, "summary.made", summary, sentences, summary.created_ms)
        row = self._db.one(
            sql.SUMMARY_ADD,
            scope,
            id=summary.key_id,
            thread=summary.thread_ref,
            receipt=summary.receipt_ref,
            since=summary.since_version,
            until=summary.until_version,
            text=summary.text_hash,
            digest=summary.digest_hash,
            tokens=summary.tokens,
            now=summary.created_ms,
            entry=n,
        )
        assert row is not None, "an insert returns its reference"
        stored = summary._replace(ref=row[0], entry=n)
        fixed = {"agent": scope.agent, "summary": stored.ref}
        rows = [{**fixed, **_sentence_columns(each)} for each in sentences]
        self._db.many(sql.SENTENCE_ADD, rows)
        return stored

    def end(self, scope: Scope, summary: SummaryRow, version: int, *, now: int) -> None:
        ended = summary._replace(until_version=version)
        n = self._seal(scope, "summary.ended", ended, self.sentences(scope, summary.ref), now)
        self._db.run(sql.SUMMARY_END, scope, ref=summary.ref, until=version, entry=n)

    def text(self, scope: Scope, summary: SummaryRow) -> str:
        return self._body(scope, summary.text_hash)

    def digest(self, scope: Scope, summary: SummaryRow) -> str:
        return self._body(scope, summary.digest_hash)

    def sentences(self, scope: Scope, summary: int) -> Sequence[Sentence]:
        rows = self._db.all(sql.SENTENCES_OF, scope, summary=summary)
        return [Sentence._make(row) for row in rows]

    def withhold(self, scope: Scope, summary: SummaryRow, *, now: int) -> None:
        held = [h for h in (summary.text_hash, summary.digest_hash) if h is not None]
        if not held:
            return
        earlier = [entry.n for entry in self._timeline.about(scope, summary.key_id)]
        empty = summary._replace(text_hash=None, digest_hash=None)
        n = self._seal(scope, "summary.withheld", empty, (), now)
        self._db.run(sql.SUMMARY_EMPTY, scope, ref=summary.ref, entry=n)
        self._db.run(sql.SENTENCES_END, scope, summary=summary.ref)
        self._bodies.release(scope, held)
        # Without their salts the digests tell nothing, not even to one who guesses the text.
        self._timeline.unsalt(scope, earlier)

    def _body(self, scope: Scope, key: bytes | None) -> str:
        return "" if key is None else self._bodies.get(scope, [key]).get(key, "")

    def _seal(
        self,
        scope: Scope,
        event: str,
        summary: SummaryRow,
        sentences: Sequence[Sentence],
        at: int,
    ) -> int:
        facts = summary_facts(summary, sentences)
        return self._timeline.seal(scope, event, summary.key_id, facts, at)


class IntentTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def add(self, scope: Scope, intent: Intent) -> Intent:
        row = self._db.one(
            sql.INTENT_ADD,
            scope,
            id=intent.key_id,
            receipt=intent.receipt_ref,
            what=intent.what,
            state=intent.state,
            payload=intent.payload,
            attempts=intent.attempts,
            error=intent.error,
            created=intent.created_ms,
        )
        assert row is not None, "an insert returns its reference"
        return intent._replace(ref=row[0], agent_ref=scope.agent)

    def of(self, scope: Scope, receipt: int) -> Sequence[Intent]:
        return [Intent._make(row) for row in self._db.all(sql.INTENTS_OF, scope, receipt=receipt)]

    def open(self, *, limit: int) -> Sequence[Intent]:
        return [Intent._make(row) for row in self._db.all(sql.INTENTS_OPEN, None, limit=limit)]

    def settle(
        self, scope: Scope, intent: Intent, state: IntentState, *, error: str | None, now: int
    ) -> Intent:
        settled = intent._replace(
            state=state,
            # What was written stands in its file; a copy here would outlive a forgetting.
            payload=intent.payload if state == "open" else "",
            attempts=intent.attempts + 1,
            error=error,
            settled_ms=None if state == "open" else now,
        )
        self._db.run(
            sql.INTENT_SETTLE,
            scope,
            ref=intent.ref,
            state=settled.state,
            payload=settled.payload,
            attempts=settled.attempts,
            error=settled.error,
            settled=settled.settled_ms,
        )
        return settled

    def spend(self, scope: Scope, spent: Spending) -> None:
        self._db.run(
            sql.SPEND,
            scope,
            day=spent.day,
            distiller=spent.distiller,
            calls=spent.calls,
            input=spent.input_tokens,
            output=spent.output_tokens,
            micros=spent.micros,
        )

    def spent(self, day: str) -> Sequence[Spending]:
        return [Spending._make(row) for row in self._db.all(sql.SPENT, None, day=day)]


def _sentence_columns(sentence: Sentence) -> dict[str, Any]:
    return {
        "n": sentence.n,
        "section": sentence.section,
        "text": sentence.text,
        "sources": sentence.sources_json,
        "verdict": sentence.verdict,
        "shown": int(sentence.shown),
    }


def _changed_columns(receipt: Receipt) -> dict[str, Any]:
    """The columns that a change may touch."""
    flushed = receipt.flush_succeeded
    return {
        "number": receipt.number,
        "outcome": receipt.outcome,
        "mode": receipt.mode,
        "distiller": receipt.distiller,
        "messages_before": receipt.messages_before,
        "messages_after": receipt.messages_after,
        "tokens_before": receipt.tokens_before,
        "tokens_after": receipt.tokens_after,
        "facts": receipt.facts_extracted,
        "decisions": receipt.decisions_extracted,
        "open_items": receipt.open_items_extracted,
        "flushed": None if flushed is None else int(flushed),
        "struck": receipt.struck,
        "fired": receipt.fired_json,
        "detail": receipt.detail_json,
        "score": receipt.score_json,
        "errors": receipt.errors_json,
        "closed": receipt.closed_ms,
        "undone": receipt.undone_ms,
        "undone_seq": receipt.undone_seq,
    }
