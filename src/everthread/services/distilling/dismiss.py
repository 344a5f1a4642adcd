"""Dismiss: a person does not miss what a distillation lost; it is named no more."""

from __future__ import annotations

import json

from everthread.domain.agents import Scope
from everthread.domain.distilling.continuity_refs import ItemRef
from everthread.domain.distilling.losses import DISMISSED, dismissed_items
from everthread.domain.distilling.receipts import Receipt
from everthread.ports import House, Records

from .missing import missing_items
from .receipts import find_receipt


def dismiss(house: House, scope: Scope, name: object) -> Receipt:
    """Take note that nobody misses what the receipt lost, and what is missing of the messages it hides.

    What a later score finds lost is named again: nobody has seen that yet.
    """

    named = house.store.read(lambda records: _named(records, scope, name))

    def work(records: Records) -> Receipt:
        records.memories.hold(scope)  # it may be scored at this moment
        receipt = find_receipt(records, scope, name)
        lost = () if receipt.score is None else receipt.score.lost_items
        known = dismissed_items([receipt])
        new = [ref for ref in dict.fromkeys((*lost, *named)) if ref not in known]
        if not new and DISMISSED in receipt.detail:
            return receipt
        every = [*receipt.detail.get(DISMISSED, ()), *map(list, new)]
        told = receipt._replace(detail_json=json.dumps({**receipt.detail, DISMISSED: every}))
        return records.receipts.change(scope, told, "receipt.dismissed", now=house.clock.now())

    return house.store.write(work)


def _named(records: Records, scope: Scope, name: object) -> list[ItemRef]:
    """What is named as missing of the messages that the receipt hides: it takes long, so no lock is held."""
    receipt = find_receipt(records, scope, name)
    thread = records.threads.get(scope, receipt.thread_ref)
    missing = missing_items(records, scope, thread)
    return [one.ref for one in missing if one.receipt.ref == receipt.ref]
