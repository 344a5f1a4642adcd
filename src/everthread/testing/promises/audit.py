"""Audit: the rows behind the timeline, poured out and in."""

# ruff: noqa: PLR2004 - tests state plain numbers

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from everthread.domain.agents import Channel, Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.purging import Purge
from everthread.domain.distilling.receipts import Spending
from everthread.domain.errors import EverthreadError
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.harness.checkpoints import Cursor
from everthread.ports import Records, Store

from .exchanges import an_exchange
from .harness_rows import checkpoint_in, compaction_in
from .rows import (
    NOON,
    a_draft,
    agent_in,
    append,
    closed_in,
    injection_in,
    intent_in,
    memory_in,
    new_id,
    note_in,
    primary_in,
    session_in,
    summary_in,
    thread_in,
    turn_in,
)
from .task_rows import worked_in
from .tool_output import shrunk_in

Dumped = list[tuple[str, dict[str, Any]]]
ORDER = (
    *("agents", "bodies", "threads", "sessions", "channels", "turns", "messages", "receipts"),
    *("summaries", "summary_sentences", "intents", "spending", "marks", "purges"),
    *("memories", "withheld", "notes", "primed", "injections", "injected", "session_memories"),
    *(
        "session_scores",
        "tasks",
        "sittings",
        "incidents",
        "outbox",
        "checkpoints",
        "cursors",
        "compactions",
        "shrunk",
        "exchanges",
    ),
    "calibrations",
    *("tombstones", "timeline"),
)


def _history(store: Store, scope: Scope) -> None:
    """Some of everything, with large bodies, an erased thread and a removed one."""
    primary = primary_in(store, scope)
    session = session_in(store, scope, primary)
    child = session_in(store, scope, primary, parent_ref=session.ref, previous_ref=session.ref)
    turn = turn_in(store, scope, session)
    append(store, scope, primary, a_draft("hé\x00llo"), a_draft("long " * 3_000), turn=turn)
    append(store, scope, primary, a_draft("😀", external_id="1", source="import"), session=child)
    store.write(lambda r: r.turns.close(scope, turn._replace(state="done", closed_ms=NOON)))
    gone = thread_in(store, scope, "gone", "ephemeral")
    append(store, scope, gone, a_draft("forgotten"))
    erased = thread_in(store, scope, "erased")
    append(store, scope, erased, a_draft("erased"))

    def work(records: Records) -> None:
        records.threads.remove(scope, gone, now=NOON)
        records.threads.erase(scope, erased, reason="asked", now=NOON)
        records.channels.bind(scope, Channel("signal", "+49", primary.ref, child.ref), now=NOON)
        records.agents.calibrate(scope, "m", '{"a":1.5}', now=NOON)

    store.write(work)
    _distill(store, scope, primary)
    _remember(store, scope, primary, new_id())
    _inject(store, scope, session)
    _attend(store, scope, session)
    shrunk_in(store, scope, thread_in(store, scope, "printing"), "printed " * 3_000)
    told = an_exchange(
        side="target",
        caller="bob",
        target="ada",
        thread_ref=primary.ref,
        turn_ref=turn.ref,
        given_turn=turn.ref,
    )
    store.write(lambda r: r.exchanges.add(scope, told))
    worked_in(store, scope, session)


def _distill(store: Store, scope: Scope, thread: Thread) -> None:
    """Two receipts that stand and one that does not; a summary ended, one withheld, one shown."""
    first, second = closed_in(store, scope, thread, 1), closed_in(store, scope, thread, 2)
    closed_in(store, scope, thread, None, outcome="failed", errors_json='["é"]')
    ended = summary_in(store, scope, first, "earlier " * 900, until_version=2)
    gone = summary_in(store, scope, first, "gone", until_version=1)
    summary_in(store, scope, second, "now", since_version=2)
    intent_in(store, scope, first, payload="words to write")
    settled = intent_in(store, scope, second)
    drawn = memory_in(store, scope, text="drawn", receipt_ref=second.ref)

    def work(records: Records) -> None:
        hide = Mark(0, new_id(), thread.ref, first.ref, "hide", 1, 1, 1, 2, None, 0)
        cut = Mark(0, new_id(), thread.ref, second.ref, "shorten", 2, 2, 2, None, 77, 0, 500)
        for mark in (hide, cut):
            records.marks.add(scope, mark, now=NOON)
        # Of messages that were never there: the rest of this history stays whole.
        purge = Purge(0, new_id(), thread.ref, first.ref, 900, 909, 0, 0, b"", NOON, 0)
        records.purges.take(scope, purge)
        records.summaries.withhold(scope, gone, now=NOON)
        records.summaries.end(scope, ended, 2, now=NOON)
        records.intents.settle(scope, settled, "done", error=None, now=NOON)
        records.intents.spend(scope, Spending("2026-02-20", "a-model", 1, 2, 3, 4))
        records.threads.distilled(scope, thread.ref, at=NOON, version=2, computed=9)
        records.threads.works_on(scope, thread.ref, '{"current_task":"é"}')
        records.memories.prime(scope, thread.ref, [drawn], now=NOON, receipt=second.ref)

    store.write(work)


def _remember(store: Store, scope: Scope, thread: Thread, source: bytes) -> None:
    """A kept memory that is primed, a superseded one and a forgotten one; notes, one of them deleted."""
    old = memory_in(store, scope, text="tabs", sources=[source])
    kept = memory_in(
        store, scope, text="spaces", tags=["style"], evidence_json='{"files":{"a":"b"}}'
    )
    gone = memory_in(store, scope, text="a secret", sources=[source])
    note_in(store, scope, thread_ref=thread.ref)
    deleted = note_in(store, scope)

    def work(records: Records) -> None:
        records.memories.supersede(scope, old, kept.key_id, now=NOON)
        records.memories.withhold(scope, old, old.sources, "superseded")
        records.memories.forget(scope, gone, now=NOON)
        records.memories.prime(scope, thread.ref, [kept], now=NOON)
        records.notes.delete(scope, deleted, now=NOON)

    store.write(work)


def _inject(store: Store, scope: Scope, session: Session) -> None:
    """An injection and why there was none; what of it helped."""
    ref = new_id()
    injection_in(store, scope, session, "given", ref, new_id())
    injection_in(store, scope, session, None, reason="failed")

    def work(records: Records) -> None:
        records.uses.add(scope, [Use(session.ref, ref, "fact", 1, 1, 0.5, 2, 1, 0, NOON, NOON)])
        score = SessionScore(session.ref, 1, 2, 3, '["a"]', None, 0.5, NOON)
        records.uses.keep(scope, score)

    store.write(work)


def _attend(store: Store, scope: Scope, session: Session) -> None:
    """Checkpoints, of which one was removed and one withheld; a cursor; a scored compaction."""
    checkpoint_in(store, scope, session, "trimmed", "of then")
    first = checkpoint_in(store, scope, session, "emptied", "of then", created_ms=NOON + 1)
    made = checkpoint_in(
        store, scope, session, "kept " * 900, "of now", created_ms=NOON + 2, parent_ref=first.ref
    )
    row = compaction_in(store, scope, session, checkpoint_ref=made.ref)

    def work(records: Records) -> None:
        records.checkpoints.trim(scope, session.ref, keep=2, now=NOON)
        records.checkpoints.withhold(scope, first, now=NOON)
        records.cursors.put(scope, Cursor(session.ref, "/é.jsonl", "17", "[]", NOON))
        scored = row._replace(state="scored", score_json='{"kept":1.0}', scored_ms=NOON)
        records.compactions.change(scope, scored, summary="short", given="more", now=NOON)

    store.write(work)


def _dump(store: Store, scope: Scope) -> Dumped:
    return store.read(lambda r: list(r.audit.dump(scope)))


def as_another_agent(rows: Dumped, name: str) -> Dumped:
    """The same rows under other public ids, so that one store can hold both."""
    fresh = {row["id"]: new_id().hex() for _, row in rows if "id" in row}

    def renamed(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: fresh.get(value, value) if isinstance(value, str) else value
            for key, value in columns.items()
        }

    out = [(table, renamed(columns)) for table, columns in rows]
    out[0][1]["name"] = name
    return out


class AuditPromises:
    def test_a_row_is_found_behind_its_entry(self, store: Store) -> None:
        scope = agent_in(store)
        _history(store, scope)
        for entry in store.read(lambda r: r.timeline.page(scope, after=0, limit=100)):
            found = store.read(lambda r, e=entry: r.audit.row(scope, e.event, e.subject))
            if entry.salt is None or entry.event.endswith(".removed"):
                # Its row is gone, or lives on under a newer entry.
                assert found is None or found[0] > entry.n
            else:
                assert found is not None
                assert found[0] >= entry.n

    def test_rows_are_found_together_as_they_are_one_by_one(self, store: Store) -> None:
        scope = agent_in(store)
        _history(store, scope)
        thread = thread_in(store, scope, "long")
        drafts = [a_draft(f"no. {n}", archived=n % 3 == 0) for n in range(70)]
        append(store, scope, thread, *drafts)
        entries = store.read(lambda r: r.timeline.page(scope, after=0, limit=1_000))
        named = [*((e.event, e.subject) for e in entries), ("message", new_id()), ("what", b"")]
        together = store.read(lambda r: list(r.audit.rows(scope, named)))
        assert together == store.read(lambda r: [r.audit.row(scope, *each) for each in named])
        assert sum(found is not None for found in together) > len(drafts)

    def test_an_unknown_row_or_event_has_nothing_behind_it(self, store: Store) -> None:
        scope = agent_in(store)
        for event in ("message", "session.opened", "thread.opened", "an.unheard-of.event"):
            assert store.read(lambda r, e=event: r.audit.row(scope, e, new_id())) is None

    def test_rows_of_another_agent_are_not_found(self, store: Store) -> None:
        """(R-44)"""
        ada, bob = agent_in(store), agent_in(store, "bob")
        (message,) = append(store, ada, thread_in(store, ada), a_draft("mine"))
        assert store.read(lambda r: r.audit.row(bob, "message", message.key)) is None

    def test_live_rows_are_counted_by_what_their_events_begin_with(self, store: Store) -> None:
        scope = agent_in(store)
        _history(store, scope)
        counts = dict(store.read(lambda r: r.audit.counts(scope)))
        assert counts == {
            **{"agent": 1, "thread": 3, "session": 2, "turn": 1},
            **{
                "mark": 2,
                "memory": 4,
                "note": 2,
                "injection": 2,
                "tombstone": 1,
                "message": 5,
                "body": 1,
            },
            **{
                "purge": 1,
                "receipt": 3,
                "summary": 3,
                "checkpoint": 2,
                "compaction": 1,
                "exchange": 1,
            },
            **{"task": 1, "sitting": 1, "incident": 1, "event": 1},
        }

    def test_sound_bodies_are_not_reported(self, store: Store) -> None:
        scope = agent_in(store)
        store.write(lambda r: r.bodies.put(scope, [body_of("sound"), body_of("é" * 9_000)]))
        assert store.read(lambda r: r.audit.bad_bodies(scope)) == []

    def test_a_dump_holds_plain_values_with_parents_first(self, store: Store) -> None:
        scope = agent_in(store)
        _history(store, scope)
        rows = _dump(store, scope)
        tables = list(dict.fromkeys(table for table, _ in rows))
        assert tables == list(ORDER)
        assert json.loads(json.dumps([list(row) for row in rows])) == [list(row) for row in rows]

    def test_what_is_loaded_is_dumped_the_same(self, store: Store) -> None:
        """(R-37)"""
        scope = agent_in(store)
        _history(store, scope)
        rows = as_another_agent(_dump(store, scope), "eve")
        counts = store.write(lambda r: r.audit.load(rows))
        assert dict(counts) == {t: sum(1 for name, _ in rows if name == t) for t in ORDER}
        eve = store.read(lambda r: r.agents.find("eve"))
        assert eve is not None
        assert _dump(store, Scope(eve.ref)) == rows

    def test_what_was_distilled_is_loaded_with_what_it_points_at(self, store: Store) -> None:
        """Marks, memories and what is primed name the receipts of the copy, not of the first (R-37)."""
        scope = agent_in(store)
        _history(store, scope)
        store.write(lambda r: r.audit.load(as_another_agent(_dump(store, scope), "eve")))
        found = store.read(lambda r: r.agents.find("eve"))
        assert found is not None
        eve = Scope(found.ref)
        thread = store.read(lambda r: r.threads.find(eve, "agent:ada:main"))
        assert thread is not None
        assert (thread.view_version, thread.working_state) == (2, '{"current_task":"é"}')
        first, second = store.read(lambda r: r.receipts.of_thread(eve, thread.ref))
        assert {first.agent_ref, second.agent_ref} == {eve.agent}
        marks = store.read(lambda r: r.marks.of(eve, thread.ref))
        told = [(m.receipt_ref, m.saved, m.kept) for m in marks]
        assert told == [(first.ref, None, None), (second.ref, 77, 500)]
        shown = store.read(lambda r: r.summaries.at(eve, thread.ref, 2))
        assert shown is not None
        assert shown.receipt_ref == second.ref
        assert store.read(lambda r: r.summaries.text(eve, shown)) == "now"
        assert len(store.read(lambda r: r.summaries.sentences(eve, shown.ref))) == 1
        assert [i.state for i in store.read(lambda r: r.intents.of(eve, first.ref))] == ["open"]
        (spent,) = store.read(lambda r: r.intents.spent("2026-02-20"))
        assert spent == Spending("2026-02-20", "a-model", 2, 4, 6, 8)
        drawn = store.read(lambda r: r.memories.primed(eve, thread.ref))[0]
        assert (drawn.text, drawn.receipt_ref) == ("drawn", second.ref)

    def test_what_harnesses_left_is_loaded_with_what_it_points_at(self, store: Store) -> None:
        """(R-37)"""
        scope = agent_in(store)
        _history(store, scope)
        store.write(lambda r: r.audit.load(as_another_agent(_dump(store, scope), "eve")))
        found = store.read(lambda r: r.agents.find("eve"))
        assert found is not None
        eve = Scope(found.ref)
        newest, before = store.read(lambda r: r.checkpoints.newest(eve, limit=9))
        assert (newest.parent_ref, before.parent_ref) == (before.ref, None)
        assert store.read(lambda r: r.checkpoints.text(eve, newest)) == "kept " * 900
        assert store.read(lambda r: r.checkpoints.state(eve, newest)) == "of now"
        (row,) = store.read(lambda r: r.compactions.of_session(eve, newest.session_ref, limit=9))
        assert (row.agent_ref, row.checkpoint_ref) == (eve.agent, newest.ref)
        assert store.read(lambda r: r.compactions.given(eve, row)) == "more"
        (cursor,) = store.read(lambda r: r.cursors.of_session(eve, newest.session_ref))
        assert (cursor.place, cursor.position) == ("/é.jsonl", "17")

    def test_a_loaded_agent_goes_on(self, store: Store) -> None:
        """Its chain, its numbers and its memory of sources continue where they were."""
        scope = agent_in(store)
        _history(store, scope)
        rows = as_another_agent(_dump(store, scope), "eve")
        store.write(lambda r: r.audit.load(rows))
        eve = store.read(lambda r: r.agents.find("eve"))
        assert eve is not None
        there = Scope(eve.ref)
        thread = store.read(lambda r: r.threads.find(there, "agent:ada:main"))
        assert thread is not None
        (message,) = append(store, there, thread, a_draft("next"))
        assert message.seq == 4
        assert store.read(lambda r: r.messages.known(there, "import", ["1"])) == {"1"}
        with pytest.raises(EverthreadError):
            thread_in(store, there, "another", "primary")

    @pytest.mark.parametrize("broken", ["no agent", "unknown table", "unknown parent"])
    def test_a_dump_that_does_not_fit_changes_nothing(self, store: Store, broken: str) -> None:
        scope = agent_in(store)
        _history(store, scope)
        rows = as_another_agent(_dump(store, scope), "eve")
        spoilt: Mapping[str, Sequence[tuple[str, dict[str, Any]]]] = {
            "no agent": rows[1:],
            "unknown table": [*rows, ("secrets", {})],
            "unknown parent": [row for row in rows if row[0] != "threads"],
        }
        with pytest.raises(EverthreadError):
            store.write(lambda r: r.audit.load(spoilt[broken]))
        assert [a.name for a in store.read(lambda r: r.agents.all())] == ["ada"]
