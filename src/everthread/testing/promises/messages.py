"""Messages: appended in order, read newest first, the same as they came."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Draft, Form, Message
from everthread.domain.conversation.threads import Thread
from everthread.domain.errors import EverthreadError
from everthread.domain.ids import place_at
from everthread.ports import Store

from .rows import NOON, a_draft, agent_in, append, session_in, thread_in, turn_in

LARGE = "word " * 20_000
CONTENTS = {
    "empty": "",
    "emoji and scripts": "naïve 你好 👩‍👩‍👧‍👦 שלום \u202e\ufeff",
    "NUL": "before\x00after",
    "lone surrogate": "cut \ud83d here",
    "quotes and wildcards": "'; DROP TABLE messages; -- \" \\ % :agent {}",
    "line ends": "a\r\nb\rc\n\u2028d\u0085e",
    "large": LARGE,
    "large with NUL": LARGE + "\x00",
    "large with surrogate": LARGE + "\udfff",
    "just above the limit in bytes": "é" * 2_049,
}
BLOCKS = {
    "nested": [
        {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": [1, None, {"b": 1.5}]}}
    ],
    "unknown type and fields": [{"type": "from-the-future", "x": {"y": True}, "text": None}],
    "large beside small": [
        {"type": "text", "text": "small 👋"},
        {"type": "image", "source": {"data": LARGE}},
        {"type": "text", "text": LARGE + "\x00"},
    ],
    "surrogates": [{"type": "text", "text": "\ud800"}, {"type": "image", "data": LARGE}],
    "key order": [{"z": 1, "type": "text", "text": "t", "a": 2}],
}


def _newest(store: Store, scope: Scope, thread: Thread, limit: int = 1_000) -> list[Message]:
    return list(store.read(lambda r: r.messages.newest(scope, thread.ref, limit=limit)))


class AppendPromises:
    def test_messages_are_numbered_without_gaps_in_the_order_given(self, store: Store) -> None:
        scope = agent_in(store)
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        append(store, scope, thread, a_draft("a"), a_draft("b"))
        append(store, scope, other, a_draft("x"))
        append(store, scope, thread, a_draft("c"))
        assert append(store, scope, thread) == []
        assert [(m.seq, m.content) for m in _newest(store, scope, thread)] == [
            (1, "a"),
            (2, "b"),
            (3, "c"),
        ]
        assert [m.seq for m in _newest(store, scope, other)] == [1]

    def test_what_append_returns_is_what_is_read_later(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        session = session_in(store, scope, thread)
        turn = turn_in(store, scope, session)
        draft = a_draft(
            "hello",
            role="assistant",
            origin="agent",
            kind="summary",
            source="import",
            external_id="e",
            name="Mel",
            principal="mel",
            archived=True,
            tokens=42,
            at_ms=NOON - 5,
        )
        returned = append(store, scope, thread, draft, session=session, turn=turn, now=NOON + 7)
        assert _newest(store, scope, thread) == returned
        (message,) = returned
        assert (message.session_ref, message.turn_ref) == (session.ref, turn.ref)
        assert (message.at_ms, message.created_ms) == (NOON - 5, NOON + 7)
        assert message[5:13] == (
            *("assistant", "summary", "agent", "import"),
            *("e", "Mel", "mel", True),
        )

    def test_a_thread_counts_its_messages_and_its_activity(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft("a", at_ms=NOON + 5), a_draft("b"), now=NOON + 9)
        append(store, scope, thread, a_draft("c", at_ms=NOON + 7, archived=True), now=NOON + 3)
        seen = store.read(lambda r: r.threads.get(scope, thread.ref))
        assert (seen.last_seq, seen.message_count) == (3, 3)
        assert (seen.view_at, seen.last_activity_ms) == (NOON + 5, NOON + 9)

    @pytest.mark.parametrize("name", CONTENTS)
    def test_a_text_comes_back_unchanged(self, store: Store, name: str) -> None:
        """(R-49, R-53)"""
        scope, text = agent_in(store), CONTENTS[name]
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft(text), a_draft(text))
        assert [m.text for m in _newest(store, scope, thread)] == [text, text]

    @pytest.mark.parametrize("name", BLOCKS)
    def test_blocks_come_back_unchanged(self, store: Store, name: str) -> None:
        """Also the order of their keys: it is part of what was sent (R-53)."""
        scope, blocks = agent_in(store), BLOCKS[name]
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft(blocks))
        (message,) = _newest(store, scope, thread)
        assert repr(message.blocks) == repr(blocks)

    def test_a_source_brings_an_id_once(self, store: Store) -> None:
        """(R-12)"""
        scope = agent_in(store)
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        append(store, scope, thread, a_draft("a", source="record", external_id="1"))
        for place in (thread, other):
            with pytest.raises(EverthreadError):
                append(store, scope, place, a_draft("b", source="record", external_id="1"))
        append(store, scope, thread, a_draft("c", source="import", external_id="1"))
        append(store, scope, thread, a_draft("d", source="record"), a_draft("e", source="record"))
        assert [m.content for m in _newest(store, scope, thread)] == ["a", "c", "d", "e"]
        assert [m.seq for m in _newest(store, scope, thread)] == [1, 2, 3, 4]

    def test_it_is_known_which_ids_a_source_has_brought(self, store: Store) -> None:
        """(R-12)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        drafts = [a_draft(str(i), source="record", external_id=str(i)) for i in range(3)]
        append(store, ada, thread_in(store, ada), *drafts)
        asked = ["0", "2", "9", "2"]
        assert store.read(lambda r: r.messages.known(ada, "record", asked)) == {"0", "2"}
        assert store.read(lambda r: r.messages.known(ada, "import", asked)) == set()
        assert store.read(lambda r: r.messages.known(bob, "record", asked)) == set()
        assert store.read(lambda r: r.messages.known(ada, "record", [])) == set()

    def test_it_is_known_which_ids_stand_for_something_else(self, store: Store) -> None:
        """(R-12)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        large = "a page " * 5_000
        drafts = [
            a_draft(text, source="record", external_id=str(n))
            for n, text in enumerate(("a", large))
        ]
        append(store, ada, thread_in(store, ada), *drafts)
        other = [
            a_draft(f"{text}!", source="record", external_id=str(n))
            for n, text in enumerate(("a", large, "unknown"))
        ]
        nameless = a_draft("b", source="record")

        def differing(scope: Scope, *given: Draft, source: str = "record") -> list[str]:
            return [*store.read(lambda r: r.messages.differing(scope, source, given))]

        assert differing(ada, *drafts, nameless) == []
        assert differing(ada, *other, nameless, other[0]) == ["0", "1"]
        assert differing(ada, drafts[0]._replace(role="assistant")) == ["0"]
        assert differing(bob, *other) == differing(ada, *other, source="import") == []


class ReadingPromises:
    def test_the_newest_fifty_of_fifty_one_are_exactly_those(self, store: Store) -> None:
        """(LD-4)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, *(a_draft(str(i)) for i in range(51)))
        assert [m.seq for m in _newest(store, scope, thread, 50)] == list(range(2, 52))
        assert [m.seq for m in _newest(store, scope, thread, 51)] == list(range(1, 52))
        assert [m.seq for m in _newest(store, scope, thread, 1)] == [51]
        assert _newest(store, scope, thread, 0) == []

    def test_reading_is_ordered_by_when_it_was_said(self, store: Store) -> None:
        """(R-12)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        times = [NOON, NOON + 9, NOON + 5, NOON + 9, NOON - 1]
        late = [False, False, True, False, True]
        drafts = (a_draft("x", at_ms=at, archived=a) for at, a in zip(times, late, strict=True))
        append(store, scope, thread, *drafts)
        assert [m.seq for m in _newest(store, scope, thread)] == [5, 1, 3, 2, 4]
        assert [m.seq for m in _newest(store, scope, thread, 2)] == [2, 4]

    def test_a_clock_that_was_set_back_changes_no_order_of_what_is_live(self, store: Store) -> None:
        """What is archived besides stands by its time."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        live = [NOON, NOON + 9, NOON + 2, NOON + 3]
        append(store, scope, thread, *(a_draft("x", at_ms=at) for at in live))
        assert [m.seq for m in _newest(store, scope, thread)] == [1, 2, 3, 4]
        late = (a_draft("x", at_ms=at, archived=True) for at in (NOON + 5, NOON + 1))
        append(store, scope, thread, *late)
        wanted = [1, 6, 2, 3, 4, 5]
        for limit in range(1, 7):
            assert [m.seq for m in _newest(store, scope, thread, limit)] == wanted[-limit:]
        before = (NOON + 5, 5)
        older = store.read(lambda r: r.messages.newest(scope, thread.ref, limit=9, before=before))
        assert [m.seq for m in older] == wanted[:-1]

    def test_reading_goes_on_before_a_place(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, *(a_draft("x", at_ms=NOON + i // 3) for i in range(11)))
        read: list[int] = []
        before: tuple[int, int] | None = None
        while page := store.read(
            lambda r, b=before: r.messages.newest(scope, thread.ref, limit=4, before=b)
        ):
            read[:0] = [m.seq for m in page]
            before = (page[0].at_ms, page[0].seq)
        assert read == list(range(1, 12))

    def test_a_range_leaves_archived_messages_out(self, store: Store) -> None:
        """(R-12, R-42)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        drafts = [a_draft(str(i), archived=i == 3, tokens=10**i) for i in range(6)]
        append(store, scope, thread, *drafts)
        between = store.read(lambda r: r.messages.between(scope, thread.ref, 2, 5))
        assert [m.seq for m in between] == [2, 3, 5]
        assert store.read(lambda r: r.messages.weights(scope, thread.ref, 2, 5)) == 10_110
        assert store.read(lambda r: r.messages.between(scope, thread.ref, 7, 9)) == []
        assert store.read(lambda r: r.messages.weights(scope, thread.ref, 7, 9)) == 0

    def test_messages_are_found_by_a_sign_that_is_no_word(self, store: Store) -> None:
        scope, other = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        texts = ["off 🚀 we go", "\U0001f680\U0001f389", "plain", "❤️"]
        append(store, scope, thread, *map(a_draft, texts))
        append(store, other, thread_in(store, other), a_draft("🚀"))

        def holding(*signs: str, limit: int = 9) -> list[int]:
            places = store.read(lambda r: r.messages.holding(scope, signs, limit=limit))
            return [m.seq for m in store.read(lambda r: r.messages.placed(scope, places))]

        assert holding("🚀") == [2, 1]
        assert holding("🚀", limit=1) == [2]
        assert holding("🚀", "🎉") == [2]
        assert holding("\u2764") == [4]
        assert holding("🦊") == []

    @pytest.mark.parametrize("many", [1, 4, 5, 32, 33, 80])
    def test_what_lies_at_places_comes_in_their_order(self, store: Store, many: int) -> None:
        scope, other = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        texts = [LARGE if n == 3 else f"number {n}" for n in range(1, 41)]
        drafts = [a_draft(text)._replace(archived=n % 7 == 0) for n, text in enumerate(texts, 1)]
        append(store, scope, thread, *drafts)
        # Backwards, some twice, some where nothing lies.
        seqs = [(3, *range(80, 0, -1))[n % 81] for n in range(many)]
        places = [place_at(thread.ref, seq, archived=seq % 7 == 0) for seq in seqs]
        found = store.read(lambda r: r.messages.placed(scope, places))
        there = [seq for seq in seqs if seq <= len(texts)]
        assert [(m.seq, m.content) for m in found] == [(seq, texts[seq - 1]) for seq in there]
        assert store.read(lambda r: r.messages.placed(other, places)) == []
        bare = [m._replace(form=Form.TEXT, content="") for m in found]
        assert store.read(lambda r: r.messages.heads(scope, places)) == bare
        assert store.read(lambda r: r.messages.heads(other, places)) == []

    def test_only_what_was_said_is_counted_as_spoken(self, store: Store) -> None:
        """Notices and what is archived are not (R-2)."""
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        drafts = [
            a_draft("one"),
            a_draft("notice", kind="notice"),
            a_draft("two"),
            a_draft("old", archived=True),
            a_draft("three"),
        ]
        append(store, scope, thread, *drafts)
        counted = [
            store.read(lambda r, f=first, n=last: r.messages.spoken(scope, thread.ref, f, n))
            for first, last in ((1, 5), (1, 2), (2, 2), (3, 4), (5, 9))
        ]
        assert counted == [3, 1, 0, 1, 1]
        assert store.read(lambda r: r.messages.spoken(bob, thread.ref, 1, 5)) == 0

    def test_the_messages_of_a_session_are_its_newest(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        one, two = session_in(store, scope, thread), session_in(store, scope, thread)
        append(store, scope, thread, a_draft("a"), a_draft("b"), a_draft(LARGE), session=one)
        append(store, scope, thread, a_draft("d"), session=two)
        one, two = (store.read(lambda r, s=s: r.sessions.get(scope, s.ref)) for s in (one, two))
        read = store.read(lambda r: r.messages.of_session(scope, one, limit=2))
        assert [m.content for m in read] == ["b", LARGE]
        read = store.read(lambda r: r.messages.of_session(scope, two, limit=9))
        assert [m.content for m in read] == ["d"]

    def test_what_was_said_at_a_time_is_found_without_its_words(self, store: Store) -> None:
        scope, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, scope)
        one, two = session_in(store, scope, thread), session_in(store, scope, thread)
        append(
            store,
            scope,
            thread,
            a_draft("before", at_ms=NOON - 1),
            a_draft(LARGE, at_ms=NOON, name="Mel"),
            a_draft("archived", at_ms=NOON + 1, archived=True),
            a_draft("notice", kind="notice", at_ms=NOON + 2),
            a_draft("last", at_ms=NOON + 3),
            a_draft("after", at_ms=NOON + 4),
            session=one,
        )
        append(store, scope, thread, a_draft("elsewhere", at_ms=NOON), session=two)
        seen = store.read(lambda r: r.sessions.get(scope, one.ref))

        def found(asking: Scope, limit: int) -> list[tuple[int, str | None, bool, str]]:
            said = store.read(
                lambda r: r.messages.said_in(asking, seen, start=NOON, stop=NOON + 4, limit=limit)
            )
            return [(m.seq, m.name, bool(m.archived), m.content) for m in said]

        assert found(scope, 9) == [(2, "Mel", False, ""), (3, None, True, ""), (5, None, False, "")]
        assert found(scope, 2) == [(3, None, True, ""), (5, None, False, "")]
        assert found(bob, 9) == []

    def test_what_a_session_archived_is_read_on_by_seq(self, store: Store) -> None:
        """Other sessions write between, and times may go backwards (B-12)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        one, two = session_in(store, scope, thread), session_in(store, scope, thread)
        for n in range(4):
            draft = a_draft(f"one {n}", archived=True, at_ms=NOON - n)
            append(store, scope, thread, draft, session=one)
            append(store, scope, thread, a_draft(f"two {n}", archived=True), session=two)
        append(store, scope, thread, a_draft("live"), a_draft(LARGE, archived=True), session=one)
        seen = store.read(lambda r: r.sessions.get(scope, one.ref))

        def read(after: int, limit: int = 9) -> list[str]:
            found = store.read(
                lambda r: r.messages.of_session_after(scope, seen, after=after, limit=limit)
            )
            return [m.content for m in found]

        assert read(0) == ["one 0", "one 1", "one 2", "one 3", LARGE]
        assert read(1, limit=2) == ["one 1", "one 2"]
        assert read(5) == ["one 3", LARGE]
        assert read(10) == []
        count = store.read(
            lambda r: [
                r.messages.prompts_after(scope, seen, after=after) for after in (0, 1, 5, 10)
            ]
        )
        assert count == [5, 4, 2, 0]
        fresh = session_in(store, scope, thread)
        read_fresh = store.read(
            lambda r: r.messages.of_session_after(scope, fresh, after=0, limit=9)
        )
        assert list(read_fresh) == []

    def test_the_tail_is_what_the_view_gained(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        drafts = [a_draft(str(i), archived=i == 3, tokens=10 + i) for i in range(6)]
        append(store, scope, thread, *drafts)
        tail = store.read(lambda r: r.messages.tail(scope, thread.ref, after=2, limit=9))
        assert [tuple(pair) for pair in tail] == [(6, 15), (5, 14), (3, 12)]
        tail = store.read(lambda r: r.messages.tail(scope, thread.ref, after=0, limit=2))
        assert [tuple(pair) for pair in tail] == [(6, 15), (5, 14)]

    def test_agents_do_not_see_each_others_messages(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        thread = thread_in(store, ada)
        session = session_in(store, ada, thread)
        append(store, ada, thread, a_draft("secret"), a_draft(LARGE), session=session)
        known = store.read(lambda r: r.sessions.get(ada, session.ref))
        assert _newest(store, bob, thread) == []
        for read in (
            store.read(lambda r: r.messages.between(bob, thread.ref, 1, 9)),
            store.read(lambda r: r.messages.of_session(bob, known, limit=9)),
            store.read(lambda r: r.messages.of_session_after(bob, known, after=0, limit=9)),
            store.read(lambda r: r.messages.tail(bob, thread.ref, after=0, limit=9)),
        ):
            assert list(read) == []
        assert store.read(lambda r: r.messages.prompts_after(bob, known, after=0)) == 0
        assert store.read(lambda r: r.messages.weights(bob, thread.ref, 1, 9)) == 0
