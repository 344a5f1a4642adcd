"""Summaries and intents: what the view shows first, what of it is gone, what is to be written."""

from __future__ import annotations

from typing import Any

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.distilling.receipts import Spending, SummaryRow, sentence
from everthread.domain.errors import EverthreadError
from everthread.ports import Store

from .rows import (
    NOON,
    agent_in,
    closed_in,
    entries_salted,
    intent_in,
    new_id,
    primary_in,
    receipt_in,
    run_together,
    summary_in,
    thread_in,
)

LONG = "a summary of a long story " * 400


def _dump(store: Store, scope: Scope) -> list[tuple[str, dict[str, Any]]]:
    return store.read(lambda r: list(r.audit.dump(scope)))


class SummaryPromises:
    def test_a_summary_is_stored_with_its_texts_and_sentences(self, store: Store) -> None:
        """(A-43)"""
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        key = new_id()
        told = [
            sentence(1, "Task Context", "é", (key, new_id()), "verbatim", shown=True),
            sentence(2, "Open Threads", "not so", (), "struck: no source", shown=False),
        ]
        row = summary_in(store, scope, receipt, LONG, "the digest", told)
        assert store.read(lambda r: r.summaries.text(scope, row)) == LONG
        assert store.read(lambda r: r.summaries.digest(scope, row)) == "the digest"
        assert store.read(lambda r: r.summaries.sentences(scope, row.ref)) == told
        assert told[0].sources[0] == key
        assert (row.text_hash, row.digest_hash) == (body_of(LONG).hash, body_of("the digest").hash)
        assert store.read(lambda r: r.summaries.all(scope, receipt.thread_ref)) == [row]

    def test_a_sentence_that_is_shown_has_a_source(self, store: Store) -> None:
        """(X-13)"""
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        loose = [sentence(1, "Task Context", "made up", (), "verbatim", shown=True)]
        with pytest.raises(EverthreadError):
            summary_in(store, scope, receipt, sentences=loose)
        assert store.read(lambda r: r.summaries.all(scope, receipt.thread_ref)) == []

    def test_each_version_of_the_view_has_the_summary_it_had(self, store: Store) -> None:
        """(R-15)"""
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        first = summary_in(store, scope, receipt, "first", since_version=2)
        store.write(lambda r: r.summaries.end(scope, first, 4, now=NOON + 2))
        second = summary_in(store, scope, receipt, "second", since_version=4)
        never = summary_in(store, scope, receipt, "never", since_version=5, until_version=5)
        store.write(lambda r: r.summaries.end(scope, second, 5, now=NOON + 3))
        third = summary_in(store, scope, receipt, "third", since_version=6)
        found = [
            store.read(lambda r, v=version: r.summaries.at(scope, receipt.thread_ref, v))
            for version in range(1, 8)
        ]
        refs = [None if row is None else row.ref for row in found]
        assert refs == [None, first.ref, first.ref, second.ref, None, third.ref, third.ref]
        newest = store.read(lambda r: r.summaries.newest_of(scope, receipt.ref))
        assert newest == third
        rows = store.read(lambda r: r.summaries.all(scope, receipt.thread_ref))
        assert [row.ref for row in rows] == [first.ref, second.ref, never.ref, third.ref]
        assert [row.until_version for row in rows] == [4, 5, 5, None]

    def test_the_newest_of_a_receipt_need_not_be_in_the_view(self, store: Store) -> None:
        scope = agent_in(store)
        thread = primary_in(store, scope)
        one, two = closed_in(store, scope, thread, 1), closed_in(store, scope, thread, 2)
        ended = summary_in(store, scope, one, since_version=1, until_version=1)
        shown = summary_in(store, scope, two, since_version=1)
        assert store.read(lambda r: r.summaries.newest_of(scope, one.ref)) == ended
        assert store.read(lambda r: r.summaries.at(scope, thread.ref, 1)) == shown
        assert store.read(lambda r: r.summaries.newest_of(scope, 987_654)) is None

    def test_a_view_shows_one_summary(self, store: Store) -> None:
        """(A-43)"""
        scope = agent_in(store)
        thread, other = primary_in(store, scope), thread_in(store, scope)
        receipt = closed_in(store, scope, thread)
        summary_in(store, scope, receipt)
        with pytest.raises(EverthreadError):
            summary_in(store, scope, receipt, since_version=2)
        summary_in(store, scope, closed_in(store, scope, other))

    def test_a_withheld_summary_leaves_no_word_and_nothing_to_guess_by(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        row = summary_in(store, scope, receipt, "a secret", "its digest")
        store.write(lambda r: r.summaries.end(scope, row, 3, now=NOON + 2))
        (ended,) = store.read(lambda r: r.summaries.all(scope, receipt.thread_ref))
        store.write(lambda r: r.summaries.withhold(scope, ended, now=NOON + 3))
        (left,) = store.read(lambda r: r.summaries.all(scope, receipt.thread_ref))
        assert left == ended._replace(text_hash=None, digest_hash=None, entry=left.entry)
        for read in (_text, _digest):
            assert read(store, scope, left) == ""
        assert store.read(lambda r: r.summaries.sentences(scope, row.ref)) == []
        dumped = repr(_dump(store, scope))
        assert "a secret" not in dumped and "its digest" not in dumped
        assert body_of("a secret").hash.hex() not in dumped
        assert entries_salted(store, scope, row.key_id) == [False, False, True]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []
        store.write(lambda r: r.summaries.withhold(scope, left, now=NOON + 4))  # changes nothing
        assert store.read(lambda r: r.summaries.all(scope, receipt.thread_ref)) == [left]

    def test_withholding_leaves_what_another_summary_shares(self, store: Store) -> None:
        scope = agent_in(store)
        receipt = closed_in(store, scope, primary_in(store, scope))
        row = summary_in(store, scope, receipt, LONG, until_version=2)
        other = summary_in(store, scope, receipt, LONG, since_version=2)
        store.write(lambda r: r.summaries.withhold(scope, row, now=NOON + 2))
        assert _text(store, scope, other) == LONG

    def test_summaries_of_another_agent_are_not_there(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        receipt = closed_in(store, ada, primary_in(store, ada))
        row = summary_in(store, ada, receipt, "mine", "my digest")
        assert store.read(lambda r: r.summaries.at(bob, row.thread_ref, 1)) is None
        assert store.read(lambda r: r.summaries.newest_of(bob, receipt.ref)) is None
        assert store.read(lambda r: r.summaries.all(bob, row.thread_ref)) == []
        assert store.read(lambda r: r.summaries.sentences(bob, row.ref)) == []
        assert _text(store, bob, row) == _digest(store, bob, row) == ""
        store.write(lambda r: r.summaries.end(bob, row, 2, now=NOON))
        store.write(lambda r: r.summaries.withhold(bob, row, now=NOON))
        assert store.read(lambda r: r.summaries.at(ada, row.thread_ref, 9)) == row
        assert _text(store, ada, row) == "mine"
        assert store.read(lambda r: r.summaries.sentences(ada, row.ref)) != []


def _text(store: Store, scope: Scope, row: SummaryRow) -> str:
    return store.read(lambda r: r.summaries.text(scope, row))


def _digest(store: Store, scope: Scope, row: SummaryRow) -> str:
    return store.read(lambda r: r.summaries.digest(scope, row))


class IntentPromises:
    def test_an_intent_waits_until_it_is_settled(self, store: Store) -> None:
        """(R-17)"""
        scope = agent_in(store)
        receipt = receipt_in(store, scope, primary_in(store, scope))
        first = intent_in(store, scope, receipt, payload="the words")
        second = intent_in(store, scope, receipt, what="withdraw")
        assert first.agent_ref == scope.agent
        assert store.read(lambda r: r.intents.open(limit=9)) == [first, second]
        assert store.read(lambda r: r.intents.open(limit=1)) == [first]
        tried = store.write(
            lambda r: r.intents.settle(scope, first, "open", error="disk full", now=NOON + 1)
        )
        assert tried == first._replace(attempts=1, error="disk full")
        assert store.read(lambda r: r.intents.of(scope, receipt.ref)) == [tried, second]
        done = store.write(
            lambda r: r.intents.settle(scope, tried, "done", error=None, now=NOON + 2)
        )
        # What was written stands in its file; a copy here would outlive a forgetting.
        assert done == first._replace(
            state="done", payload="", attempts=2, error=None, settled_ms=NOON + 2
        )
        void = store.write(
            lambda r: r.intents.settle(scope, second, "void", error=None, now=NOON + 3)
        )
        assert (void.state, void.payload, void.settled_ms) == ("void", "", NOON + 3)
        assert store.read(lambda r: r.intents.open(limit=9)) == []
        assert store.read(lambda r: r.intents.of(scope, receipt.ref)) == [done, void]

    def test_what_an_open_intent_says_can_be_changed(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        receipt = receipt_in(store, scope, primary_in(store, scope))
        intent = intent_in(store, scope, receipt, payload="a secret")
        mild = intent._replace(payload="nothing")
        store.write(lambda r: r.intents.settle(scope, mild, "open", error=None, now=NOON))
        (left,) = store.read(lambda r: r.intents.of(scope, receipt.ref))
        assert left.payload == "nothing"

    def test_intents_of_all_agents_wait_together_and_each_sees_its_own(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        receipt = receipt_in(store, ada, primary_in(store, ada))
        other = receipt_in(store, bob, primary_in(store, bob, "bob"))
        mine, theirs = intent_in(store, ada, receipt), intent_in(store, bob, other)
        assert store.read(lambda r: r.intents.open(limit=9)) == [mine, theirs]
        assert store.read(lambda r: r.intents.of(bob, receipt.ref)) == []
        store.write(lambda r: r.intents.settle(bob, mine, "void", error=None, now=NOON))
        assert store.read(lambda r: r.intents.of(ada, receipt.ref)) == [mine]

    def test_what_models_cost_is_added_up_by_day_for_the_whole_store(self, store: Store) -> None:
        """(R-42)"""
        ada, bob = agent_in(store), agent_in(store, "bob")

        def spend(scope: Scope, *spent: Any) -> None:
            store.write(lambda r: r.intents.spend(scope, Spending(*spent)))

        spend(ada, "2026-02-20", "a-model", 1, 100, 10, 5_000_000_000)
        spend(ada, "2026-02-20", "a-model", 2, 200, 20, 7)
        spend(bob, "2026-02-20", "a-model", 1, 50, 5, 1)
        spend(bob, "2026-02-20", "b-model", 1, 1, 1, 0)
        spend(ada, "2026-02-21", "a-model", 9, 9, 9, 9)
        assert store.read(lambda r: r.intents.spent("2026-02-20")) == [
            Spending("2026-02-20", "a-model", 4, 350, 35, 5_000_000_008),
            Spending("2026-02-20", "b-model", 1, 1, 1, 0),
        ]
        assert store.read(lambda r: r.intents.spent("2026-02-22")) == []

    def test_many_who_spend_at_once_lose_nothing(self, store: Store) -> None:
        """(R-42)"""
        scope = agent_in(store)
        once = Spending("2026-02-20", "a-model", 1, 10, 1, 3)
        assert (
            run_together(*[lambda: store.write(lambda r: r.intents.spend(scope, once))] * 8) == []
        )
        (spent,) = store.read(lambda r: r.intents.spent("2026-02-20"))
        assert spent == Spending("2026-02-20", "a-model", 8, 80, 8, 24)
