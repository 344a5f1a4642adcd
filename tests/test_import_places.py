"""`everthread import` of a folder: what may not be read is told, and what is read stays as it was."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import Installed
from support.fixtures import opencode_database
from support.nobody import as_nobody, give_to_nobody

pytestmark = pytest.mark.slow


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder that another user may reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="everthread-test-") as name:
        yield Path(name)


def chat(folder: Path, name: str) -> Path:
    """A session of Claude Code."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {
        "type": "user",
        "uuid": f"u-{name}",
        "sessionId": name,
        "cwd": "/home/ada/project",
        "timestamp": "2026-10-02T09:00:00.000Z",
        "message": {"role": "user", "content": f"Is this {name}?"},
    }
    (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return folder / f"{name}.jsonl"


def test_a_folder_that_may_not_be_read_is_not_called_empty(home: Path) -> None:
    file = chat(home / "chats", "one")
    give_to_nobody(home)
    file.parent.chmod(0)
    warm = ("import", home, "--dry-run")
    for more in ((), ("--dry-run",), ("--list",)):
        code, out, err = as_nobody(home, "import", file.parent, *more, warm=warm)
        assert (code, out) == (5, "")
        assert err == f"everthread: {file.parent}: Permission denied\n"


def test_what_in_a_folder_may_not_be_read_is_told_and_the_rest_comes_in(home: Path) -> None:
    chats = home / "chats"
    chat(chats / "open", "one")
    file, closed = chat(chats / "open", "two"), chat(chats / "closed", "three").parent
    give_to_nobody(home)
    file.chmod(0)
    closed.chmod(0)
    words = ("import", chats, "--dry-run", "--json")
    code, out, err = as_nobody(home, *words, warm=words)
    assert code == 0 and json.loads(out)["messages"] == 1
    assert sorted(err.splitlines()) == [
        f"everthread: left out: {closed}: Permission denied",
        f"everthread: left out: {file}: Permission denied",
    ]


def test_a_database_of_a_harness_has_nothing_beside_it_afterwards(home: Path) -> None:
    """Though it keeps a log: to read one, SQLite makes files."""
    folder, cli = home / "kept", Installed(home)
    folder.mkdir()
    file = opencode_database(folder)
    with_log(file).close()
    counted = cli("import", folder, "--dry-run", "--json")
    assert counted.json["messages"] == 12
    assert cli("import", folder, "--json").json["messages"] == 12
    assert [each.name for each in folder.iterdir()] == [file.name]


def test_what_a_harness_has_only_in_its_log_is_read_too(home: Path) -> None:
    folder, cli = home / "kept", Installed(home)
    folder.mkdir()
    db = with_log(opencode_database(folder))
    db.execute("UPDATE session SET directory = '/home/ada/elsewhere'")
    db.commit()
    (listed,) = {h["folder"] for h in cli("import", folder, "--list", "--json").json["histories"]}
    assert listed == "/home/ada/elsewhere"
    db.close()


def with_log(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file)
    db.execute("PRAGMA journal_mode = WAL")
    return db
