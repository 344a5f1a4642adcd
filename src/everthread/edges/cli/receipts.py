"""`receipts`: what was distilled, what is left of it, and where every sentence came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.ids import id_text
from everthread.domain.times import text_of

from .options import Choice, Ordered, agent_of, common, examples, opened
from .receipt_view import facts, receipt_view, receipts_table, sentence_views, trend_line
from .terminal import pairs, say, show, show_json

if TYPE_CHECKING:
    from everthread.domain.continuity import Score
    from everthread.domain.messages import Message
    from everthread.domain.receipts import Intent, Receipt, Sentence
    from everthread.engine import Agent, Everthread
    from everthread.services.receipts import Shown

Sources = Mapping[bytes, "Message"]

LIMIT = click.IntRange(1, 100_000)


@click.group(
    "receipts",
    cls=Ordered,
    invoke_without_command=True,
    short_help="What was distilled, what was kept and what was lost.",
    epilog=examples("everthread receipts --limit 5", "everthread receipts show 1a2b3c4d"),
)
@click.option("--thread", metavar="KEY", help="Only those of this thread.")
@click.option("--limit", type=LIMIT, default=50, show_default=True, help="How many at most.")
@common
def receipts(choice: Choice, thread: str | None, limit: int) -> None:
    """Every distillation leaves a receipt, also one that was refused, failed or was undone: newest
    first, with messages and tokens before and after and what of the conversation is kept in the
    context, can be recovered by a recall, or is lost.

    An ID is an id or any unique ending of it.
    """
    context = click.get_current_context()
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.receipts(limit=limit, thread=thread)
        keys = _keys(agent)
        threshold = engine.house.policy.score_threshold
    if choice.as_json:
        told = [receipt_document(each, agent.name, keys) for each in found]
        show_json({"agent": agent.name, "score_threshold": threshold, "receipts": told})
    elif found:
        show(receipts_table(found))
        show(*trend_line(found, threshold))
    else:
        say("nothing was distilled yet: `everthread distill` does it now")


@receipts.command(
    "show",
    short_help="One receipt: bars, sentences and their sources.",
    epilog=examples("everthread receipts show 1a2b3c4d"),
)
@click.argument("receipt", metavar="ID")
@common
def show_command(choice: Choice, receipt: str) -> None:
    """One receipt: what fired, what is kept, recoverable and lost, every sentence of the summary with
    the messages it came from, what was struck and why, timings, tokens, cost and files.
    """
    with opened(choice) as engine:
        agent = agent_of(engine, choice)
        shown = agent.receipt(receipt)
        sources = _sources(engine, agent, shown.sentences)
        workspace = engine.house.workspace
        folder = None if workspace is None else workspace.path(agent.name)
    if choice.as_json:
        show_json(shown_document(shown, agent.name, sources))
        return
    show(*receipt_view(shown.receipt, shown.thread.key))
    if shown.receipt.outcome != "refused":  # which did nothing else to tell of
        show("", pairs(list(facts(shown, folder))))
    for part in sentence_views(shown.sentences, sources, agent.name):
        show(*part)


def _refuse_options(context: click.Context) -> None:
    given = click.core.ParameterSource.COMMANDLINE
    for name in ("thread", "limit"):
        if context.get_parameter_source(name) is given:
            raise click.UsageError(f"--{name} goes with the list, not with one receipt")


def _keys(agent: Agent) -> Mapping[int, str]:
    return {thread.ref: thread.key for thread in agent.threads()}


def _sources(engine: Everthread, agent: Agent, sentences: Sequence[Sentence]) -> Sources:
    """The messages that sentences came from; those that were erased since are not there."""
    from everthread.services.sources import message_of  # noqa: PLC0415 - `--help` needs none of it

    keys = dict.fromkeys(key for each in sentences for key in each.sources)
    found = engine.house.store.read(
        lambda r: {key: message_of(r, agent.scope, key) for key in keys}
    )
    return {key: message for key, message in found.items() if message is not None}


# For programs -------------------------------------------------------------------------------------


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
        **_ours(receipt),
    }


def _ours(receipt: Receipt) -> dict[str, Any]:
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
    }


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
    }


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
