"""The check after a distillation: what does not look right in the view that it left."""

from __future__ import annotations

import logging

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.tokens import scale_budget
from everthread.domain.distilling.receipts import Receipt
from everthread.ports import House, Records
from everthread.services.archive.view import view_at

from .compose import FLOOR, most_room

log = logging.getLogger("everthread")

LITTLE = 0.2
"""A distillation that saves less than this was hardly worth it; of next to nothing none saves more."""

STILL_LARGE = 50_000
"""Tokens; a context that is larger after a distillation is worth a warning."""

LARGE = "Post-distillation context still large"
NO_SUMMARY = "No summary message found after distillation"
NO_STATE = "Working state lost during distillation"
NO_NOTES = "All agent notes lost during distillation"
FEW_SAVED = "only "
CHECKED = (LARGE, NO_SUMMARY, NO_STATE, NO_NOTES, FEW_SAVED)
"""How the warnings of the check begin."""


def check_view(house: House, records: Records, agent: AgentRow, receipt: Receipt) -> list[str]:
    """What does not look right after the view was changed. It only warns, and of what could be lost."""
    scope = Scope(agent.ref)
    thread = records.threads.get(scope, receipt.thread_ref)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    warnings: list[str] = []
    if thread.computed_context_tokens > scale_budget(STILL_LARGE, agent.window):
        size = thread.computed_context_tokens
        warnings.append(f"{LARGE}: {size} tokens")
    text = "" if view.summary is None else records.summaries.text(scope, view.summary)
    if receipt.mode == "full" and "Conversation Summary" not in text:
        warnings.append(NO_SUMMARY)
    had = receipt.detail.get("had", {})
    if had.get("state") and thread.working_state is None:
        warnings.append(NO_STATE)
    if had.get("notes") and not records.notes.all(scope, limit=1):
        warnings.append(NO_NOTES)
    saved = receipt.tokens_before - receipt.tokens_after
    # Of less than that, a summary may take the greater part.
    small = 2 * min(FLOOR, most_room(house, agent))
    if receipt.tokens_before > small and saved < LITTLE * receipt.tokens_before:
        warnings.append(saving_text(receipt))
    for warning in warnings:
        log.warning("%s: %s", agent.name, warning)
    return warnings


def saving_text(receipt: Receipt) -> str:
    """By the figures that the receipt shows."""
    saved = receipt.tokens_before - receipt.tokens_after
    return f"{FEW_SAVED}{saved:,} of {receipt.tokens_before:,} tokens were saved"
