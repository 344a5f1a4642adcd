"""Purges: what was distilled goes when its age is over, lawfully, and nothing else does."""

from __future__ import annotations

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.purging import Purge, sealed_hash
from everthread.domain.errors import EverthreadError
from everthread.domain.timeline import digest_of, purge_facts
from everthread.ports import Store

from .rows import NOON, a_draft, agent_in, append, closed_in, new_id, primary_in, thread_in
from .timeline import all_entries, is_chained

LATER = NOON + 1_000
LONG = "a long text " * 2_000


def _hide(
    store: Store, scope: Scope, thread: Thread, *, number: int = 1, first: int = 1, last: int = 3
) -> Mark:
    """What a receipt of that number hides."""
    receipt = closed_in(store, scope, thread, number)
    mark = Mark(0, new_id(), thread.ref, receipt.ref, "hide", first, last, number, None, None, 0)
    return store.write(lambda r: r.marks.add(scope, mark, now=NOON))


def _purge(mark: Mark, first: int | None = None, last: int | None = None) -> Purge:
    assert mark.receipt_ref is not None
    span = first or mark.from_seq, last or mark.to_seq
    return Purge(0, new_id(), mark.thread_ref, mark.receipt_ref, *span, 0, 0, b"", LATER, 0)


def _take(store: Store, scope: Scope, mark: Mark, *span: int) -> Purge:
    return store.write(lambda r: r.purges.take(scope, _purge(mark, *span)))


def _due(store: Store, *, before: int = LATER) -> list[tuple[Scope, Mark, int]]:
    return list(store.read(lambda r: r.purges.due("background", before=before, limit=9)))


class PurgePromises:
    def test_what_is_old_enough_is_found_once_it_was_hidden_by_a_receipt_that_stands(
        self, store: Store
    ) -> None:
        """(X-2)"""
        scope = agent_in(store)
        thread, primary = thread_in(store, scope), primary_in(store, scope)
        append(store, scope, thread, *[a_draft(f"m{n}") for n in range(6)])
        mark = _hide(store, scope, thread)
        ended = _hide(store, scope, thread, number=2, first=4, last=4)
        store.write(lambda r: r.marks.end(scope, ended, 9, now=NOON))
        other = _hide(store, scope, primary)
        closed = store.read(lambda r: r.receipts.get(scope, mark.receipt_ref or 0)).closed_ms
        assert closed is not None
        assert _due(store, before=closed) == []
        assert _due(store) == [(scope, mark, 1)]
        found = store.read(lambda r: r.purges.due("primary", before=LATER, limit=9))
        assert found == [(scope, other, 1)]
        _take(store, scope, mark, 1, 2)
        assert _due(store) == [(scope, mark, 3)]
        _take(store, scope, mark, 3, 3)
        assert _due(store) == []

    def test_a_purge_takes_the_live_messages_of_its_run_and_says_so(self, store: Store) -> None:
        """(X-2, R-33)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        old = a_draft("archived", archived=True, at_ms=NOON - 5)
        kept = append(
            store, scope, thread, a_draft("one"), a_draft(LONG), a_draft("three"), a_draft("four")
        )
        archived = append(store, scope, thread, old)
        mark = _hide(store, scope, thread, last=5)
        sealed = {entry.n: entry for entry in all_entries(store, scope)}
        purge = _take(store, scope, mark, 1, 3)
        assert (purge.messages, purge.tokens) == (3, sum(m.tokens for m in kept[:3]))
        assert purge.hash == sealed_hash(sealed[m.entry].digest for m in kept[:3])
        left = store.read(lambda r: r.messages.following(scope, thread.ref, after=0, limit=9))
        assert [m.key for m in left] == [kept[3].key, archived[0].key]
        assert store.read(lambda r: r.bodies.get(scope, [body_of(LONG).hash])) == {}
        entries = all_entries(store, scope)
        assert is_chained(entries)
        assert [e.n for e in entries if e.salt is None] == [m.entry for m in kept[:3]]
        assert (entries[-1].event, entries[-1].n) == ("purge", purge.entry)
        assert digest_of(entries[-1].salt or b"", purge_facts(purge)) == entries[-1].digest
        assert store.read(lambda r: r.audit.miscounted(scope)) == []
        assert store.read(lambda r: r.audit.row(scope, "purge", purge.key_id)) == (
            purge.entry,
            purge_facts(purge),
        )

    def test_purges_are_told_by_thread_receipt_and_agent(self, store: Store) -> None:
        """(X-2, R-44)"""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        for each in (thread, other):
            append(store, scope, each, *[a_draft(f"m{n}") for n in range(6)])
        mark = _hide(store, scope, thread)
        second = _hide(store, scope, thread, number=2, first=4, last=5)
        third = _hide(store, scope, other)
        late, early = _take(store, scope, second), _take(store, scope, mark)
        far = _take(store, scope, third)
        assert store.read(lambda r: r.purges.of_thread(scope, thread.ref)) == [early, late]
        found = store.read(lambda r: r.purges.of_receipt(scope, second.receipt_ref or 0))
        assert found == [late]
        assert store.read(lambda r: r.purges.all(scope)) == [
            (thread.key_id, late),
            (thread.key_id, early),
            (other.key_id, far),
        ]
        assert store.read(lambda r: r.purges.of_thread(bob, thread.ref)) == []
        assert store.read(lambda r: r.purges.all(bob)) == []

    def test_no_message_goes_twice_and_no_purge_is_taken_back(self, store: Store) -> None:
        """(X-2)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, *[a_draft(f"m{n}") for n in range(4)])
        mark = _hide(store, scope, thread)
        _take(store, scope, mark)
        with pytest.raises(EverthreadError):
            _take(store, scope, mark)
        assert len(store.read(lambda r: r.purges.all(scope))) == 1

    def test_purges_go_with_an_erased_thread(self, store: Store) -> None:
        """(X-2, R-33)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, *[a_draft(f"m{n}") for n in range(4)])
        purge = _take(store, scope, _hide(store, scope, thread))
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=LATER))
        assert store.read(lambda r: r.purges.all(scope)) == []
        assert [e.salt for e in all_entries(store, scope) if e.n == purge.entry] == [None]
