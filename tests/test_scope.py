"""Whose rows a query may see is part of the query: none can be written without it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import BadInput, SessionUnknown, ThreadUnknown
from everthread.store import audit, export_tables
from everthread.store.sql import (
    belonging,
    bodies,
    endings,
    exchanges,
    harness,
    injections,
    memories,
    outputs,
    purges,
    receipts,
    scorers,
    statements,
    tasks,
    thread_removal,
)
from everthread.store.sql.statements import Across, Insert, Scoped
from support.stores import ENGINES, fresh

# Statements that look across agents on purpose. A new one must be argued for, and entered here.
ACROSS = {
    "AGENT_ADD",
    "AGENT_NAMED",
    "ASKED_BY",
    "AGENTS_ALL",
    "CHECKPOINTS_OLD",
    "DUTY_FIRST",
    "DUTY_LAST",
    "DUTY_TAKE",
    "EVENTS_DUE",
    "EXCHANGES_DUE",
    "EXCHANGE_SIDES",
    "INJECTED_BY",
    "INTENTS_OPEN",
    "JOB_ADD",
    "JOB_CANCEL",
    "JOB_CLAIM",
    "JOB_FINISH",
    "JOB_HOLD",
    "JOB_RETRY",
    "JOB_SPARE",
    "JOBS_ALL",
    "JOBS_CLAIMABLE",
    "JOBS_NEXT",
    "MEMORIES_USER_WIDE",
    "OLDEST",
    "OWNERLESS",
    "PURGES_DUE",
    "QUIET",
    "RECEIPTS_OPEN",
    "RECEIPTS_UNSCORED",
    "SAVED",
    "SHARED",
    "SITTINGS_LAPSED",
    "SPENT",
    "TASKS_ANY",
    "THREADS_IDLE",
    "TOKENS_ALL",
    "TOKEN_ADD",
    "TOKEN_FIND",
    "TOKEN_REVOKE",
    "TOKEN_USED",
    "TURNS_ABANDONED",
    "TURNS_RENEW",
    "UNSEEN",
    "JOB_WAITS",
    "NOTE_SEEN",
    "NOTES_SEEN",
    "NOTE_DROP",
}
# Its threads are those of the sessions that it is scoped to.
JOINED = {"OPENED"}
VERBS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ")


def test_a_statement_without_scope_cannot_be_written() -> None:
    """(R-44)"""
    for unscoped in ("SELECT * FROM messages", "DELETE FROM messages WHERE seq = :seq"):
        with pytest.raises(BadInput, match="must be scoped by :agent"):
            Scoped(unscoped)
    Scoped("SELECT content FROM messages WHERE agent_id = :agent")


def named() -> dict[str, str]:
    """Every SQL text of the statements' modules by its name."""
    return {
        name: value
        for name, value in [
            m
            for module in (
                belonging,
                statements,
                memories,
                injections,
                scorers,
                receipts,
                harness,
                outputs,
                bodies,
                exchanges,
                purges,
                endings,
                thread_removal,
                tasks,
            )
            for m in vars(module).items()
        ]
        if isinstance(value, str) and value.strip().upper().startswith(VERBS)
    }


def test_every_statement_is_scoped_or_on_the_list_of_those_that_are_not() -> None:
    """(R-44)"""
    found = named()
    assert len(found) > 50
    across = {name for name, value in found.items() if isinstance(value, Across)}
    assert across == ACROSS
    loose = {n for n, v in found.items() if not isinstance(v, Scoped | Across | Insert)}
    assert loose == set()


def test_rows_written_by_position_begin_with_their_agent() -> None:
    """(R-44)"""
    statement = Insert("messages", "id, content")
    assert statement == "INSERT INTO messages (agent_id, id, content) VALUES (?, ?, ?)"


def test_every_table_that_a_statement_reads_is_scoped_there() -> None:
    """Also in its inner parts: as many agents as tables (R-44)."""
    for name, value in named().items():
        if isinstance(value, Scoped) and name not in JOINED:
            tables = re.findall(r"(?:FROM|INTO|JOIN|^\s*UPDATE)\s+([a-z]+)", value)
            assert value.count(":agent") >= len(tables), name


@pytest.mark.parametrize("module", [audit, export_tables])
def test_statements_elsewhere_are_scoped_too(module: object) -> None:
    """(R-44)"""
    values = [v for v in vars(module).values() if isinstance(v, str | dict)]
    texts = [t for v in values for t in (v.values() if isinstance(v, dict) else [v])]
    found = [t for t in texts if isinstance(t, str) and t.strip().upper().startswith(VERBS)]
    assert [t for t in found if not isinstance(t, Scoped)] == []


def test_sql_is_written_in_the_store_alone() -> None:
    """(R-44)"""
    source = Path(inspect.getfile(everthread)).parent
    outside = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "store" not in path.parts and any(f'"{verb}' in path.read_text() for verb in VERBS)
    ]
    # A harness's own database is read where that harness is understood: it has no agents to scope by.
    assert set(outside) <= {f"edges/harnesses/{name}_db.py" for name in ("opencode", "openclaw")}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_table_carries_its_agent(engine: str, tmp_path: Path) -> None:
    """(R-44)"""
    with fresh(engine, tmp_path) as place:
        everthread.connect(place.target, background=False).close()
        found = place.tables()
        assert len(found) >= 12
        assert [name for name, columns in found.items() if "agent_id" not in columns] == []


def test_both_engines_have_the_same_tables(tmp_path: Path) -> None:
    found = []
    for engine in ENGINES:
        with fresh(engine, tmp_path) as place:
            everthread.connect(place.target, background=False).close()
            found.append({name: sorted(columns) for name, columns in place.tables().items()})
    assert found[0] == found[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_two_agents_with_the_same_names_for_things_never_meet(engine: str, tmp_path: Path) -> None:
    """Equal keys, ids, channels and sessions; each sees its own (R-44, A-16)."""
    with (
        fresh(engine, tmp_path) as place,
        everthread.connect(place.target, background=False) as et,
    ):
        for name in ("ada", "bob"):
            agent = et.agent(name)
            agent.turn(f"{name} speaks", channel="signal:+49").done(f"to {name}")
            entry = {"id": "ext-1", "role": "user", "content": f"{name}'s note " * 900}
            assert agent.record([entry], session="s-1") == (1, 0, ())
            assert agent.record([entry], session="s-1") == (0, 1, ())
            thread = agent.thread("shared key", kind="background")
            thread.turn(f"{name} works").done("done")
            agent.thread(f"only {name}'s", kind="ephemeral")
        ada, bob = et.known_agent("ada"), et.known_agent("bob")
        for mine, other in ((ada, bob), (bob, ada)):
            texts = [m.text for m in mine.messages(limit=99)]
            texts += [m.text for m in mine.messages(thread="shared key")]
            assert len(texts) == 5
            assert all(other.name not in text for text in texts)
            assert {s.agent_ref for s in mine.sessions()} == {mine.scope.agent}
            assert [t.row.agent_ref for t in mine.threads()] == [mine.scope.agent] * 3
            assert mine.session("s-1").id != other.session("s-1").id
            with pytest.raises(SessionUnknown):
                mine.session(other.session("s-1").id)
            with pytest.raises(ThreadUnknown):
                mine.messages(thread=f"only {other.name}'s")
            subjects = {entry.subject for entry in et.timeline(mine.name, limit=999)}
            assert not subjects & {e.subject for e in et.timeline(other.name, limit=999)}
            assert et.verify(mine).faults == []
        et.erase(ada, reason="asked")
        assert [m.text for m in bob.messages()][-1].startswith("bob's note")
        assert len(bob.threads()) == 3
