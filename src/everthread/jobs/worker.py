"""The worker: claims what is due, runs it, and answers for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from everthread.domain.checks import mend_text
from everthread.domain.errors import LeaseLost
from everthread.domain.jobs import Duty, Job, retry_delay
from everthread.domain.outages import is_outage
from everthread.domain.times import HOUR, MINUTE, SECOND
from everthread.services.job_names import DISTILL
from everthread.services.places import report_place

from .duties import DUTIES, HANDLERS, Handler, handlers_of
from .pause import REST_PER_WORK, Patience, Pause, WorkerLeaving, never_leaving

if TYPE_CHECKING:
    from everthread.ports import House, Records

LONGEST_NAP = MINUTE
KEEPS_PER_LEASE = 3

URGENT = (DISTILL,)
"""What is done in the middle of a job that can wait: a thread that fills up would soon let a turn wait."""
LOOK = 0.05
"""Seconds between two looks for what is urgent."""

LEFT_OFF = "left off: the program ended"


class Worker:
    """One at a time runs a job: a claim is a lease, and late owners are fenced off."""

    def __init__(
        self,
        house: House,
        *,
        handlers: Mapping[str, Handler] = HANDLERS,
        duties: Sequence[Duty] = DUTIES,
        rest: float = REST_PER_WORK,
    ) -> None:
        self._house = house
        self._handlers = handlers_of(handlers, house.here)
        self._duties = duties
        self._rest = rest
        self._patience = Patience()
        self._duties_at = 0
        self._present_at = 0
        self._spared: list[tuple[Job, str]] = []
        """Jobs that the store broke off and that are not put back: it is still away."""
        self._under_way: list[Job] = []
        """The job that it is at; before it the one that waits for it."""
        self._looked = 0.0
        self.on_duty = False
        """Was what it did last only a duty? Those come by themselves, and are no sign of work."""
        self.overdue: Callable[[], bool] = never_leaving
        """Is even the time over that is left for what is under way?"""
        self.leaving: Callable[[], bool] = never_leaving
        """Set by whoever runs it: is the program about to end?"""

    def step(self) -> bool:
        """Run one due job; False if there is none."""
        if self._rest and not self.leaving():
            self._patience.stand()
        self._put_back()
        self._schedule()
        job = self._claim(tuple(self._handlers))
        if job is None:
            return False
        self.on_duty = any(duty.name == job.kind for duty in self._duties)
        self._do(job)
        return True

    def has_jobs(self) -> bool:
        """Is there a job at all, due now or later?"""
        return self._house.store.read(lambda r: r.jobs.next_due(tuple(self._handlers))) is not None

    def nap(self) -> float:
        """Seconds until something may be due."""
        now, due = self._house.clock.now(), self._next_due()
        wake = now + LONGEST_NAP if due is None else due
        if self._duties:
            wake = min(wake, self._duties_at)
        return max(0.0, min(wake - now, LONGEST_NAP) / SECOND)

    def has_due(self) -> bool:
        """Is there a job to be done now?"""
        now, due = self._house.clock.now(), self._next_due()
        return due is not None and due <= now

    def _next_due(self) -> int | None:
        return self._house.store.read(lambda r: r.jobs.next_due(tuple(self._handlers)))

    @property
    def _lease(self) -> int:
        return int(self._house.policy.job_lease_seconds * SECOND)

    def _schedule(self) -> None:
        """Ask for the duties whose time has come; after downtime each is asked for once."""
        now = self._house.clock.now()
        if self._duties_at - LONGEST_NAP <= now < self._duties_at or not self._duties:
            return

        if not self._present_at - HOUR <= now < self._present_at:
            report_place(self._house)
            self._present_at = now + HOUR
        self._house.store.write(lambda records: self._ask(records, now))
        self._duties_at = now + min(duty.every_ms for duty in self._duties)

    def _ask(self, records: Records, now: int) -> None:
        for duty in records.jobs.due_duties(self._duties, now=now):
            records.jobs.add(duty.name, "{}", due_at=now, now=now, once="duty")

    def _claim(self, kinds: Sequence[str]) -> Job | None:
        house = self._house
        now = house.clock.now()
        due = house.store.read(lambda r: r.jobs.next_due(kinds))
        if due is None or due > now:
            return None
        until = now + self._lease
        return house.store.write(lambda r: r.jobs.claim(house.owner, kinds, now=now, until=until))

    def _do(self, job: Job) -> None:
        if job.attempts > self._house.policy.job_attempts:
            self._fail(job, RuntimeError("its worker died each time it ran"))
            return
        self._under_way.append(job)
        try:
            self._run(job)
        finally:
            self._under_way.pop()

    def _run(self, job: Job) -> None:
        house = self._house
        pause = Pause(
            lambda: house.store.write(self._hold),
            keep_every=house.policy.job_lease_seconds / KEEPS_PER_LEASE,
            rest=self._rest,
            patience=self._patience,
            leaving=self.leaving,
            overdue=self.overdue,
            between=self._do_urgent,
        )
        try:
            self._handlers[job.kind](house, job, pause)
            house.store.write(lambda r: r.jobs.finish(job))
        except LeaseLost:
            return  # another worker has it; what it does is idempotent
        except WorkerLeaving:
            # Whoever comes next need not wait until the lease runs out.
            now = house.clock.now()
            house.store.write(lambda r: r.jobs.spare(job, error=LEFT_OFF, due_at=now))
        except Exception as error:  # noqa: BLE001 - the outermost boundary of a job: recorded on it
            if is_outage(error):
                self._spared.append((job, _error_text(error)))
                self._put_back()
            else:
                self._fail(job, error)

    def _hold(self, records: Records) -> None:
        until = self._house.clock.now() + self._lease
        *waiting, job = self._under_way
        for other in waiting:
            # If that is lost, it is told so when it goes on.
            with suppress(LeaseLost):
                records.jobs.hold(other, until=until)
        records.jobs.hold(job, until=until)

    def _do_urgent(self) -> float:
        """A job that can wait lets what is urgent be done first; the seconds that this took."""
        began = time.monotonic()
        kinds = [kind for kind in URGENT if kind in self._handlers]
        if not kinds or len(self._under_way) > 1 or began - self._looked < LOOK:
            return 0.0
        self._looked = began
        urgent = self._claim(kinds)
        if urgent is not None:
            self._do(urgent)
        return time.monotonic() - began

    def _fail(self, job: Job, error: Exception) -> None:
        house = self._house
        over = job.attempts >= house.policy.job_attempts
        due = None if over else house.clock.now() + retry_delay(job.attempts)
        try:
            house.store.write(lambda r: r.jobs.retry(job, error=_error_text(error), due_at=due))
        except LeaseLost:
            return

    def _put_back(self) -> None:
        """What an outage broke off did not fail. It is due again as soon as the store can be told so."""
        while self._spared:
            self._spare(*self._spared[0])
            self._spared.pop(0)

    def _spare(self, job: Job, error: str) -> None:
        # By claims, not attempts: those are not counted, and it must not come back every second.
        due = self._house.clock.now() + retry_delay(job.fence)
        self._house.store.write(lambda r: r.jobs.spare(job, error=error, due_at=due))


def _error_text(error: Exception) -> str:
    return mend_text(f"{type(error).__name__}: {error}"[:2_000])
