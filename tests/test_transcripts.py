"""Transcripts are read on from where they were left: nothing is lost, nothing comes twice."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.replies import read_message
from everthread.domain.harness.happenings import Line, Reading
from everthread.edges.harnesses import jsonl, opencode_db
from everthread.edges.harnesses.claude_code import ClaudeCode
from everthread.edges.harnesses.codex import Codex
from everthread.edges.harnesses.dialect import Dialect
from everthread.edges.harnesses.gemini import Gemini
from everthread.edges.harnesses.openclaw import OpenClaw
from everthread.edges.harnesses.opencode import OpenCode
from everthread.edges.harnesses.seen_cursor import reader_of_lines
from support.fixtures import (
    CLAUDE,
    CODEX,
    GEMINI,
    OPENCLAW,
    OPENCODE_SESSION,
    opencode_database,
    payload,
)

CENTS = "Move the price of the cart into cents."
GREETING = "Grüße: und jetzt die Steuer 🧾"


def words(line: Line) -> str:
    content = line.entry["content"]
    if isinstance(content, str):
        return content
    return " ".join(str(b.get("text") or b.get("name") or b.get("content")) for b in content)


def prompts(lines: Iterable[Line]) -> list[str]:
    return [words(line) for line in lines if line.human]


def summaries(lines: Iterable[Line]) -> list[str]:
    return [words(line) for line in lines if line.summary]


def replies(lines: Iterable[Line]) -> list[str]:
    return [words(line) for line in lines if line.entry["role"] == "assistant"]


# What each harness's transcript says


def test_claude_codes_transcript_tells_who_said_what():
    reading = ClaudeCode().read(str(CLAUDE / "transcript.jsonl"), "")
    assert reading.whole and reading.skipped == 0
    assert prompts(reading.lines) == [
        CENTS,
        "/review the cart",
        "And keep the rounding.",
        GREETING,
    ]
    assert replies(reading.lines) == [
        "I look at the cart first.",
        "Bash",
        "Prices are in cents now.",
    ]
    result = next(line for line in reading.lines if "3 passed" in words(line))
    assert result.entry["role"] == "user" and not result.human
    assert "system-reminder" not in words(result)


@pytest.mark.req("LB-16", "LB-17")
def test_what_a_harness_says_itself_is_never_the_users_word():
    """Summaries, reminders, notifications, commands' output, our own injections."""
    files = [CLAUDE / "transcript.jsonl", CODEX / "rollout.jsonl", GEMINI / "chat.jsonl"]
    for dialect, file in zip((ClaudeCode(), Codex(), Gemini()), files, strict=True):
        reading = dialect.read(str(file), "")
        said = "\n".join(words(line) for line in reading.lines if not line.summary)
        for mark in (
            "not the user's",
            "task-notification",
            "local-command",
            "This session is",
            "AGENTS",
        ):
            assert mark not in said
        assert "Another language model" not in said and "state_snapshot" not in said
        assert len(summaries(reading.lines)) == 1
        assert not any(line.human for line in reading.lines if line.summary)
        assert prompts(reading.lines)[0] == CENTS and prompts(reading.lines)[-1] == GREETING


@pytest.mark.req("R-26")
def test_a_subagents_transcript_is_its_own():
    reading = ClaudeCode().read(str(CLAUDE / "agent-a7f3.jsonl"), "")
    assert {line.child for line in reading.lines} == {"a7f3"}
    assert prompts(reading.lines) == [], "what it was told was said by its caller"


def test_the_context_that_the_provider_counted_is_told():
    reading = ClaudeCode().read(str(CLAUDE / "transcript.jsonl"), "")
    assert [line.tokens for line in reading.lines if line.tokens][-1] == 950
    rollout = Codex().read(str(CODEX / "rollout.jsonl"), "")
    assert [line.tokens for line in rollout.lines if line.tokens] == [1540]


def test_codexs_rollout_tells_calls_and_results():
    reading = Codex().read(str(CODEX / "rollout.jsonl"), "")
    call = next(line for line in reading.lines if words(line) == "exec_command")
    assert call.entry["content"][0]["input"] == {"cmd": "pytest -q"}
    assert replies(reading.lines) == ["exec_command", "Prices are in cents now."]


def codex_printed(place: Path, output: str) -> dict[str, Any]:
    """The result of a command that ended so, as it is read."""
    payload = {"type": "function_call_output", "call_id": "c", "output": output}
    row = {"timestamp": "2026-11-15T13:00:00Z", "type": "response_item", "payload": payload}
    place.write_text(json.dumps(row) + "\n")
    return Codex().read(str(place), "").lines[0].entry["content"][0]


def test_what_codex_writes_above_an_output_is_none_of_it(tmp_path: Path):
    """Its clock and its ids would be told as figures of the work; how it ended is told as such."""
    (real,) = (CODEX / "captured").glob("rollout*.jsonl")
    assert "Wall time" in real.read_text()
    told = [line.entry["content"] for line in Codex().read(str(real), "").lines]
    printed = [b for each in told if isinstance(each, list) for b in each if "tool_use_id" in b]
    assert {(b["content"], b["is_error"]) for b in printed} == {
        ("hello\n", False),
        ("big\n", False),
    }
    place = tmp_path / "r.jsonl"
    head = "Chunk ID: 74cda7\nWall time: 0.81 seconds\nProcess exited with code {}\nOutput:\n{}"
    failed = codex_printed(place, head.format(137, "Killed"))
    assert (failed["content"], failed["is_error"]) == ("Exit code 137\nKilled", True)
    older = codex_printed(place, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.")
    assert (older["content"], older["is_error"]) == ("Success.", False)
    alive = "Wall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nlistening"
    assert codex_printed(place, alive)["content"] == "listening"
    assert "is_error" not in codex_printed(place, alive)
    quoted = head.format(0, f"log of yesterday:\n{head.format(1, 'x')}")
    assert codex_printed(place, quoted)["content"].endswith(head.format(1, "x"))
    for other in ("Wall time: 3.2 seconds\naborted by user", "Output:\nx", "Success. M a.py"):
        assert codex_printed(place, other)["content"] == other


def codex_says(place: Path, *said: tuple[str, str]) -> list[Line]:
    """A rollout of messages; what `compacted` says is its summary."""
    with place.open("w") as file:
        for n, (role, text) in enumerate(said):
            row: dict[str, Any] = {"timestamp": f"2026-11-15T13:00:{n:02}Z", "type": "compacted"}
            row["payload"] = {"message": text}
            if role != "compacted":
                row["type"] = "response_item"
                parts = [{"type": "text", "text": text}]
                row["payload"] = {"type": "message", "role": role, "content": parts}
            file.write(json.dumps(row) + "\n")
    return [*Codex().read(str(place), "").lines]


def test_what_codexs_summary_quotes_was_said_all_the_same(tmp_path: Path):
    asked = ("user", "yes, delete legacy.py")
    summary = "The user agreed: yes, delete legacy.py"
    lines = codex_says(tmp_path / "r.jsonl", asked, ("compacted", summary))
    assert prompts(lines) == ["yes, delete legacy.py"] and summaries(lines) == [summary]
    lines = codex_says(
        tmp_path / "r.jsonl", ("assistant", "Delete it?"), ("compacted", "Asked: Delete it?")
    )
    assert replies(lines) == ["Delete it?"]


@pytest.mark.parametrize("introduced", ["", "Another language model began this:\n"])
def test_what_codexs_summariser_answered_is_no_reply(tmp_path: Path, introduced: str):
    summary = "The parser is done.\nNext: the tests."
    told = (("assistant", summary), ("compacted", introduced + summary))
    lines = codex_says(tmp_path / "r.jsonl", *told)
    assert replies(lines) == [] and len(summaries(lines)) == 1


def test_a_summary_of_codexs_that_cannot_be_read_is_none(tmp_path: Path):
    lines = codex_says(tmp_path / "r.jsonl", ("user", "Go on."), ("compacted", ""))
    assert prompts(lines) == ["Go on."] and summaries(lines) == []


def test_geminis_messages_are_told_once_though_they_are_written_again():
    for name in ("chat.jsonl", "session-old.json"):
        reading = Gemini().read(str(GEMINI / name), "")
        ids = [line.entry["id"] for line in reading.lines]
        assert len(ids) == len(set(ids))
        assert replies(reading.lines) == [
            "I look at the cart first.",
            "run_shell_command",
            "Prices are in cents now.",
        ]
        assert sum("3 passed" in words(line) for line in reading.lines) == 1
        assert Gemini().read(str(GEMINI / name), reading.cursor).lines == []


REAL = {
    "claude-code": (ClaudeCode(), CLAUDE, "ed8eed8c*.jsonl", 3),
    "codex": (Codex(), CODEX, "rollout*.jsonl", 1),
    "gemini": (Gemini(), GEMINI, "session*.jsonl", 1),
}


@pytest.mark.parametrize("name", REAL)
def test_real_transcripts_are_read_whole(name: str):
    dialect, folder, pattern, compactions = REAL[name]
    (file,) = (folder / "captured").glob(pattern)
    reading = dialect.read(str(file), "")
    assert reading.whole and reading.skipped == 0
    assert prompts(reading.lines)[:2] == ["Run echo hello please", "And again?"]
    assert "It says hello." in replies(reading.lines)
    assert "done after big" in replies(reading.lines)
    assert len(summaries(reading.lines)) == compactions
    said = [words(line) for line in reading.lines if not line.summary]
    assert not any("INJECTED" in text or "summary>" in text for text in said)
    for line in reading.lines:
        read_message(line.entry)  # what it made can be recorded


def test_opencodes_database_is_read_beside_it(tmp_path: Path):
    place = f"{opencode_database(tmp_path)}::{OPENCODE_SESSION}"
    reading = OpenCode().read(place, "")
    assert prompts(reading.lines) == [
        "Run echo hello please",
        "And again?",
        "make it big",
        "after big",
    ]
    assert [w for w in replies(reading.lines) if w != "bash"] == [
        "It says hello.",
        "Understood.",
        "done after big",
        "Understood.",
    ]
    assert len(summaries(reading.lines)) == 1
    assert OpenCode().read(place, reading.cursor).lines == []


def test_a_part_that_is_still_being_written_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    database = opencode_database(tmp_path)
    place = f"{database}::{OPENCODE_SESSION}"
    monkeypatch.setattr(opencode_db, "time", lambda: 1794748270.0)
    first = OpenCode().read(place, "")
    half = {"type": "text", "text": "half a", "time": {"start": 1794748269000}}
    message = {"role": "assistant", "time": {"created": 1794748269000}}
    db = sqlite3.connect(database)
    row = ("msg_2", OPENCODE_SESSION, 1794748269000, 1794748269000, json.dumps(message))
    db.execute("INSERT INTO message VALUES (?,?,?,?,?)", row)
    part = ("prt_2", "msg_2", OPENCODE_SESSION, 1794748269000, 1794748269000, json.dumps(half))
    db.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", part)
    asked = (
        "prt_3",
        "msg_1df551d99001PkzGouhHM0M4cV",
        OPENCODE_SESSION,
        1794748269100,
        1794748269100,
    )
    db.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", (*asked, '{"type":"text","text":"more"}'))
    db.commit()
    second = OpenCode().read(place, first.cursor)
    assert [words(line) for line in second.lines] == ["more"]
    whole = half | {"text": "half a sentence", "time": {"start": 1, "end": 2}}
    db.execute(
        "UPDATE part SET data = ?, time_updated = 1794748269500 WHERE id = 'prt_2'",
        (json.dumps(whole),),
    )
    db.commit()
    db.close()
    third = OpenCode().read(place, second.cursor)
    assert [words(line) for line in third.lines] == ["half a sentence"]
    assert OpenCode().read(place, third.cursor).lines == []


def test_a_session_whose_parts_all_changed_at_once_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A migration may have touched them all; they come in pieces, each part once."""
    database = opencode_database(tmp_path)
    db = sqlite3.connect(database)
    db.execute("UPDATE part SET time_updated = 1794748260000")
    db.execute("UPDATE message SET time_updated = 1794748260000")
    db.commit()
    db.close()
    monkeypatch.setattr(opencode_db, "MOST_PARTS", 4)
    lines, cursor = read_all(OpenCode(), f"{database}::{OPENCODE_SESSION}", "")
    ids = [line.entry["id"] for line in lines]
    assert len(ids) == len(set(ids)) == 13
    assert OpenCode().read(f"{database}::{OPENCODE_SESSION}", cursor).lines == []


def test_a_cursor_does_not_grow_with_its_session(tmp_path: Path):
    database = opencode_database(tmp_path)
    db = sqlite3.connect(database)
    row = db.execute("SELECT * FROM part WHERE id = 'prt_1df55212c001f4NGVZHMwmWlLl'").fetchone()
    for n in range(500):
        later = 1794748270000 + n * 1_000
        db.execute(
            "INSERT INTO part VALUES (?,?,?,?,?,?)", (f"p{n}", *row[1:3], later, later, row[5])
        )
    db.commit()
    db.close()
    reading = OpenCode().read(f"{database}::{OPENCODE_SESSION}", "")
    assert len(reading.lines) == 513 and len(reading.cursor) < 200


def test_a_locked_or_missing_database_says_nothing(tmp_path: Path):
    assert OpenCode().read(f"{tmp_path}/none.db::s", "[]") == Reading((), "[]")
    (tmp_path / "broken.db").write_bytes(b"no database at all" * 100)
    assert OpenCode().read(f"{tmp_path}/broken.db::s", "") == Reading((), "")
    database = opencode_database(tmp_path)
    db = sqlite3.connect(database)
    db.execute("BEGIN EXCLUSIVE")
    assert OpenCode().read(f"{database}::{OPENCODE_SESSION}", "") == Reading((), "")
    db.rollback()
    db.close()
    assert OpenCode().read(f"{database}::{OPENCODE_SESSION}", "").lines


def test_openclaws_messages_are_told_once_though_every_event_repeats_them():
    dialect = OpenClaw()
    end = dialect.parse("agent_end", payload(OPENCLAW, "agent_end"), {})
    assert end is not None
    first = reader_of_lines(dialect.lines(end))("event", "")
    assert prompts(first.lines) == [CENTS]
    assert replies(first.lines) == ["I look at the cart first. exec", "Prices are in cents now."]
    assert reader_of_lines(dialect.lines(end))("event", first.cursor).lines == []
    more = {"role": "user", "content": "ok", "timestamp": 1790931605000}
    summary = {"role": "user", "content": "The conversation history before this point was: cents."}
    again = end._replace(entries=(summary, *end.entries[2:], more, dict(more)))
    second = reader_of_lines(dialect.lines(again))("event", first.cursor)
    assert prompts(second.lines) == ["ok", "ok"], "said twice is two"
    assert len(summaries(second.lines)) == 1


# Reading on


def record(n: int, text: str) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"u{n}",
        "timestamp": "2026-10-02T09:00:00.000Z",
        "message": {"role": "user", "content": f"{n}: {text}"},
    }


def spelled(*texts: str) -> bytes:
    rows = [json.dumps(record(n, text), ensure_ascii=False) for n, text in enumerate(texts)]
    return "".join(f"{row}\n" for row in rows).encode()


def read_all(dialect: Dialect, place: str, cursor: str) -> tuple[list[Line], str]:
    lines: list[Line] = []
    while True:
        reading = dialect.read(place, cursor)
        lines += reading.lines
        assert reading.whole or reading.cursor != cursor, "it goes on"
        cursor = reading.cursor
        if reading.whole:
            return lines, cursor


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=1, max_size=12
)
NOISE = st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"").replace(b"{", b""))


@settings(deadline=None)
@given(texts=TEXTS, cuts=st.lists(st.integers(0, 3_000), max_size=6))
def test_wherever_a_transcript_is_cut_off_the_rest_comes_later(texts: list[str], cuts: list[int]):
    """In the middle of a line, of a character, of anything."""
    data = spelled(*texts)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.jsonl"
        cursor, found = "", []
        for cut in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
            file.write_bytes(data[:cut])
            lines, cursor = read_all(ClaudeCode(), str(file), cursor)
            found += [line.entry["id"] for line in lines]
    assert found == [f"u{n}" for n in range(len(texts))]


@settings(deadline=None)
@given(texts=TEXTS, noise=st.lists(NOISE, min_size=12, max_size=12))
def test_rubbish_between_lines_costs_no_line(texts: list[str], noise: list[bytes]):
    rows = spelled(*texts).splitlines(keepends=True)
    data = b"".join(b"%s\n%s" % pair for pair in zip(noise, rows, strict=False))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.jsonl"
        file.write_bytes(data)
        reading = ClaudeCode().read(str(file), "")
    assert [line.entry["id"] for line in reading.lines] == [f"u{n}" for n in range(len(texts))]
    assert reading.skipped == sum(1 for part in noise[: len(rows)] if part.strip())


def test_a_line_that_a_crash_left_half_does_not_cost_the_next(tmp_path: Path):
    first, second, third = spelled("a", "b", "c").splitlines(keepends=True)
    file = tmp_path / "t.jsonl"
    file.write_bytes(first + second[:40])
    lines, cursor = read_all(ClaudeCode(), str(file), "")
    assert len(lines) == 1
    file.write_bytes(first + second[:40] + third)
    lines, _ = read_all(ClaudeCode(), str(file), cursor)
    assert [line.entry["id"] for line in lines] == ["u2"]
    file.write_bytes(first + b"\0" * 64 + second)
    lines, _ = read_all(ClaudeCode(), str(file), "")
    assert [line.entry["id"] for line in lines] == ["u0", "u1"]


def test_a_last_line_without_its_end_is_taken_if_it_is_whole(tmp_path: Path):
    file = tmp_path / "t.jsonl"
    file.write_bytes(spelled("a", "b").rstrip())
    lines, cursor = read_all(ClaudeCode(), str(file), "")
    assert len(lines) == 2
    file.write_bytes(spelled("a", "b", "c"))
    lines, _ = read_all(ClaudeCode(), str(file), cursor)
    assert [line.entry["id"] for line in lines] == ["u2"]


@pytest.mark.parametrize(
    "anew",
    [
        pytest.param(spelled("x"), id="cut off"),
        pytest.param(spelled("x", "b", "c", "d"), id="rewritten at its beginning"),
        pytest.param(spelled("a", "b", "x", "d"), id="rewritten at its end"),
        pytest.param(spelled("wholly", "another", "file", "and", "longer"), id="rotated"),
    ],
)
def test_a_file_that_is_another_now_is_read_from_its_beginning(tmp_path: Path, anew: bytes):
    """Idempotent by the ids: the same record has the same one."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(spelled("a", "b", "c"))
    _, cursor = read_all(ClaudeCode(), str(file), "")
    file.write_bytes(anew)
    lines, _ = read_all(ClaudeCode(), str(file), cursor)
    assert len(lines) == anew.count(b"\n")


def test_a_copy_of_the_file_is_read_on(tmp_path: Path):
    file, copy = tmp_path / "t.jsonl", tmp_path / "copy.jsonl"
    file.write_bytes(spelled("a", "b"))
    _, cursor = read_all(ClaudeCode(), str(file), "")
    copy.write_bytes(spelled("a", "b", "c"))
    os.replace(copy, file)  # noqa: PTH105 - as an editor does
    lines, _ = read_all(ClaudeCode(), str(file), cursor)
    assert [line.entry["id"] for line in lines] == ["u2"]


def test_a_missing_transcript_is_an_empty_one(tmp_path: Path):
    for dialect in (ClaudeCode(), Codex(), Gemini()):
        for name in ("none.jsonl", ".", "none.json"):
            reading = dialect.read(str(tmp_path / name), "")
            assert list(reading.lines) == [] and reading.whole and reading.cursor == ""


def test_no_other_file_is_opened(tmp_path: Path):
    """The path is what a payload says."""
    secret = tmp_path / "credentials"
    secret.write_bytes(spelled("a"))
    assert ClaudeCode().read(str(secret), "").lines == []
    os.mkfifo(tmp_path / "t.jsonl")
    assert ClaudeCode().read(str(tmp_path / "t.jsonl"), "").lines == []


def test_a_strange_cursor_is_the_beginning(tmp_path: Path):
    file = tmp_path / "t.jsonl"
    file.write_bytes(spelled("a"))
    for cursor in ("?", "[]", "[1]", '["x","y","z"]', "[-5,1,1]", '{"a":1}', "null", "[9e99,1,1]"):
        assert len(ClaudeCode().read(str(file), cursor).lines) == 1
        assert len(Gemini().read(str(GEMINI / "chat.jsonl"), cursor).lines) == 7


def test_a_long_transcript_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jsonl, "MOST_LINES", 10)
    file = tmp_path / "t.jsonl"
    file.write_bytes(spelled(*"abcdefghijklmnopqrstuvwxyz"))
    reading = ClaudeCode().read(str(file), "")
    assert not reading.whole and len(reading.lines) == 10
    lines, _ = read_all(ClaudeCode(), str(file), "")
    assert [line.entry["id"] for line in lines] == [f"u{n}" for n in range(26)]
    monkeypatch.setattr(jsonl, "MOST_LINES", 26)
    assert ClaudeCode().read(str(file), "").whole, "there is nothing after the last"
    monkeypatch.setattr(jsonl, "MOST_BYTES", 400)
    assert not ClaudeCode().read(str(file), "").whole
    assert len(read_all(ClaudeCode(), str(file), "")[0]) == 26


def test_a_line_that_no_memory_could_hold_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 300)
    file = tmp_path / "t.jsonl"
    file.write_bytes(spelled("a", "x" * 1_000, "c"))
    reading = ClaudeCode().read(str(file), "")
    assert [line.entry["id"] for line in reading.lines] == ["u0", "u2"]
    assert reading.skipped == 1
    file.write_bytes(spelled("a", "x" * 1_000)[:-1])
    reading = ClaudeCode().read(str(file), "")
    assert len(reading.lines) == 1, "its writer may still be at it"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "role",
                    "content",
                    "text",
                    "message",
                    "id",
                    "uuid",
                    "payload",
                    "name",
                    "input",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
KINDS = st.sampled_from(
    [
        "user",
        "assistant",
        "attachment",
        "gemini",
        "response_item",
        "compacted",
        "event_msg",
        "message",
        "tool_use",
    ]
)


@settings(deadline=None)
@given(
    fields=st.dictionaries(
        st.sampled_from(
            [
                "message",
                "payload",
                "uuid",
                "timestamp",
                "isMeta",
                "attachment",
                "$set",
                "content",
                "id",
            ]
        ),
        VALUES,
        max_size=5,
    ),
    kind=KINDS,
)
def test_no_record_makes_a_reader_stumble_and_all_it_makes_can_be_recorded(
    fields: dict[str, Any], kind: str
):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.jsonl"
        file.write_text(json.dumps({"type": kind, **fields}) + "\n")
        for dialect in (ClaudeCode(), Codex(), Gemini()):
            for line in dialect.read(str(file), "").lines:
                read_message(line.entry)
                assert isinstance(line.entry["id"], str) and line.entry["id"]
