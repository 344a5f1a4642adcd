"""Checkpoints go: trimmed, pruned, withheld, or with their thread; what stays is sound."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.threads import Thread
from everthread.domain.harness.checkpoints import NO_ACTIVITY, Checkpoint
from everthread.ports import Records, Store

from .checkpoints import LONG, body_uses, primary_session, stored_of
from .harness_rows import a_checkpoint, checkpoint_in
from .rows import NOON, agent_in, entries_salted, run_together, session_in, thread_in


def let_go(store: Store, scope: Scope, thread: Thread, way: str) -> None:
    def work(records: Records) -> None:
        if way == "removed":
            records.threads.remove(scope, thread, now=NOON)
        else:
            records.threads.erase(scope, thread, reason=None, now=NOON)

    store.write(work)


class PruningPromises:
    def test_the_oldest_of_a_session_go_beyond_so_many(self, store: Store) -> None:
        """Also where time went backwards: the time of creation counts (B-35)."""
        scope = agent_in(store)
        session, other = primary_session(store, scope), primary_session(store, scope)
        times = (4, 2, 3, 1, 3)
        made = [checkpoint_in(store, scope, session, f"t{n}", created_ms=NOON + n) for n in times]
        beside = checkpoint_in(store, scope, other, created_ms=NOON)

        def trim(keep: int) -> int:
            return store.write(
                lambda r: r.checkpoints.trim(scope, session.ref, keep=keep, now=NOON + 9)
            )

        assert trim(9) == 0
        assert trim(3) == 2
        assert stored_of(store, scope, session) == [made[0], made[4], made[2]]
        assert trim(3) == 0
        assert stored_of(store, scope, other) == [beside]
        assert trim(0) == 3
        assert stored_of(store, scope, session) == []

    def test_what_is_removed_leaves_an_entry_and_no_word(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        gone = checkpoint_in(store, scope, session, "a secret", LONG)
        kept = checkpoint_in(store, scope, session, "kept", LONG, parent_ref=gone.ref)
        store.write(lambda r: r.checkpoints.trim(scope, session.ref, keep=1, now=NOON + 9))
        assert body_uses(store, scope) == {"kept": 1, LONG: 1}
        about = store.read(lambda r: r.timeline.about(scope, gone.key_id))
        assert [(e.event, e.salt is None) for e in about] == [
            ("checkpoint.made", True),
            ("checkpoint.removed", False),
        ]
        assert about[-1].at_ms == NOON + 9
        # What followed from it is sealed as it was: it only no longer points there.
        (left,) = stored_of(store, scope, session)
        assert left == kept._replace(parent_ref=None)
        assert entries_salted(store, scope, kept.key_id) == [True]
        assert body_of("a secret").hash.hex() not in repr(
            store.read(lambda r: list(r.audit.dump(scope)))
        )

    def test_what_is_made_and_removed_in_one_transaction_leaves_no_salt(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        session = primary_session(store, scope)

        def work(records: Records) -> Checkpoint:
            made = records.checkpoints.add(scope, a_checkpoint(session), "a secret", "")
            records.checkpoints.trim(scope, session.ref, keep=0, now=NOON)
            return made

        made = store.write(work)
        assert entries_salted(store, scope, made.key_id) == [False, True]
        assert body_uses(store, scope) == {}

    def test_old_ones_of_all_agents_go_up_to_a_limit(self, store: Store) -> None:
        """(B-36, X-6)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine, theirs = primary_session(store, ada), primary_session(store, bob)
        for n in (1, 2, 3):
            checkpoint_in(store, ada, mine, created_ms=NOON + n)
            checkpoint_in(store, bob, theirs, created_ms=NOON + n)

        def prune(before: int, limit: int = 99) -> int:
            return store.write(
                lambda r: r.checkpoints.prune(before=before, now=NOON + 50, limit=limit)
            )

        assert prune(NOON + 1) == 0
        assert prune(NOON + 3, limit=3) == 3
        assert prune(NOON + 3, limit=3) == 1
        for scope, session in ((ada, mine), (bob, theirs)):
            assert [c.created_ms for c in stored_of(store, scope, session)] == [NOON + 3]
            assert store.read(lambda r, s=scope: r.audit.counts(s))["checkpoint"] == 1

    @pytest.mark.parametrize(
        ("state", "task", "stays"),
        [
            ("suspended", None, True),
            ("active", "a-task", True),
            ("suspended", "a-task", True),
            ("complete", "a-task", False),
            ("active", None, False),
            ("complete", None, False),
            ("terminated", None, False),
        ],
    )
    def test_the_newest_stays_where_the_session_may_go_on(
        self, store: Store, state: str, task: str | None, *, stays: bool
    ) -> None:
        """(X-6)"""
        scope = agent_in(store)
        session = primary_session(store, scope, state=state, task=task)
        for n in (1, 2):
            checkpoint_in(store, scope, session, created_ms=NOON + n)
        newest = checkpoint_in(store, scope, session, created_ms=NOON + 2)
        count = store.write(lambda r: r.checkpoints.prune(before=NOON + 9, now=NOON + 9, limit=9))
        assert count == (2 if stays else 3)
        assert stored_of(store, scope, session) == ([newest] if stays else [])

    def test_many_who_prune_at_once_remove_each_once(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        for scope in (ada, bob):
            session = primary_session(store, scope)
            for _ in range(3):
                checkpoint_in(store, scope, session, "shared text")
        counts: list[int] = []

        def prune() -> None:
            counts.append(
                store.write(lambda r: r.checkpoints.prune(before=NOON + 1, now=NOON, limit=99))
            )

        assert run_together(*[prune] * 4) == []
        assert sum(counts) == 6
        for scope in (ada, bob):
            entries = store.read(lambda r, s=scope: r.timeline.page(s, after=0, limit=99))
            assert [e.event for e in entries].count("checkpoint.removed") == 3
            assert body_uses(store, scope) == {}

    def test_a_withheld_checkpoint_leaves_no_word_and_nothing_to_guess_by(
        self, store: Store
    ) -> None:
        """(R-43)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        made = checkpoint_in(
            store,
            scope,
            session,
            "a secret",
            "its state",
            resume_instructions="say a secret",
            activity_json='{"queries":["a secret"]}',
            safety_json='{"said":"a secret"}',
        )
        other = checkpoint_in(store, scope, session, "its state")
        store.write(lambda r: r.checkpoints.withhold(scope, made, now=NOON + 3))
        left = store.read(lambda r: r.checkpoints.get(scope, made.ref))
        assert left == made._replace(
            text_hash=None,
            state_hash=None,
            resume_instructions=None,
            activity_json=NO_ACTIVITY,
            safety_json=None,
            entry=left.entry,
        )
        dumped = repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert "a secret" not in dumped
        assert body_of("a secret").hash.hex() not in dumped
        assert store.read(lambda r: r.checkpoints.text(scope, other)) == "its state"
        assert entries_salted(store, scope, made.key_id) == [False, True]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []
        store.write(lambda r: r.checkpoints.withhold(scope, made, now=NOON + 4))  # changes nothing
        assert store.read(lambda r: r.checkpoints.get(scope, made.ref)) == left

    def test_what_of_a_withheld_checkpoint_may_still_be_told_takes_its_place(
        self, store: Store
    ) -> None:
        """(R-43)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        made = checkpoint_in(store, scope, session, "a secret\nand more", "its state")
        left = {"text": "and more", "state": "its state", "activity": '{"queries":[]}'}
        for _ in range(2):  # the second time changes nothing
            store.write(lambda r: r.checkpoints.withhold(scope, made, **left, now=NOON + 3))
        found = store.read(lambda r: r.checkpoints.get(scope, made.ref))
        assert found == made._replace(
            text_hash=body_of("and more").hash, activity_json='{"queries":[]}', entry=found.entry
        )
        assert store.read(lambda r: r.checkpoints.state(scope, found)) == "its state"
        assert body_uses(store, scope) == {"and more": 1, "its state": 1}
        assert entries_salted(store, scope, made.key_id) == [False, True]
        seen = store.read(lambda r: r.sessions.get(scope, session.ref))
        assert seen.checkpoint_count == 1

    @pytest.mark.parametrize("way", ["removed", "erased"])
    def test_a_thread_takes_its_checkpoints_with_it(self, store: Store, way: str) -> None:
        """(X-29, R-33)"""
        scope = agent_in(store)
        gone, kept = thread_in(store, scope, "e", "ephemeral"), thread_in(store, scope, "kept")
        made = [
            checkpoint_in(store, scope, session_in(store, scope, thread), LONG, f"of {thread.key}")
            for thread in (gone, kept)
        ]
        assert body_uses(store, scope)[LONG] == 2
        let_go(store, scope, gone, way)
        assert body_uses(store, scope) == {LONG: 1, "of kept": 1}
        assert store.read(lambda r: r.checkpoints.newest(scope, limit=9)) == made[1:]
        assert [entries_salted(store, scope, c.key_id) for c in made] == [[False], [True]]
