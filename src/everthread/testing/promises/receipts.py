"""Receipts: opened once, closed by their owner, numbered, found; gone with their thread."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.receipts import NOT_ASKED, Outcome, Receipt
from everthread.domain.errors import (
    DistillationBusy,
    EverthreadError,
    LeaseLost,
    ReceiptUnknown,
)
from everthread.ports import Records, Store

from .rows import (
    NOON,
    a_receipt,
    agent_in,
    closed_in,
    entries_salted,
    intent_in,
    memory_in,
    new_id,
    primary_in,
    receipt_in,
    run_together,
    summary_in,
    thread_in,
)

LONG = "a summary of a long story " * 400


def _close(receipt: Receipt, outcome: Outcome = "ok", number: int | None = 1) -> Receipt:
    return receipt._replace(outcome=outcome, number=number, closed_ms=NOON + 5)


def _uses(store: Store, scope: Scope) -> Mapping[str, int]:
    """How often each body is used, by its text."""
    rows = store.read(lambda r: list(r.audit.dump(scope)))
    return {row["content"]: row["uses"] for table, row in rows if table == "bodies"}


def _dump(store: Store, scope: Scope) -> list[tuple[str, dict[str, Any]]]:
    return store.read(lambda r: list(r.audit.dump(scope)))


def _go(store: Store, scope: Scope, thread: Thread, way: str) -> None:
    def work(records: Records) -> None:
        if way == "removed":
            records.threads.remove(scope, thread, now=NOON)
        else:
            records.threads.erase(scope, thread, reason=None, now=NOON)

    store.write(work)


class ReceiptPromises:
    def test_a_receipt_is_stored_as_it_was_given(self, store: Store) -> None:
        """(A-56)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        given = a_receipt(thread, fired_json='[{"name":"é"}]', turn_count=9)
        stored = store.write(lambda r: r.receipts.add(scope, given))
        assert stored == given._replace(ref=stored.ref, agent_ref=scope.agent, entry=stored.entry)
        assert stored.ref and stored.entry
        assert store.read(lambda r: r.receipts.get(scope, stored.ref)) == stored
        assert store.read(lambda r: r.receipts.open_on(scope, thread.ref)) == stored

    def test_one_distillation_of_a_thread_at_a_time(self, store: Store) -> None:
        """(R-10)"""
        scope = agent_in(store)
        thread, other = primary_in(store, scope), thread_in(store, scope)
        first = receipt_in(store, scope, thread)
        with pytest.raises(DistillationBusy):
            receipt_in(store, scope, thread, owner="host:2:bb")
        receipt_in(store, scope, other)
        # A refusal is no lease: it is closed as soon as it is written.
        closed_in(store, scope, thread, None, outcome="refused")
        store.write(lambda r: r.receipts.close(scope, _close(first)))
        assert store.read(lambda r: r.receipts.open_on(scope, thread.ref)) is None
        assert receipt_in(store, scope, thread).ref != first.ref

    def test_of_many_who_open_one_at_once_one_does_and_the_others_are_told(
        self, store: Store
    ) -> None:
        """(R-10)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        raised = run_together(*[lambda: receipt_in(store, scope, thread, owner=new_id().hex())] * 6)
        assert [type(error) for error in raised] == [DistillationBusy] * 5
        assert len(store.read(lambda r: r.receipts.newest(scope, limit=9))) == 1

    def test_a_receipt_is_closed_by_its_owner_and_once(self, store: Store) -> None:
        """(A-56)"""
        scope = agent_in(store)
        receipt = receipt_in(store, scope, primary_in(store, scope))
        stranger = _close(receipt)._replace(owner="host:2:bb")
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.receipts.close(scope, stranger))
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)) == receipt
        told = _close(receipt)._replace(
            mode="light",
            distiller="a-model",
            messages_after=20,
            tokens_after=3_000,
            facts_extracted=1,
            decisions_extracted=2,
            open_items_extracted=3,
            flush_succeeded=1,
            struck=4,
            detail_json='{"timings":{}}',
            errors_json='["é"]',
        )
        closed = store.write(lambda r: r.receipts.close(scope, told))
        assert closed == told._replace(entry=closed.entry)
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)) == closed
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.receipts.close(scope, _close(receipt, "failed", None)))
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)) == closed

    def test_a_close_that_comes_too_late_takes_its_whole_transaction_back(
        self, store: Store
    ) -> None:
        """(A-56)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        receipt = receipt_in(store, scope, thread)
        store.write(lambda r: r.receipts.close(scope, _close(receipt, "failed", None)))

        def late(records: Records) -> None:
            records.threads.distilled(scope, thread.ref, at=NOON, version=1, computed=5)
            records.receipts.close(scope, _close(receipt))

        with pytest.raises(LeaseLost):
            store.write(late)
        assert store.read(lambda r: r.threads.get(scope, thread.ref)).view_version == 0

    def test_a_lease_is_renewed_by_its_owner_while_it_is_open(self, store: Store) -> None:
        scope = agent_in(store)
        receipt = receipt_in(store, scope, primary_in(store, scope))
        store.write(lambda r: r.receipts.renew(scope, receipt, until=NOON + 99_000))
        seen = store.read(lambda r: r.receipts.get(scope, receipt.ref))
        assert seen.lease_until == NOON + 99_000
        stranger = receipt._replace(owner="host:2:bb")
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.receipts.renew(scope, stranger, until=NOON + 1))
        store.write(lambda r: r.receipts.close(scope, _close(receipt)))
        with pytest.raises(LeaseLost):
            store.write(lambda r: r.receipts.renew(scope, receipt, until=NOON + 1))

    def test_a_number_is_given_once_on_a_thread(self, store: Store) -> None:
        """(A-57)"""
        scope = agent_in(store)
        thread, other = primary_in(store, scope), thread_in(store, scope)
        closed_in(store, scope, thread, 1)
        with pytest.raises(EverthreadError):
            closed_in(store, scope, thread, 1)
        closed_in(store, scope, other, 1)
        for _ in range(2):
            closed_in(store, scope, thread, None, outcome="failed")

    def test_those_that_are_numbered_are_listed_in_their_order(self, store: Store) -> None:
        scope = agent_in(store)
        thread = primary_in(store, scope)
        second, first = closed_in(store, scope, thread, 2), closed_in(store, scope, thread, 1)
        closed_in(store, scope, thread, None, outcome="refused")
        closed_in(store, scope, thread_in(store, scope), 1)
        undone = {"outcome": "undone", "undone_ms": NOON + 2, "undone_seq": 40}
        third = closed_in(store, scope, thread, 3, **undone)
        found = store.read(lambda r: r.receipts.of_thread(scope, thread.ref))
        assert found == [first, second, third]

    def test_the_newest_come_first_and_no_more_than_asked(self, store: Store) -> None:
        scope = agent_in(store)
        thread, other = primary_in(store, scope), thread_in(store, scope)
        made = [closed_in(store, scope, thread, n, opened_ms=NOON + n) for n in (1, 2, 3)]
        beside = closed_in(store, scope, other, 1, opened_ms=NOON + 9)
        newest = store.read(lambda r: r.receipts.newest(scope, limit=3))
        assert newest == [beside, made[2], made[1]]
        of_one = store.read(lambda r: r.receipts.newest(scope, thread=thread.ref, limit=2))
        assert of_one == [made[2], made[1]]

    def test_a_receipt_is_found_by_the_ending_of_its_id(self, store: Store) -> None:
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        digits = receipt.key_id.hex()
        for ending in (digits, digits[-8:]):
            assert store.read(lambda r, e=ending: r.receipts.ending(scope, e)) == [receipt]
        assert store.read(lambda r: r.receipts.ending(scope, new_id().hex())) == []

    def test_what_happens_later_is_stored_on_a_closed_receipt(self, store: Store) -> None:
        """Scored, undone, redone (R-15, R-16)."""
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        undone = receipt._replace(
            outcome="undone", undone_ms=NOON + 9, undone_seq=44, score_json='{"kept":1.0}'
        )
        stored = store.write(
            lambda r: r.receipts.change(scope, undone, "receipt.undone", now=NOON + 9)
        )
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)) == stored
        events = [e.event for e in store.read(lambda r: r.timeline.about(scope, receipt.key_id))]
        assert events == ["receipt.ok", "receipt.undone"]
        again = stored._replace(outcome="ok", undone_ms=None, undone_seq=None)
        store.write(lambda r: r.receipts.change(scope, again, "receipt.redone", now=NOON + 10))
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)).outcome == "ok"

    def test_the_store_knows_when_something_was_last_undone(self, store: Store) -> None:
        """(R-15)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        assert store.read(lambda r: r.receipts.undone_seq(scope, thread.ref)) is None
        for number, seq in ((1, 9), (2, 4)):
            closed = closed_in(store, scope, thread, number=number)
            undone = closed._replace(outcome="undone", undone_ms=NOON, undone_seq=seq)
            store.write(lambda r, u=undone: r.receipts.change(scope, u, "receipt.undone", now=NOON))
        assert store.read(lambda r: r.receipts.undone_seq(scope, thread.ref)) == 9
        bob = agent_in(store, "bob")
        assert store.read(lambda r: r.receipts.undone_seq(bob, thread.ref)) is None

    def test_what_a_distillation_primed_goes_when_it_is_undone(self, store: Store) -> None:
        """(R-15, S-5)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        one, two = memory_in(store, scope), memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [one], now=NOON, receipt=7))
        store.write(lambda r: r.memories.prime(scope, thread.ref, [two], now=NOON, receipt=8))
        store.write(lambda r: r.memories.unprime(scope, 7))
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == [two]

    def test_open_ones_of_all_agents_are_offered_to_the_sweep(self, store: Store) -> None:
        """(A-58)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine = receipt_in(store, ada, primary_in(store, ada))
        theirs = receipt_in(store, bob, primary_in(store, bob, "bob"))
        closed_in(store, ada, thread_in(store, ada))
        found = store.read(lambda r: r.receipts.abandoned(limit=9))
        assert found == [(ada, mine), (bob, theirs)]
        assert store.read(lambda r: r.receipts.abandoned(limit=1)) == [(ada, mine)]

    def test_receipts_of_another_agent_are_not_there(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        thread = primary_in(store, ada)
        receipt = receipt_in(store, ada, thread)
        assert store.read(lambda r: r.receipts.open_on(bob, thread.ref)) is None
        assert store.read(lambda r: r.receipts.of_thread(bob, thread.ref)) == []
        assert store.read(lambda r: r.receipts.newest(bob, limit=9)) == []
        assert store.read(lambda r: r.receipts.newest(bob, thread=thread.ref, limit=9)) == []
        assert store.read(lambda r: r.receipts.ending(bob, receipt.key_id.hex())) == []
        with pytest.raises(ReceiptUnknown):
            store.read(lambda r: r.receipts.get(bob, receipt.ref))
        for change in ("close", "renew"):
            with pytest.raises(LeaseLost):
                store.write(lambda r, c=change: _as(r, bob, receipt, c))
        assert store.read(lambda r: r.receipts.get(ada, receipt.ref)) == receipt

    def test_the_unscored_of_all_agents_are_found_newest_first(self, store: Store) -> None:
        """(R-16)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        first = closed_in(store, ada, primary_in(store, ada))
        second = closed_in(store, bob, primary_in(store, bob))
        receipt_in(store, bob, primary_in(store, bob))
        late = (first.closed_ms or 0) + 1

        def refs(before: int = late, limit: int = 9) -> list[tuple[Scope, int]]:
            found = store.read(lambda r: r.receipts.unscored(before=before, limit=limit))
            return [(scope, receipt.ref) for scope, receipt in found]

        assert refs() == [(bob, second.ref), (ada, first.ref)]
        assert refs(limit=1) == [(bob, second.ref)]
        assert refs(before=late - 1) == []
        done = first._replace(score_json="{}")
        store.write(lambda r: r.receipts.change(ada, done, "receipt.scored", now=NOON))
        never = second._replace(errors_json=json.dumps(["odd", NOT_ASKED]))
        assert refs() == [(bob, second.ref)]
        store.write(lambda r: r.receipts.change(bob, never, "receipt.scored", now=NOON))
        assert refs() == []

    def test_an_unknown_receipt_is_not_found(self, store: Store) -> None:
        scope = agent_in(store)
        with pytest.raises(ReceiptUnknown):
            store.read(lambda r: r.receipts.get(scope, 987_654))

    @pytest.mark.parametrize("way", ["removed", "erased"])
    def test_a_thread_takes_all_of_its_distillations_with_it(self, store: Store, way: str) -> None:
        """(X-29, R-33)"""
        scope = agent_in(store)
        gone, kept = thread_in(store, scope, "e", "ephemeral"), thread_in(store, scope, "kept")
        subjects: list[bytes] = []
        for thread in (gone, kept):
            receipt = closed_in(store, scope, thread)
            row = summary_in(store, scope, receipt, LONG, "shared digest")
            intent_in(store, scope, receipt, payload=f"words of {thread.key}")
            subjects += [receipt.key_id, row.key_id]
        summary_in(store, scope, closed_in(store, scope, gone, 2), "only here", since_version=0,
                   until_version=1)  # fmt: skip
        assert _uses(store, scope)[LONG] == 2
        _go(store, scope, gone, way)
        uses = _uses(store, scope)
        assert (uses[LONG], uses["shared digest"], "only here" in uses) == (1, 1, False)
        tables = [table for table, _ in _dump(store, scope)]
        parts = ("receipts", "summaries", "summary_sentences", "intents")
        assert [tables.count(part) for part in parts] == [1, 1, 1, 1]
        assert "words of e" not in repr(_dump(store, scope))
        told = [entries_salted(store, scope, subject) for subject in subjects]
        assert told == [[False], [False], [True], [True]]

    def test_receipts_of_a_lasting_thread_are_not_removed(self, store: Store) -> None:
        """(A-56)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        receipt = closed_in(store, scope, thread)
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.threads.remove(scope, thread, now=NOON))
        assert store.read(lambda r: r.receipts.get(scope, receipt.ref)) == receipt


def _as(records: Records, scope: Scope, receipt: Receipt, change: str) -> None:
    if change == "close":
        records.receipts.close(scope, _close(receipt))
    else:
        records.receipts.renew(scope, receipt, until=NOON + 1)
