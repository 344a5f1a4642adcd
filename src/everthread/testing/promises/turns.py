"""Turns: one open on a thread, fenced by their owner; and marks."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.conversation.views import Action, Mark
from everthread.domain.errors import EverthreadError, LeaseLost, TurnUnknown
from everthread.ports import Store

from .rows import NOON, agent_in, closed_in, new_id, session_in, thread_in, turn_in


class TurnPromises:
    def test_a_stored_turn_comes_back_as_it_was(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        turn = turn_in(store, scope, session, system_hash=b"s" * 32, block_hash=b"b" * 32)
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == turn
        assert store.read(lambda r: r.turns.open_on(scope, session.thread_ref)) == turn
        assert store.read(lambda r: r.turns.numbered(scope, session.thread_ref, 1)) == turn
        assert store.read(lambda r: r.turns.numbered(scope, session.thread_ref, 2)) is None

    def test_an_unknown_turn_is_not_found(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        turn = turn_in(store, bob, session_in(store, bob, thread_in(store, bob)))
        assert store.read(lambda r: r.turns.open_on(ada, turn.thread_ref)) is None
        with pytest.raises(TurnUnknown):
            store.read(lambda r: r.turns.get(ada, turn.ref))

    def test_a_thread_has_one_open_turn(self, store: Store) -> None:
        """(R-6)"""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        first = turn_in(store, scope, session)
        with pytest.raises(EverthreadError):
            turn_in(store, scope, session, number=2)
        closed = first._replace(state="done", closed_ms=NOON)
        store.write(lambda r: r.turns.close(scope, closed))
        turn_in(store, scope, session, number=2)

    def test_an_open_turn_grows(self, store: Store) -> None:
        scope = agent_in(store)
        turn = turn_in(store, scope, session_in(store, scope, thread_in(store, scope)))
        grown = store.write(lambda r: r.turns.extend(scope, turn, last_seq=4, until=NOON + 99_000))
        assert (grown.last_seq, grown.lease_until) == (4, NOON + 99_000)
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == grown

    def test_a_turn_is_closed_once(self, store: Store) -> None:
        scope = agent_in(store)
        turn = turn_in(store, scope, session_in(store, scope, thread_in(store, scope)))
        done = turn._replace(state="done", last_seq=2, reported="{}", closed_ms=NOON + 1)
        stored = store.write(lambda r: r.turns.close(scope, done))
        assert stored._replace(entry=0) == done._replace(entry=0)
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == stored
        failed = turn._replace(state="failed", error="late", closed_ms=NOON + 2)
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.turns.close(scope, failed))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.turns.extend(scope, turn, last_seq=9, until=NOON))
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == stored

    def test_another_owner_is_fenced_off(self, store: Store) -> None:
        """(R-6)"""
        scope = agent_in(store)
        turn = turn_in(store, scope, session_in(store, scope, thread_in(store, scope)))
        stranger = turn._replace(owner="host:2:bb")
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.turns.extend(scope, stranger, last_seq=2, until=NOON))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.turns.close(scope, stranger._replace(state="done")))
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == turn

    def test_a_refused_closing_leaves_no_entry(self, store: Store) -> None:
        scope = agent_in(store)
        turn = turn_in(store, scope, session_in(store, scope, thread_in(store, scope)))
        head = store.read(lambda r: r.timeline.head(scope))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.turns.close(scope, turn._replace(state="done", owner="x")))
        assert store.read(lambda r: r.timeline.head(scope)) == head

    def test_a_process_renews_the_turns_it_names_if_they_are_open_and_its_own(
        self, store: Store
    ) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine = [
            turn_in(store, scope, session_in(store, scope, thread_in(store, scope, key)))
            for scope, key in ((ada, "one"), (ada, "two"), (bob, "one"), (bob, "two"))
        ]
        other = turn_in(
            store, ada, session_in(store, ada, thread_in(store, ada, "three")), owner="x"
        )
        done = mine[0]._replace(state="done", closed_ms=NOON)
        store.write(lambda r: r.turns.close(ada, done))
        named = [other.ref, *(turn.ref for turn in mine[:3])]
        assert store.write(lambda r: r.turns.renew("host:1:aa", named, until=NOON + 500_000)) == 2
        renewed = store.read(lambda r: r.turns.get(ada, mine[1].ref))
        assert renewed.lease_until == NOON + 500_000
        assert store.read(lambda r: r.turns.get(ada, other.ref)) == other
        assert store.read(lambda r: r.turns.get(bob, mine[3].ref)) == mine[3]
        assert store.write(lambda r: r.turns.renew("nobody", named, until=NOON)) == 0
        assert store.write(lambda r: r.turns.renew("host:1:aa", [], until=NOON)) == 0

    def test_a_turn_is_abandoned_once_its_lease_has_run_out(self, store: Store) -> None:
        """(R-6)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        early = turn_in(store, ada, session_in(store, ada, thread_in(store, ada)))
        late = turn_in(
            store, bob, session_in(store, bob, thread_in(store, bob)), lease_until=NOON + 90_000
        )
        lease = early.lease_until
        for now, expected in (
            (lease - 1, []),
            (lease, [(ada, early)]),
            (NOON + 90_000, [(ada, early), (bob, late)]),
        ):
            assert store.read(lambda r, n=now: r.turns.abandoned(now=n, limit=9)) == expected
        assert len(store.read(lambda r: r.turns.abandoned(now=NOON + 90_000, limit=1))) == 1

    def test_turns_are_listed_newest_first(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        for number in (1, 2, 3):
            turn = turn_in(store, scope, session, number=number)
            store.write(lambda r, t=turn: r.turns.close(scope, t._replace(state="done")))
        listed = store.read(lambda r: r.turns.all(scope, session.thread_ref, limit=2))
        assert [turn.number for turn in listed] == [3, 2]


class MarkPromises:
    def test_marks_come_back_in_the_order_of_what_they_hide(self, store: Store) -> None:
        """(R-42)"""
        scope = agent_in(store)
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        late = Mark(0, new_id(), thread.ref, None, "hide", 5, 9, 2, 4, None, 0)
        early = Mark(0, new_id(), thread.ref, 7, "shorten", 1, 3, 1, None, None, 0)
        late = store.write(lambda r: r.marks.add(scope, late, now=NOON))
        early = store.write(lambda r: r.marks.add(scope, early, now=NOON))
        assert store.read(lambda r: r.marks.of(scope, thread.ref)) == [early, late]
        assert store.read(lambda r: r.marks.of(scope, other.ref)) == []
        bob = agent_in(store, "bob")
        assert store.read(lambda r: r.marks.of(bob, thread.ref)) == []

    def test_what_a_version_of_the_view_hides_is_told_in_runs(self, store: Store) -> None:
        """As it was before a mark, while it acts, and after its end (R-15, R-42)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        for first, last, since, until, on in (
            (1, 4, 1, None, thread),
            (5, 9, 2, 4, thread),
            (8, 12, 2, None, thread),
            (20, 20, 3, None, thread),
            (30, 40, 1, None, other),
        ):
            mark = Mark(0, new_id(), on.ref, None, "hide", first, last, since, until, None, 0)
            store.write(lambda r, m=mark: r.marks.add(scope, m, now=NOON))
        for version, expected in (
            (0, []),
            (1, [(1, 4)]),
            (2, [(1, 12)]),
            (3, [(1, 12), (20, 20)]),
            (4, [(1, 4), (8, 12), (20, 20)]),
        ):
            hidden = store.read(lambda r, v=version: r.marks.hiding(scope, thread.ref, version=v))
            assert hidden == expected, version
        assert store.read(lambda r: r.marks.hiding(bob, thread.ref, version=4)) == []

    def test_of_what_is_shortened_only_what_is_asked_for_is_told(self, store: Store) -> None:
        """(R-15, R-42)"""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        made: list[Mark] = []
        for seq, since, until in ((3, 1, None), (5, 2, None), (7, 1, 2), (9, 1, None)):
            kept = 900 if seq == 5 else None
            mark = Mark(
                0, new_id(), thread.ref, None, "shorten", seq, seq, since, until, 80, 0, kept
            )
            made.append(store.write(lambda r, m=mark: r.marks.add(scope, m, now=NOON)))
        hide = Mark(0, new_id(), thread.ref, None, "hide", 5, 6, 1, None, None, 0)
        store.write(lambda r: r.marks.add(scope, hide, now=NOON))
        three, five, seven, nine = made
        for version, first, last, expected in (
            (1, 1, 9, [three, seven, nine]),
            (2, 1, 9, [three, five, nine]),
            (2, 4, 8, [five]),
            (1, 7, 7, [seven]),
            (0, 1, 9, []),
        ):
            asked = {"version": version, "first": first, "last": last}
            found = store.read(lambda r, a=asked: r.marks.shortening(scope, thread.ref, **a))
            assert found == expected, asked
            assert store.read(lambda r, a=asked: r.marks.shortening(bob, thread.ref, **a)) == []

    def test_marks_are_told_apart_by_the_receipt_that_made_them(self, store: Store) -> None:
        """Ended ones too: what was undone can be redone (R-15)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        first, second = closed_in(store, scope, thread, 1), closed_in(store, scope, thread, 2)

        def made(receipt: int | None, seq: int, saved: int | None = None) -> Mark:
            action: Action = "hide" if saved is None else "shorten"
            mark = Mark(0, new_id(), thread.ref, receipt, action, seq, seq, 1, None, saved, 0)
            return store.write(lambda r: r.marks.add(scope, mark, now=NOON))

        late, early = made(first.ref, 5), made(first.ref, 2, 300)
        other = made(second.ref, 7)
        made(None, 9)
        assert store.read(lambda r: r.marks.by(scope, first.ref)) == [early, late]
        assert store.read(lambda r: r.marks.by(bob, first.ref)) == []
        store.write(lambda r: r.marks.end(scope, late, 4, now=NOON + 1))
        ended = store.read(lambda r: r.marks.by(scope, first.ref))[1]
        assert ended == late._replace(until_version=4, entry=ended.entry)
        assert ended.entry > late.entry
        assert store.read(lambda r: r.marks.by(scope, second.ref)) == [other]
        store.write(lambda r: r.marks.end(bob, other, 4, now=NOON + 1))
        assert store.read(lambda r: r.marks.by(scope, second.ref)) == [other]
