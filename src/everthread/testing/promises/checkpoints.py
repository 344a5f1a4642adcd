"""Checkpoints: stored as given, found newest first, by session and by project."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import CheckpointUnknown, EverthreadError, SessionUnknown
from everthread.domain.harness.checkpoints import Checkpoint, CheckpointKind
from everthread.ports import Records, Store

from .harness_rows import a_checkpoint, checkpoint_in
from .rows import NOON, agent_in, new_id, primary_in, run_together, session_in

LONG = "what the session was about " * 400


def primary_session(store: Store, scope: Scope, **changes: Any) -> Session:
    """A session on the agent's primary thread."""
    name = store.read(lambda r: r.agents.get(scope)).name
    return session_in(store, scope, primary_in(store, scope, name), **changes)


def stored_of(store: Store, scope: Scope, session: Session) -> Sequence[Checkpoint]:
    """The checkpoints of a session, newest first."""
    return store.read(lambda r: r.checkpoints.of_session(scope, session.ref, limit=99))


def body_uses(store: Store, scope: Scope) -> dict[str, int]:
    """How often each body is used, by its text."""
    rows = store.read(lambda r: list(r.audit.dump(scope)))
    return {row["content"]: row["uses"] for table, row in rows if table == "bodies"}


class CheckpointPromises:
    def test_a_checkpoint_is_stored_as_it_was_given(self, store: Store) -> None:
        """(X-10)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        first = checkpoint_in(store, scope, session)
        given = a_checkpoint(
            session,
            kind="gate_transition",
            task="é-task",
            gate="G2",
            step="3",
            can_resume=0,
            resume_instructions="begin with the tests",
            activity_json='{"queries":["é"]}',
            safety_json="{}",
            parent_ref=first.ref,
        )
        stored = store.write(lambda r: r.checkpoints.add(scope, given, LONG, "its state"))
        assert stored == given._replace(
            ref=stored.ref,
            agent_ref=scope.agent,
            text_hash=body_of(LONG).hash,
            state_hash=body_of("its state").hash,
            entry=stored.entry,
        )
        assert stored.ref and stored.entry
        assert store.read(lambda r: r.checkpoints.get(scope, stored.ref)) == stored
        assert store.read(lambda r: r.checkpoints.text(scope, stored)) == LONG
        assert store.read(lambda r: r.checkpoints.state(scope, stored)) == "its state"

    def test_a_checkpoint_may_have_no_state_and_no_text(self, store: Store) -> None:
        scope = agent_in(store)
        stored = checkpoint_in(store, scope, primary_session(store, scope), text="")
        assert (stored.text_hash, stored.state_hash) == (None, None)
        assert store.read(lambda r: r.checkpoints.text(scope, stored)) == ""
        assert store.read(lambda r: r.checkpoints.state(scope, stored)) == ""

    def test_texts_that_no_database_takes_are_stored_with_a_mark(self, store: Store) -> None:
        scope = agent_in(store)
        wild, tame = "é\x00 \ud83d 👩 \udc80", "é\ufffd \ufffd 👩 \ufffd"
        session = primary_session(store, scope)
        made = checkpoint_in(store, scope, session, wild, wild, task=wild, resume_instructions=wild)
        assert store.read(lambda r: r.checkpoints.get(scope, made.ref)) == made
        assert (made.task, made.resume_instructions) == (tame, tame)
        assert store.read(lambda r: r.checkpoints.text(scope, made)) == tame
        assert store.read(lambda r: r.checkpoints.state(scope, made)) == tame

    def test_every_kind_is_known_and_no_other(self, store: Store) -> None:
        """(X-11)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        for kind in get_args(CheckpointKind):
            checkpoint_in(store, scope, session, kind=kind)
        assert len(stored_of(store, scope, session)) == 13
        with pytest.raises(EverthreadError):
            checkpoint_in(store, scope, session, kind="whim")
        assert len(stored_of(store, scope, session)) == 13

    def test_an_id_names_one_checkpoint(self, store: Store) -> None:
        """(B-14)"""
        scope = agent_in(store)
        session = primary_session(store, scope)
        made = checkpoint_in(store, scope, session)
        with pytest.raises(EverthreadError):
            checkpoint_in(store, scope, session, key_id=made.key_id)
        assert stored_of(store, scope, session) == [made]

    def test_the_session_counts_its_checkpoints(self, store: Store) -> None:
        scope = agent_in(store)
        session = primary_session(store, scope)
        for count in (1, 2):
            checkpoint_in(store, scope, session)
            seen = store.read(lambda r: r.sessions.get(scope, session.ref))
            assert seen.checkpoint_count == count
            latest = store.write(lambda r: r.sessions.latest(scope, session.thread_ref))
            assert latest == seen

    def test_a_count_is_right_beside_what_else_happens_in_the_session(self, store: Store) -> None:
        scope = agent_in(store)
        session = primary_session(store, scope)

        def work(records: Records) -> None:
            records.sessions.touch(scope, session.ref, at=NOON + 1, human=True, messages=1)
            records.checkpoints.add(scope, a_checkpoint(session), "text", "")
            records.sessions.touch(scope, session.ref, at=NOON + 2, human=True, messages=1)

        store.write(work)
        store.write(work)
        seen = store.read(lambda r: r.sessions.get(scope, session.ref))
        assert (seen.checkpoint_count, seen.message_count) == (2, 4)

    def test_the_newest_come_first_and_ties_go_by_the_order_of_writing(self, store: Store) -> None:
        """(B-12, B-14, LB-10)"""
        scope = agent_in(store)
        session, other = primary_session(store, scope), primary_session(store, scope)
        late = checkpoint_in(store, scope, session, created_ms=NOON + 5)
        ties = [checkpoint_in(store, scope, session, created_ms=NOON) for _ in range(4)]
        beside = checkpoint_in(store, scope, other, created_ms=NOON + 1)
        assert stored_of(store, scope, session) == [late, *reversed(ties)]
        few = store.read(lambda r: r.checkpoints.of_session(scope, session.ref, limit=2))
        assert few == [late, ties[-1]]
        newest = store.read(lambda r: r.checkpoints.newest(scope, limit=3))
        assert newest == [late, beside, ties[-1]]

    def test_many_who_write_at_once_all_do(self, store: Store) -> None:
        """No number is fought over (B-14)."""
        scope = agent_in(store)
        session = primary_session(store, scope)
        assert run_together(*[lambda: checkpoint_in(store, scope, session)] * 6) == []
        found = stored_of(store, scope, session)
        assert len({c.key_id for c in found}) == 6
        assert [c.ref for c in found] == sorted((c.ref for c in found), reverse=True)
        assert store.read(lambda r: r.sessions.get(scope, session.ref)).checkpoint_count == 6

    def test_those_of_a_project_come_from_all_its_sessions(self, store: Store) -> None:
        """(B-13)"""
        scope = agent_in(store)
        here = {"project": "/link", "project_normalized": "/real"}
        one, two = primary_session(store, scope, **here), primary_session(store, scope, **here)
        elsewhere = primary_session(store, scope, project="/real", project_normalized="/other")
        homeless = primary_session(store, scope)
        made = [
            checkpoint_in(store, scope, session, created_ms=NOON + n)
            for n, session in enumerate((one, two, one, elsewhere, homeless))
        ]
        again = checkpoint_in(store, scope, two, created_ms=NOON + 2)

        def found(project: str, **asked: int) -> Sequence[Checkpoint]:
            return store.read(
                lambda r: r.checkpoints.of_project(scope, project, **{"limit": 9, **asked})
            )

        assert found("/real") == [again, made[2], made[1], made[0]]
        assert found("/real", limit=2) == [again, made[2]]
        assert found("/real", since=NOON + 2) == [again, made[2]]
        assert found("/other") == [made[3]]
        assert found("/link") == []

    def test_a_checkpoint_is_found_by_the_ending_of_its_id(self, store: Store) -> None:
        """(R-48)"""
        scope = agent_in(store)
        made = checkpoint_in(store, scope, primary_session(store, scope))
        digits = made.key_id.hex()
        for ending in (digits, digits[-8:]):
            assert store.read(lambda r, e=ending: r.checkpoints.ending(scope, e)) == [made]
        assert store.read(lambda r: r.checkpoints.ending(scope, new_id().hex())) == []

    def test_an_unknown_checkpoint_is_not_found(self, store: Store) -> None:
        scope = agent_in(store)
        with pytest.raises(CheckpointUnknown):
            store.read(lambda r: r.checkpoints.get(scope, 987_654))

    def test_a_session_that_is_gone_gets_no_checkpoint(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        session = primary_session(store, ada)
        for scope, gone in ((bob, session), (ada, session._replace(ref=987_654))):
            with pytest.raises(SessionUnknown):
                checkpoint_in(store, scope, gone, "a text that must not stay")
        assert (body_uses(store, ada), body_uses(store, bob)) == ({}, {})

    def test_checkpoints_of_another_agent_are_not_there(self, store: Store) -> None:
        """(LB-18, R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        session = primary_session(store, ada, project="/p", project_normalized="/p")
        made = checkpoint_in(store, ada, session, "mine", "my state")
        assert stored_of(store, bob, session) == []
        assert store.read(lambda r: r.checkpoints.newest(bob, limit=9)) == []
        assert store.read(lambda r: r.checkpoints.of_project(bob, "/p", limit=9)) == []
        assert store.read(lambda r: r.checkpoints.ending(bob, made.key_id.hex())) == []
        assert store.read(lambda r: r.checkpoints.text(bob, made)) == ""
        assert store.read(lambda r: r.checkpoints.state(bob, made)) == ""
        with pytest.raises(CheckpointUnknown):
            store.read(lambda r: r.checkpoints.get(bob, made.ref))
        with pytest.raises(CheckpointUnknown):
            store.write(lambda r: r.checkpoints.withhold(bob, made, now=NOON))
        assert store.write(lambda r: r.checkpoints.trim(bob, session.ref, keep=0, now=NOON)) == 0
        assert stored_of(store, ada, session) == [made]
