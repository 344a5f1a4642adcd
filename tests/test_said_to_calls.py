"""What a person says to a tool call is hers: why she refuses it, and what she answers to a question."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.harness.happenings import Line
from everthread.edges.harnesses.claude_code import ClaudeCode
from everthread.edges.harnesses.gemini import Gemini
from everthread.edges.harnesses.opencode import OpenCode
from everthread.edges.harnesses.said_to_calls import refusal_words
from support.harness import Bench, bench

HEAD = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a "
    "file edit, the new_string was NOT written to the file). "
)
SAID = "To tell you how to proceed, the user said:\n"
REASON = "The user provided the following reason for the rejection:  "
NOTE = (
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention — "
    "if they explain what went wrong, consider saving that to memory."
)
OPENCODE = (
    "The user rejected permission to use this specific tool call with the following feedback: "
)
UNSAID = "The user wants to clarify these questions.\n    This means they may have more to say."
RULE = "Never use npm here, always pnpm.\n\nAnd add no package without asking."
ASKED, CHOSEN = "Which database shall we use for the audit log?", "PostgreSQL"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (HEAD + SAID + RULE, RULE),
        (HEAD + SAID + RULE + NOTE, RULE),
        (HEAD + REASON + RULE, RULE),
        (OPENCODE + RULE, RULE),
        ("Error: " + OPENCODE + "No.", "No."),
        (HEAD + "STOP what you are doing and wait for the user to tell you how to proceed.", ""),
        (HEAD + SAID + UNSAID, ""),
        (HEAD + SAID + "\n", ""),
        ("14 passed\n" + HEAD + SAID + RULE, ""),
        ("A program may print: " + SAID + RULE, ""),
        ("", ""),
    ],
)
def test_what_she_said_as_she_refused_is_found(output: str, words: str):
    assert refusal_words(output) == words


def claude(folder: Path, result: Any, told: Any = None, **more: Any) -> list[Line]:
    """What is read of one call and what it brought."""
    block = {"type": "tool_result", "tool_use_id": "t-1", "content": result}
    record = {
        "type": "user",
        "uuid": "u-1",
        "timestamp": "2026-02-20T10:00:00Z",
        "message": {"role": "user", "content": [block]},
        "toolUseResult": told,
        **more,
    }
    file = folder / "s-1.jsonl"
    file.write_text(json.dumps(record) + "\n")
    return list(ClaudeCode().read(str(file), "").lines)


def said(lines: list[Line]) -> list[tuple[str, str]]:
    """What stands beside the result itself."""
    return [(line.entry["role"], line.entry["content"]) for line in lines[1:]]


@pytest.mark.parametrize("blocks", [False, True])
def test_claude_codes_transcript_tells_her_words_beside_the_result(tmp_path: Path, blocks: bool):
    text = HEAD + SAID + RULE + NOTE
    result = [{"type": "text", "text": text}] if blocks else text
    lines = claude(tmp_path, result, "Error: it was rejected")
    assert said(lines) == [("user", RULE)]
    assert lines[0].entry["content"][0]["type"] == "tool_result"
    # No hook brings them: the same words typed later are new.
    assert not lines[1].human
    assert len({line.entry["id"] for line in lines}) == 2


def test_a_question_of_the_agents_tool_is_told_with_her_answer(tmp_path: Path):
    other = "And the port?"
    told = {
        "questions": [{"question": ASKED}, {"question": other}],
        "answers": {ASKED: CHOSEN, other: "8123"},
        "annotations": {other: {"notes": "Only on loopback."}},
    }
    lines = claude(tmp_path, "Your questions have been answered.", told)
    assert said(lines) == [
        ("assistant", ASKED),
        ("user", CHOSEN),
        ("assistant", other),
        ("user", "8123\nOnly on loopback."),
    ]
    assert len({line.entry["id"] for line in lines}) == 5


@pytest.mark.parametrize(
    "told",
    [
        {"answers": {ASKED: CHOSEN}},
        {"questions": [{"question": ASKED}], "answers": {ASKED: "", "x": None, "": "y"}},
        {"questions": [{"question": ASKED}], "answers": [CHOSEN]},
        {"questions": [{"question": ASKED}]},
        [ASKED, CHOSEN],
    ],
)
def test_what_answers_no_question_is_left_alone(tmp_path: Path, told: Any):
    assert said(claude(tmp_path, "ok", told)) == []


def test_what_a_subagent_is_told_is_no_word_of_hers(tmp_path: Path):
    lines = claude(tmp_path, HEAD + SAID + RULE, isSidechain=True, agentId="a7f3")
    assert said(lines) == []


def opencode(folder: Path, state: dict[str, Any]) -> list[Line]:
    place = folder / "opencode.db"
    with sqlite3.connect(place) as db:
        db.execute("CREATE TABLE message (id, session_id, time_created, time_updated, data)")
        db.execute(
            "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)"
        )
        db.execute("INSERT INTO message VALUES ('m', 's-1', 1, 1, '{\"role\":\"assistant\"}')")
        data = {"type": "tool", "tool": "question", "callID": "c-1", "state": state}
        db.execute("INSERT INTO part VALUES ('p', 'm', 's-1', 1, 1, ?)", [json.dumps(data)])
    payload = {"sessionID": "s-1", "directory": "/x", "database": str(place)}
    happening = OpenCode().parse("session.idle", payload, {})
    assert happening is not None and happening.transcript is not None
    return list(OpenCode().read(happening.transcript, "").lines)


def test_opencodes_database_tells_the_same(tmp_path: Path):
    (tmp_path / "a").mkdir()
    refused = opencode(tmp_path / "a", {"status": "error", "input": {}, "error": OPENCODE + RULE})
    assert said(refused[1:]) == [("user", RULE)]
    state = {
        "status": "completed",
        "input": {"questions": [{"question": ASKED}, {"question": "Which tests?"}, {}]},
        "output": f'User has answered your questions: "{ASKED}"="{CHOSEN}".',
        "metadata": {"answers": [[CHOSEN], ["unit", "smoke"], []]},
    }
    answered = opencode(tmp_path, state)
    assert said(answered[1:]) == [
        ("assistant", ASKED),
        ("user", CHOSEN),
        ("assistant", "Which tests?"),
        ("user", "unit, smoke"),
    ]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (json.dumps({"answers": {"0": CHOSEN}}), [("assistant", ASKED), ("user", CHOSEN)]),
        (json.dumps({"answers": {}}), []),
        (json.dumps([CHOSEN]), []),
        ("User dismissed ask_user dialog without answering.", []),
    ],
)
def test_geminis_chat_file_tells_her_answers(
    tmp_path: Path, output: str, told: list[tuple[str, str]]
):
    call = {
        "id": "c-1",
        "name": "ask_user",
        "args": {"questions": [{"question": ASKED}, {"question": "And the port?"}]},
        "result": [{"functionResponse": {"response": {"output": output}}}],
        "status": "success",
    }
    at = "2026-02-20T10:00:00Z"
    message = {"id": "m-1", "timestamp": at, "type": "gemini", "content": "", "toolCalls": [call]}
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps(message) + "\n")
    assert said(list(Gemini().read(str(file), "").lines)[1:]) == told


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_her_rule_and_her_choice_are_remembered(q: Bench, tmp_path: Path):
    told = {"questions": [{"question": ASKED}], "answers": {ASKED: CHOSEN}}
    w = q.window()
    w.start()
    w.prompt("Set up the audit log.")
    for each in (claude(tmp_path, HEAD + SAID + RULE), claude(tmp_path, "Answered.", told)):
        for line in each:
            w.write(line.entry["role"], line.entry["content"])
        q.clock.forward(seconds=5)
    w.reply("The audit log is set up.")
    w.end()
    q.work()
    known = {memory.kind: memory.text for memory in q.agent.memories() if memory.origin == "user"}
    assert "Never use npm here" in known["rule"]
    assert CHOSEN in known["decision"]
