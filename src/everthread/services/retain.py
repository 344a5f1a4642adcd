"""Housekeeping: ephemeral threads vanish after their time, abandoned turns count as failed."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.threads import gone
from everthread.domain.times import HOUR
from everthread.domain.turns import abandoned
from everthread.ports import House, Records

from .converse import close_abandoned

BATCH = 20

Pause = Callable[[], None]


def remove_ephemeral(house: House, pause: Pause) -> int:
    """Remove every ephemeral thread whose last activity is long enough ago; how many went."""
    removed = 0
    while batch := house.store.write(lambda r: _remove_some(house, r)):
        removed += batch
        pause()
    return removed


def _remove_some(house: House, records: Records) -> int:
    now, hours = house.clock.now(), house.policy.ephemeral_hours
    idle = records.threads.idle_ephemeral(before=now - int(hours * HOUR), limit=BATCH)
    for scope, seen in idle:
        thread = records.threads.hold(scope, seen.ref)
        # Someone may have spoken on it between the look and the lock.
        if gone(thread.last_activity_ms, now=now, hours=hours):
            records.threads.remove(scope, thread, now=now)
    return len(idle)


def sweep_turns(house: House, pause: Pause) -> int:
    """Close every open turn whose process is gone; how many there were."""
    swept = 0
    while batch := house.store.write(lambda r: _sweep_some(house, r)):
        swept += batch
        pause()
    return swept


def _sweep_some(house: House, records: Records) -> int:
    now = house.clock.now()
    left = records.turns.abandoned(now=now, limit=BATCH)
    closed = 0
    for scope, seen in left:
        records.threads.hold(scope, seen.thread_ref)
        turn = records.turns.get(scope, seen.ref)
        if turn.state == "open" and abandoned(turn.lease_until, now=now):
            close_abandoned(records, scope, turn, now)
            closed += 1
    return closed
