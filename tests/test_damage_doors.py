"""A damaged file, through every door: what is wrong, what is safe and what to do; nothing is made worse."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import NotAStore, StoreDamaged
from everthread.store.sqlite import quick_check
from everthread.store.sqlite.quick_check import finds_fault
from everthread.store.sqlite.store import SqliteStore
from support.commands import Here

pytestmark = pytest.mark.req("R-30")

PAGE = 4_096


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "store.db"
    with everthread.connect(place, background=False) as et:
        ada = et.agent("ada")
        ada.record(
            [{"role": "user", "content": f"The port of service {n} is {n}"} for n in range(50)]
        )
        ada.remember("The port of the staging database is 5433")
        ada.recall("staging port")
    return place


def overwrite(path: Path, page: int, byte: bytes = b"\0") -> None:
    raw = bytearray(path.read_bytes())
    raw[page * PAGE : (page + 1) * PAGE] = byte * PAGE
    path.write_bytes(raw)


def overwrite_root(path: Path, part: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (part,)
        ).fetchone()
    overwrite(path, root - 1)


def lose_head(path: Path) -> None:
    overwrite(path, 0)


def cut_in_half(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


def lose_schema(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\x5a" * (PAGE - 100) + raw[PAGE:])


COMMANDS = [
    ("status",),
    ("recall", "staging port"),
    ("sessions", "list"),
    ("memories", "list"),
    ("messages",),
    ("remember", "Something else"),
    ("doctor",),
    ("backup", "copy.db"),
    ("export",),
    ("vacuum",),
]


@pytest.mark.parametrize("harm", [lose_head, cut_in_half, lose_schema])
def test_each_command_says_that_the_file_is_damaged_and_leaves_it_alone(
    here: Here, path: Path, harm: Callable[[Path], None]
) -> None:
    harm(path)
    before = path.read_bytes()
    for words in COMMANDS:
        told = here(*words, "--store", path)
        assert (told.code, told.out) == (5, ""), words
        assert "is damaged" in told.err and "left as it is" in told.err, told.err
        assert "ut a backup in its place" in told.err, told.err
    assert here("verify", "--store", path).code == 5
    assert "is damaged" in here("verify", "--store", path).out
    with pytest.raises(StoreDamaged):
        everthread.connect(path, background=False)
    assert path.read_bytes() == before
    assert not (here.home / "copy.db").exists()


def test_a_damaged_store_is_not_backed_up(here: Here, path: Path) -> None:
    """Else the next rotation puts the damaged copy where the last sound one was."""
    overwrite_root(path, "withheld")
    target = here.home / "monday.db"
    told = here("backup", target, "--store", path)
    assert told.code == 5
    assert "no backup was made" in told.err and "Keep the backups that you have" in told.err
    assert not list(here.home.glob("monday.db*"))


def test_a_sound_store_is_backed_up(here: Here, path: Path) -> None:
    assert here("backup", here.home / "monday.db", "--store", path).code == 0
    assert not list(here.home.glob("*.partial"))


def test_doctor_finds_damage_where_no_command_has_met_it_yet(here: Here, path: Path) -> None:
    checks = here("doctor", "--store", path, "--json").json["checks"]
    (found,) = [each for each in checks if each["check"] == "damage"]
    assert found["fine"] and found["says"] == "none in the file of the store"
    overwrite_root(path, "withheld")
    told = here("doctor", "--store", path)
    assert told.code == 1
    assert "is damaged" in told.out and "everthread verify tells" in told.out
    assert here("status", "--store", path).code == 0, "what it shows can be read"


def test_a_look_through_the_file_has_an_end(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert finds_fault(db) is False
        assert finds_fault(db, seconds=60) is False
        db.execute("CREATE TABLE large (n INTEGER PRIMARY KEY, text)")
        many = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000) "
        db.execute(f"INSERT INTO large {many} SELECT n, 'text' FROM c")
        assert finds_fault(db, seconds=0) is None
        assert finds_fault(db) is False, "the next one is not held up"


def test_a_file_that_somebody_holds_is_not_damaged(path: Path) -> None:
    """Nobody is to put a backup in its place."""
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        closing(sqlite3.connect(path, timeout=0)) as db,
    ):
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            finds_fault(db)


def test_a_lost_head_is_not_taken_for_no_store_yet(
    here: Here, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_head(path)
    monkeypatch.setitem(here.env, "EVERTHREAD_STORE", str(path))
    told = here("doctor")
    assert told.code == 5
    assert "a store was here" in told.err


def test_a_file_of_something_else_is_no_store(here: Here, tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear Ada, " * 100)
    told = here("status", "--store", other)
    assert told.code == 5
    assert "is not an Everthread store" in told.err
    with pytest.raises(NotAStore):
        everthread.connect(other, background=False)


@pytest.mark.parametrize("left", [None, b""])
def test_a_store_that_is_gone_is_not_one_that_has_yet_to_begin(
    here: Here, path: Path, left: bytes | None
) -> None:
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    told = here("status", "--store", path)
    assert told.code == 5
    assert "any more" in told.err and "backup" in told.err


@pytest.mark.parametrize("part", [b"", b"CREATE TABLE cards ("], ids=["all of it", "a table"])
def test_status_is_shown_though_the_index_is_damaged(here: Here, path: Path, part: bytes) -> None:
    (index,) = path.with_name("store.db-index").glob("*.db")
    raw = index.read_bytes()
    assert part in raw
    index.write_bytes(raw.replace(part, part[:-1] + b"\xbe") if part else b"\x5a" * len(raw))
    told = here("status", "--store", path)
    assert told.code == 0
    assert "was damaged and is made anew" in " ".join(told.out.split())
    assert "index" not in here("status", "--store", path, "--json").json
    assert "5433" in here("recall", "staging port", "--store", path).out


def test_whose_messages_they_are_is_known_without_the_table_of_agents(
    here: Here, path: Path, tmp_path: Path
) -> None:
    overwrite_root(path, "agents")
    told = here("verify", "--store", path)
    assert told.code == 5
    assert "export --rescue --raw --agent ada" in told.out
    out, new = tmp_path / "ada.jsonl", tmp_path / "new.db"
    way = ("export", "--rescue", "--raw", "--agent", "ada", "-o", out, "--store", path)
    assert here(*way).code == 0
    assert here("import", out, "--agent", "ada", "--store", new).code == 0
    assert len(here("messages", "--limit", "99", "--store", new, "--json").json["messages"]) == 50


def test_a_text_that_is_none_is_damage(path: Path) -> None:
    """It is the driver that says so, not SQLite."""
    path.write_bytes(path.read_bytes().replace(b"staging database", b"\xff" * 16))
    with everthread.connect(path, background=False) as et:
        ada = et.known_agent("ada")
        with pytest.raises(StoreDamaged, match="everthread verify"):
            ada.memories()


@pytest.mark.parametrize(
    ("there", "then"),
    [
        (b"CREATE TABLE memories (", b"CREATE TABLE memories \xbe"),
        (b"    tags       TEXT", b"    tagz       TEXT"),
    ],
)
def test_a_schema_that_is_not_ours_any_more_is_damage(
    here: Here, path: Path, there: bytes, then: bytes
) -> None:
    """SQLite quotes what it cannot make out of it, which need not be text; or takes it for a schema."""
    raw = path.read_bytes()
    assert there in raw
    path.write_bytes(raw.replace(there, then))
    told = here("memories", "list", "--store", path)
    assert told.code == 5
    assert "is damaged" in told.err and "everthread verify" in told.err


def stop(*_: object) -> float:
    raise KeyboardInterrupt


def test_a_look_through_the_file_can_be_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite would make an error of its own out of Ctrl-C."""
    with closing(sqlite3.connect(path)) as db:
        monkeypatch.setattr(quick_check, "STEPS", 1)
        now = iter([1.0])
        monkeypatch.setattr(quick_check.time, "monotonic", lambda: next(now, None) or stop())
        with pytest.raises(KeyboardInterrupt):
            finds_fault(db, seconds=1)


@pytest.mark.parametrize("where", ["copying", "looking through it"])
def test_a_backup_that_is_stopped_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    target = path.with_name("monday.db")
    if where != "copying":
        monkeypatch.setattr(SqliteStore, "_must_be_whole", stop)
    with everthread.connect(path, background=False) as et, pytest.raises(KeyboardInterrupt):
        et.backup(target, stop if where == "copying" else None)
    assert not list(path.parent.glob("monday.db*"))
