"""How far transcripts were read, what compactions dropped, and the keys to the API."""

from __future__ import annotations

from typing import Any

import pytest

from everthread.domain.agents import Scope, Tombstone
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.sessions import LastErasures, Session, buried_key
from everthread.domain.errors import CompactionUnknown, EverthreadError, SessionUnknown
from everthread.domain.harness.checkpoints import Compaction, Cursor, Token
from everthread.ports import Records, Store

from .harness_rows import a_compaction, checkpoint_in, compaction_in
from .rows import NOON, agent_in, entries_salted, new_id, run_together, session_in, thread_in


def _session(store: Store, scope: Scope) -> Session:
    return session_in(store, scope, thread_in(store, scope))


def _cursor(session: Session, place: str = "/t.jsonl", position: str = "1") -> Cursor:
    return Cursor(session.ref, place, position, '[["é", "ff"]]', NOON)


def _put_cursor(store: Store, scope: Scope, cursor: Cursor) -> None:
    store.write(lambda r: r.cursors.put(scope, cursor))


def _text(store: Store, scope: Scope, row: Compaction) -> tuple[str, str]:
    return store.read(
        lambda r: (r.compactions.summary(scope, row), r.compactions.given(scope, row))
    )


def _bodies(store: Store, scope: Scope) -> dict[str, int]:
    rows = store.read(lambda r: list(r.audit.dump(scope)))
    return {row["content"]: row["uses"] for table, row in rows if table == "bodies"}


class CursorPromises:
    def test_a_cursor_takes_the_place_of_the_one_before(self, store: Store) -> None:
        scope = agent_in(store)
        session = _session(store, scope)
        assert store.read(lambda r: r.cursors.get(scope, session.ref, "/t.jsonl")) is None
        first, second = _cursor(session), _cursor(session, "/a/child.jsonl")
        for cursor in (first, second):
            _put_cursor(store, scope, cursor)
        later = first._replace(position="9:ab", pending_json="[]", updated_ms=NOON + 1)
        _put_cursor(store, scope, later)
        assert store.read(lambda r: r.cursors.get(scope, session.ref, "/t.jsonl")) == later
        assert store.read(lambda r: r.cursors.of_session(scope, session.ref)) == [second, later]

    def test_a_place_may_have_any_name(self, store: Store) -> None:
        scope = agent_in(store)
        session = _session(store, scope)
        _put_cursor(store, scope, _cursor(session, "/t\x00\udc80.jsonl", "7"))
        found = store.read(lambda r: r.cursors.get(scope, session.ref, "/t\x00\udc80.jsonl"))
        assert found is not None
        assert found.position == "7"

    def test_each_session_has_its_own_cursors(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        one, two, theirs = _session(store, ada), _session(store, ada), _session(store, bob)
        for scope, session in ((ada, one), (ada, two), (bob, theirs)):
            _put_cursor(store, scope, _cursor(session, position=str(session.ref)))
        assert store.read(lambda r: r.cursors.of_session(ada, two.ref)) == [
            _cursor(two, position=str(two.ref))
        ]
        assert store.read(lambda r: r.cursors.of_session(bob, one.ref)) == []
        assert store.read(lambda r: r.cursors.get(bob, one.ref, "/t.jsonl")) is None
        with pytest.raises(SessionUnknown):
            _put_cursor(store, bob, _cursor(one, position="stolen"))
        found = store.read(lambda r: r.cursors.get(ada, one.ref, "/t.jsonl"))
        assert found == _cursor(one, position=str(one.ref))

    def test_cursors_go_with_their_thread(self, store: Store) -> None:
        """(X-29)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session = session_in(store, scope, thread)
        _put_cursor(store, scope, _cursor(session))
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=NOON))
        assert store.read(lambda r: r.cursors.of_session(scope, session.ref)) == []
        with pytest.raises(SessionUnknown):
            _put_cursor(store, scope, _cursor(session))

    def test_a_tombstone_tells_when_a_session_was_erased(self, store: Store) -> None:
        """(X-29)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        assert store.read(lambda r: r.cursors.erased(ada, "s-1")) == LastErasures(0, 0)
        for key, at in (("s-1", NOON + 1), ("s-1", NOON), ("s-\udc80", NOON + 2)):
            stone = Tombstone(b"", buried_key(key), "session", None, 3, at, 0)
            put = store.write(lambda r, s=stone: r.threads.bury(ada, s))
            assert put == stone._replace(key_id=put.key_id, entry=put.entry)
        assert store.read(lambda r: r.cursors.erased(ada, "s-1")) == LastErasures(
            NOON + 1, NOON + 2
        )
        assert store.read(lambda r: r.cursors.erased(ada, "s-2")) == LastErasures(0, NOON + 2)
        assert store.read(lambda r: r.cursors.erased(bob, "s-1")) == LastErasures(0, 0)


class CompactionPromises:
    def test_a_compaction_is_stored_as_it_was_given(self, store: Store) -> None:
        """(R-21)"""
        scope = agent_in(store)
        session = _session(store, scope)
        checkpoint = checkpoint_in(store, scope, session)
        given = a_compaction(
            session, checkpoint_ref=checkpoint.ref, trigger="manual", restore_json='["é"]'
        )
        stored = store.write(lambda r: r.compactions.add(scope, given))
        assert stored == given._replace(ref=stored.ref, agent_ref=scope.agent, entry=stored.entry)
        assert stored.ref and stored.entry
        assert store.read(lambda r: r.compactions.get(scope, stored.ref)) == stored
        assert _text(store, scope, stored) == ("", "")

    def test_what_becomes_known_of_it_is_stored(self, store: Store) -> None:
        """(R-21)"""
        scope = agent_in(store)
        opened = compaction_in(store, scope, _session(store, scope))
        back = opened._replace(state="given", restore_json='["x"]')
        given = store.write(
            lambda r: r.compactions.change(scope, back, given="given back", now=NOON + 1)
        )
        assert given == back._replace(given_hash=body_of("given back").hash, entry=given.entry)
        # A copy from before is good enough: a text that is not named stays as it is.
        scored = opened._replace(
            state="scored",
            last_seq=44,
            tokens_after=9_000,
            score_json='{"kept":0.61}',
            error="é",
            scored_ms=NOON + 2,
        )
        told = store.write(
            lambda r: r.compactions.change(scope, scored, summary="its summary", now=NOON + 2)
        )
        assert told == scored._replace(
            summary_hash=body_of("its summary").hash,
            given_hash=body_of("given back").hash,
            entry=told.entry,
        )
        assert store.read(lambda r: r.compactions.get(scope, opened.ref)) == told
        assert _text(store, scope, told) == ("its summary", "given back")
        events = [e.event for e in store.read(lambda r: r.timeline.about(scope, opened.key_id))]
        assert events == ["compaction.opened", "compaction.changed", "compaction.changed"]

    def test_a_text_takes_the_place_of_the_one_before(self, store: Store) -> None:
        scope = agent_in(store)
        row = compaction_in(store, scope, _session(store, scope))
        uses: list[dict[str, int]] = []
        for text in ("one", "one", "two", ""):
            row = store.write(
                lambda r, c=row, t=text: r.compactions.change(scope, c, summary=t, now=NOON)
            )
            uses.append(_bodies(store, scope))
        assert uses == [{"one": 1}, {"one": 1}, {"two": 1}, {}]
        assert row.summary_hash is None

    def test_a_summary_that_no_database_takes_is_stored_with_a_mark(self, store: Store) -> None:
        scope = agent_in(store)
        row = compaction_in(store, scope, _session(store, scope), error="\udc80")
        told = store.write(
            lambda r: r.compactions.change(
                scope, row._replace(error="\x00"), summary="a\x00", given="\ud83d", now=NOON
            )
        )
        assert store.read(lambda r: r.compactions.get(scope, row.ref)) == told
        assert (row.error, told.error) == ("\ufffd", "\ufffd")
        assert _text(store, scope, told) == ("a\ufffd", "\ufffd")

    def test_no_state_but_those_that_are_known(self, store: Store) -> None:
        scope = agent_in(store)
        with pytest.raises(EverthreadError):
            compaction_in(store, scope, _session(store, scope), state="whim")

    def test_the_newest_compactions_come_first_and_ties_go_by_the_order_of_writing(
        self, store: Store
    ) -> None:
        """(LB-10)"""
        scope = agent_in(store)
        session, other = _session(store, scope), _session(store, scope)
        late = compaction_in(store, scope, session, created_ms=NOON + 5)
        ties = [compaction_in(store, scope, session) for _ in range(3)]
        beside = compaction_in(store, scope, other, created_ms=NOON + 1)
        found = store.read(lambda r: r.compactions.of_session(scope, session.ref, limit=3))
        assert found == [late, ties[2], ties[1]]
        assert store.read(lambda r: r.compactions.newest(scope, limit=3)) == [late, beside, ties[2]]

    def test_a_compaction_is_found_by_the_ending_of_its_id(self, store: Store) -> None:
        """(R-48)"""
        scope = agent_in(store)
        row = compaction_in(store, scope, _session(store, scope))
        digits = row.key_id.hex()
        for ending in (digits, digits[-8:]):
            assert store.read(lambda r, e=ending: r.compactions.ending(scope, e)) == [row]
        assert store.read(lambda r: r.compactions.ending(scope, new_id().hex())) == []

    def test_compactions_of_another_agent_are_not_there(self, store: Store) -> None:
        """(LB-18, R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        session = _session(store, ada)
        row = compaction_in(store, ada, session)
        row = store.write(
            lambda r: r.compactions.change(ada, row, summary="mine", given="back", now=NOON)
        )
        assert store.read(lambda r: r.compactions.of_session(bob, session.ref, limit=9)) == []
        assert store.read(lambda r: r.compactions.newest(bob, limit=9)) == []
        assert store.read(lambda r: r.compactions.ending(bob, row.key_id.hex())) == []
        assert _text(store, bob, row) == ("", "")
        with pytest.raises(CompactionUnknown):
            store.read(lambda r: r.compactions.get(bob, row.ref))
        with pytest.raises(CompactionUnknown):
            store.write(lambda r: r.compactions.change(bob, row, summary="theirs", now=NOON))
        with pytest.raises(CompactionUnknown):
            store.write(lambda r: r.compactions.withhold(bob, row, now=NOON))
        with pytest.raises(SessionUnknown):
            compaction_in(store, bob, session)
        assert store.read(lambda r: r.compactions.get(ada, row.ref)) == row

    def test_a_withheld_compaction_leaves_no_word_and_nothing_to_guess_by(
        self, store: Store
    ) -> None:
        """(R-43)"""
        scope = agent_in(store)
        row = compaction_in(store, scope, _session(store, scope), restore_json='["a secret"]')
        row = row._replace(state="scored", score_json='{"lost":["a secret"]}', error="a secret")

        def work(records: Records) -> Compaction:
            told = records.compactions.change(
                scope, row, summary="a secret", given="a secret", now=NOON + 1
            )
            records.compactions.withhold(scope, told, score='{"kept":0.6}', now=NOON + 2)
            return told

        told = store.write(work)
        left = store.read(lambda r: r.compactions.get(scope, row.ref))
        assert left == told._replace(
            summary_hash=None,
            given_hash=None,
            score_json='{"kept":0.6}',
            restore_json="[]",
            error=None,
            entry=left.entry,
        )
        dumped = repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert "a secret" not in dumped
        assert body_of("a secret").hash.hex() not in dumped
        assert entries_salted(store, scope, row.key_id) == [False, False, True]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_the_checkpoint_before_it_may_go(self, store: Store) -> None:
        """(X-6)"""
        scope = agent_in(store)
        session = _session(store, scope)
        checkpoint = checkpoint_in(store, scope, session)
        row = compaction_in(store, scope, session, checkpoint_ref=checkpoint.ref)
        store.write(lambda r: r.checkpoints.trim(scope, session.ref, keep=0, now=NOON))
        left = store.read(lambda r: r.compactions.get(scope, row.ref))
        assert left == row._replace(checkpoint_ref=None)
        assert entries_salted(store, scope, row.key_id) == [True]

    @pytest.mark.parametrize("way", ["removed", "erased"])
    def test_a_thread_takes_its_compactions_with_it(self, store: Store, way: str) -> None:
        """(X-29, R-33)"""
        scope = agent_in(store)
        gone, kept = thread_in(store, scope, "e", "ephemeral"), thread_in(store, scope, "kept")
        rows: list[Compaction] = []
        for thread in (gone, kept):
            row = compaction_in(store, scope, session_in(store, scope, thread))
            back = f"of {thread.key}"
            rows.append(
                store.write(
                    lambda r, c=row, b=back: r.compactions.change(
                        scope, c, summary="shared", given=b, now=NOON
                    )
                )
            )
        store.write(
            lambda r: (
                r.threads.remove(scope, gone, now=NOON)
                if way == "removed"
                else r.threads.erase(scope, gone, reason=None, now=NOON)
            )
        )
        assert _bodies(store, scope) == {"shared": 1, "of kept": 1}
        assert store.read(lambda r: r.compactions.newest(scope, limit=9)) == rows[1:]
        told = [entries_salted(store, scope, row.key_id) for row in rows]
        assert told == [[False, False], [True, True]]


def _token(**changes: Any) -> Token:
    blank = Token(0, new_id(), "laptop", new_id() * 2, '["read"]', "[]", NOON, None, None)
    return blank._replace(**changes)


class TokenPromises:
    def test_a_token_is_found_by_the_hash_of_its_secret(self, store: Store) -> None:
        given = _token(scopes_json='["read","write"]', agents_json='["ada"]')
        stored = store.write(lambda r: r.tokens.add(given))
        assert stored == given._replace(ref=stored.ref)
        assert store.read(lambda r: r.tokens.find(given.hash)) == stored
        assert store.read(lambda r: r.tokens.find(bytes(32))) is None

    def test_one_secret_is_one_token(self, store: Store) -> None:
        stored = store.write(lambda r: r.tokens.add(_token()))
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.tokens.add(_token(hash=stored.hash)))
        assert store.read(lambda r: r.tokens.all()) == [stored]

    def test_a_revoked_token_opens_nothing_and_stays_listed(self, store: Store) -> None:
        stored = store.write(lambda r: r.tokens.add(_token()))
        for later in (NOON + 5, NOON + 9):
            store.write(lambda r, at=later: r.tokens.revoke(stored, now=at))
        assert store.read(lambda r: r.tokens.find(stored.hash)) is None
        assert store.read(lambda r: r.tokens.all()) == [stored._replace(revoked_ms=NOON + 5)]

    def test_tokens_are_listed_newest_first(self, store: Store) -> None:
        made = [
            store.write(lambda r, t=NOON + n: r.tokens.add(_token(created_ms=t))) for n in (2, 1, 2)
        ]
        assert store.read(lambda r: r.tokens.all()) == [made[2], made[0], made[1]]

    def test_when_a_token_was_last_used_only_grows(self, store: Store) -> None:
        stored = store.write(lambda r: r.tokens.add(_token()))
        times = (NOON + 5, NOON + 3, NOON + 9, NOON + 7)
        jobs = [lambda at=at: store.write(lambda r: r.tokens.used(stored, now=at)) for at in times]
        assert run_together(*jobs) == []
        found = store.read(lambda r: r.tokens.find(stored.hash))
        assert found == stored._replace(used_ms=NOON + 9)

    def test_no_export_carries_a_token(self, store: Store) -> None:
        """A key opens one store; the rows of an agent travel."""
        scope = agent_in(store)
        token = store.write(lambda r: r.tokens.add(_token(agents_json='["ada"]')))
        dumped = repr(store.read(lambda r: list(r.audit.dump(scope))))
        assert token.hash.hex() not in dumped
        assert token.name not in dumped
