"""Injections: logged once, proved, withheld when what they quote is gone; and what helped."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.conversation.views import Mark
from everthread.domain.given.injections import Injection, SessionScore, Use
from everthread.ports import Store

from .rows import (
    NOON,
    a_draft,
    agent_in,
    append,
    injection_in,
    memory_in,
    new_id,
    note_in,
    primary_in,
    session_in,
    thread_in,
    turn_in,
)


def bodies_in(store: Store, scope: Scope, *texts: str) -> list[bool]:
    """Which of these texts are kept as bodies."""
    hashes = [body_of(text).hash for text in texts]
    found = store.read(lambda r: r.bodies.get(scope, hashes))
    return [h in found for h in hashes]


def given_turn(store: Store, scope: Scope, text: str, *refs: bytes, number: int = 1) -> TurnRow:
    """A turn on the primary thread that was given the text."""
    session = session_in(store, scope, primary_in(store, scope))
    body = body_of(text)
    store.write(lambda r: r.bodies.put(scope, [body]))
    turn = turn_in(store, scope, session, block_hash=body.hash, number=number)
    injection_in(store, scope, session, text, *refs, turn_ref=turn.ref)
    return turn


class InjectionPromises:
    def test_an_injection_comes_back_as_it_was_with_what_it_holds(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        turn = turn_in(store, scope, session)
        refs = [new_id(), new_id()]
        stored = injection_in(store, scope, session, "tabs", *refs, turn_ref=turn.ref, epoch=3)
        assert (stored.size, stored.epoch, stored.turn_ref) == (4, 3, turn.ref)
        assert stored.body_hash == body_of("tabs").hash
        assert store.read(lambda r: r.injections.all(scope, limit=9)) == [stored]
        assert store.read(lambda r: r.injections.of_turn(scope, turn)) == [stored]
        items = store.read(lambda r: r.injections.items(scope, stored.ref))
        assert [(i.rank, i.kind, i.ref, i.score, i.why) for i in items] == [
            (1, "fact", refs[0], 0.5, "words"),
            (2, "fact", refs[1], 0.5, "words"),
        ]
        assert bodies_in(store, scope, "tabs") == [True]

    def test_the_same_text_is_logged_once_for_a_session_epoch_and_purpose(
        self, store: Store
    ) -> None:
        """(R-23)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session, other = session_in(store, scope, thread), session_in(store, scope, thread)
        first = injection_in(store, scope, session, "tabs", new_id())
        head = store.read(lambda r: r.timeline.head(scope))
        assert injection_in(store, scope, session, "tabs", new_id()) == first
        assert store.read(lambda r: r.timeline.head(scope)) == head
        assert len(store.read(lambda r: r.injections.items(scope, first.ref))) == 1
        for where, text, changes in (
            (session, "spaces", {}),
            (session, "tabs", {"epoch": 1}),
            (session, "tabs", {"purpose": "recovery"}),
            (other, "tabs", {}),
            (session, None, {}),
            (session, None, {}),
        ):
            injection_in(store, scope, where, text, **changes)
        assert len(store.read(lambda r: r.injections.all(scope, limit=99))) == 7

    def test_injections_are_listed_newest_first_by_thread_and_session(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        one, two = thread_in(store, ada, "one"), thread_in(store, ada, "two")
        sessions = [session_in(store, ada, thread) for thread in (one, one, two)]
        made = [
            injection_in(store, ada, session, f"text {n}") for n, session in enumerate(sessions)
        ]
        assert store.read(lambda r: r.injections.all(ada, limit=2)) == [made[2], made[1]]
        of_one = store.read(lambda r: r.injections.all(ada, thread=one.ref, limit=9))
        assert of_one == [made[1], made[0]]
        of_first = store.read(lambda r: r.injections.all(ada, session=sessions[0].ref, limit=9))
        assert of_first == [made[0]]
        assert store.read(lambda r: r.injections.all(bob, limit=9)) == []
        assert store.read(lambda r: r.injections.all(bob, thread=one.ref, limit=9)) == []
        assert store.read(lambda r: r.injections.items(bob, made[0].ref)) == []

    def test_what_a_session_was_given_for_a_purpose_is_known_by_epoch(self, store: Store) -> None:
        """(R-23)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session, other = session_in(store, scope, thread), session_in(store, scope, thread)
        one, two = new_id(), new_id()
        start = injection_in(store, scope, session, "where it stood", one, purpose="start")
        nothing = injection_in(store, scope, session, None, purpose="start", epoch=1)
        injection_in(store, scope, session, "more", two, purpose="prompt", epoch=1)

        def given(epoch: int, purpose: str, of: int = session.ref) -> Injection | None:
            return store.read(lambda r: r.injections.given(scope, of, epoch=epoch, purpose=purpose))

        assert given(0, "start") == start
        assert given(1, "start") == nothing
        assert given(2, "start") is None
        assert given(0, "start", other.ref) is None
        held = store.read(
            lambda r: [r.injections.held(scope, session.ref, epoch=epoch) for epoch in (0, 1, 2)]
        )
        assert held == [{one}, {two}, set()]

    def test_what_the_newest_turns_were_given_is_known_unless_they_failed(
        self, store: Store
    ) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        refs = [new_id() for _ in range(4)]
        for number, (ref, state) in enumerate(
            zip(refs, ("done", "done", "failed", "done"), strict=True), 1
        ):
            store.write(lambda r: r.threads.count_turn(scope, session.thread_ref))
            text = f"text {number}"
            turn = turn_in(store, scope, session, number=number, block_hash=body_of(text).hash)
            injection_in(store, scope, session, text, ref, turn_ref=turn.ref)
            closed = turn._replace(state=state, closed_ms=NOON)
            store.write(lambda r, t=closed: r.turns.close(scope, t))
        thread = session.thread_ref
        for turns, expected in ((4, {refs[0], refs[1], refs[3]}), (3, {refs[1], refs[3]})):
            found = store.read(lambda r, n=turns: r.injections.lately(scope, thread, turns=n))
            assert found == expected
        bob = agent_in(store, "bob")
        assert store.read(lambda r: r.injections.lately(bob, thread, turns=9)) == set()

    def test_a_turn_that_was_given_what_an_earlier_one_was_given_finds_its_items(
        self, store: Store
    ) -> None:
        """(R-23)"""
        scope = agent_in(store)
        ref = new_id()
        first = given_turn(store, scope, "tabs", ref)
        store.write(lambda r: r.turns.close(scope, first._replace(state="done", closed_ms=NOON)))
        session = store.read(lambda r: r.sessions.get(scope, first.session_ref))
        again = turn_in(store, scope, session, number=2, block_hash=first.block_hash)
        assert store.read(lambda r: r.injections.of_turn(scope, again)) == store.read(
            lambda r: r.injections.of_turn(scope, first)
        )
        bare = again._replace(block_hash=None)
        assert store.read(lambda r: r.injections.of_turn(scope, bare)) == []

    def test_there_is_nothing_elsewhere_while_all_that_was_said_is_in_one_view(
        self, store: Store
    ) -> None:
        def elsewhere(scope: Scope, thread: int) -> bool:
            return store.read(lambda r: r.injections.elsewhere(scope, thread))

        for n, more in enumerate(("archive", "thread", "mark", "memory", "note", "shared")):
            scope = agent_in(store, more)
            thread = thread_in(store, scope)
            append(store, scope, thread, a_draft("one"), a_draft("two"))
            thread_in(store, scope, "silent")
            append(store, scope, thread_in(store, scope, "gone", "ephemeral"), a_draft("errand"))
            assert not elsewhere(scope, thread.ref), more
            if more == "archive":
                append(store, scope, thread, a_draft("old", archived=True))
            elif more == "thread":
                append(store, scope, thread_in(store, scope, "other"), a_draft("there"))
            elif more == "mark":
                mark = Mark(0, new_id(), thread.ref, None, "hide", 1, 1, 1, None, None, 0)
                store.write(lambda r, s=scope, m=mark: r.marks.add(s, m, now=NOON))
            elif more == "memory":
                memory_in(store, scope)
            elif more == "note":
                note_in(store, scope)
            else:
                memory_in(store, agent_in(store, f"another {n}"), reach="user")
            assert elsewhere(scope, thread.ref), more

    def test_an_injection_is_proved(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        stored = injection_in(store, scope, session, "tabs")
        found = store.read(lambda r: r.audit.row(scope, "injection.logged", stored.key_id))
        assert found is not None
        assert found[0] == stored.entry
        assert stored.hash in found[1]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_what_quotes_a_forgotten_memory_loses_its_text(self, store: Store) -> None:
        """(R-43)"""
        scope = agent_in(store)
        memory = memory_in(store, scope, text="a secret")
        turn = given_turn(store, scope, "a secret, quoted", memory.key_id, new_id())
        store.write(lambda r: r.memories.forget(scope, memory, now=NOON))
        [left] = store.read(lambda r: r.injections.of_turn(scope, turn))
        assert left.reason.startswith("withheld")
        assert (left.body_hash, left.size, left.tokens) == (None, 0, 0)
        assert store.read(lambda r: r.injections.items(scope, left.ref)) == []
        assert store.read(lambda r: r.turns.get(scope, turn.ref)).block_hash is None
        assert bodies_in(store, scope, "a secret, quoted") == [False]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []
        for subject in (left.key_id, turn.key_id):
            *earlier, newest = store.read(lambda r, s=subject: r.timeline.about(scope, s))
            assert [entry.salt for entry in earlier] == [None] * len(earlier)
            assert newest.event.endswith(".withheld")
            assert newest.salt is not None

    def test_a_turn_that_lost_what_it_was_given_is_sealed_as_it_is(self, store: Store) -> None:
        """(R-33, R-43)"""
        scope = agent_in(store)
        memory = memory_in(store, scope, text="a secret")
        turn = given_turn(store, scope, "a secret, quoted", memory.key_id)
        store.write(lambda r: r.memories.forget(scope, memory, now=NOON))
        done = turn._replace(state="done", closed_ms=NOON)
        closed = store.write(lambda r: r.turns.close(scope, done))
        assert closed.block_hash is None
        assert store.read(lambda r: r.turns.get(scope, turn.ref)) == closed

    def test_what_quotes_a_deleted_note_or_another_agents_memory_loses_its_text_too(
        self, store: Store
    ) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        note = note_in(store, ada)
        memory = memory_in(store, ada, reach="user")
        injection_in(
            store, ada, session_in(store, ada, thread_in(store, ada)), "quoted", note.key_id
        )
        injection_in(
            store, bob, session_in(store, bob, thread_in(store, bob)), "shared", memory.key_id
        )
        store.write(lambda r: r.notes.delete(ada, note, now=NOON))
        assert bodies_in(store, ada, "quoted") == [False]
        store.write(lambda r: r.memories.forget(ada, memory, now=NOON))
        assert bodies_in(store, bob, "shared") == [False]

    def test_an_erased_thread_takes_its_injections_and_all_quotes_of_it_elsewhere(
        self, store: Store
    ) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        [message] = append(store, scope, thread, a_draft("my number is 555"))
        own = session_in(store, scope, thread)
        injection_in(store, scope, own, "given there", new_id())
        store.write(
            lambda r: r.uses.add(
                scope, [Use(own.ref, new_id(), "fact", 1, 1, 0.5, 0, 0, 0, NOON, NOON)]
            )
        )
        turn = given_turn(store, scope, "he said 555", message.key)
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=NOON))
        assert store.read(lambda r: r.injections.all(scope, thread=thread.ref, limit=9)) == []
        assert store.read(lambda r: r.uses.of(scope, own.ref)) == []
        assert bodies_in(store, scope, "given there", "he said 555") == [False, False]
        assert store.read(lambda r: r.turns.get(scope, turn.ref)).block_hash is None
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []


class UsePromises:
    def test_uses_add_up_and_the_best_stays(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        session = session_in(store, ada, thread_in(store, ada))
        tabs, spaces = new_id(), new_id()
        first = Use(session.ref, tabs, "fact", 1, 2, 0.25, 3, 0, 1, NOON, NOON + 5)
        second = Use(session.ref, tabs, "fact", 1, 1, 0.5, 1, 1, 0, NOON + 9, NOON + 9)
        other = Use(session.ref, spaces, "message", 0, 7, 0.125, 1, 0, 0, NOON, NOON)
        store.write(lambda r: r.uses.add(ada, [first, other]))
        store.write(lambda r: r.uses.add(ada, [second]))
        assert store.read(lambda r: r.uses.of(ada, session.ref)) == [first.plus(second), other]
        assert first.plus(second)[3:11] == (2, 1, 0.5, 4, 1, 1, NOON, NOON + 9)
        assert store.read(lambda r: r.uses.of(bob, session.ref)) == []

    def test_of_those_asked_for_the_ones_that_were_given_are_told(self, store: Store) -> None:
        ada, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, ada)
        own, other = (
            session_in(store, ada, thread),
            session_in(store, ada, thread_in(store, ada, "b")),
        )
        given, found, elsewhere, unknown = refs = [new_id() for _ in range(4)]
        uses = [
            Use(own.ref, given, "fact", 1, 1, 0.5, 0, 0, 0, NOON, NOON),
            Use(own.ref, found, "fact", 0, 1, 0.5, 1, 0, 0, NOON, NOON),
            Use(other.ref, elsewhere, "fact", 1, 1, 0.5, 0, 0, 0, NOON, NOON),
        ]
        store.write(lambda r: r.uses.add(ada, uses))
        assert store.read(lambda r: r.uses.given(ada, own.ref, refs)) == {given}
        assert store.read(lambda r: r.uses.given(ada, own.ref, [found, unknown])) == set()
        assert store.read(lambda r: r.uses.given(bob, own.ref, refs)) == set()

    def test_a_sessions_figures_are_kept_in_place_of_those_before(self, store: Store) -> None:
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        assert store.read(lambda r: r.uses.score(scope, session.ref)) is None
        first = SessionScore(session.ref, 0, 1, 0, '["tabs"]', None, None, NOON)
        second = first._replace(recovered=1, novel_context_count=2, score=0.5, confidence=0.75)
        for score in (first, second):
            store.write(lambda r, s=score: r.uses.keep(scope, s))
            assert store.read(lambda r: r.uses.score(scope, session.ref)) == score
        assert second.queries == ("tabs",)
        bob = agent_in(store, "bob")
        assert store.read(lambda r: r.uses.score(bob, session.ref)) is None
