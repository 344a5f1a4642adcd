"""Rewrite: what was forgotten leaves the files too, and what waits to be written to them."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.daily_additions import Lines
from everthread.domain.distilling.receipts import Intent, Receipt, SummaryRow
from everthread.domain.gleaning.digest import Digest
from everthread.ports import Flush, FlushResult, House, Records
from everthread.services.distilling.composed_summary import ComposedSummary
from everthread.services.distilling.flush import (
    carry_out,
    flushed_ms,
    intend,
    order_in,
    order_of,
    payload_of,
    settle,
)
from everthread.services.distilling.lease import ask_again
from everthread.services.distilling.memory_file import managed_now

log = logging.getLogger("everthread")

MOST_INTENTS = 10_000

EDITED = "forget: a section that someone edited was left as it is"


class RenewedSummary(NamedTuple):
    """A receipt whose summary held it, and how that reads from now on."""

    receipt: Receipt
    composed: ComposedSummary
    held: SummaryRow | None
    """Its newest summary, if that held it; otherwise only earlier ones did."""
    before: Digest
    """What it stands on top of, as that reads from now on."""


def renew_intents(
    house: House, records: Records, scope: Scope, renewed: Sequence[tuple[Thread, RenewedSummary]]
) -> list[Intent]:
    """What waits to be written loses it, and what was written is written anew."""
    kept = managed_now(house, records, scope)
    made: Lines = {}
    orders = {
        each.receipt.ref: _order(records, scope, thread, each, kept, made)
        for thread, each in renewed
    }
    for intent in records.intents.open(limit=MOST_INTENTS):
        if intent.agent_ref == scope.agent:
            _refresh(house, records, scope, intent, kept, anew=orders)
    intents = [
        intend(house, records, scope, each.receipt, orders[each.receipt.ref], "write")
        for _, each in renewed
        if each.receipt.standing and house.workspace is not None
    ]
    if intents:
        ask_again(house, records)
    return intents


def _refresh(
    house: House,
    records: Records,
    scope: Scope,
    intent: Intent,
    kept: str | None,
    *,
    anew: Collection[int],
) -> None:
    """An intent that waits holds the words it is to write: they must not wait there."""
    now = house.clock.now()
    receipt = records.receipts.get(scope, intent.receipt_ref)
    if intent.what == "write" and receipt.ref in anew and receipt.standing:
        records.intents.settle(scope, intent, "void", error=intent.error, now=now)
        return
    order, place = order_in(intent.payload)
    order = order._replace(managed=kept)
    if receipt.outcome == "failed" or receipt.ref in anew:
        # It will be taken out, for which nobody needs it: who redoes it may have written it already.
        order = order._replace(section="")
        ask_again(house, records)
    fresh = intent._replace(payload=payload_of(order, place))
    records.intents.settle(scope, fresh, "open", error=intent.error, now=now)


def _order(
    records: Records,
    scope: Scope,
    thread: Thread,
    each: RenewedSummary,
    kept: str | None,
    made: Lines,
) -> Flush:
    at = flushed_ms(records, scope, each.receipt)
    composed = each.composed._replace(before=each.before)
    return order_of(each.receipt, thread, composed, at=at, kept=kept, made=made)


def write_intents(house: House, agent: AgentRow, intents: Sequence[Intent]) -> bool:
    """Write what is to be written. Is all of it out of the files?"""
    done = [(intent, carry_out(house, agent, intent)) for intent in intents]
    for _, each in done:
        if each.edited:
            log.warning("%s: in %s", EDITED, ", ".join(each.paths))

    def work(records: Records) -> None:
        for intent, each in done:
            _settle_intent(house, records, intent, each)

    if done:
        # Should this process end before: what is open is written once more, and says the same.
        house.store.write(work)
    return all(each.ok and not each.edited for _, each in done)


def _settle_intent(house: House, records: Records, intent: Intent, done: FlushResult) -> None:
    """Settle the intent; what a person's hand keeps in a file is told on the receipt."""
    scope = Scope(intent.agent_ref)
    settle(house, records, scope, intent, done)
    records.memories.hold(scope)
    receipt = records.receipts.get(scope, intent.receipt_ref)
    if done.edited and EDITED not in receipt.errors:
        told = receipt._replace(errors_json=json.dumps([*receipt.errors, EDITED]))
        records.receipts.change(scope, told, "receipt.told", now=house.clock.now())
