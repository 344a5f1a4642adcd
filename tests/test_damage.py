"""A damaged SQLite file: `verify` tells what can be read, and what can be read can be brought out (R-30)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import StoreDamaged
from everthread.store.sqlite.damage import Rescue, examine
from support.commands import Here

pytestmark = pytest.mark.req("R-30")

SAID = [f"No. {n}: the {'long ' * 60}story of house {n}" for n in range(600)]
LONG = "a very long letter " * 900


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


def store_at(path: Path) -> Path:
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record(
            [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate(SAID)]
        )
        ada.record([{"id": "letter", "role": "assistant", "content": LONG}])
        et.agent("bob").record([{"id": "b", "role": "user", "content": "bob's own"}])
    return path


def ruin(path: Path, part: str) -> None:
    """Scribble over the page where a table or an index begins."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (part,)
        ).fetchone()
    raw = bytearray(path.read_bytes())
    raw[(root - 1) * 4096 : root * 4096] = b"\x5a" * 4096
    path.write_bytes(raw)


def unguard(db: sqlite3.Connection) -> None:
    """Without what would notice a change that a disk makes."""
    guards = (
        "SELECT type, name FROM sqlite_master WHERE type = 'trigger' OR name = 'once_per_source'"
    )
    for kind, name in db.execute(guards).fetchall():
        db.execute(f"DROP {kind} {name}")


def cut(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) * 8 // 10])


def scribbled(path: Path) -> None:
    """Over the page in which one of the messages lies, in the midst of the others."""
    raw = bytearray(path.read_bytes())
    page = raw.index(SAID[300].encode()) // 4096 * 4096
    raw[page : page + 4096] = b"\x5a" * 4096
    path.write_bytes(raw)


@pytest.mark.parametrize("harm", [cut, scribbled])
def test_verify_tells_what_can_be_read_and_that_comes_into_a_new_store(
    here: Here, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    path = store_at(tmp_path / "old one.db")
    harm(path)
    before = path.read_bytes()
    told = here("verify", "--store", path)
    assert told.code == 5
    assert "is damaged" in told.out
    assert "not all" in told.out
    assert "and the same for bob" in told.out
    out, new = tmp_path / "ada.jsonl", tmp_path / "new.db"
    way = f"everthread export --rescue --raw --agent ada -o ada.jsonl --store '{path}'"
    assert way in told.out
    shown = here("verify", "--json", "--store", path).json
    assert shown["sound"] is False
    read = next(p for p in shown["damaged"]["parts"] if p["table"] == "messages")
    assert 0 < read["rows"] < len(SAID) + 2
    assert not read["whole"]
    assert (
        here("export", "--rescue", "--raw", "--agent", "ada", "-o", out, "--store", path).code == 0
    )
    texts = [json.loads(line)["content"] for line in out.read_text().splitlines()]
    assert len(texts) == len(set(texts)) > 100
    assert set(texts) <= {*SAID, LONG}
    assert here("import", out, "--agent", "ada", "--store", new).code == 0
    assert here("verify", "--store", new).code == 0
    assert path.read_bytes() == before, "nothing is written to it"


def test_what_lies_beyond_a_damaged_page_is_reached(tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    scribbled(path)
    texts = [message["content"] for message in Rescue(path, "ada")]
    assert {SAID[0], SAID[-1], LONG} <= set(texts)
    assert SAID[300] not in texts
    assert len(texts) > len(SAID) - 20, "no more than a page is lost"


def test_of_a_whole_file_all_is_read(tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    found = examine(path)
    assert found.found == []
    assert found.agents == ["ada", "bob"]
    assert all(part.whole for part in found.parts)
    said = list(Rescue(path, "ada"))
    expected = {f"m{n}": text for n, text in enumerate(SAID)} | {"letter": LONG}
    assert {message["id"]: message["content"] for message in said} == expected


def test_where_nothing_can_be_read_it_says_so(here: Here, tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    path.write_bytes(path.read_bytes()[: 4096 * 3])
    told = here("verify", "--store", path)
    assert told.code == 5
    assert "Nothing that was said can be read" in told.out


@pytest.mark.parametrize("part", ["withheld", "jobs_due", "memories_standing", "tokens"])
def test_verify_finds_damage_where_nothing_is_proved(here: Here, tmp_path: Path, part: str) -> None:
    """Other commands meet it and point to `verify`, which must not say that all is sound."""
    path = store_at(tmp_path / "store.db")
    ruin(path, part)
    told = here("verify", "--store", path)
    assert told.code == 5
    assert "is damaged" in told.out
    assert "export --rescue" in told.out
    assert here("verify", "--store", path, "--json").json["sound"] is False


@pytest.mark.parametrize("command", ["status", "doctor", "export"])
def test_other_commands_point_to_verify(here: Here, tmp_path: Path, command: str) -> None:
    path = store_at(tmp_path / "store.db")
    cut(path)
    told = here(command, "--store", path)
    assert told.code == 5
    assert "`everthread verify` tells what of it can be read" in told.err
    with pytest.raises(StoreDamaged):
        everthread.connect(path, background=False)


def test_a_rescue_says_what_it_needs(here: Here, tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    assert here("export", "--rescue", "--raw", "--store", path).code == 2
    out = tmp_path / "x.jsonl"
    other = here("export", "--rescue", "--raw", "--agent", "eve", "-o", out, "--store", path)
    assert other.code == 3
    assert "ada, bob" in other.err
    assert not out.exists()


def rescue(here: Here, path: Path, out: Path) -> dict[str, object]:
    return here(
        "export", "--rescue", "--raw", "--agent", "ada", "-o", out, "--store", path, "--json"
    ).json


def test_what_was_forgotten_is_not_rescued(here: Here, tmp_path: Path) -> None:
    """A plain message cannot say that it was forgotten: in the new store it would be found again."""
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "My locker opens with purple-walrus."}])
        ada.record([{"role": "user", "content": "The cat is called Miez."}])
        ada.record([{"role": "user", "content": "The walrus of the locker is a nickname."}])
        said = ada.messages()
        memory = ada.remember("My locker opens with purple-walrus", sources=[said[2]])
        ada.forget(memory.id)
    out, new = tmp_path / "ada.jsonl", tmp_path / "new.db"
    told = rescue(here, path, out)
    assert (told["lines"], told["forgotten"], told["forgotten_known"]) == (1, 2, True)
    assert "walrus" not in out.read_text()
    assert here("import", out, "--agent", "ada", "--store", new).code == 0
    assert "walrus" not in here("recall", "walrus locker", "--store", new).out


def test_where_it_cannot_be_read_what_was_forgotten_that_is_said(
    here: Here, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": f"My {n}. secret is opal"} for n in range(400)])
        memory = ada.remember("It is about opal", sources=ada.messages(limit=400))
        ada.forget(memory.id)
    ruin(path, "withheld")
    told = here(
        *("export", "--rescue", "--raw", "--agent", "ada"), "-o", tmp_path / "x", "--store", path
    )
    assert "look through the file before you import it" in told.out
    assert "400 that were forgotten stay out" in told.out, (
        "the memory itself says what it came from"
    )


def test_what_was_to_leave_no_trace_is_not_rescued(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        private = ada.thread("private", kind="ephemeral")
        private.record([{"role": "user", "content": "Between us alone."}])
        ada.record([{"role": "user", "content": "For all."}])
    assert [message["content"] for message in Rescue(path, "ada")] == ["For all."]


def private_store(path: Path) -> Path:
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        for key, kind in (("private", "ephemeral"), ("batch", "background")):
            ada.thread(key, kind=kind).record([{"role": "user", "content": f"Said on {key}."}])
        ada.record([{"role": "user", "content": "For all."}])
    return path


def test_a_thread_that_may_have_been_private_is_not_rescued(here: Here, tmp_path: Path) -> None:
    """Where nothing tells what a thread was, its messages are counted; the timeline proves the primary."""
    path, out = private_store(tmp_path / "store.db"), tmp_path / "ada.jsonl"
    ruin(path, "threads")
    told = rescue(here, path, out)
    assert [json.loads(line)["content"] for line in out.read_text().splitlines()] == ["For all."]
    assert (told["lines"], told["unplaced"], told["forgotten_known"]) == (1, 2, True)
    way = ("export", "--rescue", "--raw", "--agent", "ada", "--store", path, "-o")
    assert "2 messages stay out" in here(*way, tmp_path / "again.jsonl").out


@pytest.mark.parametrize("more", ["timeline", "timeline_subjects"])
def test_what_nothing_proves_stays_out(tmp_path: Path, more: str) -> None:
    """Not even the primary thread is guessed at; but where an index is lost, its table is read."""
    path = private_store(tmp_path / "store.db")
    ruin(path, "threads")
    ruin(path, more)
    found = Rescue(path, "ada")
    told = [message["content"] for message in found]
    assert told == ([] if more == "timeline" else ["For all."])
    assert found.unplaced == 3 - len(told)


def test_the_primary_thread_that_began_anew_is_known(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        for text in ("erased", "erased too", "new"):
            ada = et.agent("ada")
            ada.record([{"role": "user", "content": text}])
            if text != "new":
                et.erase("ada")
    ruin(path, "threads")
    assert [message["content"] for message in Rescue(path, "ada")] == ["new"]


def test_a_memory_that_cannot_be_read_may_have_been_forgotten(here: Here, tmp_path: Path) -> None:
    """It names what it came from, which is to stay out: that nobody knows it all is said."""
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "My locker opens with purple-walrus."}])
        ada.forget(ada.remember("The code is purple", sources=ada.messages()).id)
    ruin(path, "memories")
    assert rescue(here, path, tmp_path / "ada.jsonl")["forgotten_known"] is False


def test_messages_of_two_sources_with_one_name_are_two(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"id": "1", "role": "user", "content": "by a program"}])
        ada.record([{"id": "1", "role": "user", "content": "from before"}], source="import")
    out, new = tmp_path / "ada.jsonl", tmp_path / "new.db"
    assert rescue(here, path, out)["lines"] == 2
    assert here("import", out, "--agent", "ada", "--store", new).code == 0
    with everthread.connect(new, background=False) as et:
        assert {m.content for m in et.agent("ada").messages()} == {"by a program", "from before"}


def test_a_row_that_holds_nonsense_is_stepped_over(here: Here, tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    with closing(sqlite3.connect(path)) as db, db:
        unguard(db)
        db.execute("UPDATE messages SET at = 1 << 60 WHERE external_id = 'm7'")
    told = rescue(here, path, tmp_path / "ada.jsonl")
    assert (told["lines"], told["unread"], told["whole"]) == (len(SAID), 1, True)


def flipped(raw: bytes, at: int) -> bytes:
    return raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]


def test_a_forgotten_message_whose_id_is_damaged_is_not_rescued(here: Here, tmp_path: Path) -> None:
    """By its id nobody would know it again; the timeline proves which one it was."""
    path, out = tmp_path / "store.db", tmp_path / "ada.jsonl"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": f"Page {n}. " * 900} for n in range(2)])
        ada.record([{"role": "user", "content": "My locker opens with purple-walrus."}])
        key = ada.messages()[-1].key
        ada.forget(ada.remember("The code is purple", sources=ada.messages(limit=1)).id)
    with closing(sqlite3.connect(path)) as db, db:
        unguard(db)
        db.execute("UPDATE messages SET id = ? WHERE id = ?", (flipped(key, 14), key))
    told = rescue(here, path, out)
    assert (told["lines"], told["forgotten"], told["damaged"]) == (2, 1, 0)
    assert "walrus" not in out.read_text()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE messages SET external_id = 'm8' WHERE external_id = 'm7'",
        "UPDATE messages SET content = 'No. 8' WHERE external_id = 'm7'",
        "UPDATE messages SET role = 'assistant' WHERE external_id = 'm7'",
        "UPDATE messages SET entry = entry + 1 WHERE external_id = 'm7'",
    ],
)
def test_a_message_that_is_not_what_was_stored_stays_out_and_is_told(
    here: Here, tmp_path: Path, harm: str
) -> None:
    """Nobody said that, or another one did; and no other message is taken for it."""
    path, out = store_at(tmp_path / "store.db"), tmp_path / "ada.jsonl"
    with closing(sqlite3.connect(path)) as db, db:
        unguard(db)
        db.execute(harm)
    told = rescue(here, path, out)
    assert (told["lines"], told["damaged"], told["unread"]) == (len(SAID), 1, 0)
    said = {m["id"]: m["content"] for m in map(json.loads, out.read_text().splitlines())}
    assert said["m8"] == SAID[8] and "m7" not in said
    way = ("export", "--rescue", "--raw", "--agent", "ada", "--store", path, "-o")
    assert "1 message stays out: it is not what was stored" in here(*way, tmp_path / "a").out


def test_whose_a_message_is_its_thread_tells_too(tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    with closing(sqlite3.connect(path)) as db, db:
        unguard(db)
        db.execute("UPDATE messages SET agent_id = 2 WHERE external_id = 'm7'")
    assert len([*Rescue(path, "ada")]) == len(SAID) + 1
    assert [message["content"] for message in Rescue(path, "bob")] == ["bob's own"]


def test_a_large_text_that_is_not_what_was_stored_is_not_rescued(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with everthread.connect(path, background=False) as et:
        et.agent("ada").record(
            [{"role": "user", "content": LONG}, {"role": "user", "content": "a"}]
        )
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE bodies SET content = replace(content, 'long', 'lung')")
        db.execute("DELETE FROM packed")
        db.execute("UPDATE bodies SET content = 'a short letter' WHERE content = ''")
    found = Rescue(path, "ada")
    assert [message["content"] for message in found] == ["a"]
    assert found.unread == 1


def test_where_the_timeline_is_lost_that_is_told(here: Here, tmp_path: Path) -> None:
    """What can be read is brought out all the same; only its ids are held against its places."""
    path = store_at(tmp_path / "store.db")
    ruin(path, "timeline")
    told = rescue(here, path, tmp_path / "ada.jsonl")
    assert (told["lines"], told["damaged"], told["unproved"]) == (len(SAID) + 1, 0, len(SAID) + 1)


def test_a_thread_whose_id_is_damaged_costs_none_of_its_messages(tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    with closing(sqlite3.connect(path)) as db:
        (key,) = db.execute("SELECT id FROM threads WHERE agent_id = 1").fetchone()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE threads SET id = ? WHERE id = ?", (flipped(key, 3), key))
    found = Rescue(path, "ada")
    assert len([*found]) == len(SAID) + 1 and not found.damaged
