"""Distillations and their receipts, what the agent is given, and what was injected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.errors import TurnUnknown
from everthread.edges.documents.recall import context_document, injected_document, knew_document
from everthread.edges.documents.receipts import (
    receipt_document,
    reversal_document,
    shown_document,
    sources_of,
)
from everthread.edges.http import inputs

if TYPE_CHECKING:
    from everthread.edges.http.call import Call

Document = dict[str, Any]

LONGEST_NUMBER = 10


def distill(call: Call, wanted: inputs.Distill) -> Document:
    """Distill a thread now; the receipt says what became of it."""
    agent = call.agent
    receipt = agent.distill(thread=wanted.thread)
    key = agent.primary.key if wanted.thread is None else wanted.thread
    return receipt_document(receipt, agent.name, {receipt.thread_ref: key})


def list_receipts(call: Call, wanted: inputs.OnThread) -> Document:
    """What was distilled, newest first."""
    agent, limit = call.agent, wanted.limit
    keys = {thread.ref: thread.key for thread in agent.threads()}
    found = agent.receipts(limit=limit + 1, thread=wanted.thread)
    return {
        "agent": agent.name,
        "score_threshold": call.engine.house.policy.score_threshold,
        "receipts": [receipt_document(each, agent.name, keys) for each in found[:limit]],
        "more": len(found) > limit,
    }


def show_receipt(call: Call, _asked: inputs.Asked) -> Document:
    """One receipt with its sentences, their sources and what was struck."""
    agent = call.agent
    shown = agent.receipt(call.path["receipt"])
    sources = sources_of(call.engine, agent, shown.sentences)
    return shown_document(shown, agent.name, sources)


def undo(call: Call, wanted: inputs.DryRun) -> Document:
    """Take a distillation back everywhere it touched; `dry_run` only says what would be."""
    receipt = call.agent.receipt(call.path["receipt"]).receipt
    return reversal_document(call.engine.undo(receipt.id, dry_run=wanted.dry_run))


def redo(call: Call, wanted: inputs.DryRun) -> Document:
    """Put a distillation that was undone back in force."""
    receipt = call.agent.receipt(call.path["receipt"]).receipt
    return reversal_document(call.engine.redo(receipt.id, dry_run=wanted.dry_run))


def dismiss(call: Call, _asked: inputs.Asked) -> Document:
    """Take note that nobody misses what it lost: `status` and `doctor` name it no more."""
    agent = call.agent
    receipt = agent.dismiss(call.path["receipt"])
    keys = {thread.ref: thread.key for thread in agent.threads()}
    return receipt_document(receipt, agent.name, keys)


def context(call: Call, wanted: inputs.ContextOf) -> Document:
    """What the agent is given: what a turn that begins now would find, or what it was at that turn."""
    state = call.agent.working_state(thread=wanted.thread)
    return {**_request(call, wanted.at, wanted.call, wanted.thread), "working_state": state}


def sent(call: Call, wanted: inputs.SentIn) -> Document:
    """What was sent in a turn, rebuilt: the last request of it, or that call."""
    found = _request(call, _number(call), wanted.call, wanted.thread)
    return {**found, "working_state": None}


def _request(call: Call, at: int | None, number: int | None, thread: str | None) -> Document:
    agent = call.agent
    found = agent.context(at, call=number, thread=thread)
    key = agent.primary.key if thread is None else thread
    return {"agent": agent.name, "thread": key, **context_document(found)}


def injections(call: Call, wanted: inputs.Injections) -> Document:
    """What was injected beside the user's words, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.injections(turn=wanted.turn, session=wanted.session, limit=limit + 1)
    told = [injected_document(each) for each in found[:limit]]
    return {"agent": agent.name, "injections": told, "more": len(found) > limit}


def knew(call: Call, _asked: inputs.Asked) -> Document:
    """What the agent knew at that turn of its primary thread."""
    agent = call.agent
    return {"agent": agent.name, **knew_document(agent.knew(_number(call)))}


def _number(call: Call) -> int:
    number = call.path["number"]
    if not number.isascii() or not number.isdecimal() or len(number) > LONGEST_NUMBER:
        raise TurnUnknown("a turn is named by its number")
    return int(number)
