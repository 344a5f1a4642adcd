"""Receipts, and what undoing one does, as JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everthread.domain.ids import id_text
from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.distilling.continuity import Score
    from everthread.domain.distilling.receipts import Intent, Receipt, Sentence
    from everthread.engine import Agent, Everthread
    from everthread.services.distilling.itemize import ItemInWords
    from everthread.services.distilling.receipts import Shown
    from everthread.services.distilling.reversal import Reversal

Sources = Mapping[bytes, "Message"]
"""The messages that sentences came from, by id."""


def sources_of(engine: Everthread, agent: Agent, sentences: Sequence[Sentence]) -> Sources:
    """The messages that sentences came from; those that were erased since are not there."""
    from everthread.services.archive.sources import messages_of  # noqa: PLC0415 - `--help` needs none of it

    keys = [key for each in sentences for key in each.sources]
    return engine.house.store.read(lambda r: messages_of(r, agent.scope, keys))


def receipt_document(receipt: Receipt, agent: str, threads: Mapping[int, str]) -> dict[str, Any]:
    """A receipt in the fields that the requirements give it, and ours after them."""
    flushed = receipt.flush_succeeded
    return {
        "thread": threads.get(receipt.thread_ref),
        "agent": agent,
        "timestamp": text_of(receipt.closed_ms or receipt.opened_ms),
        "messages_before": receipt.messages_before,
        "messages_after": receipt.messages_after,
        "tokens_before": receipt.tokens_before,
        "tokens_after": receipt.tokens_after,
        "facts_extracted": receipt.facts_extracted,
        "decisions_extracted": receipt.decisions_extracted,
        "open_items_extracted": receipt.open_items_extracted,
        "flush_succeeded": None if flushed is None else bool(flushed),
        "errors": receipt.errors,
        **_own_fields(receipt),
    }


def _own_fields(receipt: Receipt) -> dict[str, Any]:
    detail = receipt.detail
    return {
        "id": receipt.id,
        "number": receipt.number,
        "outcome": receipt.outcome,
        "mode": receipt.mode,
        "distiller": receipt.distiller,
        "fired": receipt.fired,
        "score": None if receipt.score is None else _score_document(receipt.score),
        "struck": receipt.struck,
        "dropped": detail.get("dropped", {}),
        "timings_ms": detail.get("timings", {}),
        "spent": detail.get("spent"),
        "opened_at": text_of(receipt.opened_ms),
        "closed_at": None if receipt.closed_ms is None else text_of(receipt.closed_ms),
        "undone_at": None if receipt.undone_ms is None else text_of(receipt.undone_ms),
        "purged": _purged_document(detail.get("purged")),
    }


def _purged_document(purged: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What is kept of its messages that went when their age was over."""
    if purged is None:
        return None
    counts = {name: purged[name] for name in ("messages", "tokens", "hash")}
    return {**counts, "at": text_of(purged["at_ms"])}


def _score_document(score: Score) -> dict[str, Any]:
    return {
        "kept": round(score.kept, 4),
        "recoverable": round(score.recoverable, 4),
        "lost": round(score.lost, 4),
        "held": round(score.held, 4),
        "by_request_alone": None if score.second is None else round(score.second, 4),
        "items": score.items,
        "probes": score.probes,
        "unprobed": score.unprobed,
        "by_kind": {name: kind._asdict() for name, kind in score.by_kind.items()},
    }


def shown_document(shown: Shown, agent: str, sources: Sources) -> dict[str, Any]:
    """One receipt with all that belongs to it, as JSON."""
    receipt, thread = shown.receipt, shown.thread
    return {
        **receipt_document(receipt, agent, {thread.ref: thread.key}),
        "summary": shown.text,
        "hidden": [list(run) for run in shown.hidden],
        "sentences": [_sentence_document(each, sources) for each in shown.sentences],
        "flushes": [_intent_document(each) for each in shown.intents],
        "lost": [_item_document(each) for each in shown.lost],
        "recoverable": [_item_document(each) for each in shown.recoverable],
        "ended": [each._asdict() for each in shown.ended],
    }


def _item_document(item: ItemInWords) -> dict[str, Any]:
    return {**item._asdict(), "why": item.why or None}


def _sentence_document(sentence: Sentence, sources: Sources) -> dict[str, Any]:
    return {
        "section": sentence.section,
        "text": sentence.text,
        "shown": bool(sentence.shown),
        "verdict": sentence.verdict,
        "sources": [_source_document(key, sources.get(key)) for key in sentence.sources],
    }


def _source_document(key: bytes, message: Message | None) -> dict[str, Any]:
    if message is None:
        return {"id": id_text(key), "seq": None, "origin": None, "name": None, "at": None}
    return {
        "id": message.id,
        "seq": message.seq,
        "origin": message.origin,
        "name": message.name,
        "at": text_of(message.at_ms),
    }


def _intent_document(intent: Intent) -> dict[str, Any]:
    return {
        "what": intent.what,
        "state": intent.state,
        "attempts": intent.attempts,
        "error": intent.error,
        "created_at": text_of(intent.created_ms),
        "settled_at": None if intent.settled_ms is None else text_of(intent.settled_ms),
    }


def reversal_document(done: Reversal) -> dict[str, Any]:
    """What undoing or redoing did, or would do, as JSON."""
    return {
        "receipt": done.receipt.id,
        "number": done.receipt.number,
        "outcome": done.receipt.outcome,
        "dry_run": done.dry,
        "messages": done.messages,
        "tokens_before": done.tokens_before,
        "tokens_after": done.tokens_after,
        "limit": done.limit,
        "remade": list(done.remade),
        "memories": done.memories,
        "left": list(done.left),
        "left_why": list(done.left_why),
        "files": list(done.files),
        "warnings": list(done.warnings),
    }
