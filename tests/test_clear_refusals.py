"""What makes no sense is refused, and the refusal says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent
from everthread.domain.errors import BadInput
from support.commands import Cli, Here

GROUPS = [
    *("checkpoints", "compactions", "config", "embed", "exchanges", "memories", "notes"),
    *("private", "scorer", "sessions", "task", "token"),
]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


def test_one_memory_to_replace_is_wanted_in_a_list(ada: Agent) -> None:
    """A memory is a tuple of its fields, which are no memories."""
    old = ada.remember("Standup is at 9:30")
    one: Any = old
    with pytest.raises(BadInput, match="list of memories or their ids; got one Memory: put it in"):
        ada.remember("Standup is at 10:15", replaces=one)
    ada.remember("Standup is at 10:15", replaces=[old])
    assert [memory.text for memory in ada.memories()] == ["Standup is at 10:15"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({}, "an empty dict says nothing; a content block needs a `type`"),
        ([{}], "an empty dict says nothing"),
        (
            {"text": "hi", "id": 1},
            "needs a `type`; this one has `text`, `id`, as in {'type': 'text'",
        ),
        ({"type": 3}, "the `type` of a content block is a text, not a value of type int"),
        ([3], "a content block is a dict with a `type`, not a value of type int"),
        (3, "content cannot be a value of type int"),
    ],
)
def test_a_block_that_is_none_is_told_what_it_lacks(ada: Agent, content: Any, says: str) -> None:
    with pytest.raises(BadInput) as told:
        ada.turn(content)
    assert says in str(told.value)
    assert ada.turns() == []


def test_no_tokens_are_refused_as_no_hits_are(ada: Agent) -> None:
    for wrong in ({"tokens": 0}, {"limit": 0}, {"tokens": -1}):
        (name,) = wrong
        with pytest.raises(BadInput, match=f"{name} must be 1 to"):
            ada.recall("anything", **wrong)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_command_has_no_json_to_give(cli: Cli, group: str) -> None:
    told = cli(group, "--json")
    assert (told.code, told.out) == (2, "")
    assert told.error["name"] == "UsageError" and "Missing command" in told.error["message"]
    assert cli("--json", group).code == 2
    told = cli(group)
    assert told.code == 0 and told.out.startswith("Usage:")
