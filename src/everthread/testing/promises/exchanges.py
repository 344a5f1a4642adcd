"""Exchanges: two sides, each in its agent's scope and timeline; limits counted, texts gone together."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import threading
from typing import Any

import pytest

from everthread.domain.agents import Scope
from everthread.domain.errors import ExchangeUnknown, StoreBusy, StoreFailed
from everthread.domain.exchanges.exchanges import Exchange
from everthread.ports import Records, Store

from .rows import (
    NOON,
    agent_in,
    entries_salted,
    new_id,
    primary_in,
    run_together,
    session_in,
    thread_in,
    turn_in,
)


def an_exchange(**changes: Any) -> Exchange:
    """A side of an exchange that no store has seen yet."""
    exchange = Exchange(
        ref=0,
        agent_ref=0,
        key_id=new_id(),
        pair=new_id(),
        side="caller",
        kind="send",
        status="pending",
        caller="ada",
        target="bob",
        depth=1,
        thread_ref=None,
        turn_ref=None,
        given_turn=None,
        content="The build is red",
        answer=None,
        error=None,
        tokens=0,
        turns=0,
        created_ms=NOON,
        expires_ms=None,
        surfaced_ms=None,
        closed_ms=None,
        entry=0,
    )
    return exchange._replace(**changes)


def both_in(store: Store, ada: Scope, bob: Scope, **changes: Any) -> tuple[Exchange, Exchange]:
    """Both sides of a new exchange: the caller's and the target's."""
    pair, thread = new_id(), changes.pop("thread_ref", None)

    def work(records: Records) -> tuple[Exchange, Exchange]:
        mine = an_exchange(pair=pair, **changes)
        theirs = an_exchange(pair=pair, side="target", thread_ref=thread, **changes)
        return records.exchanges.add(ada, mine), records.exchanges.add(bob, theirs)

    return store.write(work)


class ExchangePromises:
    def test_each_agent_sees_its_own_side_alone(self, store: Store) -> None:
        """(A-60, R-44)"""
        ada, bob, eve = (agent_in(store, name) for name in ("ada", "bob", "eve"))
        mine, theirs = both_in(store, ada, bob)

        def seen(scope: Scope) -> list[Exchange]:
            return list(store.read(lambda r: r.exchanges.newest(scope, limit=9)))

        assert seen(ada) == [mine]
        assert seen(bob) == [theirs]
        assert seen(eve) == []
        assert store.read(lambda r: r.exchanges.find(eve, mine.pair)) is None
        assert store.read(lambda r: r.exchanges.ending(eve, mine.pair.hex()[-8:])) == []
        assert store.read(lambda r: r.exchanges.sides(mine.pair)) == [mine, theirs]
        with pytest.raises(ExchangeUnknown):
            store.write(lambda r: r.exchanges.change(eve, mine, now=NOON))
        with pytest.raises(ExchangeUnknown):
            store.write(lambda r: r.exchanges.change(ada, theirs, now=NOON))

    def test_a_change_is_sealed_and_touches_neither_parties_nor_beginning(
        self, store: Store
    ) -> None:
        """(R-33)"""
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        mine, _ = both_in(store, ada, bob)
        wanted = mine._replace(status="responded", answer="ok", caller="eve", depth=9, kind="ask")
        changed = store.write(lambda r: r.exchanges.change(ada, wanted, now=NOON + 5))
        assert (changed.status, changed.answer) == ("responded", "ok")
        assert (changed.caller, changed.depth, changed.kind) == ("ada", 1, "send")
        assert store.read(lambda r: r.exchanges.find(ada, mine.pair)) == changed
        events = [e.event for e in store.read(lambda r: r.timeline.about(ada, mine.key_id))]
        assert events == ["exchange.opened", "exchange.changed"]
        found = store.read(lambda r: r.audit.row(ada, "exchange.changed", mine.key_id))
        assert found is not None and found[0] == changed.entry

    def test_a_change_of_what_was_read_too_long_ago_is_refused(self, store: Store) -> None:
        """What another wrote meanwhile is not lost (R-34)."""
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        mine, _ = both_in(store, ada, bob)
        answered = mine._replace(status="responded", answer="ok")
        kept = store.write(lambda r: r.exchanges.change(ada, answered, now=NOON + 5))
        late = mine._replace(surfaced_ms=NOON + 6)
        with pytest.raises(StoreBusy):
            store.write(lambda r: r.exchanges.change(ada, late, now=NOON + 6))
        assert store.read(lambda r: r.exchanges.find(ada, mine.pair)) == kept

    def test_who_holds_an_exchange_has_both_sides_and_keeps_others_out(self, store: Store) -> None:
        ada, bob, eve = (agent_in(store, name) for name in ("ada", "bob", "eve"))
        first, second = both_in(store, bob, ada), both_in(store, ada, eve)
        held, late, seen = threading.Event(), threading.Event(), list[Exchange]()

        def holds(records: Records) -> None:
            sides = records.exchanges.hold([first[0].pair, second[0].pair, first[0].pair])
            assert {*sides} == {*first, *second} and len(sides) == 4
            held.set()
            assert not late.wait(0.2), "the other waits"
            for side in sides:
                told = side._replace(answer="ok")
                records.exchanges.change(Scope(side.agent_ref), told, now=NOON + 1)

        def waits() -> None:
            assert held.wait(30)
            seen[:] = store.write(lambda r: r.exchanges.hold([first[0].pair]))
            late.set()

        assert run_together(lambda: store.write(holds), waits) == []
        assert [side.answer for side in seen] == ["ok", "ok"], "as they are now"

    def test_a_turn_is_found_to_answer_what_is_open(self, store: Store) -> None:
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        thread = thread_in(store, bob, "ask:ada", "ephemeral")
        turn = turn_in(store, bob, session_in(store, bob, thread))
        _, theirs = both_in(store, ada, bob, kind="ask", turn_ref=turn.ref)

        def answered(scope: Scope, ref: int) -> Exchange | None:
            return store.read(lambda r: r.exchanges.answered_by(scope, ref))

        assert answered(bob, turn.ref) == theirs
        assert answered(ada, turn.ref) is None
        assert answered(bob, turn.ref + 1) is None
        over = theirs._replace(status="responded")
        store.write(lambda r: r.exchanges.change(bob, over, now=NOON + 1))
        assert answered(bob, turn.ref) is None

    def test_what_waits_comes_oldest_first_until_it_is_surfaced(self, store: Store) -> None:
        """(X-9)"""
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        first, second = both_in(store, ada, bob)[1], both_in(store, ada, bob)[1]
        assert store.read(lambda r: r.exchanges.waiting(bob, limit=9)) == [first, second]
        assert store.read(lambda r: r.exchanges.waiting(bob, limit=1)) == [first]
        assert store.read(lambda r: r.exchanges.waiting(ada, limit=9)) == []
        told = first._replace(surfaced_ms=NOON + 1, status="delivered")
        store.write(lambda r: r.exchanges.change(bob, told, now=NOON + 1))
        assert store.read(lambda r: r.exchanges.waiting(bob, limit=9)) == [second]

    def test_open_ones_are_counted_by_caller_kind_and_target(self, store: Store) -> None:
        ada, bob, eve = (agent_in(store, name) for name in ("ada", "bob", "eve"))
        both_in(store, ada, bob)
        both_in(store, ada, eve, target="eve")
        both_in(store, ada, bob, kind="spawn", expires_ms=NOON + 10)
        both_in(store, ada, bob, kind="ask", expires_ms=NOON + 10)
        both_in(store, ada, bob, kind="ask", expires_ms=NOON + 10, turns=1)
        both_in(store, ada, bob, content="")

        def pending(scope: Scope, kind: Any, target: str | None = None, now: int = NOON) -> int:
            return store.write(lambda r: r.exchanges.pending(scope, kind, target=target, now=now))

        assert pending(ada, "send") == 2
        assert pending(ada, "send", "bob") == 1
        assert pending(bob, "send") == 0
        assert [pending(ada, "spawn", now=NOON + n) for n in (9, 10)] == [1, 0]
        assert [pending(ada, "ask", now=NOON + n) for n in (9, 10)] == [1, 0], "without a turn"

    def test_what_is_overdue_is_found_for_every_agent(self, store: Store) -> None:
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        mine, _ = both_in(store, ada, bob, kind="ask", expires_ms=NOON + 10)
        both_in(store, bob, ada, caller="bob", target="ada")

        def due(now: int) -> list[Exchange]:
            return list(store.read(lambda r: r.exchanges.due(now=now, limit=9)))

        assert due(NOON + 9) == []
        assert due(NOON + 10) == [mine]

    def test_an_erased_thread_takes_the_words_of_both_sides(self, store: Store) -> None:
        """Not only the rows: also what would let a guess be tested (R-33)."""
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        thread = thread_in(store, bob, "send:ada", "ephemeral")
        other = thread_in(store, bob, "send:eve", "ephemeral")
        mine, theirs = both_in(store, ada, bob, thread_ref=thread.ref, answer="no", error="why")
        kept = both_in(store, ada, bob, thread_ref=other.ref)
        store.write(lambda r: r.threads.erase(bob, thread, reason=None, now=NOON + 1))
        for scope, side in ((ada, mine), (bob, theirs)):
            left = store.read(lambda r, s=scope: r.exchanges.find(s, mine.pair))
            assert left is not None
            assert (left.content, left.answer, left.error) == ("", None, None)
            assert entries_salted(store, scope, side.key_id) == [False, True]
        assert store.read(lambda r: r.exchanges.sides(kept[0].pair)) == list(kept)
        assert store.read(lambda r: r.exchanges.waiting(bob, limit=9)) == [kept[1]]

    def test_a_removed_thread_leaves_the_record_and_the_primary_takes_it_when_erased(
        self, store: Store
    ) -> None:
        ada, bob = agent_in(store, "ada"), agent_in(store, "bob")
        thread, primary = thread_in(store, bob, "send:ada", "ephemeral"), primary_in(store, bob)
        mine, _ = both_in(store, ada, bob, thread_ref=thread.ref)
        store.write(lambda r: r.threads.remove(bob, thread, now=NOON))

        def content() -> list[str]:
            return [e.content for e in store.read(lambda r: r.exchanges.sides(mine.pair))]

        assert content() == ["The build is red"] * 2
        store.write(lambda r: r.threads.erase(bob, primary, reason=None, now=NOON))
        assert content() == ["", ""]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"target": "ada"},
            {"kind": "whisper"},
            {"status": "lost"},
            {"side": "both"},
            {"depth": 0},
            {"content": "x" * 2_001},
            {"answer": "x" * 2_001},
        ],
    )
    def test_the_store_itself_refuses_what_cannot_be(
        self, store: Store, wrong: dict[str, Any]
    ) -> None:
        ada = agent_in(store, "ada")
        with pytest.raises(StoreFailed):
            store.write(lambda r: r.exchanges.add(ada, an_exchange(**wrong)))
        assert store.read(lambda r: r.exchanges.newest(ada, limit=9)) == []
