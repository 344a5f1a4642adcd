"""Unscored: distillations that never had their score and for which nobody asks; a few are asked for."""

from __future__ import annotations

import json

from everthread.domain.agents import Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.times import HOUR
from everthread.ports import House, Records
from everthread.services.job_names import SCORE

OLD = HOUR
"""Until then whoever distilled may still score it himself."""

FEW = 10
"""So many are asked for at once: what else is due does not wait for a whole old store."""

MOST = 10_000


def ask_unscored(house: House) -> int:
    """Ask for the scores that nobody asked for, the newest first; of how many."""
    now = house.clock.now()
    # To look through a store with thousands of them takes long: nobody who writes has to wait for it.
    missing = house.store.read(lambda r: _missing(r, before=now - OLD))

    def work(records: Records) -> None:
        for scope, receipt in missing:
            payload = json.dumps({"agent": scope.agent, "receipt": receipt.ref})
            once = str(receipt.ref)
            records.jobs.add(SCORE, payload, due_at=now, now=now, agent=scope.agent, once=once)

    if missing:
        house.store.write(work)
    return len(missing)


def _missing(records: Records, *, before: int) -> list[tuple[Scope, Receipt]]:
    due = records.receipts.unscored(before=before, limit=MOST)
    if not due:
        return []
    # Also those that were given up: that is told, and would only fail again.
    asked = {json.loads(job.payload)["receipt"] for job in records.jobs.all() if job.kind == SCORE}
    return [(scope, receipt) for scope, receipt in due if receipt.ref not in asked][:FEW]
