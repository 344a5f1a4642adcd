"""Which memories a start looks for: those that hold until they are taken back, and a project's own."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.memory.memories import Memory, State, is_valid
from everthread.ports import Store

from .rows import NOON, agent_in, closed_in, memory_in, new_id, session_in, thread_in


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
        found = store.read(lambda r: r.memories.standing(ada, at=NOON, limit=9))
        assert found == [pinned, preference, identity, rule]
        assert store.read(lambda r: r.memories.standing(ada, at=NOON, limit=1)) == [pinned]
        store.write(lambda r: r.memories.supersede(ada, rule, new_id(), now=NOON))
        assert rule.ref not in {
            m.ref for m in store.read(lambda r: r.memories.standing(ada, at=NOON, limit=9))
        }

    def test_what_undoing_took_back_is_found_until_it_comes_back(self, store: Store) -> None:
        """Not what a memory took the place of, nor what was forgotten. (R-15, R-43)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        receipt, other = (closed_in(store, one, thread_in(store, one)) for one in (ada, bob))
        made = [memory_in(store, ada, text=text) for text in ("one", "two", "three", "four")]
        gone = [
            store.write(lambda r, m=m: r.memories.retract(ada, m, receipt.key_id, now=NOON + 1))
            for m in made[:3]
        ]
        store.write(lambda r: r.memories.supersede(ada, made[3], new_id(), now=NOON + 1))
        hers = memory_in(store, bob)
        store.write(lambda r: r.memories.retract(bob, hers, other.key_id, now=NOON + 1))
        assert store.read(lambda r: r.memories.taken_back(ada)) == gone
        store.write(lambda r: r.memories.forget(ada, gone[0], now=NOON + 2))
        back = store.write(lambda r: r.memories.restore(ada, made[1], now=NOON + 2))
        assert store.read(lambda r: r.memories.taken_back(ada)) == [gone[2]]
        assert store.read(lambda r: r.memories.get(ada, made[1].ref)) == back

    def test_what_stands_holds_at_that_time(self, store: Store) -> None:
        """Its end is the first moment at which it does not hold. (B-46)"""
        ada = agent_in(store)
        spans = [(None, None), (NOON, None), (NOON + 1, None), (None, NOON), (None, NOON + 1)]
        made = [
            memory_in(store, ada, kind="rule", origin="user", valid_from_ms=a, valid_to_ms=b)
            for a, b in spans
        ]
        for at in (NOON, NOON + 1):
            found = store.read(lambda r, t=at: r.memories.standing(ada, at=t, limit=9))
            assert {m.ref for m in found} == {m.ref for m in made if is_valid(m, at=at)}
        ended = store.write(lambda r: r.memories.bound(ada, made[0], until=NOON, now=NOON))
        found = store.read(lambda r: r.memories.standing(ada, at=NOON, limit=9))
        assert ended.ref not in {m.ref for m in found}

    def test_what_stands_beside_was_said_to_a_harness_and_for_all(self, store: Store) -> None:
        """What `MEMORY.md` lists of sessions. (S-4)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        work, own, hers, bobs = (
            session_in(store, who, thread_in(store, who, key=key), harness=by, principal=principal)
            for who, key, by, principal in (
                (ada, "work", "claude-code", None),
                (ada, "own", None, None),
                (ada, "hers", "openclaw", "mel"),
                (bob, "work", "claude-code", None),
            )
        )
        rule = {"kind": "rule", "origin": "user", "pinned": 0}
        said = memory_in(store, ada, **rule, session_ref=work.ref, updated_ms=NOON)
        later = memory_in(store, ada, **rule, session_ref=work.ref, updated_ms=NOON + 1)
        pinned = memory_in(store, ada, kind="fact", origin="user", pinned=1, session_ref=work.ref)
        for left_out in (
            {"session_ref": own.ref},
            {"session_ref": hers.ref},
            {"session_ref": None},
            {"session_ref": work.ref, "principal": "mel"},
            {"session_ref": work.ref, "reach": "project", "project": "/here"},
            {"session_ref": work.ref, "valid_to_ms": NOON},
            {"session_ref": work.ref, "valid_from_ms": NOON + 1},
            {"session_ref": work.ref, "origin": "agent", "pinned": 1},
            {"session_ref": work.ref, "kind": "decision"},
        ):
            memory_in(store, ada, **{**rule, **left_out})
        memory_in(store, bob, **rule, session_ref=bobs.ref)

        def found(limit: int = 9) -> list[int]:
            return [
                m.ref
                for m in store.read(lambda r: r.memories.standing_beside(ada, at=NOON, limit=limit))
            ]

        assert found() == [pinned.ref, later.ref, said.ref]
        assert found(1) == [pinned.ref]
        store.write(lambda r: r.memories.supersede(ada, later, new_id(), now=NOON))
        store.write(lambda r: r.memories.forget(ada, pinned, now=NOON))
        assert found() == [said.ref]

    def test_what_was_replaced_is_told_by_the_messages_it_came_from(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        keys = [new_id() for _ in range(40)]
        for who in (ada, bob):
            old = memory_in(store, who, text=f"the port of {who.agent}", sources_json="[]")
            store.write(lambda r, w=who, o=old: r.memories.withhold(w, o, keys, "superseded"))
            assert store.read(lambda r, w=who: r.memories.replaced(w, keys)) == {}, "it is kept"
            store.write(lambda r, w=who, o=old: r.memories.supersede(w, o, new_id(), now=NOON))
        gone = memory_in(store, ada, text="never mind")
        store.write(lambda r: r.memories.withhold(ada, gone, keys[:1], "forgotten"))
        told = {key: [f"the port of {ada.agent}"] for key in keys}
        assert store.read(lambda r: r.memories.replaced(ada, [*keys, new_id()])) == told
        assert store.read(lambda r: r.memories.replaced(ada, [])) == {}

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

    def test_what_ends_of_own_sessions_drew_comes_newest_first(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        own, hers = (
            session_in(store, scope, thread),
            session_in(store, scope, thread, principal="kim"),
        )
        beside = session_in(store, scope, thread, harness="codex")
        drawn = [memory_in(store, scope, session_ref=own.ref) for _ in range(3)]
        memory_in(store, scope)
        for session in (hers, beside):
            memory_in(store, scope, session_ref=session.ref)
        for ended in ({"receipt_ref": 7}, {"principal": "kim"}, {"valid_to_ms": NOON}):
            memory_in(store, scope, session_ref=own.ref, **ended)

        def found(after: int, limit: int) -> Sequence[Memory]:
            asked = {"after": after, "at": NOON, "limit": limit}
            return store.read(lambda r: r.memories.drawn(scope, thread.ref, **asked))

        assert found(0, 9) == drawn[::-1]
        assert found(0, 2) == drawn[:0:-1]
        assert found(drawn[1].entry, 9) == drawn[2:]

    def test_what_was_drawn_from_sessions_of_harnesses_comes_newest_first(
        self, store: Store
    ) -> None:
        """(S-4)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        thread, other = thread_in(store, ada), thread_in(store, bob)
        work = session_in(store, ada, thread, harness="codex")
        hers = session_in(store, ada, thread, harness="codex", principal="kim")
        own = session_in(store, ada, thread)
        bobs = session_in(store, bob, other, harness="codex")
        drawn = [memory_in(store, ada, session_ref=work.ref, kind=k) for k in ("fact", "decision")]
        for left_out in (
            {"session_ref": own.ref},
            {"session_ref": hers.ref},
            {"session_ref": None},
            {"receipt_ref": 7},
            {"principal": "kim"},
            {"reach": "project", "project": "/here"},
            {"valid_to_ms": NOON},
            {"valid_from_ms": NOON + 1},
        ):
            memory_in(store, ada, **{"session_ref": work.ref, **left_out})
        memory_in(store, bob, session_ref=bobs.ref)

        def found(limit: int = 9) -> Sequence[Memory]:
            return store.read(lambda r: r.memories.drawn_beside(ada, at=NOON, limit=limit))

        assert found() == drawn[::-1]
        assert found(1) == drawn[1:]
        store.write(lambda r: r.memories.forget(ada, drawn[1], now=NOON))
        assert found() == drawn[:1]

    def test_memories_are_found_by_their_words_however_old(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        first, twin, over = (memory_in(store, ada, text=text) for text in ("one", "one", "two"))
        over = store.write(lambda r: r.memories.supersede(ada, over, new_id(), now=NOON))
        memory_in(store, ada, text="one more")
        memory_in(store, bob, text="one")

        def found(*texts: str, state: State = "kept") -> list[int]:
            said = store.read(lambda r: r.memories.saying(ada, texts, state=state))
            return sorted(memory.ref for memory in said)

        assert found("one", "two") == [first.ref, twin.ref]
        assert found("two", state="superseded") == [over.ref]
        assert found(*(f"no {n}" for n in range(500)), "one") == [first.ref, twin.ref]
        assert (found(), found("One"), found("\0", "half \ud83d")) == ([], [], [])
