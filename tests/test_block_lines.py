"""Messages of only calls, results or thoughts are told as that, and nowhere as a blank entry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread.domain.conversation.messages import Block
from everthread.edges.cli.context import request_lines
from everthread.edges.documents.block_lines import lines_of, only_thinks
from everthread.edges.mcp import tools
from everthread.edges.mcp.caller import Caller, Desk, desk_of
from everthread.settings import Settings

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
THOUGHT: Block = {"type": "thinking", "thinking": "Let me see.", "signature": "abc"}
CALL: Block = {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "pnpm test"}}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with everthread.connect("memory://", background=False) as engine:
        yield desk_of(engine, Settings(), Caller(str(tmp_path), "session-1", "claude-code"))


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({"type": "text", "text": "Good."}, "Good."),
        (CALL, '[calls bash {"command": "pnpm test"}]'),
        ({"type": "tool_result", "tool_use_id": "c1", "content": "4 passed"}, "[result: 4 passed]"),
        ({"type": "tool_result", "tool_use_id": "c1"}, "[result: nothing]"),
        (
            {"type": "tool_result", "content": [{"type": "text", "text": "no"}], "is_error": True},
            "[result: failed: no]",
        ),
        (
            {"type": "tool_result", "content": [{"type": "image", "source": {}}]},
            "[result: [image]]",
        ),
        (THOUGHT, "[thinking]"),
    ],
)
def test_a_block_is_told_as_what_it_is(block: Block, told: str) -> None:
    assert lines_of([block], str) == told


def test_thoughts_alone_say_nothing() -> None:
    assert only_thinks([THOUGHT])
    assert not only_thinks([THOUGHT, CALL])


def test_the_context_of_a_thread_has_no_blank_entries(desk: Desk, tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": f"key {SECRET} " + "x" * 500}
    entries = [
        {"role": "user", "content": "Run the tests.", "id": "1"},
        {"role": "assistant", "content": [THOUGHT, CALL], "id": "2"},
        {"role": "user", "content": [result], "id": "3"},
        {"role": "assistant", "content": [THOUGHT], "id": "4"},
        {"role": "assistant", "content": "They pass.", "id": "5"},
    ]
    desk.writing().record(entries, session="session-1", source="hook", project=str(tmp_path))
    shown = tools.call(desk, "thread_context", {"messages": 10})
    told = [line for line in shown.split("\n") if line.startswith("|")]
    assert told[0] == "| They pass."
    assert told[1].startswith("| [result: key [REDACTED") and told[1].endswith("…]")
    assert told[2:] == ['| [calls bash {"command": "pnpm test"}]', "| Run the tests."]
    assert SECRET[:12] not in shown


@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": " "}]])
def test_a_message_without_content_is_no_heading_alone(content: object) -> None:
    messages = [{"role": "assistant", "content": content}, {"role": "user", "content": "Go on."}]
    lines = request_lines({"system": None, "tools": None, "messages": messages})
    assert lines == ["assistant:", "(nothing)", "", "user:", "Go on."]
