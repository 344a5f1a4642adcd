"""Plain messages of a file: all are checked before one is written, and a stopped import goes on."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread
from everthread.domain.errors import ImportRefused
from support.commands import COMMAND, Here

MANY = 60_000


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as engine:
        yield engine


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def said(text: str, **more: object) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def brought(cli: Here, file: Path | str, **how: Any) -> int:
    answer = cli("import", file, "--agent", "ada", "--json", **how)
    assert answer.code == 0, answer.err
    return answer.json["agents"][0]["rows"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"at": "2999-01-01T00:00:00Z"}, "in the future"),
        ({"at": "9999-12-31T23:59:59-12:00"}, "outside the years 1 to 9999"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "outside the years 1 to 9999"),
        ({"session_key": ""}, "session must have 1 to"),
        ({"session_key": "x" * 5_000}, "session must have 1 to"),
        ({"session_key": "daemon:" + "x" * 600}, "session_key must have 1 to"),
        ({"session_key": "cron:\0"}, "cannot be stored"),
    ],
)
def test_what_cannot_be_taken_is_named_by_its_line_and_nothing_is_left_behind(
    cli: Here, wrong: dict[str, Any], why: str
) -> None:
    """Although lines before it belong to another session, and could have been taken."""
    file = written(cli.home / "chat.jsonl", [said("one"), said("two"), said("three", **wrong)])
    code, out, err = cli("import", file, "--agent", "ada")
    assert (code, out) == (6, "")
    assert err.startswith("everthread: line 3: ") and why in err and "nothing was imported" in err
    assert not (cli.home / "data" / "everthread.db").exists()


def test_an_agent_that_cannot_be_called_so_makes_no_store(cli: Here) -> None:
    file = written(cli.home / "chat.jsonl", [said("one")])
    assert cli("import", file, "--agent", "no name!").code == 2
    assert not (cli.home / "data" / "everthread.db").exists()


def test_a_key_that_is_taken_here_refuses_the_file_before_a_word_of_it_is_written(
    et: Everthread,
) -> None:
    ada = et.agent("ada")
    ada.thread("nightly-prosoche", kind="ephemeral")
    ada.thread("other", kind="background").record([said("tick")], session="webchat")
    for key in ("nightly-prosoche", "webchat"):
        lines = [json.dumps(said("one")), json.dumps(said("two", session_key=key))]
        with pytest.raises(ImportRefused, match=f"'{key}'.*nothing was imported"):
            et.import_lines(lines, agent="ada")
    assert ada.messages() == []


def test_messages_without_ids_come_in_once_however_often_their_file_is_imported(
    cli: Here,
) -> None:
    rows = [said("hello"), said("hello"), said("bye", session_key="webchat")]
    file = written(cli.home / "chat.jsonl", rows)
    assert brought(cli, file) == 3
    assert brought(cli, file) == 0
    written(file, [*rows, said("hello"), said("again", session_key="webchat")])
    assert brought(cli, file) == 2, "only what it grew by"
    assert brought(cli, file.name, cwd=file.parent) == 0


def test_another_file_that_begins_with_the_same_words_is_another_conversation(cli: Here) -> None:
    assert brought(cli, written(cli.home / "monday.jsonl", [said("hello"), said("rain?")])) == 2
    assert brought(cli, written(cli.home / "tuesday.jsonl", [said("hello"), said("sun?")])) == 2
    for rows, new in (([said("hello")], 1), ([said("hello")], 0), ([said("hello"), said("?")], 2)):
        assert brought(cli, "-", stdin="".join(json.dumps(row) + "\n" for row in rows)) == new


@pytest.mark.slow
def test_an_import_that_is_stopped_says_how_much_is_in_and_brings_the_rest_next_time(
    tmp_path: Path, cli: Here
) -> None:
    file = written(tmp_path / "chat.jsonl", [said(f"number {n}") for n in range(MANY)])
    store = tmp_path / "data" / "everthread.db"
    words = [COMMAND, "import", file, "--agent", "ada"]
    running = subprocess.Popen(words, env=cli.env, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and not messages_in(store):
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=60)[1]
    first = messages_in(store)
    assert 0 < first < MANY, "it was in the middle"
    assert running.returncode == 130
    assert told.startswith("everthread: stopped. ")
    assert f"{first:,} of the {MANY:,} messages were imported" in told
    assert "import the same file again" in told
    assert brought(cli, file) == MANY - first
    assert messages_in(store) == MANY


def messages_in(store: Path) -> int:
    if not store.exists():
        return 0
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=5)
    try:
        return db.execute("SELECT count(*) FROM messages WHERE source = 'import'").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()
