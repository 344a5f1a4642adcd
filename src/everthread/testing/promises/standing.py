"""Which memories a start looks for: those that hold until they are taken back, and a project's own."""

from __future__ import annotations

from everthread.ports import Store

from .making import NOON, agent_in, memory_in, new_id, session_in, thread_in


class StandingPromises:
    def test_what_stands_is_found_however_much_was_said_since(self, store: Store) -> None:
        """Pinned, then a person's rules, preferences and words on herself; not an agent's. (B-46)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        rule, preference, identity = (
            memory_in(store, ada, kind=kind, origin="user", pinned=0, updated_ms=NOON + at)
            for kind, at in (("rule", 1), ("preference", 3), ("identity", 2))
        )
        pinned = memory_in(store, ada, kind="note", origin="user", pinned=1, updated_ms=NOON)
        memory_in(store, ada, kind="rule", origin="agent", pinned=0)
        memory_in(store, ada, kind="decision", origin="user", pinned=0)
        memory_in(store, bob, kind="rule", origin="user", pinned=0)
        found = store.read(lambda r: r.memories.standing(ada, limit=9))
        assert found == [pinned, preference, identity, rule]
        assert store.read(lambda r: r.memories.standing(ada, limit=1)) == [pinned]
        store.write(lambda r: r.memories.supersede(ada, rule, new_id(), now=NOON))
        assert rule.ref not in {
            m.ref for m in store.read(lambda r: r.memories.standing(ada, limit=9))
        }

    def test_what_is_of_a_project_is_known_by_its_folder_or_its_session(self, store: Store) -> None:
        """(B-46)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        here, there = (
            session_in(store, ada, thread_in(store, ada, key=folder), project_normalized=folder)
            for folder in ("/here", "/there")
        )
        named = memory_in(store, ada, project="/here", updated_ms=NOON)
        drawn = memory_in(store, ada, session_ref=here.ref, updated_ms=NOON + 1)
        memory_in(store, ada, session_ref=there.ref)
        memory_in(store, ada)
        memory_in(store, bob, project="/here")
        assert store.read(lambda r: r.memories.of_project(ada, "/here", limit=9)) == [drawn, named]
        assert store.read(lambda r: r.memories.of_project(ada, "/here", limit=1)) == [drawn]
        store.write(lambda r: r.memories.forget(ada, drawn, now=NOON))
        assert store.read(lambda r: r.memories.of_project(ada, "/here", limit=9)) == [named]
