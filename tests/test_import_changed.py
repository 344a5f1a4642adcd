"""An export that was changed is told before anything of it is kept, by the line (R-37)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import ImportRefused
from everthread.testing import FrozenClock
from support.commands import Here
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.req("R-37")

LONG = "a long story of the lighthouse " * 800


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path / "to") as found:
        yield found


def furnished(et: everthread.Everthread) -> list[str]:
    """The lines of two agents with some of everything, the second of which will be changed."""
    for name in ("ada", "bob"):
        agent = et.agent(name, system="You are careful.")
        agent.turn("Tell me a story").done(LONG)
        agent.turn("Where is the key?").done("Under the mat.")
        agent.remember("The key is under the mat.")
        agent.note("buy a lamp")
        gone = agent.thread("gone", kind="ephemeral")
        gone.turn("secret").done("very")
        et.erase(agent, thread="gone")
    lines: list[str] = []
    et.export(lines.append)
    return lines


@pytest.fixture(scope="module")
def lines() -> list[str]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        return furnished(et)


def last_of(lines: list[str], table: str) -> int:
    return max(n for n, line in enumerate(lines) if json.loads(line).get("table") == table)


def changed(lines: list[str], table: str, column: str, how: Callable[[Any], Any]) -> int:
    """Change the last row of a table; its line as people count."""
    n = last_of(lines, table)
    row = json.loads(lines[n])
    lines[n] = json.dumps(row | {column: how(row[column])}) + "\n"
    return n + 1


CHANGES: list[tuple[str, str, Callable[[Any], Any], str]] = [
    ("messages", "content", lambda text: f"{text}!", "the row was changed"),
    ("messages", "at", lambda at: at + 1, "the row was changed"),
    ("memories", "text", lambda text: text.replace("mat", "cat"), "the row was changed"),
    ("notes", "text", lambda text: text.replace("lamp", "lamb"), "the row was changed"),
    ("sessions", "channel", lambda _: "elsewhere", "the row was changed"),
    ("bodies", "content", lambda text: text.replace("house", "mouse"), "its content was changed"),
    ("timeline", "at", lambda at: at + 1, "the entry was changed or moved"),
    ("tombstones", "messages", lambda n: n + 1, "the row was changed"),
]


@pytest.mark.parametrize(("table", "column", "how", "why"), CHANGES)
def test_a_changed_row_is_refused_by_its_line_and_nothing_is_imported(
    place: Place,
    lines: list[str],
    table: str,
    column: str,
    how: Callable[[Any], Any],
    why: str,
) -> None:
    planted = list(lines)
    line = changed(planted, table, column, how)
    with everthread.connect(place.target, background=False) as et:
        with pytest.raises(ImportRefused, match=rf"changed.*: line {line}: {why}.*Nothing was imp"):
            et.import_lines(planted)
        assert et.agents() == []
        assert [found.outcome for found in et.import_lines(lines)] == ["added", "added"]
        assert [et.verify(agent).faults for agent in et.agents()] == [[], []]


def test_lines_that_were_taken_out_or_put_in_are_told(place: Place, lines: list[str]) -> None:
    message = last_of(lines, "messages")
    subject = json.loads(lines[message])["id"]
    less = [*lines[:message], *lines[message + 1 :]]
    entry = next(n for n, line in enumerate(less, 1) if json.loads(line).get("subject") == subject)
    note = last_of(lines, "notes")
    twin = json.loads(lines[note]) | {"id": "0" * 32}
    more = [*lines[: note + 1], json.dumps(twin) + "\n", *lines[note + 1 :]]
    with everthread.connect(place.target, background=False) as et:
        with pytest.raises(ImportRefused, match=rf"line {entry}: the row was removed"):
            et.import_lines(less)
        with pytest.raises(ImportRefused, match=r"agent 'bob': 1 rows that no entry speaks of"):
            et.import_lines(more)
        assert et.agents() == []


def test_the_command_refuses_a_changed_file_as_a_cut_one_and_can_be_told_to_take_it(
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = list(lines)
    line = changed(planted, "messages", "content", lambda text: f"{text}!")
    file = tmp_path / "changed.jsonl"
    file.write_text("".join(planted))
    cli = Here(tmp_path, monkeypatch, capsys)
    refused = cli("import", file)
    assert refused.code == 6
    assert f"line {line}" in refused.err
    assert cli("import", file, "--unchecked").code == 0
    found = cli("verify", "--agent", "bob")
    assert found.code != 0
    assert "the row was changed" in found.out
