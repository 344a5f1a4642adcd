"""Sessions: found, ordered, moved legally, touched."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.conversation.sessions import TRANSITIONS, State
from everthread.domain.errors import EverthreadError, SessionUnknown, TransitionIllegal
from everthread.ports import Store

from .rows import NOON, agent_in, session_in, thread_in

STATES = tuple(TRANSITIONS)
LEGAL = [(a, b) for a, after in TRANSITIONS.items() for b in after]
ILLEGAL = [(a, b) for a in STATES for b in STATES if a != b and b not in TRANSITIONS[a]]


class SessionPromises:
    def test_a_stored_session_comes_back_as_it_was(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        stored = session_in(
            store,
            scope,
            thread,
            key="k",
            harness="h",
            project="/p",
            project_normalized="/q",
            task="t",
            gate="g",
            principal="mel",
            last_human_ms=NOON,
        )
        assert stored.ref > 0
        assert stored.entry > 0
        assert store.read(lambda r: r.sessions.get(scope, stored.ref)) == stored
        assert store.read(lambda r: r.sessions.find(scope, "k")) == stored

    def test_an_unknown_session_is_not_found(self, store: Store) -> None:
        scope = agent_in(store)
        assert store.read(lambda r: r.sessions.find(scope, "nothing")) is None
        with pytest.raises(SessionUnknown):
            store.read(lambda r: r.sessions.get(scope, 987_654))

    def test_a_key_names_one_session_of_an_agent(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine = session_in(store, ada, thread_in(store, ada), key="k")
        with pytest.raises(EverthreadError):
            session_in(store, ada, thread_in(store, ada), key="k")
        theirs = session_in(store, bob, thread_in(store, bob), key="k")
        assert store.read(lambda r: r.sessions.find(ada, "k")) == mine
        assert store.read(lambda r: r.sessions.all(bob, limit=9)) == [theirs]
        with pytest.raises(SessionUnknown):
            store.read(lambda r: r.sessions.get(ada, theirs.ref))

    def test_a_session_is_found_by_the_end_of_its_id(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        ids = [bytes(14) + tail for tail in (b"\x01\xab", b"\x02\xab", b"\x03\xcd")]
        for key_id in ids:
            session_in(store, scope, thread, key_id=key_id)
        for digits, expected in (("cd", ids[2:]), ("ab", ids[:2]), ("02ab", ids[1:2]), ("ef", [])):
            found = store.read(lambda r, d=digits: r.sessions.ending(scope, d))
            assert sorted(s.key_id for s in found) == expected

    def test_the_latest_session_has_the_newest_start(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        assert store.read(lambda r: r.sessions.latest(scope, thread.ref)) is None
        two = session_in(store, scope, thread, started_ms=NOON + 2)
        one = session_in(store, scope, thread, started_ms=NOON + 1)
        assert store.read(lambda r: r.sessions.latest(scope, thread.ref)) == two
        for at, expected in ((NOON + 2, two), (NOON + 1, one), (NOON, None)):
            assert (
                store.read(lambda r, t=at: r.sessions.latest(scope, thread.ref, at=t)) == expected
            )

    def test_the_live_session_is_the_active_one_with_the_newest_pulse(self, store: Store) -> None:
        """A human word counts; activity only where there was none (X-24)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        assert store.read(lambda r: r.sessions.live(scope, thread.ref)) is None
        session_in(store, scope, thread, state="suspended", last_human_ms=NOON + 99)
        session_in(store, scope, thread, last_human_ms=NOON + 1, last_activity_ms=NOON + 50)
        human = session_in(store, scope, thread, last_human_ms=NOON + 20)
        session_in(store, scope, thread, last_activity_ms=NOON + 10)
        assert store.read(lambda r: r.sessions.live(scope, thread.ref)) == human

    def test_sessions_are_listed_newest_activity_first(self, store: Store) -> None:
        scope = agent_in(store)
        one, two = thread_in(store, scope, "one"), thread_in(store, scope, "two")
        a = session_in(store, scope, one, last_activity_ms=NOON + 1)
        b = session_in(store, scope, two, last_activity_ms=NOON + 3)
        c = session_in(store, scope, one, last_activity_ms=NOON + 2)
        assert store.read(lambda r: r.sessions.all(scope, limit=9)) == [b, c, a]
        assert store.read(lambda r: r.sessions.all(scope, limit=2)) == [b, c]
        assert store.read(lambda r: r.sessions.all(scope, thread=one.ref, limit=9)) == [c, a]
        assert store.read(lambda r: r.sessions.count(scope)) == 3

    def test_those_of_a_project_are_listed_newest_activity_first(self, store: Store) -> None:
        """By the normalised project; the raw one is for people (B-15)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        here = {"project": "/link", "project_normalized": "/real"}
        made = [
            session_in(store, scope, thread, last_activity_ms=NOON + n, **here) for n in (1, 3, 2)
        ]
        session_in(store, scope, thread, project="/real", project_normalized="/other")
        session_in(store, scope, thread)
        session_in(store, scope, thread, parent_ref=made[0].ref, **here)  # a subagent's
        found = store.read(lambda r: r.sessions.of_project(scope, "/real", limit=9))
        assert found == [made[1], made[2], made[0]]
        few = store.read(lambda r: r.sessions.of_project(scope, "/real", limit=2))
        assert few == [made[1], made[2]]
        said = store.read(lambda r: r.sessions.of_project(scope, "/real", limit=9, least=1))
        assert said == [], "nothing was said in any of them"
        for project, who in (("/link", scope), ("/real", bob)):
            assert (
                store.read(lambda r, p=project, w=who: r.sessions.of_project(w, p, limit=9)) == []
            )

    def test_those_that_are_no_subagents_are_listed_newest_activity_first(
        self, store: Store
    ) -> None:
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        a, b = (session_in(store, scope, thread, last_activity_ms=NOON + n) for n in (1, 2))
        for n in range(3, 6):
            session_in(store, scope, thread, last_activity_ms=NOON + n, parent_ref=a.ref)
        assert store.read(lambda r: r.sessions.own(scope, limit=9)) == [b, a]
        assert store.read(lambda r: r.sessions.own(scope, limit=1)) == [b]
        assert store.read(lambda r: r.sessions.own(bob, limit=9)) == []

    def test_children_are_listed_in_the_order_of_their_start(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        parent = session_in(store, scope, thread)
        late = session_in(store, scope, thread, parent_ref=parent.ref, started_ms=NOON + 2)
        early = session_in(store, scope, thread, parent_ref=parent.ref, started_ms=NOON + 1)
        assert store.read(lambda r: r.sessions.children(scope, parent.ref)) == [early, late]
        assert store.read(lambda r: r.sessions.children(scope, late.ref)) == []

    @pytest.mark.parametrize(("state", "to"), LEGAL)
    def test_a_session_moves_along_its_life_cycle(
        self, store: Store, state: State, to: State
    ) -> None:
        """(C-3, X-20)"""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope), state=state)
        moved = store.write(lambda r: r.sessions.move(scope, session, to, now=NOON + 5))
        assert store.read(lambda r: r.sessions.get(scope, session.ref)) == moved
        over = to in ("complete", "terminated")
        assert (moved.state, moved.ended_ms) == (to, NOON + 5 if over else None)
        events = store.read(lambda r: r.timeline.about(scope, session.key_id))
        assert [e.event for e in events] == ["session.opened", f"session.{to}"]

    @pytest.mark.parametrize(("state", "to"), ILLEGAL)
    def test_an_illegal_move_is_refused(self, store: Store, state: State, to: State) -> None:
        """Also where the caller's copy of the session pretends that it is legal (C-3, X-20)."""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope), state=state)
        with pytest.raises(TransitionIllegal):
            store.write(lambda r: r.sessions.move(scope, session, to, now=NOON))
        pretended = next(s for s in STATES if to in TRANSITIONS[s]) if to != "init" else None
        if pretended is not None:
            with pytest.raises(EverthreadError):
                store.write(
                    lambda r: r.sessions.move(
                        scope, session._replace(state=pretended), to, now=NOON
                    )
                )
        assert store.read(lambda r: r.sessions.get(scope, session.ref)) == session

    def test_a_session_can_be_told_when_it_really_ended(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        store.write(lambda r: r.sessions.move(scope, session, "complete", now=NOON, ended=NOON - 9))
        seen = store.read(lambda r: r.sessions.get(scope, session.ref))
        assert seen.ended_ms == NOON - 9

    def test_times_only_grow_and_only_a_human_moves_the_human_one(self, store: Store) -> None:
        """(X-24, D-13)"""
        scope = agent_in(store)
        ref = session_in(store, scope, thread_in(store, scope)).ref
        touches = (
            (NOON + 5, False, (None, NOON + 5, 1)),
            (NOON + 3, True, (NOON + 3, NOON + 5, 2)),
            (NOON + 1, True, (NOON + 3, NOON + 5, 3)),
            (NOON + 9, True, (NOON + 9, NOON + 9, 4)),
            (NOON + 99, False, (NOON + 9, NOON + 99, 5)),
        )
        for at, human, expected in touches:
            store.write(
                lambda r, a=at, h=human: r.sessions.touch(scope, ref, at=a, human=h, messages=1)
            )
            seen = store.read(lambda r: r.sessions.get(scope, ref))
            assert (seen.last_human_ms, seen.last_activity_ms, seen.message_count) == expected
