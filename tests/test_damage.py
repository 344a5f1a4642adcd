"""A damaged SQLite file: `verify` tells what can be read, and what can be read can be brought out (R-30)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import StoreDamaged
from everthread.store.sqlite.damage import looked_through, rescued
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
    texts = [message["content"] for message in rescued(path, "ada")]
    assert {SAID[0], SAID[-1], LONG} <= set(texts)
    assert SAID[300] not in texts
    assert len(texts) > len(SAID) - 20, "no more than a page is lost"


def test_of_a_whole_file_all_is_read(tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    found = looked_through(path)
    assert found.found == []
    assert found.agents == ["ada", "bob"]
    assert all(part.whole for part in found.parts)
    said = list(rescued(path, "ada"))
    expected = {f"m{n}": text for n, text in enumerate(SAID)} | {"letter": LONG}
    assert {message["id"]: message["content"] for message in said} == expected


def test_where_nothing_can_be_read_it_says_so(here: Here, tmp_path: Path) -> None:
    path = store_at(tmp_path / "store.db")
    path.write_bytes(path.read_bytes()[: 4096 * 3])
    told = here("verify", "--store", path)
    assert told.code == 5
    assert "Nothing that was said can be read" in told.out


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
