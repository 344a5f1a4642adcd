"""Schemas go forward only, one step after the other; what is not ours is refused and left untouched."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import everthread
from everthread.domain.errors import NotAStore, StoreFailed, StoreTooNew
from everthread.store.migrations import Migration, migrations, pending_migrations
from everthread.store.sqlite.schema import APPLICATION
from everthread.testing.promises.harness_rows import a_checkpoint
from support import ready_stores
from support.born import ran
from support.stores import EACH, ENGINES, Place, fresh

NEWEST = {engine: migrations(engine)[-1].number for engine in ENGINES}
STATES = [
    pytest.param(engine, number, marks=[pytest.mark.slow] if engine == "postgres" else [])
    for engine in ENGINES
    for number in range(NEWEST[engine] + 1)
]

POSTGRES_SCHEMA = """
    SELECT 'column', table_name || '.' || column_name, data_type || is_nullable
        || coalesce(column_default, '') || is_identity
    FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes
    WHERE schemaname = current_schema()
    UNION ALL SELECT 'constraint', conname, conrelid::regclass || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
    UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal
    UNION ALL SELECT 'function', proname, pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
    UNION ALL SELECT 'migration', number::text, name FROM everthread_schema
    ORDER BY 1, 2, 3"""
SQLITE_SCHEMA = """
    SELECT type, name, sql FROM sqlite_schema
    UNION ALL SELECT 'version', '', user_version FROM pragma_user_version
    UNION ALL SELECT 'application', '', application_id FROM pragma_application_id
    ORDER BY 1, 2, 3"""


@pytest.fixture(autouse=True)
def _migrated() -> Iterator[None]:
    """Here every store is migrated from nothing."""
    ready_stores.forgo()
    yield
    ready_stores.use()


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path, empty=True) as found:
        yield found


def schema(place: Place) -> list[tuple[object, ...]]:
    return place.raw(POSTGRES_SCHEMA if place.engine == "postgres" else SQLITE_SCHEMA)


def brought_to(place: Place, number: int) -> None:
    """A store as the version left it that knew the first so many migrations."""
    steps = migrations(place.engine)[:number]
    if place.engine == "postgres":
        with psycopg.connect(place.target) as connection:
            if steps:
                connection.execute(
                    "CREATE TABLE everthread_schema (number BIGINT PRIMARY KEY, name TEXT NOT NULL, "
                    "applied_at TIMESTAMPTZ NOT NULL DEFAULT now())"
                )
            for step in steps:
                connection.execute(step.script.encode())
                connection.execute(
                    "INSERT INTO everthread_schema (number, name) VALUES (%s, %s)", step[:2]
                )
        return
    connection = sqlite3.connect(place.target)
    for step in steps:
        connection.executescript(
            f"BEGIN; {step.script} PRAGMA application_id = {APPLICATION}; "
            f"PRAGMA user_version = {step.number}; COMMIT;"
        )
    connection.close()


# ---- forward, step by step


@pytest.mark.parametrize("engine", ENGINES)
def test_migrations_are_numbered_from_one_without_gaps(engine: str) -> None:
    steps = migrations(engine)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.script.strip() and step.name for step in steps)


def test_both_engines_have_the_same_migrations() -> None:
    names = [[(step.number, step.name) for step in migrations(engine)] for engine in ENGINES]
    assert names[0] == names[1]


def test_only_what_is_missing_is_done_and_nothing_is_undone() -> None:
    known = [Migration(n, f"m{n}", "SELECT 1") for n in (1, 2, 3)]
    assert pending_migrations(known, 0, where="x") == known
    assert pending_migrations(known, 2, where="x") == known[2:]
    assert pending_migrations(known, 3, where="x") == []
    with pytest.raises(StoreTooNew, match=r"schema 4; this one knows 3"):
        pending_migrations(known, 4, where="x")


@pytest.mark.parametrize(("engine", "number"), STATES)
def test_every_earlier_schema_becomes_the_same_as_a_fresh_one(
    engine: str, number: int, tmp_path: Path
) -> None:
    with (
        fresh(engine, tmp_path / "a", empty=True) as new,
        fresh(engine, tmp_path / "b", empty=True) as old,
    ):
        everthread.connect(new.target, background=False).close()
        (tmp_path / "b").mkdir()
        brought_to(old, number)
        with everthread.connect(old.target, background=False) as et:
            et.agent("ada").turn("hi").done("hello")
            assert et.verify(et.agent("ada")).faults == []
        assert schema(old) == schema(new)


# What the migrations after the fourth brought, taken away again; and what the fourth did.
HARNESS = 5
LATER = ("weighed", "outputs", "shrunk", "tokens", "compactions", "cursors", "checkpoints")
ADDED = re.compile(
    r"^CREATE TABLE (?P<table>\w+)|^CREATE (?:UNIQUE )?INDEX (?P<index>\w+)"
    r"|^ALTER TABLE (?P<of>\w+) ADD COLUMN (?P<column>\w+)",
    re.MULTILINE,
)


def taken_away(number: int) -> list[str]:
    """What undoes the migrations after that one, the last first; names are the same on both engines."""
    undone: list[str] = []
    for step in migrations("sqlite")[number:]:
        for found in ADDED.finditer(step.script):
            if found["table"]:
                undone.append(f"DROP TABLE {found['table']}")
            elif found["index"]:
                undone.append(f"DROP INDEX {found['index']}")
            else:
                undone.append(f"ALTER TABLE {found['of']} DROP COLUMN {found['column']}")
    return undone[::-1]


BEFORE_TASKS = taken_away(6)
BEFORE_HARNESSES = (
    *BEFORE_TASKS,
    *(f"DROP TABLE {t}" for t in LATER),
    "DROP INDEX sessions_of_project",
    "DROP INDEX injections_of_session",
)
BEFORE_DISTILLATIONS = (
    *BEFORE_HARNESSES,
    *(f"DROP TABLE {t}" for t in ("spending", "intents", "summary_sentences", "summaries")),
    "DROP TABLE receipts",
    "DROP INDEX marks_of_receipt",
    "ALTER TABLE marks DROP COLUMN saved",
    "ALTER TABLE threads DROP COLUMN working_state",
)


GUARD = "messages_outlive_all_but_erasure"
"""What kept messages from being deleted, before some could be purged."""


def guard_as_it_was(engine: str) -> str:
    house = migrations(engine)[0].script
    found = re.search(rf"^CREATE TRIGGER {GUARD}.*?(?:END|deleted'\));$", house, re.M | re.S)
    assert found is not None
    return found[0]


def as_it_was(place: Place, number: int, *changes: str) -> None:
    """Take the store back to that schema."""
    if place.engine == "sqlite":
        unguarded = "DROP TRIGGER messages_outlive_all_but_purge_and_erasure"
        guarded = guard_as_it_was("sqlite")
        place.raw(unguarded, *changes, guarded, f"PRAGMA user_version = {number}")
        return
    harness = ["DROP FUNCTION everthread_lasting_session"] if number < HARNESS else []
    place.raw(
        "DROP TRIGGER messages_outlive_all_but_purge_and_erasure ON messages",
        "DROP FUNCTION everthread_purged",
        guard_as_it_was("postgres"),
        *changes,
        *harness,
        f"DELETE FROM everthread_schema WHERE number > {number}",
    )


def looks_like(place: Place, number: int, folder: Path) -> bool:
    """Beside the index, which is no part of the schema."""
    folder.mkdir()
    with fresh(place.engine, folder, empty=True) as old:
        brought_to(old, number)
        found = {t: c for t, c in place.tables().items() if not t.startswith("index_")}
        return found == old.tables()


def test_a_store_from_before_distillations_keeps_all_and_can_be_distilled(
    place: Place, tmp_path: Path
) -> None:
    """(R-37)"""
    settings = everthread.Settings(workspace=str(tmp_path / "files"), score_seconds=0.0)
    with everthread.connect(place.target, background=False, settings=settings) as et:
        ada = et.agent("ada", window=20_000)
        for n in range(200):
            ada.record([{"role": "user", "content": f"old {n}"}])
        for n in range(30):
            ada.turn(f"Please look at src/part{n}.py, we keep it.").done(f"Seen: part {n}.")
        ada.remember("Prefers tabs", sources=[ada.messages(limit=1)[0]])
        told = [m.text for m in ada.messages(limit=999)]
        sent = ada.sent(7).messages
    as_it_was(place, 3, *BEFORE_DISTILLATIONS)
    assert looks_like(place, 3, tmp_path / "old"), "this is how it was before"
    with everthread.connect(place.target, background=False, settings=settings) as et:
        ada = et.agent("ada")
        assert [m.text for m in ada.messages(limit=999)] == told
        assert ada.sent(7).messages == sent
        assert et.verify(ada).faults == []
        assert ada.primary.row.view_version == 1, "what was recorded is hidden by a mark"
        receipt = ada.distill()
        assert receipt.standing and ada.context().summary
        et.undo(receipt.id)
        assert ada.sent(7).messages == sent
        assert et.verify(ada).faults == []


@pytest.mark.req("B-10", "B-17")
def test_a_store_from_before_harnesses_keeps_all_and_takes_checkpoints(
    place: Place, tmp_path: Path
) -> None:
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "hi"}], session="s-1", project="/p")
        told = [m.text for m in ada.messages()]
    as_it_was(place, 4, *BEFORE_HARNESSES)
    assert looks_like(place, 4, tmp_path / "old"), "this is how it was before"
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        assert [m.text for m in ada.messages()] == told
        made, store = a_checkpoint(ada.session("s-1")), et.house.store
        store.write(lambda r: r.checkpoints.add(ada.scope, made, "its text", ""))
        assert ada.session("s-1").checkpoint_count == 1
        assert et.verify(ada).faults == []


@pytest.mark.req("C-2", "C-18")
def test_a_store_from_before_tasks_keeps_all_and_takes_tasks(place: Place, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "hi"}], session="s-1", project=str(project))
        made, store = a_checkpoint(ada.session("s-1")), et.house.store
        store.write(lambda r: r.checkpoints.add(ada.scope, made, "its text", ""))
    as_it_was(place, 6, *BEFORE_TASKS)
    assert looks_like(place, 6, tmp_path / "old"), "this is how it was before"
    with everthread.connect(place.target, background=False) as et:
        ada = et.agent("ada")
        [before] = ada.checkpoints()
        assert (before.task_ref, before.alias, before.document_hash) == (None, None, None)
        assert et.verify(ada).faults == [], "what was sealed before tasks existed still holds"
        task = ada.new_task("parser-rewrite", goal="One pass", project=str(project))
        task.start()
        task.checkpoint("explicit", "where we stand")
        assert [row.kind for row in ada.checkpoints()] == ["explicit", "periodic"]
        assert et.verify(ada).faults == []


def test_a_salt_that_an_erased_threads_undo_left_behind_is_dropped(place: Place) -> None:
    """Once an erasure took the salt of a mark's last entry alone, and `verify` missed the row (R-33)."""
    settings = everthread.Settings(score_seconds=0.0)
    with everthread.connect(place.target, background=False, settings=settings) as et:
        ada = et.agent("ada")
        threads = ada.thread("beat:gone", kind="background"), ada.thread("kept", kind="background")
        for thread in threads:
            for n in range(40):
                thread.turn(f"Beat {n}: anything new in src/a{n}.py?").done(f"No, {n} tests pass.")
            et.undo(ada.distill(thread=thread).id)
        et.erase(ada, thread="beat:gone")
        assert et.verify(ada).faults == []
    salted = "SELECT count(*) FROM timeline WHERE event = 'mark.added' AND salt IS NOT NULL"
    [before] = place.raw(salted)
    left = "UPDATE timeline SET salt = digest WHERE event = 'mark.added' AND salt IS NULL"
    later = ("receipts_newest", "receipts_of_thread", "session_memories_withheld")
    later += ("threads_by_tail", "memories_standing")
    back = [left, *(f"DROP INDEX {index}" for index in later)]
    if place.engine == "sqlite":
        place.raw(*back, "PRAGMA user_version = 12")
    else:
        place.raw(*back, "DELETE FROM everthread_schema WHERE number > 12")
    assert place.raw(salted) != [before]
    with everthread.connect(place.target, background=False) as et:
        assert et.verify(et.agent("ada")).faults == []
    assert place.raw(salted) == [before], "what stands keeps its own"


def test_opening_a_store_again_changes_nothing_and_keeps_everything(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:
        et.agent("ada").turn("hi").done("hello")
    before = schema(place)
    for _ in range(2):
        with everthread.connect(place.target, background=False) as et:
            assert [m.text for m in et.known_agent("ada").messages()] == ["hi", "hello"]
    assert schema(place) == before


# ---- newer than this version


UPGRADED = """
import sys
from pathlib import Path
import everthread
from everthread.store import migrations
old = migrations.migrations
step = migrations.Migration(9999, "the_future", "CREATE TABLE future (id INTEGER);")
for name in ("sqlite.schema", "postgres.store"):
    module = __import__(f"everthread.store.{name}", fromlist=["migrations"])
    module.migrations = lambda engine: [*old(engine), step]
everthread.connect(sys.argv[1], background=False).close()
"""
"""A later version, of which no more is known than that it has one migration more."""


def test_a_store_that_is_upgraded_while_it_is_open_is_used_no_more(place: Place) -> None:
    """A program that stayed open would read what it does not know as empty, and send that."""
    with everthread.connect(place.target, background=False) as et:
        ada, store = et.agent("ada"), et.house.store
        ada.turn("hi").done("hello")
        assert len(ada.messages()) == 2
        upgraded = ran(UPGRADED, place.target)
        assert upgraded.returncode == 0, upgraded.stderr
        rows = place.raw("SELECT count(*) FROM timeline"), place.raw("SELECT count(*) FROM jobs")
        for use in (
            ada.messages,
            lambda: ada.turn("again"),
            lambda: store.write(
                lambda r: r.threads.add(ada.scope, key="x", kind="background", now=0)
            ),
            lambda: store.write(lambda r: r.jobs.add("x", "{}", due_at=0, now=0)),
            lambda: store.read(lambda r: r.agents.all()),
        ):
            for _ in range(2):
                with pytest.raises(StoreTooNew, match=r"schema 9999.*End this program"):
                    use()
    assert rows == (
        place.raw("SELECT count(*) FROM timeline"),
        place.raw("SELECT count(*) FROM jobs"),
    ), "nothing was written"


def test_a_store_that_another_program_only_writes_to_stays_in_use(place: Place) -> None:
    with everthread.connect(place.target, background=False) as et:
        et.agent("ada").turn("hi").done("hello")
        with everthread.connect(place.target, background=False) as other:
            other.agent("ada").turn("from there").done("heard")
        et.agent("ada").turn("again").done("yes")
        told = ["hi", "hello", "from there", "heard", "again", "yes"]
        assert [m.text for m in et.agent("ada").messages()] == told


def test_a_store_of_a_newer_version_is_refused_and_untouched(place: Place, tmp_path: Path) -> None:
    with everthread.connect(place.target, background=False) as et:
        et.agent("ada").turn("hi").done("hello")
    if place.engine == "postgres":
        place.raw("INSERT INTO everthread_schema (number, name) VALUES (9999, 'the future')")
    else:
        place.raw("PRAGMA user_version = 9999")
        for lock in tmp_path.glob("*-queue"), tmp_path.glob("*-writer"):
            next(lock).unlink()
    before = traces(place, tmp_path)
    with pytest.raises(StoreTooNew, match=r"newer Everthread \(schema 9999"):
        everthread.connect(place.target, background=False)
    assert traces(place, tmp_path) == before


def traces(place: Place, folder: Path) -> object:
    if place.engine == "sqlite":
        return contents(folder)
    tables = [*place.tables(), "everthread_schema"]
    return schema(place), {t: sorted(place.raw(f"SELECT * FROM {t}"), key=repr) for t in tables}


def contents(folder: Path) -> dict[str, str]:
    """Every file below the folder with its hash."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        # SQLite's index of a log that a killed program left: even a reader makes it anew.
        if path.is_file() and not path.name.endswith("-shm")
    }


# ---- not ours


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(8_192))


def text(path: Path) -> None:
    path.write_text("Dear diary,\n" * 100)


def one_byte(path: Path) -> None:
    path.write_bytes(b"S")


def only_the_magic(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + random.Random(2).randbytes(8_000))


def foreign(path: Path, *, journal: str = "delete") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
    connection.commit()
    return connection


def another_program(path: Path) -> None:
    foreign(path).close()


def another_program_with_a_log(path: Path) -> None:
    foreign(path, journal="wal").close()


def another_program_that_was_killed(path: Path) -> None:
    """Its last writes are in the log beside the file, which any careless visitor would merge."""
    workshop = path.parent / "workshop"
    workshop.mkdir()
    connection = foreign(workshop / "db", journal="wal")
    shutil.copy(workshop / "db", path)
    shutil.copy(workshop / "db-wal", f"{path}-wal")
    connection.close()
    shutil.rmtree(workshop)


def another_program_with_its_own_stamp(path: Path) -> None:
    connection = foreign(path)
    connection.execute("PRAGMA application_id = 1234")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


STRANGERS = [
    garbage,
    text,
    one_byte,
    only_the_magic,
    another_program,
    another_program_with_a_log,
    another_program_that_was_killed,
    another_program_with_its_own_stamp,
]


@pytest.mark.parametrize("make", STRANGERS, ids=lambda make: make.__name__)
def test_what_is_not_ours_is_refused_and_untouched(tmp_path: Path, make: object) -> None:
    path = tmp_path / "everthread.db"
    make(path)  # type: ignore[operator]
    before, mode = contents(tmp_path), path.stat().st_mode
    with pytest.raises(NotAStore, match="untouched"):
        everthread.connect(path, background=False)
    assert contents(tmp_path) == before
    assert path.stat().st_mode == mode


def test_a_newer_store_whose_program_was_killed_is_untouched_too(tmp_path: Path) -> None:
    workshop, path = tmp_path / "workshop.db", tmp_path / "store" / "everthread.db"
    path.parent.mkdir()
    et = everthread.connect(workshop, background=False)
    et.agent("ada").turn("hi").done("hello")
    Place("sqlite", str(workshop)).raw("PRAGMA user_version = 9999")
    for suffix in ("", "-wal"):
        shutil.copy(f"{workshop}{suffix}", f"{path}{suffix}")
    et.close()
    before = contents(path.parent)
    with pytest.raises(StoreTooNew):
        everthread.connect(path, background=False)
    assert contents(path.parent) == before


def test_our_own_store_whose_program_was_killed_is_opened(tmp_path: Path) -> None:
    """Also one that was killed right after its creation, when all is still in the log."""
    workshop, path = tmp_path / "workshop.db", tmp_path / "everthread.db"
    et = everthread.connect(workshop, background=False)
    et.agent("ada").turn("hi").done("hello")
    for suffix in ("", "-wal"):
        shutil.copy(f"{workshop}{suffix}", f"{path}{suffix}")
    et.close()
    with everthread.connect(path, background=False) as et:
        assert [m.text for m in et.known_agent("ada").messages()] == ["hi", "hello"]
        assert et.verify(et.known_agent("ada")).faults == []


def test_a_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match=r"is a folder; name a file in it, for example"):
        everthread.connect(tmp_path, background=False)
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_refused_at_once_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for read_only in (False, True):
        with pytest.raises(NotAStore):
            everthread.connect(tmp_path / "pipe", background=False, read_only=read_only)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_a_device_is_refused() -> None:
    with pytest.raises(NotAStore, match="is no file but a device, a pipe or a socket; name a file"):
        everthread.connect("/dev/null", background=False)
    assert not Path("/dev/null-writer").exists()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "everthread.db"
    path.touch()
    with everthread.connect(path, background=False) as et:
        et.agent("ada").turn("hi").done("hello")
    with everthread.connect(path, background=False) as et:
        assert len(et.known_agent("ada").messages()) == 2


def test_a_store_that_was_cut_off_is_an_error_and_is_not_made_worse(tmp_path: Path) -> None:
    path = tmp_path / "everthread.db"
    with everthread.connect(path, background=False) as et:
        et.agent("ada").record([{"role": "user", "content": "x" * 3_000} for _ in range(200)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with (
        pytest.raises(StoreFailed, match="damaged"),
        everthread.connect(path, background=False) as et,
    ):
        ada = et.agent("ada")
        ada.messages(limit=1_000)
        et.verify(ada)
    assert path.stat().st_size == len(whole) // 2


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(StoreFailed):
        everthread.connect(tmp_path / "note.txt" / "everthread.db", background=False)
    assert contents(tmp_path) == contents(tmp_path)
    assert (tmp_path / "note.txt").read_text() == "mine"


def test_another_programs_database_on_a_server_is_refused_and_untouched(tmp_path: Path) -> None:
    with fresh("postgres", tmp_path, empty=True) as place:
        place.raw("CREATE TABLE bookmarks (url TEXT)", "INSERT INTO bookmarks VALUES ('x')")
        before = place.tables(), place.raw("SELECT * FROM bookmarks")
        with pytest.raises(NotAStore, match=r"tables of another program \(bookmarks"):
            everthread.connect(place.target, background=False)
        assert (place.tables(), place.raw("SELECT * FROM bookmarks")) == before


def test_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    """(R-30)"""
    path = tmp_path / "new" / "folder" / "everthread.db"
    with everthread.connect(path, background=False) as et:
        et.agent("ada").turn("hi").done("hello")
        modes = {p.name: oct(p.stat().st_mode & 0o777) for p in path.parent.iterdir()}
    assert set(modes.values()) == {"0o600"}
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"
