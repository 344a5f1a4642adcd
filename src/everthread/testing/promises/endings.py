"""How sessions end: those that are due, their summaries, what was said, and how many were opened."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Draft, content_column
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.harness.checkpoints import Cursor
from everthread.domain.timeline import digest_of
from everthread.domain.times import DAY, HOUR
from everthread.ports import QuietQuery, Records, Store

from .rows import NOON, agent_in, primary_in, session_in, thread_in, turn_in

LATER = NOON + 4 * HOUR


def _quiet_refs(store: Store, now: int = LATER, **more: int) -> list[int]:
    return [s.ref for s in store.read(lambda r: r.endings.quiet(QuietQuery(now, 4.0, **more)))]


def _unseen_refs(store: Store, now: int = LATER, **more: int) -> list[int]:
    return [s.ref for s in store.read(lambda r: r.endings.unseen(QuietQuery(now, 4.0, **more)))]


def _draft(text: str, **changes: Any) -> Draft:
    form, column = content_column(text)
    return Draft("user", "user", form, column, tokens=1, at_ms=NOON)._replace(**changes)


def _session_saying(store: Store, scope: Scope, session: Session, *drafts: Draft) -> Session:
    """The session with those messages in it."""

    def work(records: Records) -> Session:
        held = records.threads.hold(scope, session.thread_ref)
        found = records.messages.append(
            scope, held, drafts, session=session.ref, turn=None, now=NOON
        )
        seqs = found[0].seq, found[-1].seq
        records.sessions.touch(
            scope, session.ref, at=NOON, human=False, messages=len(found), seqs=seqs
        )
        return records.sessions.get(scope, session.ref)

    return store.write(work)


def _complete(store: Store, scope: Scope, session: Session) -> Session:
    return store.write(lambda r: r.sessions.move(scope, session, "complete", now=NOON))


def _summarized_session(
    store: Store, scope: Scope, thread: Thread, text: str, **changes: Any
) -> Session:
    session = session_in(store, scope, thread, **changes)
    session = _complete(store, scope, session) if session.state == "active" else session
    now = session.last_activity_ms
    return store.write(lambda r: r.endings.summarize(scope, session, text, now=now))


class EndingPromises:
    def test_a_session_is_quiet_after_the_hours_of_its_agent(self, store: Store) -> None:
        """(D-13, X-23)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        one = session_in(store, scope, thread, last_activity_ms=NOON)
        assert _quiet_refs(store, LATER - 1) == []
        assert _quiet_refs(store, LATER) == [one.ref]
        human = session_in(store, scope, thread, last_human_ms=NOON + HOUR, last_activity_ms=NOON)
        assert _quiet_refs(store, LATER) == [one.ref]
        assert _quiet_refs(store, LATER + HOUR) == [one.ref, human.ref]
        assert _quiet_refs(store, LATER + HOUR, limit=1) == [one.ref]
        assert _quiet_refs(store, LATER + HOUR, after=one.ref) == [human.ref]

    def test_only_active_sessions_of_no_task_and_without_an_open_turn_are_quiet(
        self, store: Store
    ) -> None:
        """(C-3)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session_in(store, scope, thread, task="t")
        _complete(store, scope, session_in(store, scope, thread))
        turn_in(store, scope, session_in(store, scope, thread))
        assert _quiet_refs(store) == []

    def test_an_end_is_unseen_until_its_cursor_stands_at_the_last_message(
        self, store: Store
    ) -> None:
        """(X-24, LD-8)"""
        scope = agent_in(store)
        thread = primary_in(store, scope)
        session = _session_saying(store, scope, session_in(store, scope, thread), _draft("hello"))
        assert _unseen_refs(store) == []
        _complete(store, scope, session)
        assert _unseen_refs(store, LATER - 1) == []
        assert _unseen_refs(store) == [session.ref]
        assert _unseen_refs(store, since=NOON + 1) == []
        cursor = Cursor(session.ref, "ended", str(session.last_seq), "", NOON)
        store.write(lambda r: r.cursors.put(scope, cursor))
        assert _unseen_refs(store) == []
        _session_saying(store, scope, session, _draft("more"))
        assert _unseen_refs(store) == [session.ref]

    def test_nobody_waits_for_the_ends_of_subagents_and_background_work(self, store: Store) -> None:
        scope = agent_in(store)
        primary, background = primary_in(store, scope), thread_in(store, scope)
        parent = session_in(store, scope, primary)
        child = session_in(store, scope, primary, parent_ref=parent.ref)
        beat = session_in(store, scope, background)
        for session in (child, beat):
            _complete(store, scope, _session_saying(store, scope, session, _draft("hello")))
        _complete(store, scope, session_in(store, scope, primary))  # nothing was said in it
        assert _unseen_refs(store) == []
        # The parent of a task's session is the one before it.
        next_one = session_in(store, scope, primary, parent_ref=parent.ref, task="t")
        _complete(store, scope, _session_saying(store, scope, next_one, _draft("hello")))
        assert _unseen_refs(store) == [next_one.ref]

    def test_a_summary_is_kept_sealed_and_prolongs_nothing(self, store: Store) -> None:
        """(D-7, LD-6, R-33)"""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        told = store.write(lambda r: r.endings.summarize(scope, session, "[d] It.", now=NOON + 5))
        assert (told.summary, told.summary_ms) == ("[d] It.", NOON + 5)
        assert told.last_activity_ms == session.last_activity_ms
        assert told.entry > session.entry
        assert store.read(lambda r: r.sessions.get(scope, session.ref)) == told
        assert store.read(lambda r: r.endings.summarized(scope)) == [told]
        # What is written next knows of it: neither its state nor its seal falls back.
        over = store.write(
            lambda r: r.sessions.move(
                scope, r.sessions.get(scope, session.ref), "complete", now=NOON
            )
        )
        assert over.summary == "[d] It."

    def test_who_moves_a_session_that_he_read_before_seals_it_as_it_is(self, store: Store) -> None:
        """(R-33)"""
        scope = agent_in(store)
        session = session_in(store, scope, thread_in(store, scope))
        store.write(lambda r: r.endings.summarize(scope, session, "[d] It.", now=NOON + 5))
        over = _complete(store, scope, session)
        assert store.read(lambda r: r.sessions.get(scope, session.ref)) == over
        store.write(lambda r: r.endings.withhold(scope, over, now=NOON + 6))
        store.write(lambda r: r.sessions.move(scope, over, "suspended", now=NOON + 7))
        seen = store.read(lambda r: r.sessions.get(scope, session.ref))
        found = store.read(lambda r: r.audit.row(scope, "session.suspended", session.key_id))
        assert found is not None
        (*_, newest) = store.read(lambda r: r.timeline.about(scope, session.key_id))
        assert newest.salt is not None
        assert digest_of(newest.salt, found[1]) == newest.digest
        assert (seen.state, seen.summary) == ("suspended", None)

    def test_a_summary_that_is_taken_away_leaves_no_salt_to_guess_by(self, store: Store) -> None:
        """(R-33, R-43)"""
        scope = agent_in(store)
        told = _summarized_session(store, scope, thread_in(store, scope), "[d] It.")
        left = store.write(lambda r: r.endings.withhold(scope, told, now=NOON + 6))
        assert (left.summary, left.summary_ms) == (None, None)
        assert store.read(lambda r: r.endings.summarized(scope)) == []
        entries = store.read(lambda r: r.timeline.about(scope, told.key_id))
        assert [bool(e.salt) for e in entries] == [e.event == "session.withheld" for e in entries]

    def test_recent_sessions_have_a_summary_and_come_newest_first(self, store: Store) -> None:
        """(D-9)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        old, mid, new = (
            _summarized_session(store, scope, thread, f"[{n}]", last_activity_ms=NOON + n * DAY)
            for n in range(3)
        )
        session_in(store, scope, thread, last_activity_ms=NOON + 9 * DAY)
        _summarized_session(
            store, scope, thread, "[child]", parent_ref=old.ref, last_activity_ms=NOON + DAY
        )
        there = _summarized_session(
            store, scope, thread, "[p]", project_normalized="/p", last_activity_ms=NOON + DAY
        )

        def recent(scope: Scope, **more: Any) -> list[int]:
            wanted = {"since": 0, "limit": 9, **more}
            return [s.ref for s in store.read(lambda r: r.endings.recent(scope, **wanted))]

        assert recent(scope) == [new.ref, mid.ref, old.ref]
        assert recent(scope, limit=2) == [new.ref, mid.ref]
        assert recent(scope, without=new.ref) == [mid.ref, old.ref]
        assert recent(scope, since=NOON) == [new.ref, mid.ref]
        assert recent(scope, since=NOON - 1) == [new.ref, mid.ref, old.ref]
        assert recent(Scope(scope.agent, "/p")) == [there.ref]
        assert recent(agent_in(store, "bob")) == []
        after = _summarized_session(
            store,
            scope,
            thread,
            "[t]",
            parent_ref=old.ref,
            task="t",
            last_activity_ms=NOON + 3 * DAY,
        )
        assert recent(scope, limit=1) == [after.ref]

    def test_what_goes_on_and_what_was_said_after_its_summary_is_not_recent(
        self, store: Store
    ) -> None:
        """(D-9)"""
        scope = agent_in(store)
        primary = primary_in(store, scope)

        def told(now: int, *drafts: Draft) -> Session:
            session = _session_saying(store, scope, session_in(store, scope, primary), *drafts)
            _complete(store, scope, session)
            return store.write(lambda r: r.endings.summarize(scope, session, "[s]", now=now))

        def recent() -> set[int]:
            return {s.ref for s in store.read(lambda r: r.endings.recent(scope, since=0, limit=9))}

        first, second = told(NOON, _draft("one")), told(NOON + 1, _draft("two", archived=True))
        told(NOON - 1, _draft("three"))
        told(NOON - 1, _draft("four", archived=True))
        assert recent() == {first.ref, second.ref}
        store.write(
            lambda r: r.sessions.move(
                scope, r.sessions.get(scope, first.ref), "suspended", now=NOON + 2
            )
        )
        assert recent() == {first.ref, second.ref}
        store.write(
            lambda r: r.sessions.move(
                scope, r.sessions.get(scope, first.ref), "active", now=NOON + 3
            )
        )
        assert recent() == {second.ref}

    def test_a_person_is_given_no_recent_session_that_another_had_a_part_in(
        self, store: Store
    ) -> None:
        """(R-11)"""
        scope = agent_in(store)
        primary = primary_in(store, scope)

        def told(whose: str | None, *drafts: Draft) -> int:
            session = session_in(store, scope, primary, principal=whose)
            session = _complete(store, scope, _session_saying(store, scope, session, *drafts))
            return store.write(
                lambda r: r.endings.summarize(scope, session, "[s]", now=NOON + 1)
            ).ref

        def recent(whose: str | None) -> set[int]:
            asked = Scope(scope.agent, principal=whose)
            return {s.ref for s in store.read(lambda r: r.endings.recent(asked, since=0, limit=9))}

        nobodys = told(None, _draft("a"))
        mels = told("mel", _draft("b", principal="mel"))
        kims = told("kim", _draft("c", principal="kim"))
        shared = told("mel", _draft("d", principal="mel"), _draft("e", principal="kim"))
        late = told(None, _draft("f"), _draft("g", principal="kim", archived=True), _draft("h"))
        begun = told("kim", _draft("i"))
        assert recent("mel") == {nobodys, mels}
        assert recent("kim") == {nobodys, kims, late, begun}
        assert recent(None) == {nobodys, mels, kims, shared, late, begun}

    def test_what_a_person_opened_by_a_message_is_counted(self, store: Store) -> None:
        """(S-13, R-38)"""
        scope = agent_in(store)
        primary = primary_in(store, scope)
        mel = Scope(scope.agent, principal="mel")

        def opened(*drafts: Draft, **changes: Any) -> Session:
            return _session_saying(
                store, scope, session_in(store, scope, primary, **changes), *drafts
            )

        opened(_draft("hello"))
        opened(_draft("hello"), started_ms=NOON - 1)
        opened(_draft("hello"), principal="mel")
        opened(_draft("tick", origin="system"))
        opened(_draft("tick", origin="system"), _draft("hello"))
        opened(_draft("as it was said", source="record", at_ms=NOON - HOUR + 1))
        opened(_draft("the same, of many", source="record", archived=True))
        opened(_draft("from elsewhere", source="record", at_ms=NOON - HOUR))
        opened(_draft("from elsewhere", source="import"))
        opened(_draft("from a harness", source="hook", archived=True))
        session_in(store, scope, primary)
        beat = session_in(store, scope, thread_in(store, scope))
        _session_saying(store, scope, beat, _draft("hello"))
        bob = agent_in(store, "bob")

        def count(scope: Scope, since: int) -> int:
            return store.read(lambda r: r.endings.opened(scope, since=since, within=HOUR))

        assert count(scope, NOON) == 3
        assert count(scope, NOON - 1) == 4
        assert count(mel, NOON) == 1
        assert count(bob, 0) == 0

    def test_what_was_said_in_a_session_is_read_in_order_from_both_lanes(
        self, store: Store
    ) -> None:
        scope = agent_in(store)
        primary = primary_in(store, scope)
        session, other = (session_in(store, scope, primary) for _ in range(2))
        for n in range(6):
            lane = {"archived": n % 2 == 1, "at_ms": NOON + n}
            session = _session_saying(store, scope, session, _draft(f"m{n}", **lane))
            _session_saying(store, scope, other, _draft(f"o{n}", **lane))
        reply = _draft("reply", role="assistant", origin="agent", at_ms=NOON + 9)
        session = _session_saying(store, scope, session, reply)

        def said(after: int, limit: int) -> list[str]:
            found = store.read(
                lambda r: r.endings.said_after(scope, session, after=after, limit=limit)
            )
            return [message.text for message in found]

        assert said(0, 99) == [*(f"m{n}" for n in range(6)), "reply"]
        assert said(0, 3) == ["m0", "m1", "m2"]
        third = store.read(lambda r: r.endings.said_after(scope, session, after=0, limit=3))[-1]
        assert said(third.seq, 2) == ["m3", "m4"]
        assert store.read(lambda r: r.endings.spoken(scope, session)) == (6, NOON, NOON + 9)
        silent = session_in(store, scope, primary)
        assert store.read(lambda r: r.endings.spoken(scope, silent)) == (0, None, None)
