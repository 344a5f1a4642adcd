"""What harness sessions leave is sealed, found by its indexes, and travels with its agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread.domain.harness.checkpoints import Checkpoint, Compaction, Cursor, Token
from everthread.domain.ids import LANE, place_at
from everthread.store.sql import harness, statements
from everthread.testing.promises.harness_rows import a_checkpoint, a_compaction
from everthread.testing.promises.rows import NOON, new_id
from support.stores import EACH, Place, fresh

FORGERIES = {
    "a checkpoint's kind": ("checkpoint", "UPDATE checkpoints SET kind = 'agent'"),
    "when it was made": ("checkpoint", "UPDATE checkpoints SET created_at = 1"),
    "how far it goes": ("checkpoint", "UPDATE checkpoints SET through_seq = 1"),
    "whether it can be resumed": ("checkpoint", "UPDATE checkpoints SET can_resume = 0"),
    "what was looked for": ("checkpoint", "UPDATE checkpoints SET activity = '{}'"),
    "how to go on": ("checkpoint", "UPDATE checkpoints SET resume_instructions = 'forged'"),
    "which text it has": ("checkpoint", "UPDATE checkpoints SET text_hash = state_hash"),
    "which state it has": ("checkpoint", "UPDATE checkpoints SET state_hash = text_hash"),
    "a compaction's score": ("compaction", "UPDATE compactions SET score = '{}'"),
    "what it stands for": ("compaction", "UPDATE compactions SET last_seq = 1"),
    "what it cost": ("compaction", "UPDATE compactions SET tokens_after = 1"),
    "which summary it has": ("compaction", "UPDATE compactions SET summary_hash = given_hash"),
    "what was given back": ("compaction", "UPDATE compactions SET given_hash = summary_hash"),
}


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def connected(place: Place) -> everthread.Everthread:
    return everthread.connect(place.target, background=False)


def attend(et: everthread.Everthread) -> tuple[Checkpoint, Compaction]:
    """One checkpoint, one cursor and one compaction of an agent's session; a key to the store."""
    ada = et.agent("ada")
    ada.record([{"role": "user", "content": "hi", "id": "1"}], session="s-1")
    session, scope, store = ada.session("s-1"), ada.scope, et.house.store
    made = store.write(
        lambda r: r.checkpoints.add(scope, a_checkpoint(session), "its text", "its state")
    )
    opened = a_compaction(session, checkpoint_ref=made.ref, state="scored", score_json='{"k":1}')
    row = store.write(lambda r: r.compactions.add(scope, opened))
    row = store.write(
        lambda r: r.compactions.change(scope, row, summary="short", given="more", now=NOON)
    )
    store.write(lambda r: r.cursors.put(scope, Cursor(session.ref, "/t", "1", "[]", NOON)))
    key = Token(0, new_id(), "laptop", bytes(32), '["read"]', "[]", NOON, None, None)
    store.write(lambda r: r.tokens.add(key))
    return made, row


def exported(et: everthread.Everthread) -> list[str]:
    lines: list[str] = []
    et.export(lines.append)
    return lines


@pytest.mark.req("R-33")
def test_verify_names_a_changed_checkpoint_or_compaction(place: Place) -> None:
    with connected(place) as et:
        attend(et)
    place.without_triggers()
    for kind, forgery in FORGERIES.values():
        column = forgery.split(" SET ")[1].split(" = ")[0]
        ((before, ident),) = place.raw(f"SELECT {column}, id FROM {kind}s")
        place.raw(forgery)
        with connected(place) as et:
            faults = et.verify("ada").faults
            changed = [fault for fault in faults if fault.problem == "the row was changed"]
            assert [fault.event.partition(".")[0] for fault in changed] == [kind], forgery
            assert changed[0].subject.replace("-", "") == bytes(ident).hex()
        place.raw(f"UPDATE {kind}s SET {column} = :before", before=before)
    with connected(place) as et:
        assert et.verify("ada").faults == [], "put back, all is as it was"


@pytest.mark.req("R-33")
@pytest.mark.parametrize("table", ["checkpoints", "compactions"])
def test_verify_misses_a_removed_row(place: Place, table: str) -> None:
    with connected(place) as et:
        attend(et)
    place.without_triggers()
    place.raw(f"DELETE FROM {table}")
    with connected(place) as et:
        assert "the row was removed" in repr(et.verify("ada").faults)


@pytest.mark.req("R-33")
@pytest.mark.parametrize("text", ["its text", "its state", "short", "more"])
def test_verify_names_a_changed_text(place: Place, text: str) -> None:
    with connected(place) as et:
        attend(et)
    place.raw("UPDATE bodies SET content = 'forged' WHERE content = :text", text=text)
    with connected(place) as et:
        assert [fault.event for fault in et.verify("ada").faults] == ["body"]
    place.raw("DELETE FROM bodies WHERE content = 'forged'")
    with connected(place) as et:
        assert [fault.event for fault in et.verify("ada").faults] == ["body"]


@pytest.mark.req("R-33", "X-6", "B-36")
def test_what_was_lawfully_removed_or_withheld_is_no_fault(place: Place) -> None:
    with connected(place) as et:
        made, row = attend(et)
        ada, store = et.agent("ada"), et.house.store
        again = a_checkpoint(ada.session("s-1"), created_ms=NOON + 1, parent_ref=made.ref)
        store.write(lambda r: r.checkpoints.add(ada.scope, again, "its text", ""))
        store.write(lambda r: r.compactions.withhold(ada.scope, row, now=NOON))
        assert store.write(lambda r: r.checkpoints.prune(before=NOON + 1, now=NOON, limit=9)) == 1
        assert et.verify(ada).faults == []
        (left,) = store.read(lambda r: r.checkpoints.newest(ada.scope, limit=9))
        assert store.read(lambda r: r.checkpoints.text(ada.scope, left)) == "its text"


@pytest.mark.req("X-29", "R-33")
def test_an_erased_thread_leaves_no_word_of_its_checkpoints(place: Place) -> None:
    with connected(place) as et:
        attend(et)
        et.erase("ada", reason="asked")
        assert et.verify("ada").faults == []
    assert place.raw("SELECT content FROM bodies") == []
    for table in ("checkpoints", "cursors", "compactions"):
        assert place.raw(f"SELECT count(*) FROM {table}") == [(0,)]


def test_the_database_itself_refuses_to_delete_a_compaction(place: Place) -> None:
    with connected(place) as et:
        attend(et)
        with pytest.raises(Exception, match="everthread: compactions of a lasting thread"):
            place.raw("DELETE FROM compactions")
    assert place.raw("SELECT count(*) FROM compactions") == [(1,)]


@pytest.mark.req("R-37")
def test_an_export_carries_what_was_left_but_no_key(place: Place, tmp_path: Path) -> None:
    """A key opens one store: it must not travel in a file that others may read."""
    with connected(place) as et:
        made, row = attend(et)
        lines = exported(et)
    tables = [json.loads(line).get("table") for line in lines]
    assert [tables.count(t) for t in ("checkpoints", "cursors", "compactions")] == [1, 1, 1]
    assert "tokens" not in tables
    assert "laptop" not in "".join(lines)
    with fresh("sqlite", tmp_path / "there") as other, connected(other) as et:
        et.import_lines(lines)
        ada, store = et.agent("ada"), et.house.store
        (there,) = store.read(lambda r: r.checkpoints.newest(ada.scope, limit=9))
        assert (there.id, there.kind, there.entry) == (made.id, made.kind, made.entry)
        (same,) = store.read(lambda r: r.compactions.newest(ada.scope, limit=9))
        assert (same.id, same.checkpoint_ref) == (row.id, there.ref)
        assert store.read(lambda r: r.compactions.given(ada.scope, same)) == "more"
        assert et.verify(ada).faults == []
        assert exported(et) == lines


@pytest.mark.req("R-37")
def test_a_backup_carries_what_was_left(place: Place, tmp_path: Path) -> None:
    with connected(place) as et:
        made, _ = attend(et)
        et.backup(tmp_path / "copy.db")
    with everthread.connect(tmp_path / "copy.db", background=False) as et:
        ada = et.agent("ada")
        (there,) = et.house.store.read(lambda r: r.checkpoints.newest(ada.scope, limit=9))
        assert there.id == made.id
        assert et.verify(ada).faults == []


ASKED = {
    "least": 0,
    "agent": 1,
    "session": 1,
    "project": "/p",
    "since": 0,
    "limit": 5,
    "keep": 5,
    "before": NOON,
    "low": place_at(1, 7, archived=1),
    "high": place_at(1, 0, archived=1) + LANE - 1,
}
PLANS = {
    "of a session": (harness.CHECKPOINTS_OF_SESSION, "checkpoints_of_session"),
    "of a project": (harness.CHECKPOINTS_OF_PROJECT, "checkpoints_of_project"),
    "of an agent": (harness.CHECKPOINTS_NEWEST, "checkpoints_of_agent"),
    "beyond so many": (harness.CHECKPOINTS_BEYOND, "checkpoints_of_session"),
    "compactions of a session": (harness.COMPACTIONS_OF_SESSION, "compactions_of_session"),
    "compactions of an agent": (harness.COMPACTIONS_NEWEST, "compactions_of_agent"),
}


@pytest.fixture
def file(tmp_path: Path) -> Place:
    """PostgreSQL plans by what the tables hold, SQLite by the schema: so it can be asked."""
    found = Place("sqlite", str(tmp_path / "everthread.db"))
    connected(found).close()
    return found


@pytest.mark.req("B-12", "B-13", "LB-10")
@pytest.mark.parametrize("name", PLANS)
def test_the_newest_are_read_off_an_index_without_sorting(file: Place, name: str) -> None:
    statement, index = PLANS[name]
    plan = planned(file, statement)
    assert index in plan, plan
    assert "TEMP B-TREE" not in plan, plan


@pytest.mark.req("B-15")
def test_sessions_of_a_project_are_found_by_an_index(file: Place) -> None:
    assert "sessions_of_project" in planned(file, statements.SESSIONS_OF_PROJECT)


def test_what_is_too_old_is_found_by_its_age(file: Place) -> None:
    assert "checkpoints_by_age" in planned(file, harness.CHECKPOINTS_OLD)


def test_a_session_is_read_on_from_its_place_without_sorting(file: Place) -> None:
    """Where a thread has a million messages, only those after that place are looked at."""
    plan = planned(file, statements.SESSION_AFTER)
    assert "INTEGER PRIMARY KEY (rowid>? AND rowid<?)" in plan, plan
    assert "TEMP B-TREE" not in plan, plan


def planned(file: Place, statement: str) -> str:
    return "\n".join(row[-1] for row in file.raw(f"EXPLAIN QUERY PLAN {statement}", **ASKED))
