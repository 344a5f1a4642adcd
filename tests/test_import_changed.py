"""An export that was changed is told before anything of it is kept, by the line (R-37)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.errors import ImportRefused
from everthread.services.upkeep.export_seal import SealCheck
from everthread.services.upkeep.transfer import Redacting
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


UNPROVED: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("threads", "last_seq", lambda seq: seq - 1),
    ("sessions", "last_activity_at", lambda at: at + 1),
    ("messages", "session_id", lambda _: None),
    ("bodies", "uses", lambda uses: uses + 1),
]


@pytest.mark.parametrize(("table", "column", "how"), UNPROVED)
def test_what_no_entry_proves_is_sealed_by_the_last_line(
    place: Place, lines: list[str], table: str, column: str, how: Callable[[Any], Any]
) -> None:
    """A thread that counts one message less would write its next one over the last."""
    planted = list(lines)
    changed(planted, table, column, how)
    with everthread.connect(place.target, background=False) as et:
        found = r"(?:does not prove|counts other messages).*Nothing was imported"
        with pytest.raises(ImportRefused, match=found):
            et.import_lines(planted)
        assert et.agents() == []
        assert len(et.import_lines(planted, unchecked=True)) == 2


def test_files_of_an_older_version_and_several_in_one_are_taken(place: Place) -> None:
    (*rows, _), whole = two_exports()
    older = [*rows, '{"everthread":1,"kind":"end"}\n']
    with everthread.connect(place.target, background=False) as et:
        assert [found.outcome for found in et.import_lines([*older, *whole])] == ["added", "added"]
        last = json.loads(whole[-2])
        whole[-2] = json.dumps(last | {"other": 1}) + "\n"
        with pytest.raises(ImportRefused, match="was changed"):
            et.import_lines([*older, *whole])


def two_exports() -> tuple[list[str], list[str]]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        parts = list[list[str]]()
        for name in ("eve", "fay"):
            et.agent(name).turn("hello").done("hi")
            parts.append([])
            et.export(parts[-1].append, name)
    return parts[0], parts[1]


def put_blank_lines(one: list[str], two: list[str]) -> list[str]:
    return ["\n", *one, "\n", "  \n", *two, "\n"]


SPOILT_TOGETHER: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "the second without its end": lambda one, two: [*one, *two[:-1]],
    "the second without its last rows": lambda one, two: [*one, *two[:-3]],
    "only the header of the second": lambda one, two: [*one, two[0]],
    "the first without its end": lambda one, two: [*one[:-1], *two],
    "only the header of the first": lambda one, two: [one[0], *two],
    "the second without its header": lambda one, two: [*one, *two[1:]],
    "a row after the last end": lambda one, two: [*one, *two, two[-2]],
    "a row less in the second": lambda one, two: [*one, *two[:-2], two[-1]],
    "the second is for reading": lambda one, two: [
        *one,
        '{"everthread":1,"kind":"export","redacted":true}\n',
        *two[1:],
    ],
    "the second is of a newer version": lambda one, two: [
        *one,
        '{"everthread":99,"kind":"export"}\n',
        *two[1:],
    ],
}


@pytest.mark.parametrize("how", SPOILT_TOGETHER)
def test_each_of_several_exports_in_one_file_is_to_be_whole(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    """That one of them is whole says nothing of the next; nothing is imported and no store is made."""
    file, new = tmp_path / "both.jsonl", tmp_path / "new.db"
    file.write_text("".join(SPOILT_TOGETHER[how](*two_exports())))
    told = Here(tmp_path, monkeypatch, capsys)("import", file, "--store", new)
    assert told.code == 6
    assert "othing was imported" in told.err
    assert not new.exists()


@pytest.mark.parametrize("joined", [lambda one, two: [*one, *two], put_blank_lines])
def test_several_whole_exports_in_one_file_are_taken(
    joined: Callable[[list[str], list[str]], list[str]],
) -> None:
    lines = joined(*two_exports())
    sealed = SealCheck(lines)
    assert [*sealed] == lines
    assert sealed.whole
    with everthread.connect("memory://", background=False) as et:
        assert [found.agent for found in et.import_lines(lines)] == ["eve", "fay"]


def test_a_seal_tells_of_all_or_of_nothing() -> None:
    """An agent may bear our name: its rows are not taken for a header."""
    one, two = two_exports()
    older = [*one[:-1], '{"everthread":1,"kind":"end"}\n']
    named = ['{"table":"agents","name":"everthread"}\n']
    for lines in (older, [*one, *older], [*older, *two], one[:-1], [*one, two[0]], named, []):
        sealed = SealCheck(lines)
        assert [*sealed] == lines
        assert not sealed.whole
        assert not sealed.changed


def test_what_is_for_reading_bears_no_seal_of_what_was_said(lines: list[str]) -> None:
    """Nobody can check a guess at a secret against it."""
    shown: list[str] = []
    redacting = Redacting(shown.append)
    for line in lines:
        redacting(line)
    assert "sha256" in json.loads(lines[-1])
    assert "sha256" not in json.loads(shown[-1])


def test_a_number_that_no_store_holds_is_refused(place: Place, lines: list[str]) -> None:
    planted = list(lines)
    changed(planted, "threads", "view_at", lambda _: 1 << 70)
    with everthread.connect(place.target, background=False) as et:
        with pytest.raises(ImportRefused, match="nothing was imported"):
            et.import_lines(planted)
        assert et.agents() == []


def test_no_store_is_made_for_what_is_refused(
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = list(lines)
    changed(planted, "messages", "content", lambda text: f"{text}!")
    file, plain = tmp_path / "changed.jsonl", tmp_path / "plain.jsonl"
    file.write_text("".join(planted))
    plain.write_text('{"role": "user", "content": "hi"}\n{"role": "user", "content": 5}\n')
    cli, new = Here(tmp_path, monkeypatch, capsys), tmp_path / "new" / "it.db"
    assert cli("import", file, "--store", new).code == 6
    told = cli("import", plain, "--agent", "ada", "--store", new)
    assert told.code == 6
    assert "line 2" in told.err
    assert not new.parent.exists()
    file.write_text("".join(lines))
    assert cli("import", file, "--store", new).code == 0
    assert cli("verify", "--store", new).code == 0
