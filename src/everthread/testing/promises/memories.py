"""Memories, priming and notes: kept, superseded, forgotten, and gone with what they came from."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.agents import Scope
from everthread.domain.errors import EverthreadError, MemoryUnknown
from everthread.domain.memory.memories import sources_text
from everthread.ports import Records, Store

from .rows import (
    NOON,
    a_draft,
    a_turn,
    agent_in,
    append,
    memory_in,
    new_id,
    note_in,
    primary_in,
    session_in,
    thread_in,
    turn_in,
)


def _salts(store: Store, scope: Scope, subject: bytes) -> list[bool]:
    """Of each entry about the row, oldest first: does it still have its salt?"""
    entries = store.read(lambda r: r.timeline.about(scope, subject))
    return [entry.salt is not None for entry in entries]


class MemoryPromises:
    def test_a_stored_memory_comes_back_as_it_was(self, store: Store) -> None:
        """(LA-18)"""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        stored = memory_in(
            store,
            scope,
            text="Söhne prefer 空白",
            kind="preference",
            reach="project",
            project="/p",
            principal="mel",
            origin="tool",
            confidence=0.25,
            importance=1.0,
            pinned=1,
            tags=["style", "café"],
            sources=[new_id(), new_id()],
            evidence_json='{"files": {"a.py": "00"}, "commits": ["abc1234"]}',
            receipt_ref=7,
            session_ref=session.ref,
            valid_from_ms=NOON,
            valid_to_ms=NOON + 5,
            said=3,
        )
        assert stored.ref > 0
        assert stored.agent_ref == scope.agent
        for read in (
            store.read(lambda r: r.memories.get(scope, stored.ref)),
            store.read(lambda r: r.memories.find(scope, stored.key_id)),
            store.read(lambda r: r.memories.ending(scope, stored.key_id.hex()[-8:]))[0],
        ):
            assert read == stored

    def test_what_is_not_there_is_not_found(self, store: Store) -> None:
        scope = agent_in(store)
        assert store.read(lambda r: r.memories.find(scope, new_id())) is None
        assert store.read(lambda r: r.memories.ending(scope, "00")) == []
        with pytest.raises(MemoryUnknown):
            store.read(lambda r: r.memories.get(scope, 99))

    def test_what_was_said_last_comes_first_and_states_are_told_apart(self, store: Store) -> None:
        scope = agent_in(store)
        old, new, next_ = (
            memory_in(store, scope, text=text, updated_ms=NOON + at)
            for text, at in (("old", 1), ("new", 3), ("next", 2))
        )
        kept = store.read(lambda r: r.memories.all(scope, state="kept", limit=9))
        assert kept == [new, next_, old]
        assert store.read(lambda r: r.memories.all(scope, state="kept", limit=1)) == [new]
        store.write(lambda r: r.memories.forget(scope, new, now=NOON))
        left = store.read(lambda r: r.memories.all(scope, state="kept", limit=9))
        assert left == [next_, old]
        assert len(store.read(lambda r: r.memories.all(scope, state=None, limit=9))) == 3

    def test_every_change_is_met_again_in_the_order_of_the_timeline(self, store: Store) -> None:
        scope = agent_in(store)
        one, two = memory_in(store, scope), memory_in(store, scope)
        seen = store.read(lambda r: r.memories.since(scope, 0, 9))
        assert seen == [one, two]
        assert store.read(lambda r: r.memories.since(scope, one.entry, 9)) == [two]
        assert store.read(lambda r: r.memories.since(scope, 0, 1)) == [one]
        gone = store.write(lambda r: r.memories.forget(scope, one, now=NOON))
        later = store.write(lambda r: r.memories.supersede(scope, two, new_id(), now=NOON))
        assert store.read(lambda r: r.memories.since(scope, two.entry, 9)) == [gone, later]

    def test_saying_it_again_changes_all_but_the_text(self, store: Store) -> None:
        scope = agent_in(store)
        memory = memory_in(store, scope)
        more = memory._replace(said=2, confidence=0.95, sources_json=sources_text([new_id()]))
        merged = store.write(lambda r: r.memories.merge(scope, more))
        assert store.read(lambda r: r.memories.get(scope, memory.ref)) == merged
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.memories.merge(scope, more._replace(text="Prefers spaces")))
        assert store.read(lambda r: r.memories.get(scope, memory.ref)) == merged

    def test_a_memory_can_be_given_an_end(self, store: Store) -> None:
        scope = agent_in(store)
        memory = memory_in(store, scope)
        store.write(lambda r: r.memories.bound(scope, memory, until=NOON + 9, now=NOON))
        seen = store.read(lambda r: r.memories.get(scope, memory.ref))
        assert (seen.state, seen.text, seen.valid_to_ms) == ("kept", memory.text, NOON + 9)
        assert seen.entry > memory.entry

    def test_a_superseded_memory_stays_readable_and_names_its_successor(self, store: Store) -> None:
        scope = agent_in(store)
        old, new = memory_in(store, scope), memory_in(store, scope, text="Prefers spaces")
        store.write(lambda r: r.memories.supersede(scope, old, new.key_id, now=NOON + 1))
        seen = store.read(lambda r: r.memories.get(scope, old.ref))
        assert (seen.state, seen.text, seen.successor) == ("superseded", old.text, new.key_id)
        assert store.read(lambda r: r.memories.predecessors(scope, new)) == [seen]

    def test_what_an_undone_distillation_drew_is_superseded_by_its_receipt(
        self, store: Store
    ) -> None:
        """(R-15)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        memory = memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [memory], now=NOON))
        receipt = new_id()
        over = store.write(lambda r: r.memories.retract(scope, memory, receipt, now=NOON + 1))
        assert (over.state, over.text, over.successor) == ("superseded", memory.text, receipt)
        assert store.read(lambda r: r.memories.get(scope, memory.ref)) == over
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == []
        assert store.read(lambda r: r.memories.lineage(scope, over)) == [over]
        events = [e.event for e in store.read(lambda r: r.timeline.about(scope, memory.key_id))]
        assert events == ["memory.kept", "memory.retracted"]

    def test_what_an_undone_distillation_changed_is_as_it_was(self, store: Store) -> None:
        """What was withheld for a successor is free again; what was forgotten is not (R-15)."""
        scope = agent_in(store)
        source, hidden = new_id(), new_id()
        before = memory_in(store, scope, sources=[source], tags=["style"], importance=0.5)
        gone = memory_in(store, scope, text="hush", sources=[hidden])

        def work(records: Records) -> None:
            records.memories.forget(scope, gone, now=NOON)
            records.memories.supersede(scope, before, new_id(), now=NOON + 1)
            records.memories.withhold(scope, before, [source], "superseded")
            records.memories.restore(scope, before, now=NOON + 2)

        store.write(work)
        after = store.read(lambda r: r.memories.get(scope, before.ref))
        assert after == before._replace(entry=after.entry)
        assert store.read(lambda r: r.memories.withheld(scope)) == {hidden: "forgotten"}
        forged = gone._replace(text="hush again")
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.memories.restore(scope, forged, now=NOON + 3))

    def test_a_lineage_is_whole_from_whichever_version_it_is_asked(self, store: Store) -> None:
        scope = agent_in(store)
        old, twin, new, other = (memory_in(store, scope, text=f"version {n}") for n in range(4))
        for one in (old, twin):
            store.write(lambda r, m=one: r.memories.supersede(scope, m, new.key_id, now=NOON))
        for one in (old, twin, new):
            seen = store.read(lambda r, m=one: r.memories.get(scope, m.ref))
            lineage = store.read(lambda r, m=seen: r.memories.lineage(scope, m))
            assert [m.ref for m in lineage] == [old.ref, twin.ref, new.ref]
        assert list(store.read(lambda r: r.memories.lineage(scope, other))) == [other]
        assert list(store.read(lambda r: r.memories.lineage(scope))) == []

    def test_forgetting_removes_every_word_and_leaves_the_row(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        source = new_id()
        memory = memory_in(
            store,
            scope,
            text="the plan is hush",
            tags=["hush"],
            sources=[source],
            evidence_json='{"files": {"hush.md": "00"}}',
        )
        store.write(lambda r: r.memories.merge(scope, memory._replace(said=2)))
        gone = store.write(lambda r: r.memories.forget(scope, memory, now=NOON + 1))
        assert (gone.state, gone.text, gone.updated_ms) == ("forgotten", "", NOON + 1)
        assert "hush" not in repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert store.read(lambda r: r.memories.withheld(scope)) == {source: "forgotten"}
        assert _salts(store, scope, memory.key_id) == [False, False, True]

    def test_a_memory_is_never_deleted_nor_brought_back(self, store: Store) -> None:
        scope = agent_in(store)
        memory = memory_in(store, scope)
        store.write(lambda r: r.memories.forget(scope, memory, now=NOON))
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.memories.merge(scope, memory))

    def test_what_is_withheld_is_forgotten_before_superseded(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        both, one = new_id(), new_id()
        first = memory_in(store, scope, sources=[both])
        second = memory_in(store, scope, sources=[both, one])

        def work(records: Records) -> None:
            records.memories.withhold(scope, first, [both], "forgotten")
            records.memories.withhold(scope, second, [both, one], "superseded")

        store.write(work)
        expected = {both: "forgotten", one: "superseded"}
        assert store.read(lambda r: r.memories.withheld(scope)) == expected
        assert store.read(lambda r: r.memories.withheld(agent_scope(r, "eve"))) == {}

    def test_a_user_wide_memory_is_read_across_agents_and_belongs_to_one(
        self, store: Store
    ) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        wide = memory_in(store, ada, reach="user")
        memory_in(store, ada)
        gone = memory_in(store, bob, reach="user")
        store.write(lambda r: r.memories.forget(bob, gone, now=NOON))
        assert store.read(lambda r: r.memories.user_wide()) == [wide]
        assert store.read(lambda r: r.memories.all(bob, state="kept", limit=9)) == []

    def test_memories_of_another_agent_are_not_seen(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        memory = memory_in(store, ada)
        assert store.read(lambda r: r.memories.find(bob, memory.key_id)) is None
        assert store.read(lambda r: r.memories.ending(bob, memory.key_id.hex())) == []
        assert store.read(lambda r: r.memories.since(bob, 0, 9)) == []
        with pytest.raises(MemoryUnknown):
            store.read(lambda r: r.memories.get(bob, memory.ref))

    def test_what_came_from_an_erased_thread_is_forgotten_with_it(self, store: Store) -> None:
        """(X-29)"""
        scope = agent_in(store)
        erased, stays = thread_in(store, scope, "erased"), thread_in(store, scope, "stays")
        (there,) = append(store, scope, erased, a_draft("hush"))
        (here,) = append(store, scope, stays, a_draft("aloud"))
        session = session_in(store, scope, erased)
        gone = memory_in(
            store, scope, text="hush", sources=[here.key, there.key], session_ref=session.ref
        )
        kept = memory_in(store, scope, text="aloud", sources=[here.key])
        store.write(lambda r: r.memories.withhold(scope, kept, [there.key], "superseded"))
        store.write(lambda r: r.threads.erase(scope, erased, reason=None, now=NOON))
        assert store.read(lambda r: r.memories.get(scope, gone.ref)).text == ""
        assert store.read(lambda r: r.memories.get(scope, kept.ref)) == kept
        assert store.read(lambda r: r.memories.withheld(scope)) == {here.key: "forgotten"}
        assert "hush" not in repr(store.read(lambda r: list(r.audit.dump(scope))))

    def test_what_came_from_an_errand_outlives_it(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope, "ask", "ephemeral")
        (message,) = append(store, scope, thread, a_draft("tabs"))
        memory = memory_in(store, scope, sources=[message.key])
        store.write(lambda r: r.memories.withhold(scope, memory, [message.key], "superseded"))
        store.write(lambda r: r.threads.remove(scope, thread, now=NOON))
        assert store.read(lambda r: r.memories.get(scope, memory.ref)) == memory
        assert store.read(lambda r: r.memories.withheld(scope)) == {}


def agent_scope(records: Records, name: str) -> Scope:
    """A scope of an agent that nobody made."""
    assert records.agents.find(name) is None
    return Scope(9_999)


class PrimingPromises:
    def test_what_is_primed_stays_until_a_later_turn_completes(self, store: Store) -> None:
        """(S-5, LA-7, A-45)"""
        scope = agent_in(store)
        thread, other = primary_in(store, scope), thread_in(store, scope)
        session = session_in(store, scope, thread)
        before = turn_in(store, scope, session, opened_ms=NOON - 1)
        facts = [memory_in(store, scope, text=f"fact {i}") for i in range(3)]
        store.write(lambda r: r.memories.prime(scope, thread.ref, facts, now=NOON, receipt=7))
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == facts
        assert store.read(lambda r: r.memories.primed(scope, other.ref)) == []
        # A turn that had begun before could not be given them.
        assert store.write(lambda r: r.memories.consume(scope, before, ())) == 0
        ids = {fact.key_id for fact in facts}
        done = before._replace(state="done", closed_ms=NOON)
        store.write(lambda r: r.turns.close(scope, done))
        after = store.write(lambda r: r.turns.add(scope, a_turn(session, number=2, opened_ms=NOON)))
        assert store.write(lambda r: r.memories.consume(scope, after, ids)) == 3
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == []

    def test_what_the_turn_was_not_given_stays_primed(self, store: Store) -> None:
        """(S-5)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        turn = turn_in(store, scope, session_in(store, scope, thread))
        one, two = memory_in(store, scope), memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [one, two], now=NOON))
        assert store.write(lambda r: r.memories.consume(scope, turn, ())) == 0
        assert store.write(lambda r: r.memories.consume(scope, turn, {one.key_id, new_id()})) == 1
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == [two]

    def test_what_a_turn_was_given_is_consumed_whatever_the_clock_says(self, store: Store) -> None:
        """(S-5, A-45): the clock may have been set back since it was primed."""
        thread = primary_in(store, scope := agent_in(store))
        turn = turn_in(store, scope, session_in(store, scope, thread), opened_ms=NOON - 1)
        memory = memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [memory], now=NOON))
        assert store.write(lambda r: r.memories.consume(scope, turn, {memory.key_id})) == 1
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == []

    def test_priming_again_after_it_was_consumed_counts(self, store: Store) -> None:
        scope = agent_in(store)
        thread = primary_in(store, scope)
        turn = turn_in(store, scope, session_in(store, scope, thread))
        memory = memory_in(store, scope)
        for _ in range(2):
            store.write(lambda r: r.memories.prime(scope, thread.ref, [memory], now=NOON))
            assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == [memory]
            assert store.write(lambda r: r.memories.consume(scope, turn, [memory.key_id])) == 1

    def test_what_is_kept_no_more_is_primed_no_more(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        one, two = memory_in(store, scope), memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [one, two], now=NOON))
        store.write(lambda r: r.memories.forget(scope, one, now=NOON))
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == [two]
        store.write(lambda r: r.memories.supersede(scope, two, new_id(), now=NOON))
        assert store.read(lambda r: r.memories.primed(scope, thread.ref)) == []

    @pytest.mark.parametrize("way", ["removed", "erased"])
    def test_what_was_primed_goes_with_its_thread(self, store: Store, way: str) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope, "ask", "ephemeral")
        turn = turn_in(store, scope, session_in(store, scope, thread))
        memory = memory_in(store, scope)
        store.write(lambda r: r.memories.prime(scope, thread.ref, [memory], now=NOON))
        store.write(lambda r: r.memories.consume(scope, turn, [memory.key_id]))

        def work(records: Records) -> None:
            if way == "removed":
                records.threads.remove(scope, thread, now=NOON)
            else:
                records.threads.erase(scope, thread, reason=None, now=NOON)

        store.write(work)
        assert "primed" not in {t for t, _ in store.read(lambda r: list(r.audit.dump(scope)))}


class NotePromises:
    def test_notes_are_listed_newest_first(self, store: Store) -> None:
        """(R-19)"""
        scope, other = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        old = note_in(store, scope, text="old", category="decision")
        new = note_in(store, scope, text="new", created_ms=NOON + 1, thread_ref=thread.ref)
        assert store.read(lambda r: r.notes.all(scope, limit=9)) == [new, old]
        assert store.read(lambda r: r.notes.all(scope, limit=1)) == [new]
        assert store.read(lambda r: r.notes.all(scope, thread=thread.ref, limit=9)) == [new]
        assert store.read(lambda r: r.notes.since(scope, old.entry, 9)) == [new]
        assert store.read(lambda r: r.notes.all(other, limit=9)) == []
        digits = old.key_id.hex()[-8:]
        assert store.read(lambda r: r.notes.ending(scope, digits)) == [old]
        assert store.read(lambda r: r.notes.ending(other, digits)) == []

    def test_a_deleted_note_leaves_no_word(self, store: Store) -> None:
        scope = agent_in(store)
        note = note_in(store, scope, text="hush")
        gone = store.write(lambda r: r.notes.delete(scope, note, now=NOON + 1))
        assert (gone.text, gone.deleted_ms) == ("", NOON + 1)
        assert store.read(lambda r: r.notes.all(scope, limit=9)) == []
        assert store.read(lambda r: r.notes.since(scope, note.entry, 9)) == [gone]
        assert store.read(lambda r: r.notes.ending(scope, note.key_id.hex())) == []
        assert "hush" not in repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert _salts(store, scope, note.key_id) == [False, True]

    @pytest.mark.parametrize("way", ["removed", "erased"])
    def test_a_thread_takes_its_notes_with_it(self, store: Store, way: str) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope, "ask", "ephemeral")
        note = note_in(store, scope, thread_ref=thread.ref)
        kept = note_in(store, scope)

        def work(records: Records) -> None:
            if way == "removed":
                records.threads.remove(scope, thread, now=NOON)
            else:
                records.threads.erase(scope, thread, reason=None, now=NOON)

        store.write(work)
        assert store.read(lambda r: r.notes.all(scope, limit=9)) == [kept]
        assert _salts(store, scope, note.key_id) == [False]
