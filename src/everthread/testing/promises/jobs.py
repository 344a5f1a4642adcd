"""Jobs and duties: claimed by one, leased, fenced."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.errors import LeaseLost
from everthread.domain.jobs import Duty, Job
from everthread.domain.times import HOUR, MINUTE
from everthread.ports import Records, Store

from .rows import NOON, agent_in, run_together

LEASE = 60_000


def _ask(store: Store, payload: str = "{}", kind: str = "k", *, due_at: int = NOON) -> None:
    store.write(lambda r: r.jobs.add(kind, payload, due_at=due_at, now=NOON))


def _claim(store: Store, owner: str = "w1", *, now: int = NOON, kind: str = "k") -> Job | None:
    return store.write(lambda r: r.jobs.claim(owner, [kind], now=now, until=now + LEASE))


def _must_claim(store: Store, owner: str = "w1", *, now: int = NOON) -> Job:
    job = _claim(store, owner, now=now)
    assert job is not None
    return job


def _waits(store: Store) -> bool:
    return store.read(lambda r: r.jobs.waits("k", once="o"))


class JobPromises:
    def test_a_claimed_job_says_what_was_asked_for(self, store: Store) -> None:
        scope = agent_in(store)
        store.write(
            lambda r: r.jobs.add("k", '{"a":"é"}', due_at=NOON, now=NOON - 1, agent=scope.agent)
        )
        job = _must_claim(store)
        assert (job.kind, job.payload, job.agent_ref) == ("k", '{"a":"é"}', scope.agent)
        assert (job.state, job.owner, job.attempts) == ("running", "w1", 1)
        assert (job.lease_until, job.due_at, job.created_at) == (NOON + LEASE, NOON, NOON - 1)
        assert store.read(lambda r: r.jobs.all()) == [job]

    def test_jobs_are_claimed_in_the_order_they_are_due(self, store: Store) -> None:
        for payload, due_at in (("c", NOON), ("a", NOON - 9), ("d", NOON), ("b", NOON - 5)):
            _ask(store, payload, due_at=due_at)
        assert [_must_claim(store).payload for _ in range(4)] == ["a", "b", "c", "d"]
        assert _claim(store) is None

    def test_a_job_is_not_claimed_before_it_is_due(self, store: Store) -> None:
        _ask(store, due_at=NOON + 1)
        assert _claim(store) is None
        assert _claim(store, now=NOON + 1) is not None

    def test_a_worker_claims_only_what_it_can_do(self, store: Store) -> None:
        _ask(store, kind="other")
        assert _claim(store) is None
        assert store.write(lambda r: r.jobs.claim("w", [], now=NOON, until=NOON)) is None
        assert _claim(store, kind="other") is not None

    def test_kinds_that_are_named_first_are_claimed_first(self, store: Store) -> None:
        for kind, due_at in (("c", NOON - 9), ("a", NOON), ("later", NOON + 1), ("b", NOON - 5)):
            _ask(store, kind, kind, due_at=due_at)
        kinds, found = ("later", "none", "a", "b", "c"), list[str]()
        while job := store.write(lambda r: r.jobs.claim("w", kinds, now=NOON, until=NOON + LEASE)):
            found.append(job.kind)
        assert found == ["a", "b", "c"]

    def test_a_claimed_job_is_nobody_elses_while_its_lease_lasts(self, store: Store) -> None:
        _ask(store)
        _must_claim(store, "w1")
        assert _claim(store, "w2", now=NOON + LEASE - 1) is None

    def test_each_job_goes_to_one_of_many_who_claim_at_once(self, store: Store) -> None:
        for i in range(40):
            _ask(store, str(i))
        taken: list[str] = []

        def drain(owner: str) -> None:
            while (job := _claim(store, owner)) is not None:
                taken.append(job.payload)
                store.write(lambda r, j=job: r.jobs.finish(j))

        assert run_together(*[lambda i=i: drain(f"w{i}") for i in range(4)]) == []
        assert sorted(taken) == sorted(str(i) for i in range(40))

    def test_a_job_whose_owner_is_gone_is_taken_over_and_the_late_one_is_fenced(
        self, store: Store
    ) -> None:
        _ask(store)
        late = _must_claim(store, "w1")
        taker = _must_claim(store, "w2", now=NOON + LEASE)
        assert (taker.ref, taker.owner, taker.attempts) == (late.ref, "w2", 2)
        assert taker.fence > late.fence
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.hold(late, until=NOON + 9 * LEASE))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.finish(late))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.retry(late, error="late", due_at=NOON))
        assert store.read(lambda r: r.jobs.all()) == [taker]
        store.write(lambda r: r.jobs.finish(taker))
        assert store.read(lambda r: r.jobs.all()) == []
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.finish(taker))

    def test_a_late_owner_cannot_touch_a_newer_job(self, store: Store) -> None:
        """The place of a finished job is never given to another."""
        _ask(store)
        late = _must_claim(store, "w1")
        taker = _must_claim(store, "w2", now=NOON + LEASE)
        store.write(lambda r: r.jobs.finish(taker))
        _ask(store)
        newer = _must_claim(store, "w3")
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.finish(late))
        assert store.read(lambda r: r.jobs.all()) == [newer]

    def test_a_renewed_lease_lasts_longer(self, store: Store) -> None:
        _ask(store)
        job = _must_claim(store)
        store.write(lambda r: r.jobs.hold(job, until=NOON + 3 * LEASE))
        assert _claim(store, "w2", now=NOON + 2 * LEASE) is None
        store.write(lambda r: r.jobs.finish(job))

    def test_a_failed_job_is_due_again_later_and_keeps_its_error(self, store: Store) -> None:
        _ask(store)
        job = _must_claim(store)
        store.write(lambda r: r.jobs.retry(job, error="no luck", due_at=NOON + 500))
        assert _claim(store, now=NOON + 499) is None
        (waiting,) = store.read(lambda r: r.jobs.all())
        assert (waiting.state, waiting.error, waiting.owner) == ("due", "no luck", None)
        again = _must_claim(store, now=NOON + 500)
        assert again.attempts == 2
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.jobs.finish(job))

    def test_an_attempt_that_is_spared_is_not_counted(self, store: Store) -> None:
        _ask(store)
        job = _must_claim(store)
        for _ in range(2):  # told twice, as where the answer to the first was lost
            store.write(lambda r: r.jobs.spare(job, error="away", due_at=NOON + 500))
        assert _claim(store, now=NOON + 499) is None
        (waiting,) = store.read(lambda r: r.jobs.all())
        assert (waiting.state, waiting.error, waiting.owner) == ("due", "away", None)
        again = _must_claim(store, now=NOON + 500)
        assert (again.attempts, again.fence) == (1, job.fence + 1)

    def test_who_is_late_to_spare_an_attempt_leaves_the_job_to_whoever_has_it(
        self, store: Store
    ) -> None:
        _ask(store)
        late = _must_claim(store, "w1")
        taker = _must_claim(store, "w2", now=NOON + LEASE)
        store.write(lambda r: r.jobs.spare(late, error="away", due_at=NOON))
        (running,) = store.read(lambda r: r.jobs.all())
        assert (running.state, running.owner, running.attempts) == ("running", "w2", 1)
        store.write(lambda r: r.jobs.retry(taker, error="hopeless", due_at=None))
        store.write(lambda r: r.jobs.spare(late, error="away", due_at=NOON))
        (dead,) = store.read(lambda r: r.jobs.all())
        assert (dead.state, dead.attempts) == ("dead", 1)

    def test_a_job_that_is_given_up_stays_visible_and_is_never_claimed(self, store: Store) -> None:
        _ask(store)
        job = _must_claim(store)
        store.write(lambda r: r.jobs.retry(job, error="hopeless", due_at=None))
        assert _claim(store, now=NOON + 99 * HOUR) is None
        (dead,) = store.read(lambda r: r.jobs.all())
        assert (dead.state, dead.error) == ("dead", "hopeless")
        assert store.read(lambda r: r.jobs.next_due(["k"])) is None

    def test_what_is_asked_for_once_waits_once(self, store: Store) -> None:
        def ask(records: Records) -> None:
            records.jobs.add("k", "{}", due_at=NOON, now=NOON, once="o")

        assert not _waits(store)
        store.write(ask)
        store.write(ask)
        assert len(store.read(lambda r: r.jobs.all())) == 1
        assert _waits(store)
        job = _must_claim(store)
        assert not _waits(store)
        store.write(ask)  # what runs already may have missed the reason for this asking
        assert len(store.read(lambda r: r.jobs.all())) == 2
        store.write(lambda r: r.jobs.retry(job, error="x", due_at=NOON + 5))
        assert len(store.read(lambda r: r.jobs.all())) == 2

    def test_it_is_known_when_something_is_due_next(self, store: Store) -> None:
        assert store.read(lambda r: r.jobs.next_due(["k"])) is None
        _ask(store, due_at=NOON + 7)
        _ask(store, due_at=NOON + 5)
        _ask(store, kind="other", due_at=NOON + 1)
        assert store.read(lambda r: r.jobs.next_due(["k"])) == NOON + 5
        assert store.read(lambda r: r.jobs.next_due(["k", "other"])) == NOON + 1
        assert store.read(lambda r: r.jobs.next_due([])) is None

    def test_a_running_job_is_due_again_when_its_lease_ends(self, store: Store) -> None:
        _ask(store)
        _must_claim(store)
        assert store.read(lambda r: r.jobs.next_due(["k"])) == NOON + LEASE

    def test_a_job_goes_with_the_transaction_that_asked_for_it(self, store: Store) -> None:
        def work(records: Records) -> None:
            records.jobs.add("k", "{}", due_at=NOON, now=NOON)
            raise RuntimeError("changed its mind")

        with pytest.raises(RuntimeError, match="changed its mind"):
            store.write(work)
        assert store.read(lambda r: r.jobs.all()) == []


class DutyPromises:
    DUTIES = (Duty("minutely", MINUTE), Duty("hourly", HOUR))

    def _due(self, store: Store, now: int) -> list[str]:
        return [d.name for d in store.write(lambda r: r.jobs.due_duties(self.DUTIES, now=now))]

    def test_what_was_seen_is_noted_with_its_last_time(self, store: Store) -> None:
        """(X-23)"""
        assert self._due(store, NOON) == ["minutely", "hourly"]
        for name, at in (
            ("seen b%", NOON),
            ("seen a", NOON),
            ("other", NOON),
            ("seen a", NOON + 1),
        ):
            store.write(lambda r, n=name, t=at: r.jobs.note(n, now=t))
        assert list(store.read(lambda r: r.jobs.noted("seen "))) == [
            ("seen a", NOON + 1),
            ("seen b%", NOON),
        ]
        assert list(store.read(lambda r: r.jobs.noted("seen _"))) == []
        store.write(lambda r: r.jobs.unnote("seen a"))
        assert [n for n, _ in store.read(lambda r: r.jobs.noted("seen"))] == ["seen b%"]
        assert self._due(store, NOON) == [], "the times of duties are as they were"

    def test_a_duty_is_due_at_first_and_then_at_its_interval(self, store: Store) -> None:
        """(X-23)"""
        assert self._due(store, NOON) == ["minutely", "hourly"]
        assert self._due(store, NOON + MINUTE - 1) == []
        assert self._due(store, NOON + MINUTE) == ["minutely"]
        assert self._due(store, NOON + HOUR) == ["minutely", "hourly"]

    def test_after_downtime_each_duty_is_due_once(self, store: Store) -> None:
        """(X-23)"""
        self._due(store, NOON)
        assert self._due(store, NOON + 72 * HOUR) == ["minutely", "hourly"]
        assert self._due(store, NOON + 72 * HOUR + 1) == []

    def test_a_duty_is_given_to_one_of_many(self, store: Store) -> None:
        """(X-23)"""
        for now in (NOON, NOON + 2 * HOUR):
            given: list[str] = []

            def ask(now: int = now, given: list[str] = given) -> None:
                given.extend(self._due(store, now))

            assert run_together(*[ask] * 6) == []
            assert sorted(given) == ["hourly", "minutely"]

    def test_a_clock_that_stepped_back_does_not_silence_a_duty(self, store: Store) -> None:
        self._due(store, NOON)
        assert self._due(store, NOON - MINUTE) == ["minutely"]
