"""The end of an engine: what it is made of is let go in order, whether it is closed or only dropped.

Nothing in here knows the engine itself. Its threads run on what is here, and a program that drops an
engine without closing it drops it for good.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from everthread.domain.agents import Scope
from everthread.domain.errors import EverthreadError, StoreBusy
from everthread.domain.times import SECOND
from everthread.services.giving.tally import Tally, keep_late

from .limits import Aside, TimeLimit
from .pulse import Pulse

if TYPE_CHECKING:
    from everthread.ports import House, Records

log = logging.getLogger("everthread")

SOON = 0.3
"""Seconds that what was counted is worth a wait."""


class Teardown:
    """What an engine leaves behind."""

    def __init__(self, house: House, stop: Callable[[], None]) -> None:
        self.house = house
        self.over = False
        self.tally = Tally()
        self.limited = TimeLimit(house.policy.recall_seconds)
        self.pulse = Pulse(self._beat, lease_seconds=house.policy.turn_lease_seconds)
        self.aside = Aside()
        self._stop = stop

    def leave(self) -> None:
        """Stop what runs in the background, let go of open turns, close the store. Twice is once."""
        if self.over:
            return
        self.over = True
        self.aside.stop()
        left_open = self.pulse.stop()
        try:
            self._stop()
            self.limited.stop()
            self.flush()
            if left_open:
                # Whoever comes next need not wait for their leases to run out, not even by a clock set back.
                owner = self.house.owner
                self.house.store.write(lambda r: r.turns.renew(owner, left_open, until=0))
        finally:
            self.house.index.close()
            self.house.store.close()

    def flush(self, agent: int | None = None) -> None:
        """Write what was counted and waits, of one agent or all. What cannot be written is told and lost.

        Who only asked something need not wait for it, nor hear that it is lost, while others write.
        """
        waiting = self.tally.take_all(agent)
        for counted in () if self.house.only_reads else waiting:
            scope, now = Scope(counted.agent), self.house.clock.now()
            try:
                self.house.store.write_soon(
                    lambda r, s=scope, c=counted, n=now: keep_late(r, s, c, now=n), SOON
                )
            except StoreBusy as busy:
                log.info("what helped in a session was not written: %s", busy)
            except EverthreadError as trouble:
                log.warning("what helped in a session could not be written: %s", trouble)

    def _beat(self, living: Sequence[int], dropped: Sequence[int]) -> None:
        owner = self.house.owner
        until = self.house.clock.now() + int(self.house.policy.turn_lease_seconds * SECOND)

        def work(records: Records) -> None:
            if self.over:
                return  # a late beat must not take back what was let go of
            records.turns.renew(owner, living, until=until)
            records.turns.renew(owner, dropped, until=0)

        self.house.store.write(work)
