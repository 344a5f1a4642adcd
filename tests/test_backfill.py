"""Plain messages of an older system come in as archive, once, on threads of the right kind."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import everthread
from everthread import Everthread
from everthread.domain.errors import BadInput, ImportRefused
from everthread.testing import FrozenClock


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as engine:
        yield engine


def line(role: str, content: str, **more: object) -> str:
    return (
        json.dumps({"role": role, "content": content, "at": "2024-05-01T08:00:00Z", **more}) + "\n"
    )


def test_the_pattern_of_a_key_names_the_kind_of_its_thread(et: Everthread) -> None:
    """Only on import (A-26, A-27, LA-15)."""
    lines = [
        line("user", "good morning"),
        line("user", "wake", session_key="daemon:prosoche:7"),
        line("user", "what is 2 + 2?", session_key="ask:bob"),
        line("assistant", "done", session_key="spawn:ada:k3"),
        line("user", "hello", session_key="webchat-42"),
    ]
    assert et.import_lines(lines, agent="ada")[0].rows == len(lines)
    kinds = {thread.key: thread.kind for thread in et.agent("ada").threads()}
    assert kinds == {
        "agent:ada:main": "primary",
        "daemon:prosoche:7": "background",
        "ask:bob": "ephemeral",
        "spawn:ada:k3": "ephemeral",
    }
    assert et.agent("ada").session("webchat-42").message_count == 1


def test_a_line_that_was_imported_before_is_known(et: Everthread) -> None:
    """(R-12, R-37)."""
    lines = [line("user", f"number {n}", id=f"old-{n}") for n in range(3)]
    assert et.import_lines(lines, agent="ada")[0].rows == 3
    again = et.import_lines([*lines, line("user", "one more", id="old-3")], agent="ada")
    assert again[0].rows == 1
    assert [m.text for m in et.agent("ada").messages()][-1] == "one more"


def test_a_line_whose_id_stands_for_another_text_is_told(et: Everthread) -> None:
    """(R-12)."""
    et.import_lines([line("user", "number one", id="1"), line("user", "two", id="2")], agent="ada")
    again = [line("user", "number uno", id="1"), line("user", "two", id="2")]
    assert et.import_lines(again, agent="ada") == [("ada", "known", 0, ("1",))]


def test_imported_messages_are_archive_and_never_in_the_view(et: Everthread) -> None:
    """(R-1, R-12)."""
    et.import_lines([line("user", "an old secret")], agent="ada")
    turn = et.agent("ada").turn("hello")
    assert "an old secret" not in json.dumps(turn.messages)
    turn.done("hi")
    assert all(m.archived for m in et.agent("ada").messages() if m.source == "import")


@pytest.mark.parametrize("spoilt", ["7\n", "not json\n", '{"content": "nobody said it"}\n'])
def test_a_line_that_is_no_message_refuses_the_whole_file(et: Everthread, spoilt: str) -> None:
    with pytest.raises(ImportRefused, match="line 2"):
        et.import_lines([line("user", "fine"), spoilt], agent="ada")
    assert et.agent("ada").messages() == []


def test_plain_messages_need_an_agent_and_an_export_brings_its_own(et: Everthread) -> None:
    with pytest.raises(ImportRefused, match="name the agent"):
        et.import_lines([line("user", "whose am I?")])
    et.agent("bob")
    lines: list[str] = []
    et.export(lines.append)
    with pytest.raises(BadInput, match="its own agents"):
        et.import_lines(lines, agent="ada")


MARK = "\ufeff"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_may_be_one_array_instead_of_lines(et: Everthread, indent: int | None) -> None:
    """(R-37)."""
    rows = [json.loads(line("user", f"number {n}", id=f"old-{n}")) for n in range(3)]
    text = json.dumps(rows, indent=indent)
    assert et.import_lines(text.splitlines(keepends=True), agent="ada")[0].rows == 3
    assert et.backfill("ada", [MARK + text]).known == 3
    assert [m.text for m in et.agent("ada").messages()] == ["number 0", "number 1", "number 2"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"role": "user", "content": "x"}, 5]', "message 2 is no message"),
        ('[{"role": "user", "content": "x", "timestamp": 5}]', "message 1: unknown key 'timestamp'"),
        ('[{"role": "user", "content": [{"type": "txt", "text": "x"}]}]', "message 1: .*'text'"),
        ('[{"role": "user",', "begins like a JSON array and is none"),
        ("[]", "holds no messages"),
    ],
)  # fmt: skip
def test_an_array_with_something_wrong_is_refused_whole(
    et: Everthread, text: str, says: str
) -> None:
    with pytest.raises(ImportRefused, match=says):
        et.import_lines([text], agent="ada")
    assert "ada" not in [agent.name for agent in et.agents()]


def test_a_byte_order_mark_in_front_of_a_file_is_passed_over(et: Everthread) -> None:
    """Editors write one; it is no part of the first line."""
    lines = [line("user", "number one", id="1"), line("user", "two", id="2")]
    assert et.import_lines([MARK + lines[0], lines[1]], agent="ada")[0].rows == 2
    written: list[str] = []
    et.export(written.append)
    with everthread.connect("memory://", background=False) as other:
        brought = other.import_lines([MARK + written[0], *written[1:]])
        assert [each.agent for each in brought] == ["ada"]
