"""`verify` finds what was tampered with and says which; and the database itself refuses most of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.ids import id_text
from everthread.domain.timeline import Fault, digest_of, message_digest, message_facts
from everthread.jobs.worker import Worker
from everthread.store import audit
from everthread.store.sql.belonging import OWNED
from everthread.testing import FrozenClock
from support.lying import forged, lying
from support.stores import EACH, ENGINES, Place, fresh, furnished

LONG = "a long story " * 1_000


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with furnished(request.param, tmp_path, furnish_store) as found:
        yield found


def furnish_store(place: Place, _: Path) -> None:
    with everthread.connect(place.target, background=False) as et:
        furnish(et)


def furnish(et: everthread.Everthread) -> None:
    """Two agents, three turns each, two sessions, a large body."""
    for name in ("ada", "bob"):
        agent = et.agent(name, system="You are kind.", model="m")
        for i in range(3):
            agent.turn(f"question {i}", channel="webchat").done(f"answer {i}")
        agent.record([{"id": "1", "role": "user", "content": LONG, "at": "2020-01-01T00:00:00Z"}])


def faults(place: Place, name: str = "ada") -> list[Fault]:
    with everthread.connect(place.target, background=False) as et:
        return et.verify(et.known_agent(name)).faults


def test_an_untouched_store_is_sound(place: Place) -> None:
    """(R-33)"""
    with everthread.connect(place.target, background=False) as et:
        steps: list[tuple[int, int]] = []
        verdict = et.verify(et.known_agent("ada"), lambda done, total: steps.append((done, total)))
    assert verdict.faults == []
    assert verdict.sound
    entries = place.raw(f"SELECT count(*) FROM timeline WHERE {ADA}")[0][0]
    assert verdict.entries == entries
    rows = ("agents", "threads", "sessions", "turns", "messages", "marks", "tombstones")
    live = sum(place.raw(f"SELECT count(*) FROM {table} WHERE {ADA}")[0][0] for table in rows)
    assert verdict.rows == live


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
MAYBE = st.none() | TEXT


@given(
    st.builds(
        Message,
        *[st.binary(min_size=16, max_size=16), *[st.integers(0)] * 4],
        *[TEXT] * 4,
        *[MAYBE] * 3,
        st.booleans().map(int),
        st.integers(0, 3),
        TEXT,
        *[st.integers()] * 4,
    )
)
def test_a_message_is_sealed_by_the_facts_that_verify_looks_at(message: Message) -> None:
    """(R-33)"""
    salt, thread = b"s" * 16, b"t" * 16
    told = digest_of(salt, message_facts(thread, message))
    assert message_digest(salt, thread, message[:-1]) == told


# ---- rows that were changed

ADA = "agent_id = (SELECT agent_id FROM agents WHERE name = 'ada')"


class Forgery(NamedTuple):
    """What a forger does, which row it concerns, and what `verify` must say about it."""

    statement: str
    row: str
    event: str
    problem: str = "the row was changed"


def at_seq(seq: int) -> str:
    return f"messages WHERE {ADA} AND seq = {seq}"


FORGERIES = {
    "a byte of a message": Forgery(
        f"UPDATE messages SET content = 'answer 9' WHERE {ADA} AND seq = 4", at_seq(4), "message"
    ),
    "a message's role": Forgery(
        f"UPDATE messages SET role = 'system' WHERE {ADA} AND seq = 3", at_seq(3), "message"
    ),
    "a message's time": Forgery(
        f"UPDATE messages SET at = at - 1 WHERE {ADA} AND seq = 1", at_seq(1), "message"
    ),
    "a message's name": Forgery(
        f"UPDATE messages SET name = 'Mallory' WHERE {ADA} AND seq = 1", at_seq(1), "message"
    ),
    "which body a message has": Forgery(
        f"UPDATE messages SET content = substr(content, 2) || substr(content, 1, 1) "
        f"WHERE {ADA} AND seq = 7",
        at_seq(7),
        "message",
    ),
    "a turn": Forgery(
        f"UPDATE turns SET context_tokens = context_tokens + 1 WHERE {ADA} AND number = 2",
        f"turns WHERE {ADA} AND number = 2",
        "turn.done",
    ),
    "how a turn ended": Forgery(
        f"UPDATE turns SET state = 'failed' WHERE {ADA} AND number = 1",
        f"turns WHERE {ADA} AND number = 1",
        "turn.done",
    ),
    "a session": Forgery(
        f"UPDATE sessions SET started_at = started_at - 1 WHERE {ADA} AND channel = 'webchat'",
        f"sessions WHERE {ADA} AND channel = 'webchat'",
        "session.opened",
    ),
    "a thread's key": Forgery(
        f"UPDATE threads SET key = 'agent:eve:main' WHERE {ADA}",
        f"threads WHERE {ADA}",
        "thread.opened",
    ),
    "an agent's definition": Forgery(
        "UPDATE agents SET model = 'another' WHERE name = 'ada'",
        "agents WHERE name = 'ada'",
        "agent.defined",
    ),
    "an older row under its newer entry": Forgery(
        f"UPDATE turns SET entry = entry - 1 WHERE {ADA} AND number = 3",
        f"turns WHERE {ADA} AND number = 3",
        "turn.done",
        "the row is older than its entry",
    ),
    "a message removed": Forgery(
        f"DELETE FROM messages WHERE {ADA} AND seq = 4",
        at_seq(4),
        "message",
        "the row was removed",
    ),
    "the newest message removed": Forgery(
        f"DELETE FROM messages WHERE {ADA} AND seq = 7",
        at_seq(7),
        "message",
        "the row was removed",
    ),
    "a turn removed": Forgery(
        f"DELETE FROM turns WHERE {ADA} AND number = 3",
        f"turns WHERE {ADA} AND number = 3",
        "turn.done",
        "the row was removed",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_row_is_found_and_named(place: Place, name: str) -> None:
    """(R-33)"""
    forgery = FORGERIES[name]
    ((entry, key),) = place.raw(f"SELECT entry, id FROM {forgery.row}")
    place.without_triggers()
    before = faults(place)
    place.raw(forgery.statement)
    found = faults(place)
    assert before == []
    expected = Fault(entry, forgery.event, id_text(bytes(key)), forgery.problem)
    assert expected in found
    # It accuses that row alone; a thread whose count does not fit any more may be named beside it.
    assert {f.subject for f in found if f.n is not None} == {expected.subject}
    assert faults(place, "bob") == []


OTHER = f"(SELECT max(session_id) FROM sessions WHERE {ADA})"
STRANGE = "it names a {0} that is not there, or that is of another {1}"
MOVES = {
    "a message to another session": (
        f"UPDATE messages SET session_id = {OTHER} WHERE {ADA} AND seq = 4",
        *("message", STRANGE.format("turn", "session")),
    ),
    "a recorded message to another session": (
        f"UPDATE messages SET session_id = (SELECT min(session_id) FROM sessions WHERE {ADA}) "
        f"WHERE {ADA} AND seq = 7",
        *("session", "it counts other messages than name it"),
    ),
    "a message to another turn": (
        f"UPDATE messages SET turn_id = 999 WHERE {ADA} AND seq = 4",
        *("message", STRANGE.format("turn", "session")),
    ),
    "a turn to another session": (
        f"UPDATE turns SET session_id = {OTHER} WHERE {ADA} AND number = 2",
        *("message", STRANGE.format("turn", "session")),
    ),
    "a turn to another thread": (
        f"UPDATE turns SET number = 9, thread_id = (SELECT thread_id FROM threads WHERE NOT {ADA}) "
        f"WHERE {ADA} AND number = 2",
        *("turn", STRANGE.format("session", "thread")),
    ),
    "a session to another thread": (
        f"UPDATE sessions SET thread_id = (SELECT thread_id FROM threads WHERE NOT {ADA}) "
        f"WHERE {ADA} AND channel = 'webchat'",
        *("message", STRANGE.format("session", "thread")),
    ),
    "a mark to another distillation": (
        "INSERT INTO marks (agent_id, id, thread_id, receipt_id, action, from_seq, to_seq, "
        "since_version, entry) SELECT agent_id, id, thread_id, 99, 'hide', 1, 2, 1, 1 FROM threads "
        f"WHERE {ADA}",
        *("mark", STRANGE.format("receipt", "thread")),
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_row_that_was_moved_elsewhere_is_found(place: Place, name: str) -> None:
    """Where a row belongs is not sealed with it, but told from two sides (R-33)."""
    statement, event, problem = MOVES[name]
    place.without_triggers()
    place.raw(statement)
    assert (event, problem) in {(fault.event, fault.problem) for fault in faults(place)}


@pytest.mark.req("R-33")
def test_every_table_that_is_sealed_is_looked_at_for_rows_without_an_agent() -> None:
    sealed = {table for _, table in audit.SEALED if table != "agents"}
    assert sealed | {"timeline"} == OWNED.keys()


@pytest.mark.req("R-33")
def test_rows_of_an_agent_that_is_not_there_are_found(tmp_path: Path) -> None:
    """A tool that does not ask SQLite to check references can remove an agent and leave all of its rows."""
    with furnished("sqlite", tmp_path, furnish_store) as place:
        with everthread.connect(place.target, background=False) as et:
            assert et.ownerless() == []
        place.without_triggers()
        with closing(sqlite3.connect(place.target)) as db, db:
            db.execute("DELETE FROM agents WHERE name = 'bob'")
        assert faults(place) == []
        with everthread.connect(place.target, background=False) as et:
            (lost,) = et.ownerless()
    assert lost.agent == "bob" and not lost.sound
    told = {fault.event: fault.problem for fault in lost.faults}
    assert told["message"] == "7 rows belong to an agent that is not there"
    assert {"thread", "session", "turn", "timeline"} <= told.keys()


def test_a_changed_body_is_found_and_named(place: Place) -> None:
    """(R-33, R-49)"""
    (ref,) = [ref for ref, text in lying(place, f"b.{ADA}").items() if text == LONG]
    assert forged(place, f"body_id = {ref}", lambda text: text.replace("long", "tall")) == 1
    ((key,),) = place.raw(f"SELECT hash FROM bodies WHERE body_id = {ref}")
    found = faults(place)
    assert [(f.event, f.subject) for f in found] == [("body", bytes(key).hex()[:16])]


@pytest.mark.parametrize("whose", ["long", "kind"])
def test_a_removed_body_is_found_and_named(place: Place, whose: str) -> None:
    """Whether a message needs it or a turn, to be rebuilt as it was (R-49)."""
    (ref,) = [ref for ref, text in lying(place, f"b.{ADA}").items() if whose in text]
    lost = f"FROM bodies WHERE body_id = {ref}"
    ((key,),) = place.raw(f"SELECT hash {lost}")
    place.raw(f"DELETE {lost}")
    found = faults(place)
    assert [(f.event, f.subject) for f in found] == [("body", bytes(key).hex()[:16])]


def test_a_row_added_behind_our_back_is_found(place: Place) -> None:
    """(R-33)"""
    columns = place.tables()["messages"]
    forged = {
        "id": f"(SELECT digest FROM timeline WHERE n = 1 AND {ADA})",
        "content": "'never said'",
        "seq": "99",
        "place": "place - seq + 99",
    }
    values = ", ".join(forged.get(column, column) for column in columns)
    place.raw(f"INSERT INTO messages ({', '.join(columns)}) SELECT {values} FROM {at_seq(1)}")
    told = [(fault.event, fault.problem) for fault in faults(place)]
    assert ("message", "1 rows that no entry speaks of") in told
    assert {event for event, _ in told} <= {"message", "thread", "session"}


def test_two_messages_that_changed_places_are_found(place: Place) -> None:
    """(R-33)"""
    rows = place.raw(f"SELECT entry, id FROM messages WHERE {ADA} AND seq IN (3, 5)")
    place.without_triggers()
    for old, new in ((3, 999), (5, 3), (999, 5)):
        place.raw(
            f"UPDATE messages SET seq = {new}, place = place - seq + {new} "
            f"WHERE {ADA} AND seq = {old}"
        )
    found = faults(place)
    assert {(f.n, f.subject) for f in found if f.n is not None} == {
        (number, id_text(bytes(key))) for number, key in rows
    }


# ---- entries that were changed


def entry(place: Place, n: int) -> tuple[int, str, str]:
    ((event, subject),) = place.raw(f"SELECT event, subject FROM timeline WHERE {ADA} AND n = {n}")
    return n, event, id_text(bytes(subject))


def length(place: Place) -> int:
    return place.raw(f"SELECT max(n) FROM timeline WHERE {ADA}")[0][0]


def test_an_entry_removed_from_the_middle_is_found(place: Place) -> None:
    """(R-33)"""
    after = entry(place, 8)
    place.raw(f"DELETE FROM timeline WHERE {ADA} AND n IN (6, 7)")
    assert Fault(*after, "entries 6 to 7 were removed") in faults(place)


def test_the_last_entry_removed_is_found(place: Place) -> None:
    """(R-33)"""
    last = entry(place, length(place))
    place.raw(f"DELETE FROM timeline WHERE {ADA} AND n = {last[0]}")
    assert Fault(*last, f"its entry {last[0]} was removed") in faults(place)


def test_the_last_entry_removed_together_with_its_row_is_found(place: Place) -> None:
    """(R-33)"""
    last = length(place)
    place.without_triggers()
    place.raw(
        f"DELETE FROM messages WHERE {ADA} AND entry = {last}",
        f"DELETE FROM timeline WHERE {ADA} AND n = {last}",
    )
    assert {(fault.event, fault.problem) for fault in faults(place)} == {
        ("thread", "thread 'agent:ada:main' counts 7 messages and holds 6"),
        ("session", "it counts other messages than name it"),
    }


def test_a_message_removed_together_with_its_salt_is_found(place: Place) -> None:
    """As if it had been purged, but nobody purged it (R-33)."""
    place.without_triggers()
    number = place.raw(f"SELECT entry FROM {at_seq(4)}")[0][0]
    place.raw(
        f"DELETE FROM messages WHERE {ADA} AND seq = 4",
        f"UPDATE timeline SET salt = NULL WHERE {ADA} AND n = {number}",
    )
    assert "its thread was not erased" in faults(place)[0].problem
    # And whoever corrects the count as well is still found.
    place.raw(
        f"UPDATE threads SET message_count = message_count - 1 WHERE {ADA} AND kind = 'primary'"
    )
    assert "its thread was not erased" in faults(place)[0].problem


def test_two_entries_that_changed_places_are_found(place: Place) -> None:
    """(R-33)"""
    for old, new in ((5, -1), (9, 5), (-1, 9)):
        place.raw(f"UPDATE timeline SET n = {new} WHERE {ADA} AND n = {old}")
    moved = "the entry was changed or moved"
    found = faults(place)
    assert Fault(*entry(place, 5), moved) in found
    assert Fault(*entry(place, 9), moved) in found


@pytest.mark.parametrize(
    "change",
    [
        "at = at + 1",
        "event = 'turn.opened'",
        "event = 'nonsense'",
        "digest = hash",
        "hash = digest",
    ],
)
def test_a_changed_entry_is_found(place: Place, change: str) -> None:
    """(R-33)"""
    row = place.raw(f"SELECT entry FROM {at_seq(1)}")[0][0]
    place.raw(f"UPDATE timeline SET {change} WHERE {ADA} AND n = {row}")
    assert Fault(*entry(place, row), "the entry was changed or moved") in faults(place)


def test_a_salt_that_was_dropped_without_a_purge_is_found(place: Place) -> None:
    """(R-33)"""
    row = place.raw(f"SELECT entry FROM {at_seq(2)}")[0][0]
    place.raw(f"UPDATE timeline SET salt = NULL WHERE {ADA} AND n = {row}")
    assert faults(place) == [Fault(*entry(place, row), "its salt is gone, but the row is not")]


def test_every_single_message_is_watched(place: Place) -> None:
    """(R-33)"""
    place.without_triggers()
    place.raw(f"UPDATE messages SET principal = 'x' WHERE {ADA}")
    assert len([f for f in faults(place) if f.event == "message"]) == 7


# ---- what is lawful


@pytest.mark.slow
def test_erased_and_removed_rows_do_not_alarm(place: Place) -> None:
    """(R-33, X-8, X-29)"""
    clock = FrozenClock("2026-03-01T10:00:00Z")
    with everthread.connect(place.target, background=False, clock=clock) as et:
        ada = et.known_agent("ada")
        for kind in ("ephemeral", "background"):
            for key in (f"{kind} one", f"{kind} two"):
                thread = ada.thread(key, kind=kind)
                thread.turn("hello", channel="signal:+49").done("hi")
                thread.record([{"role": "user", "content": LONG}])
        et.erase(ada, thread="background one", reason="asked")
        et.erase(ada, thread="ephemeral one")
        clock.forward(hours=25)
        worker = Worker(et.house)
        while worker.step():
            pass
        assert [t.key for t in ada.threads()] == ["agent:ada:main", "background two"]
        assert et.report().jobs == []
        et.erase(ada)
        ada.turn("we begin anew").done("so we do")
        assert et.verify(ada).faults == []
    assert faults(place, "bob") == []


def test_clearing_what_is_derived_does_not_alarm(place: Place) -> None:
    """Counters and leases are not sealed: they may be counted anew."""
    place.raw(f"UPDATE threads SET computed_context_tokens = 1, last_input_tokens = 2 WHERE {ADA}")
    place.raw(f"UPDATE turns SET lease_until = 0 WHERE {ADA}")
    assert faults(place) == []


# ---- what the database refuses by itself

REFUSED = {
    "editing a message": "UPDATE messages SET content = 'x' WHERE seq = 1",
    "deleting a primary's message": "DELETE FROM messages WHERE seq = 1",
    "deleting a primary thread": "DELETE FROM threads WHERE kind = 'primary'",
    "deleting a session with its messages": "DELETE FROM sessions",
    "making a primary ephemeral": "UPDATE threads SET kind = 'ephemeral' WHERE kind = 'primary'",
    "an unheard-of kind": "UPDATE threads SET kind = 'immortal'",
    "an illegal move of a session": "UPDATE sessions SET state = 'init' WHERE state = 'active'",
    "a move out of the last state": "UPDATE sessions SET state = 'active' WHERE state = 'complete'",
    "a second primary": (
        "INSERT INTO threads (agent_id, id, kind, key, last_activity_at, created_at, entry) "
        f"SELECT agent_id, digest, 'primary', 'another', 0, 0, 1 FROM timeline WHERE {ADA} AND n = 1"
    ),
    "a second open turn": (
        "INSERT INTO turns (agent_id, id, thread_id, session_id, number, state, owner, lease_until, "
        "window_tokens, view_version, first_seq, last_seq, computed_tokens, context_tokens, "
        "opened_at, entry) SELECT t.agent_id, e.digest, t.thread_id, t.session_id, 90 + e.n, 'open', "
        "'o', 0, 1, 0, 1, 1, 1, 1, 0, 1 FROM turns t JOIN timeline e ON e.agent_id = t.agent_id "
        f"WHERE t.number = 1 AND t.{ADA} AND e.n IN (1, 2)"
    ),
    "a message without an agent": "UPDATE messages SET agent_id = NULL",
    "two messages of one number": (
        "INSERT INTO messages (place, agent_id, id, thread_id, seq, role, kind, origin, source, "
        "archived, form, content, tokens, at, created_at, entry) "
        "SELECT m.place, m.agent_id, e.digest, m.thread_id, m.seq, m.role, "
        "m.kind, m.origin, m.source, 0, 0, '', 0, 0, 0, 1 FROM messages m "
        "JOIN timeline e ON e.agent_id = m.agent_id AND e.n = 1 WHERE m.seq = 1"
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_itself_refuses(place: Place, name: str) -> None:
    """Whoever writes, and by whatever program (A-22, A-76, LA-14, LA-15, X-20)."""
    import sqlite3

    before = snapshot(place)
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.IntegrityError)):
        place.raw(REFUSED[name])
    assert snapshot(place) == before


def test_the_same_rows_of_an_ephemeral_thread_may_go(place: Place) -> None:
    """(X-8)"""
    with everthread.connect(place.target, background=False) as et:
        et.known_agent("ada").thread("ask", kind="ephemeral").turn("hi").done("hello")
    place.raw("DELETE FROM threads WHERE kind = 'ephemeral'")
    assert place.raw("SELECT count(*) FROM threads WHERE kind = 'ephemeral'") == [(0,)]


def test_both_engines_guard_the_same_things(tmp_path: Path) -> None:
    guarded = {}
    for engine in ENGINES:
        with fresh(engine, tmp_path) as found:
            everthread.connect(found.target, background=False).close()
            guarded[engine] = found.triggers()
    assert guarded["sqlite"] == guarded["postgres"]
    assert guarded["sqlite"] != []


def snapshot(place: Place) -> list[object]:
    return [
        sorted(place.raw(f"SELECT * FROM {table}"), key=repr)
        for table in ("threads", "sessions", "turns", "messages")
    ]
