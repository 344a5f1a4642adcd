"""Transactions: all or nothing, one state to read, nobody's failure but one's own."""

from __future__ import annotations

import threading

import pytest

from everthread.domain.errors import EverthreadError, StoreBusy, StoreClosed
from everthread.ports import Records, Store

from .rows import NOON, PATIENCE, a_draft, agent_in, append, run_together, thread_in
from .timeline import all_entries, is_chained


class Spoilt(Exception):
    """What the work of these tests raises."""


class WritingPromises:
    def test_work_that_fails_changes_nothing(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft("kept"))
        before = store.read(lambda r: list(r.audit.dump(scope)))

        def work(records: Records) -> None:
            held = records.threads.hold(scope, thread.ref)
            drafts = [a_draft("lost"), a_draft("long " * 3_000)]
            records.messages.append(scope, held, drafts, session=None, turn=None, now=NOON)
            records.agents.add("eve", window=1, now=NOON)
            raise Spoilt

        with pytest.raises(Spoilt):
            store.write(work)
        assert store.read(lambda r: list(r.audit.dump(scope))) == before
        assert [a.name for a in store.read(lambda r: r.agents.all())] == ["ada"]
        append(store, scope, thread, a_draft("next"))
        assert is_chained(all_entries(store, scope))

    def test_what_the_work_returns_is_returned(self, store: Store) -> None:
        marker = object()
        assert store.write(lambda _: marker) is marker
        assert store.read(lambda _: marker) is marker

    def test_work_sees_its_own_writes(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)

        def work(records: Records) -> int:
            held = records.threads.hold(scope, thread.ref)
            records.messages.append(scope, held, [a_draft("x")], session=None, turn=None, now=NOON)
            return len(records.messages.newest(scope, thread.ref, limit=9))

        assert store.write(work) == 1

    def test_reading_changes_nothing(self, store: Store) -> None:
        scope = agent_in(store)
        with pytest.raises(EverthreadError):
            store.read(lambda r: r.agents.add("eve", window=1, now=NOON))
        with pytest.raises(EverthreadError):
            store.read(lambda r: r.jobs.add("k", "{}", due_at=NOON, now=NOON))
        assert [a.name for a in store.read(lambda r: r.agents.all())] == ["ada"]
        thread_in(store, scope)  # and writing goes on

    def test_reading_that_fails_leaves_the_store_as_it_was(self, store: Store) -> None:
        scope = agent_in(store)

        def work(_: Records) -> None:
            raise Spoilt

        for _ in range(3):
            with pytest.raises(Spoilt):
                store.read(work)
        thread_in(store, scope)
        assert len(store.read(lambda r: r.threads.all(scope))) == 1

    def test_a_reader_sees_one_state_while_others_write(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        writer = threading.Thread(
            target=append, args=(store, scope, thread, a_draft("late")), daemon=True
        )

        def look_twice(records: Records) -> tuple[int, int]:
            first = len(records.messages.newest(scope, thread.ref, limit=9))
            writer.start()
            writer.join(0.2)  # a store may make it wait for the end of this reading
            return first, len(records.messages.newest(scope, thread.ref, limit=9))

        assert store.read(look_twice) == (0, 0)
        writer.join(PATIENCE)
        assert len(store.read(lambda r: r.messages.newest(scope, thread.ref, limit=9))) == 1

    def test_what_was_written_is_read_at_once_by_everyone(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        wrong: list[int] = []

        def write_and_read() -> None:
            for _ in range(10):
                (message,) = append(store, scope, thread, a_draft("x"))
                seen = store.read(lambda r: r.threads.get(scope, thread.ref)).last_seq
                if seen < message.seq:
                    wrong.append(seen)

        assert run_together(*[write_and_read] * 4) == []
        assert wrong == []

    def test_a_failing_writer_takes_nobody_with_it(self, store: Store) -> None:
        """Twelve wait for the same commit, four of them fail (R-34)."""
        scope = agent_in(store)
        threads = [thread_in(store, scope, f"k{i}") for i in range(12)]
        queued = threading.Event()

        def slow(records: Records) -> None:
            queued.wait(0.3)
            records.agents.calibrate(scope, "m", "{}", now=NOON)

        def work(i: int) -> None:
            if i == 0:
                store.write(slow)

            def one(records: Records) -> None:
                held = records.threads.hold(scope, threads[i].ref)
                records.messages.append(
                    scope, held, [a_draft(str(i))], session=None, turn=None, now=NOON
                )
                if i % 3 == 1:
                    raise Spoilt(str(i))

            store.write(one)

        raised = run_together(*[lambda i=i: work(i) for i in range(12)])
        assert sorted(str(error) for error in raised) == ["1", "10", "4", "7"]
        assert {type(error) for error in raised} == {Spoilt}
        counts = [store.read(lambda r, t=t: r.threads.get(scope, t.ref)) for t in threads]
        assert [t.message_count for t in counts] == [int(i % 3 != 1) for i in range(12)]
        assert is_chained(all_entries(store, scope))

    def test_many_writers_lose_nothing(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)

        def write(i: int) -> None:
            for n in range(25):
                append(store, scope, thread, a_draft(f"{i}-{n}"))

        assert run_together(*[lambda i=i: write(i) for i in range(8)]) == []
        read = store.read(lambda r: r.messages.newest(scope, thread.ref, limit=999))
        assert sorted(m.seq for m in read) == list(range(1, 201))
        assert {m.content for m in read} == {f"{i}-{n}" for i in range(8) for n in range(25)}
        # Each writer's own messages are in the order it wrote them.
        for i in range(8):
            own = [m.content for m in read if m.content.startswith(f"{i}-")]
            assert own == [f"{i}-{n}" for n in range(25)]
        assert is_chained(all_entries(store, scope))

    def test_who_would_not_wait_for_others_is_told_that_they_write(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        held, told = threading.Event(), threading.Event()

        def holds(records: Records) -> None:
            records.threads.hold(scope, thread.ref)
            held.set()
            assert told.wait(PATIENCE), "nobody waits for this one"

        def hurries() -> None:
            assert held.wait(PATIENCE)
            with pytest.raises(StoreBusy):
                store.write_soon(lambda r: r.threads.hold(scope, thread.ref), 0.05)
            told.set()

        assert run_together(lambda: store.write(holds), hurries) == []
        assert store.write_soon(lambda r: r.threads.hold(scope, thread.ref), 0.05) == thread

    def test_a_store_says_where_it_is_and_how_large(self, store: Store) -> None:
        assert store.location
        sizes = store.size()
        assert sizes
        assert all(size >= 0 for size in sizes.values())

    def test_a_closed_store_says_so(self, store: Store) -> None:
        agent_in(store)
        store.close()
        store.close()
        with pytest.raises(StoreClosed):
            store.read(lambda r: r.agents.all())
        with pytest.raises(StoreClosed):
            store.write(lambda r: r.agents.add("eve", window=1, now=NOON))
