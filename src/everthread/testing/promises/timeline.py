"""The timeline: every row is sealed, and the seals are chained."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.timeline import GENESIS, Entry, digest_of, link
from everthread.ports import Records, Store

from .rows import NOON, a_draft, agent_in, append, run_together, session_in, thread_in, turn_in


def is_chained(entries: list[Entry]) -> bool:
    """Does each entry follow from the one before?"""
    previous = GENESIS
    for n, entry in enumerate(entries, 1):
        if entry.n != n or entry.hash != link(previous, *entry[:4], entry.digest):
            return False
        previous = entry.hash
    return True


def all_entries(store: Store, scope: Scope) -> list[Entry]:
    return list(store.read(lambda r: r.timeline.page(scope, after=0, limit=100_000)))


class TimelinePromises:
    def test_every_row_has_an_entry_and_the_entries_are_chained(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session = session_in(store, scope, thread)
        turn = turn_in(store, scope, session)
        append(store, scope, thread, a_draft("a"), a_draft("b"), session=session, turn=turn)
        store.write(lambda r: r.turns.close(scope, turn._replace(state="done", closed_ms=NOON)))
        store.write(lambda r: r.sessions.move(scope, session, "complete", now=NOON))
        entries = all_entries(store, scope)
        assert [entry.event for entry in entries] == [
            "agent.created",
            "thread.opened",
            "session.opened",
            "turn.opened",
            "message",
            "message",
            "turn.done",
            "session.complete",
        ]
        assert is_chained(entries)
        assert store.read(lambda r: r.timeline.head(scope)) == (8, entries[-1].hash)

    def test_an_entry_seals_the_row_it_speaks_of(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        (message,) = append(store, scope, thread, a_draft("sealed"))
        (entry,) = store.read(lambda r: r.timeline.page(scope, after=message.entry - 1, limit=1))
        row = store.read(lambda r: r.audit.row(scope, "message", message.key))
        assert row is not None
        assert entry.salt is not None
        assert (entry.subject, row[0]) == (message.key, entry.n)
        assert entry.digest == digest_of(entry.salt, row[1])
        assert "sealed" in row[1]

    def test_two_equal_messages_have_different_digests(self, store: Store) -> None:
        """A digest says nothing about a text that one could guess (R-33)."""
        scope = agent_in(store)
        append(store, scope, thread_in(store, scope), a_draft("same"), a_draft("same"))
        digests = [e.digest for e in all_entries(store, scope)]
        assert len(set(digests)) == len(digests)

    def test_the_timeline_is_read_in_pages_and_from_its_end(self, store: Store) -> None:
        scope = agent_in(store)
        append(store, scope, thread_in(store, scope), *(a_draft(str(i)) for i in range(8)))
        page = store.read(lambda r: r.timeline.page(scope, after=4, limit=3))
        assert [entry.n for entry in page] == [5, 6, 7]
        newest = store.read(lambda r: r.timeline.newest(scope, limit=3))
        assert [entry.n for entry in newest] == [8, 9, 10]
        assert store.read(lambda r: r.timeline.page(scope, after=10, limit=3)) == []

    def test_what_happened_to_one_row_is_told_in_order(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        one, two = session_in(store, scope, thread), session_in(store, scope, thread)
        store.write(lambda r: r.sessions.move(scope, one, "suspended", now=NOON))
        store.write(lambda r: r.sessions.move(scope, two, "complete", now=NOON))
        events = store.read(lambda r: r.timeline.about(scope, one.key_id))
        assert [entry.event for entry in events] == ["session.opened", "session.suspended"]

    def test_each_agent_has_its_own_chain(self, store: Store) -> None:
        """(R-33, R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        for scope in (ada, bob, ada):
            append(store, scope, thread_in(store, scope), a_draft("x"))
        assert [e.n for e in all_entries(store, ada)] == [1, 2, 3, 4]
        assert [e.n for e in all_entries(store, bob)] == [1, 2, 3]
        assert is_chained(all_entries(store, bob))

    def test_one_transaction_can_write_to_two_chains(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")

        def both(records: Records) -> None:
            for scope in (ada, bob, ada):
                records.threads.add(scope, key=f"k{scope.agent}", kind="background", now=NOON)
                records.agents.calibrate(scope, "m", "{}", now=NOON)

        store.write(both)
        assert [e.event for e in all_entries(store, ada)] == ["agent.created", "thread.opened"]
        assert is_chained(all_entries(store, ada))
        assert is_chained(all_entries(store, bob))

    def test_the_chain_holds_when_many_write_at_once(self, store: Store) -> None:
        """Numbers are assigned inside the insert (R-33)."""
        scope = agent_in(store)
        threads = [thread_in(store, scope, f"k{i}") for i in range(4)]

        def ten(i: int) -> None:
            for n in range(10):
                append(store, scope, threads[i], a_draft(f"{i} {n}"))

        assert run_together(*[lambda i=i: ten(i) for i in range(4)]) == []
        entries = all_entries(store, scope)
        assert len(entries) == 45
        assert is_chained(entries)
