"""Unscored: distillations that never had their score and for which nobody asks; a few are asked for."""

from __future__ import annotations

import json

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

    def work(records: Records) -> int:
        now = house.clock.now()
        due = records.receipts.unscored(before=now - OLD, limit=MOST)
        # Also those that were given up: that is told, and would only fail again.
        asked = {
            json.loads(job.payload)["receipt"] for job in records.jobs.all() if job.kind == SCORE
        }
        missing = [(scope, receipt) for scope, receipt in due if receipt.ref not in asked][:FEW]
        for scope, receipt in missing:
            payload = json.dumps({"agent": scope.agent, "receipt": receipt.ref})
            once = str(receipt.ref)
            records.jobs.add(SCORE, payload, due_at=now, now=now, agent=scope.agent, once=once)
        return len(missing)

    # A look first: most of the time there is none.
    before = house.clock.now() - OLD
    found = house.store.read(lambda r: r.receipts.unscored(before=before, limit=1))
    return house.store.write(work) if found else 0
