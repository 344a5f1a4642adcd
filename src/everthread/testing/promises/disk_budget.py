"""The disk budget: which bodies are output of tools, what shrinking leaves, and space that goes back."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import hashlib
import json

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.shrinking import Output, Shrinking, shrunk_text
from everthread.domain.errors import EverthreadError
from everthread.domain.timeline import digest_of
from everthread.ports import Records, Store

from .rows import NOON, a_draft, agent_in, append, thread_in
from .timeline import all_entries, is_chained
from .tool_output import output_in, tool_drafts, weigh

LATER = NOON + 1_000
LONG = "printed by a tool " * 2_000


def _oldest(store: Store, *, before: int = LATER + 1) -> list[Output]:
    return list(store.read(lambda r: r.outputs.oldest(before=before, limit=100)))


def _shrunk(store: Store, scope: Scope, output: Output) -> Shrinking | None:
    whole = _content(store, scope, output.hash)
    kept = shrunk_text(whole)
    assert kept is not None
    return store.write(lambda r: r.outputs.shrink(scope, output, kept, now=LATER))


def _content(store: Store, scope: Scope, name: bytes) -> str:
    return store.read(lambda r: r.bodies.get(scope, [name]))[name]


def _only_message(store: Store, scope: Scope, thread: Thread) -> Message:
    (message,) = store.read(lambda r: r.messages.following(scope, thread.ref, after=1, limit=9))
    return message


class OutputPromises:
    def test_output_of_tools_is_found_oldest_first(self, store: Store) -> None:
        """A body is as old as its newest use, whatever agent it belongs to (R-40)."""
        ada, bob = agent_in(store), agent_in(store, "bob")
        mine, his = thread_in(store, ada), thread_in(store, bob)
        output_in(store, ada, mine, f"a {LONG}", at=NOON + 3)
        output_in(store, bob, his, f"b {LONG}", at=NOON + 1)
        output_in(store, ada, mine, f"c {LONG}", at=NOON)
        output_in(store, ada, mine, f"c {LONG}", at=NOON + 2)
        found = _oldest(store)
        assert [(o.agent_ref, o.at_ms - NOON, o.uses) for o in found] == [
            (bob.agent, 1, 1),
            (ada.agent, 2, 2),
            (ada.agent, 3, 1),
        ]
        assert _oldest(store, before=NOON + 2) == found[:1]
        first = found[0]
        rest = store.read(
            lambda r: r.outputs.oldest(before=LATER, after=(first.at_ms, first.body_ref), limit=1)
        )
        assert rest == found[1:2]

    def test_what_was_said_is_never_among_it(self, store: Store) -> None:
        """Not even where the very same words were printed by a tool too (R-40, R-49)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output_in(store, scope, thread, LONG)
        assert len(_oldest(store)) == 1
        picture = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
        append(store, scope, thread, a_draft([{"type": "text", "text": LONG}, picture]))
        assert _oldest(store) == []
        weigh(store, scope, thread)
        assert _oldest(store) == []

    def test_a_use_that_nobody_looked_at_holds_a_body_back(self, store: Store) -> None:
        """(R-40)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output_in(store, scope, thread, LONG)
        append(store, scope, thread, *tool_drafts(LONG))
        assert _oldest(store) == []
        weigh(store, scope, thread)
        assert [o.uses for o in _oldest(store)] == [2]

    def test_a_thread_is_looked_through_once(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output_in(store, scope, thread, LONG)
        assert store.read(lambda r: r.outputs.weighed(scope, thread.ref)) == 2
        again = store.write(lambda r: r.outputs.weigh(scope, thread.ref, [], after=0, until=2))
        assert again is False
        assert len(_oldest(store)) == 1

    def test_messages_are_read_with_their_bodies_apart(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft("plain"), *tool_drafts(LONG))
        archived = [draft._replace(archived=True) for draft in tool_drafts(LONG)]
        append(store, scope, thread, *archived)
        found = store.read(lambda r: r.outputs.written(scope, thread.ref, 1, 5))
        assert [(w.seq, w.form) for w in found] == [(2, 1), (3, 3), (4, 1), (5, 3)]
        assert max(len(w.content) for w in found) < 1_000
        part = store.read(lambda r: r.outputs.written(scope, thread.ref, 3, 4))
        assert [w.seq for w in part] == [3, 4]

    def test_places_tell_where_a_body_is_used(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output_in(store, scope, thread, LONG)
        output = output_in(store, scope, thread, LONG)
        places = store.read(lambda r: r.outputs.places(scope, output))
        found = store.read(lambda r: r.messages.placed(scope, places))
        assert [message.seq for message in found] == [2, 4]


class ShrinkingPromises:
    def test_a_body_shrinks_to_what_is_kept_of_it(self, store: Store) -> None:
        """Head, tail and hash stay; the message is the same but for them (R-40, R-49)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output = output_in(store, scope, thread, f"head {LONG} tail")
        whole = _content(store, scope, output.hash)
        record = _shrunk(store, scope, output)
        assert record is not None
        assert (record.hash, record.size) == (output.hash, len(whole.encode()))
        left = _content(store, scope, output.hash)
        assert record.kept_hash == hashlib.sha256(left.encode()).digest()
        assert record.kept_size == len(left.encode()) < record.size / 10
        text = _only_message(store, scope, thread).blocks[0]["content"]
        assert text.startswith("head printed")
        assert text.endswith("tool  tail")
        assert output.hash.hex() in text
        assert json.loads(left) == text
        assert _oldest(store) == []
        assert store.read(lambda r: r.outputs.saved()) == (1, record.size - record.kept_size)

    def test_a_shrinking_is_sealed(self, store: Store) -> None:
        """(R-33, R-49)"""
        scope = agent_in(store)
        record = _shrunk(store, scope, output_in(store, scope, thread_in(store, scope), LONG))
        assert record is not None
        entries = all_entries(store, scope)
        assert is_chained(entries)
        entry = entries[-1]
        assert (entry.n, entry.event, entry.subject) == (record.entry, "body.shrunk", record.key_id)
        found = store.read(lambda r: r.audit.row(scope, entry.event, entry.subject))
        assert found is not None
        assert entry.salt is not None
        assert (found[0], digest_of(entry.salt, found[1])) == (entry.n, entry.digest)
        assert store.read(lambda r: r.audit.counts(scope))["body"] == 1
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_a_body_that_is_used_again_meanwhile_stays_whole(self, store: Store) -> None:
        """(R-40)"""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        output = output_in(store, scope, thread, LONG)
        append(store, scope, thread, *tool_drafts(LONG))
        assert _shrunk(store, scope, output) is None
        assert json.loads(_content(store, scope, output.hash)) == LONG
        assert store.read(lambda r: r.outputs.saved()) == (0, 0)

    def test_what_comes_again_is_whole_again_and_may_shrink_again(self, store: Store) -> None:
        """An agent that reads a page once more sees all of it (R-40)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        first = _shrunk(store, scope, output_in(store, scope, thread, LONG))
        append(store, scope, thread, *tool_drafts(LONG))
        assert first is not None
        assert json.loads(_content(store, scope, first.hash)) == LONG
        assert store.read(lambda r: r.outputs.saved()) == (0, 0)
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []
        weigh(store, scope, thread)
        (again,) = _oldest(store)
        second = _shrunk(store, scope, again)
        assert second is not None
        assert (second.key_id, again.uses) == (first.key_id, 2)
        assert second.entry > first.entry
        about = store.read(lambda r: r.timeline.about(scope, first.key_id))
        assert [entry.event for entry in about] == ["body.shrunk", "body.shrunk"]
        assert store.read(lambda r: r.outputs.saved()).bodies == 1

    def test_a_body_that_is_spared_is_not_asked_for_again(self, store: Store) -> None:
        scope = agent_in(store)
        output = output_in(store, scope, thread_in(store, scope), LONG)
        store.write(lambda r: r.outputs.spare(scope, output))
        assert _oldest(store) == []
        assert json.loads(_content(store, scope, output.hash)) == LONG

    def test_the_record_goes_with_its_body(self, store: Store) -> None:
        """Its hash would tell that something was there; so would a salt (R-33)."""
        scope = agent_in(store)
        thread = thread_in(store, scope)
        record = _shrunk(store, scope, output_in(store, scope, thread, LONG))
        assert record is not None
        store.write(lambda r: r.threads.erase(scope, thread, reason=None, now=LATER))
        assert store.read(lambda r: r.audit.row(scope, "body.shrunk", record.key_id)) is None
        (entry,) = store.read(lambda r: r.timeline.about(scope, record.key_id))
        assert entry.salt is None
        assert store.read(lambda r: r.outputs.saved()) == (0, 0)
        assert store.read(lambda r: r.bodies.get(scope, [record.hash])) == {}

    def test_a_message_that_goes_leaves_the_body_to_the_others(self, store: Store) -> None:
        scope = agent_in(store)
        thread, other = thread_in(store, scope), thread_in(store, scope, "other")
        output_in(store, scope, thread, LONG)
        output = output_in(store, scope, other, LONG)
        store.write(lambda r: r.threads.erase(scope, other, reason=None, now=LATER))
        assert [(o.hash, o.uses) for o in _oldest(store)] == [(output.hash, 1)]

    def test_another_agent_cannot_shrink_it(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        output = output_in(store, ada, thread_in(store, ada), LONG)
        assert store.write(lambda r: r.outputs.shrink(bob, output, "mine", now=LATER)) is None
        store.write(lambda r: r.outputs.spare(bob, output))
        assert store.read(lambda r: r.outputs.places(bob, output)) == []
        assert _oldest(store) == [output]

    def test_a_failed_transaction_shrinks_nothing(self, store: Store) -> None:
        scope = agent_in(store)
        output = output_in(store, scope, thread_in(store, scope), LONG)

        def work(records: Records) -> None:
            records.outputs.shrink(scope, output, '"kept"', now=LATER)
            raise EverthreadError("planted")

        with pytest.raises(EverthreadError, match="planted"):
            store.write(work)
        assert _oldest(store) == [output]
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []


class SpacePromises:
    def test_what_is_used_is_no_more_than_what_is_there(self, store: Store) -> None:
        """(R-40)"""
        scope = agent_in(store)
        before = store.space().used
        bodies = [body_of(f"{n} " + hashlib.sha256(b"%d" % n).hexdigest() * 500) for n in range(50)]
        store.write(lambda r: r.bodies.put(scope, bodies))
        store.settle()
        assert before < store.space().used <= sum(store.size().values())

    def test_free_space_goes_back_in_steps_and_nothing_else_with_it(self, store: Store) -> None:
        """(R-40)"""
        scope = agent_in(store)
        (kept, *gone) = [body_of(f"{n} " + LONG) for n in range(50)]
        store.write(lambda r: r.bodies.put(scope, [kept, *gone]))
        store.settle()
        full = store.space().used
        store.write(lambda r: r.bodies.release(scope, [body.hash for body in gone]))
        after = store.space()
        assert full - after.used > 0
        assert after.free > 0
        steps = [store.reclaim(100_000) for _ in range(100)]
        assert steps[-1] == 0
        assert max(steps) <= 100_000
        assert store.read(lambda r: r.bodies.get(scope, [kept.hash])) == {kept.hash: kept.content}

    def test_a_store_that_is_written_anew_holds_the_same(self, store: Store) -> None:
        scope = agent_in(store)
        thread = thread_in(store, scope)
        append(store, scope, thread, a_draft("one"), a_draft(LONG))
        before = store.read(lambda r: list(r.audit.dump(scope)))
        store.compact()
        assert store.read(lambda r: list(r.audit.dump(scope))) == before
        (message,) = append(store, scope, thread, a_draft("goes on"))
        assert message.seq == 3
