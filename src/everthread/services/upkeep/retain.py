"""Housekeeping: ephemeral threads vanish after their time, abandoned turns count as failed."""

from __future__ import annotations

from collections.abc import Callable

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import has_expired as outlived
from everthread.domain.conversation.turns import LONGEST_LEASE, TurnRow
from everthread.domain.times import HOUR
from everthread.ports import House, Records
from everthread.services.turns.abandon import close_abandoned, why_abandoned

BATCH = 20
MOST_OPEN = 1_000

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
        if outlived(thread.last_activity_ms, now=now, hours=hours):
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
    # First those whose lease ran out. Then whoever is gone before that: every lease ends some day.
    lapsed = records.turns.abandoned(now=now, limit=BATCH)
    seen = lapsed or _orphans(house, records, now)
    closed = 0
    for scope, found in seen:
        records.threads.hold(scope, found.thread_ref)
        turn = records.turns.get(scope, found.ref)
        why = why_abandoned(house, turn, now=now) if turn.state == "open" else None
        if why is not None:
            close_abandoned(records, scope, turn, why, now)
            closed += 1
    return closed


def _orphans(house: House, records: Records, now: int) -> list[tuple[Scope, TurnRow]]:
    """Some open turns whose process is certainly gone, although their lease still runs."""
    everyone = records.turns.abandoned(now=now + LONGEST_LEASE, limit=MOST_OPEN)
    gone = {owner for owner in {turn.owner for _, turn in everyone} if house.gone(owner)}
    return [(scope, turn) for scope, turn in everyone if turn.owner in gone][:BATCH]
