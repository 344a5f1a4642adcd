"""Prune: old checkpoints go. Apart from what writes them: that is slow to load, and this comes by itself."""

from __future__ import annotations

from everthread.domain.times import DAY
from everthread.ports import House

PRUNED = 500
"""Checkpoints that one round of maintenance removes at most."""


def prune(house: House) -> int:
    """Remove what is older than its time, in bounded steps; how many went."""
    now = house.clock.now()
    before = now - int(house.policy.checkpoint_days * DAY)
    return house.store.write(lambda r: r.checkpoints.prune(before=before, now=now, limit=PRUNED))
