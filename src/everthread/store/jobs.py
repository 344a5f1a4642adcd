"""Jobs and the schedule: claimed by compare-and-swap, fenced by a number that only grows."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.conversation.turns import LONGEST_LEASE
from everthread.domain.errors import LeaseLost
from everthread.domain.jobs import Duty, Job, is_due

from .link import Link
from .sql import statements as sql


class JobTable:
    def __init__(self, db: Link) -> None:
        self._db = db

    def add(
        self,
        kind: str,
        payload: str,
        *,
        due_at: int,
        now: int,
        agent: int | None = None,
        once: str | None = None,
    ) -> None:
        self._db.run(
            sql.JOB_ADD,
            None,
            kind=kind,
            payload=payload,
            due_at=due_at,
            now=now,
            agent=agent,
            once=once,
        )

    def cancel(self, kind: str, *, once: str) -> None:
        self._db.run(sql.JOB_CANCEL, None, kind=kind, once=once)

    def waits(self, kind: str, *, once: str) -> bool:
        return self._db.one(sql.JOB_WAITS, None, kind=kind, once=once) is not None

    def claim(self, owner: str, kinds: Sequence[str], *, now: int, until: int) -> Job | None:
        # A lease that far ahead was written under a wrong clock; nobody would ever outlive it.
        times = {"now": now, "absurd": now + LONGEST_LEASE}
        # A look at all of them first: there are dozens of kinds, and mostly a job of one.
        waiting = {kind for (kind,) in self._db.all(sql.JOBS_CLAIMABLE, None, **times)}
        for kind in kinds:
            if kind not in waiting:
                continue
            row = self._db.one(sql.JOB_CLAIM, None, owner=owner, kind=kind, until=until, **times)
            if row is not None:
                return Job._make(row)
        return None

    def hold(self, job: Job, *, until: int) -> None:
        self._fenced(
            job, self._db.run(sql.JOB_HOLD, None, ref=job.ref, fence=job.fence, until=until)
        )

    def finish(self, job: Job) -> None:
        self._fenced(job, self._db.run(sql.JOB_FINISH, None, ref=job.ref, fence=job.fence))

    def retry(self, job: Job, *, error: str, due_at: int | None) -> None:
        self._fenced(job, self._put_back(job, error, due_at))

    def spare(self, job: Job, *, error: str, due_at: int) -> None:
        self._db.run(sql.JOB_SPARE, None, ref=job.ref, fence=job.fence)
        self._put_back(job, error, due_at)

    def _put_back(self, job: Job, error: str, due_at: int | None) -> int:
        return self._db.run(
            sql.JOB_RETRY,
            None,
            ref=job.ref,
            fence=job.fence,
            error=error,
            state="dead" if due_at is None else "due",
            due_at=job.due_at if due_at is None else due_at,
        )

    def _fenced(self, job: Job, changed: int) -> None:
        if not changed:
            raise LeaseLost(f"job {job.ref} ({job.kind}) was taken over by another worker")

    def next_due(self, kinds: Sequence[str]) -> int | None:
        times = dict(self._db.all(sql.JOBS_NEXT, None))
        return min((times[kind] for kind in kinds if kind in times), default=None)

    def all(self) -> Sequence[Job]:
        return [Job._make(row) for row in self._db.all(sql.JOBS_ALL, None)]

    def note(self, name: str, *, now: int) -> None:
        self._db.run(sql.NOTE_SEEN, None, name=name, now=now)

    def noted(self, beginning: str) -> Sequence[tuple[str, int]]:
        rows = self._db.all(sql.NOTES_SEEN, None, beginning=beginning, length=len(beginning))
        return [(name, last) for name, last in rows]

    def unnote(self, name: str) -> None:
        self._db.run(sql.NOTE_DROP, None, name=name)

    def due_duties(self, duties: Sequence[Duty], *, now: int) -> Sequence[Duty]:
        return [duty for duty in duties if self._take_duty(duty, now)]

    def _take_duty(self, duty: Duty, now: int) -> bool:
        row = self._db.one(sql.DUTY_LAST, None, name=duty.name)
        if row is None:
            return self._db.run(sql.DUTY_FIRST, None, name=duty.name, now=now) == 1
        if not is_due(duty, row[0], now=now):
            return False
        return self._db.run(sql.DUTY_TAKE, None, name=duty.name, now=now, last=row[0]) == 1
