"""Threads: opened once, held, counted; removed when ephemeral, erased when a person says so."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.agents import Channel, Scope
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark
from everthread.domain.errors import EverthreadError, ThreadUnknown
from everthread.domain.ids import place_of, tag_of
from everthread.domain.times import HOUR
from everthread.ports import Records, Store

from .rows import (
    NOON,
    a_draft,
    agent_in,
    append,
    closed_in,
    intent_in,
    new_id,
    primary_in,
    run_together,
    session_in,
    summary_in,
    thread_in,
    turn_in,
)

BODY = "a long story " * 2_000
KEPT = {"agents", "bodies", "threads", "tombstones", "timeline"}


def _furnish(store: Store, scope: Scope, thread: Thread) -> None:
    """A thread with rows in every table that can hold some."""
    session = session_in(store, scope, thread)
    child = session_in(store, scope, thread, parent_ref=session.ref, previous_ref=session.ref)
    turn = turn_in(store, scope, session, thread_ref=thread.ref)
    append(store, scope, thread, a_draft("hello"), a_draft(BODY), session=session, turn=turn)
    append(store, scope, thread, a_draft([{"type": "image", "data": BODY}]), session=child)
    channel = Channel("signal", thread.key, thread.ref, session.ref)
    receipt = closed_in(store, scope, thread)
    summary = summary_in(store, scope, receipt, BODY)
    intent_in(store, scope, receipt)
    mark = Mark(0, new_id(), thread.ref, receipt.ref, "hide", 1, 1, 1, None, None, 0)

    def work(records: Records) -> Mark:
        records.threads.works_on(scope, thread.ref, BODY)
        records.channels.bind(scope, channel, now=NOON)
        return records.marks.add(scope, mark, now=NOON)

    added = store.write(work)

    def undone(records: Records) -> None:
        """Rows that more than one entry speaks of."""
        records.marks.add(scope, mark._replace(key_id=new_id(), from_seq=2, to_seq=2), now=NOON)
        records.marks.end(scope, added, 2, now=NOON)
        records.summaries.end(scope, summary, 2, now=NOON)

    store.write(undone)


def _tables(store: Store, scope: Scope) -> list[str]:
    return [name for name, _ in store.read(lambda r: list(r.audit.dump(scope)))]


class ThreadPromises:
    def test_a_thread_is_opened_once_for_its_key(self, store: Store) -> None:
        scope = agent_in(store)
        first = thread_in(store, scope)
        assert thread_in(store, scope, now=NOON + 5) == first
        assert store.read(lambda r: r.threads.find(scope, first.key)) == first
        assert store.read(lambda r: r.threads.get(scope, first.ref)) == first
        assert (first.kind, first.lineage, first.created_ms) == ("background", 1, NOON)
        assert (first.last_seq, first.message_count, first.turn_count) == (0, 0, 0)

    def test_a_thread_that_many_open_at_once_is_one(self, store: Store) -> None:
        """(A-22)"""
        scope = agent_in(store)
        refs: list[int] = []
        assert run_together(*[lambda: refs.append(primary_in(store, scope).ref)] * 8) == []
        assert len(refs) == 8
        assert len(set(refs)) == 1

    def test_a_second_primary_is_refused(self, store: Store) -> None:
        """One primary per agent, whoever asks (A-22, A-76)."""
        scope = agent_in(store)
        primary = primary_in(store, scope)
        with pytest.raises(EverthreadError):
            thread_in(store, scope, "another", "primary")
        assert [t.ref for t in store.read(lambda r: r.threads.all(scope))] == [primary.ref]
        primary_in(store, agent_in(store, "bob"), "bob")

    def test_an_unknown_thread_is_not_found(self, store: Store) -> None:
        scope = agent_in(store)
        assert store.read(lambda r: r.threads.find(scope, "nothing")) is None
        with pytest.raises(ThreadUnknown):
            store.read(lambda r: r.threads.get(scope, 987_654))
        with pytest.raises(ThreadUnknown):
            store.write(lambda r: r.threads.hold(scope, 987_654))

    def test_threads_are_listed_by_kind_and_newest_activity(self, store: Store) -> None:
        scope = agent_in(store)
        thread_in(store, scope, "e", "ephemeral")
        thread_in(store, scope, "old", now=NOON)
        thread_in(store, scope, "new", now=NOON + 1)
        primary_in(store, scope)
        keys = [t.key for t in store.read(lambda r: r.threads.all(scope))]
        assert keys == ["agent:ada:main", "new", "old", "e"]

    def test_threads_are_found_by_what_the_ids_of_their_messages_say(self, store: Store) -> None:
        """More of them than one statement asks for; not another's, and none that was erased."""
        ada, bob = agent_in(store), agent_in(store, "bob")
        theirs = thread_in(store, bob)
        gone, *mine = [thread_in(store, ada, f"k{n}") for n in range(41)]
        store.write(lambda r: r.threads.erase(ada, gone, reason=None, now=NOON))
        (message,) = append(store, ada, mine[0], a_draft("hello"))
        (found,) = store.read(lambda r: r.threads.tagged(ada, {place_of(message.key)[0]}))
        assert found.ref == mine[0].ref
        tags = {tag_of(thread.key_id) for thread in (gone, theirs, *mine)}
        refs = [thread.ref for thread in store.read(lambda r: r.threads.tagged(ada, tags))]
        assert sorted(refs) == [thread.ref for thread in mine]
        # The same whole bytes, and other bits before them.
        beside = {tag ^ 1 << 37 for tag in tags} - tags
        assert store.read(lambda r: r.threads.tagged(ada, beside)) == []
        assert store.read(lambda r: r.threads.tagged(ada, set())) == []

    def test_two_agents_have_threads_of_the_same_key(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine, theirs = thread_in(store, ada, "k"), thread_in(store, bob, "k")
        assert mine.ref != theirs.ref
        assert store.read(lambda r: r.threads.find(ada, "k")) == mine
        assert [t.ref for t in store.read(lambda r: r.threads.all(bob))] == [theirs.ref]
        with pytest.raises(ThreadUnknown):
            store.read(lambda r: r.threads.get(ada, theirs.ref))
        with pytest.raises(ThreadUnknown):
            store.write(lambda r: r.threads.hold(ada, theirs.ref))

    def test_a_held_thread_keeps_other_writers_out(self, store: Store) -> None:
        """Eighty increments by eight writers, each from what it saw (R-6)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)

        def one_more(records: Records) -> None:
            seen = records.threads.hold(scope, thread.ref).computed_context_tokens
            records.threads.note(scope, thread.ref, computed=seen + 1)

        def ten() -> None:
            for _ in range(10):
                store.write(one_more)

        assert run_together(*[ten] * 8) == []
        seen = store.read(lambda r: r.threads.get(scope, thread.ref))
        assert seen.computed_context_tokens == 80

    def test_notes_set_only_what_is_given(self, store: Store) -> None:
        scope = agent_in(store)
        ref = thread_in(store, scope).ref
        store.write(lambda r: r.threads.note(scope, ref, computed=7, reported=8, view_version=9))
        store.write(lambda r: r.threads.note(scope, ref, reported=0))
        seen = store.read(lambda r: r.threads.get(scope, ref))
        noted = (seen.computed_context_tokens, seen.last_input_tokens, seen.view_version)
        assert noted == (7, 0, 9)

    def test_a_distillation_changes_view_size_and_time(self, store: Store) -> None:
        """What was reported of an earlier view says nothing any more (R-2)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        before = thread_in(store, scope)
        ref = before.ref
        store.write(lambda r: r.threads.note(scope, ref, computed=7, reported=8))
        store.write(lambda r: r.threads.distilled(scope, ref, at=NOON + 1, version=3, computed=5))
        seen = store.read(lambda r: r.threads.get(scope, ref))
        assert seen == before._replace(
            last_distilled_at=NOON + 1, view_version=3, computed_context_tokens=5
        )
        store.write(lambda r: r.threads.distilled(bob, ref, at=NOON, version=9, computed=9))
        assert store.read(lambda r: r.threads.get(scope, ref)) == seen
        store.write(lambda r: r.threads.distilled(scope, ref, at=None, version=4, computed=6))
        assert store.read(lambda r: r.threads.get(scope, ref)).last_distilled_at is None

    def test_a_thread_keeps_what_the_agent_is_at(self, store: Store) -> None:
        """Also in the transaction that holds it (R-19)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        before = thread_in(store, scope)

        def work(records: Records) -> Thread:
            records.threads.hold(scope, before.ref)
            records.threads.works_on(scope, before.ref, '{"current_task":"é"}')
            return records.threads.hold(scope, before.ref)

        seen = store.write(work)
        assert seen == before._replace(working_state='{"current_task":"é"}')
        store.write(lambda r: r.threads.works_on(bob, before.ref, "another"))
        assert store.read(lambda r: r.threads.get(scope, before.ref)) == seen
        store.write(lambda r: r.threads.works_on(scope, before.ref, None))
        assert store.read(lambda r: r.threads.get(scope, before.ref)) == before

    def test_turns_are_counted_from_one(self, store: Store) -> None:
        scope = agent_in(store)
        ref = thread_in(store, scope).ref
        counted = [store.write(lambda r: r.threads.count_turn(scope, ref)) for _ in range(3)]
        assert counted == [1, 2, 3]

    def test_only_idle_ephemeral_threads_are_offered_for_removal(self, store: Store) -> None:
        """(A-71, X-8)"""
        scope = agent_in(store)
        primary_in(store, scope)
        thread_in(store, scope, "b", "background")
        thread_in(store, scope, "fresh", "ephemeral", now=NOON + HOUR)
        used = thread_in(store, scope, "used", "ephemeral")
        append(store, scope, used, a_draft("still here"), now=NOON + HOUR)
        old = thread_in(store, scope, "old", "ephemeral")
        found = store.read(lambda r: r.threads.idle_ephemeral(before=NOON + 1, limit=10))
        assert found == [(scope, old)]

    def test_the_oldest_idle_threads_come_first_and_no_more_than_asked(self, store: Store) -> None:
        scope = agent_in(store)
        for i in (3, 1, 2):
            thread_in(store, scope, f"e{i}", "ephemeral", now=NOON + i)
        found = store.read(lambda r: r.threads.idle_ephemeral(before=NOON + 9, limit=2))
        assert [t.key for _, t in found] == ["e1", "e2"]

    def test_an_erased_thread_is_not_offered_for_removal(self, store: Store) -> None:
        """It is gone already, and what is left of it stays (X-29)."""
        scope = agent_in(store)
        thread = thread_in(store, scope, "e", "ephemeral")
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=NOON))
        assert store.read(lambda r: r.threads.idle_ephemeral(before=NOON + 9, limit=9)) == []

    def test_removing_an_ephemeral_thread_leaves_no_row_behind(self, store: Store) -> None:
        """(A-71, A-78, X-8)"""
        scope = agent_in(store)
        before = sorted(_tables(store, scope))
        thread = thread_in(store, scope, "ask", "ephemeral")
        _furnish(store, scope, thread)
        held = store.read(lambda r: r.threads.get(scope, thread.ref))
        assert store.write(lambda r: r.threads.remove(scope, held, now=NOON)) == 3
        left = [name for name in _tables(store, scope) if name != "timeline"]
        assert sorted(left) == [name for name in before if name != "timeline"]
        assert store.read(lambda r: r.threads.find(scope, "ask")) is None

    def test_removing_a_thread_leaves_what_others_share(self, store: Store) -> None:
        scope = agent_in(store)
        kept, gone = thread_in(store, scope, "kept"), thread_in(store, scope, "gone", "ephemeral")
        for thread in (kept, gone):
            append(store, scope, thread, a_draft(BODY))
        store.write(lambda r: r.threads.remove(scope, gone, now=NOON))
        read = store.read(lambda r: r.messages.newest(scope, kept.ref, limit=9))
        assert [m.content for m in read] == [BODY]

    def test_a_removed_thread_tells_nothing_of_what_was_said(self, store: Store) -> None:
        """A lawful purge adds an entry and drops the salts (R-33)."""
        scope = agent_in(store)
        thread = thread_in(store, scope, "ask", "ephemeral")
        _furnish(store, scope, thread)
        store.write(lambda r: r.threads.remove(scope, thread, now=NOON))
        entries = store.read(lambda r: r.timeline.page(scope, after=0, limit=100))
        assert [e.event for e in entries if e.salt] == ["agent.created", "thread.removed"]

    def test_a_reference_to_a_removed_thread_never_becomes_another_thread(
        self, store: Store
    ) -> None:
        """Whoever still holds the old one must not speak into a stranger's conversation."""
        scope = agent_in(store)
        old = thread_in(store, scope, "ask", "ephemeral")
        _furnish(store, scope, old)
        store.write(lambda r: r.threads.remove(scope, old, now=NOON))
        assert thread_in(store, scope, "next", "ephemeral").ref != old.ref
        with pytest.raises(ThreadUnknown):
            append(store, scope, old, a_draft("into the void"))

    @pytest.mark.parametrize("kind", ["primary", "background"])
    def test_a_lasting_thread_is_not_removed(self, store: Store, kind: str) -> None:
        """(A-22, X-29)"""
        scope = agent_in(store)
        thread = (
            primary_in(store, scope) if kind == "primary" else thread_in(store, scope, "lasting")
        )
        append(store, scope, thread, a_draft("for ever"))
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.threads.remove(scope, thread, now=NOON))
        read = store.read(lambda r: r.messages.newest(scope, thread.ref, limit=9))
        assert [m.content for m in read] == ["for ever"]


class ErasePromises:
    def test_erasing_removes_every_text_and_leaves_a_tombstone(self, store: Store) -> None:
        """(X-29)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        _furnish(store, scope, thread)
        stone = store.write(lambda r: r.threads.erase(scope, thread, reason="asked", now=NOON))
        assert (stone.subject, stone.reason, stone.messages) == (thread.key_id, "asked", 3)
        assert stone.erased_ms == NOON
        dumped = store.read(lambda r: list(r.audit.dump(scope)))
        assert {name for name, _ in dumped} <= KEPT - {"bodies"}
        assert BODY[:20] not in repr(dumped)

    def test_an_erased_thread_tells_nothing_of_what_was_said(self, store: Store) -> None:
        """Of every entry that speaks of a row that went, also of the earlier ones, no salt stays (R-33)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        _furnish(store, scope, thread)
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=NOON))
        entries = store.read(lambda r: r.timeline.page(scope, after=0, limit=100))
        assert {e.event.partition(".")[0] for e in entries if e.salt} == {
            "agent",
            "thread",
            "tombstone",
        }

    def test_an_erased_thread_takes_nothing_more(self, store: Store) -> None:
        scope = agent_in(store)
        thread = primary_in(store, scope)
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=NOON))
        with pytest.raises(ThreadUnknown):
            append(store, scope, thread, a_draft("too late"))
        assert store.read(lambda r: r.threads.all(scope)) == []

    def test_after_an_erasure_a_new_primary_begins_a_new_lineage(self, store: Store) -> None:
        """(X-29, A-22)"""
        scope = agent_in(store)
        old = primary_in(store, scope)
        store.write(lambda r: r.threads.erase(scope, old, reason=None, now=NOON))
        new = store.write(
            lambda r: r.threads.add(scope, key=old.key, kind="primary", now=NOON, lineage=2)
        )
        assert new.ref != old.ref
        assert new.lineage == 2
        assert store.read(lambda r: r.threads.find(scope, old.key)) == new
