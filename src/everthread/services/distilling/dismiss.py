"""Dismiss: a person does not miss what a distillation lost; it is named no more."""

from __future__ import annotations

import json

from everthread.domain.agents import Scope
from everthread.domain.distilling.losses import DISMISSED, dismissed_items
from everthread.domain.distilling.receipts import Receipt
from everthread.ports import House, Records

from .missing import missing_items
from .receipts import find_receipt


def dismiss(house: House, scope: Scope, name: object) -> Receipt:
    """Take note that nobody misses what the receipt lost, and what is missing of the messages it hides.

    What a later score finds lost is named again: nobody has seen that yet.
    """

    def work(records: Records) -> Receipt:
        records.memories.hold(scope)  # it may be scored at this moment
        receipt = find_receipt(records, scope, name)
        thread = records.threads.get(scope, receipt.thread_ref)
        lost = () if receipt.score is None else receipt.score.lost_items
        named = [
            m.ref for m in missing_items(records, scope, thread) if m.receipt.ref == receipt.ref
        ]
        known = dismissed_items([receipt])
        new = [ref for ref in dict.fromkeys((*lost, *named)) if ref not in known]
        if not new and DISMISSED in receipt.detail:
            return receipt
        every = [*receipt.detail.get(DISMISSED, ()), *map(list, new)]
        told = receipt._replace(detail_json=json.dumps({**receipt.detail, DISMISSED: every}))
        return records.receipts.change(scope, told, "receipt.dismissed", now=house.clock.now())

    return house.store.write(work)
