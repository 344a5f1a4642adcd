"""What a turn takes as a model's answer: all that a provider sends, and nothing that is not whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import everthread
from everthread import Everthread
from everthread.domain.errors import BadInput, BlockInvalid

USE: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
FOUND: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "t1", "content": []}
CALL: dict[str, Any] = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as et:
        yield et


class Newer:
    """A response of an SDK that is newer than this code."""

    def model_dump(self, **_: object) -> dict[str, Any]:
        return {"role": "assistant", "content": [{"type": "dream", "of": "sheep"}]}


@pytest.mark.parametrize(
    "response",
    [
        [USE],
        [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Yes."}],
        [{"type": "redacted_thinking", "data": "x"}],
        [{**USE, "type": "server_tool_use"}, FOUND],
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]},
        {"type": "message", "role": "assistant", "content": [{"type": "dream", "of": "sheep"}]},
        [{"type": "dream", "of": "sheep"}],
        Newer(),
        "Yes.",
    ],
)  # fmt: skip
def test_what_a_provider_sends_is_taken(et: Everthread, response: object) -> None:
    turn = et.agent("ada").turn("Hello?")
    turn.add(response)
    turn.failed()


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ({"type": "tool"}, r"no model sends.*'tool'.*tool_use"),
        ({"type": "tool_use"}, r"'tool_use' needs 'id', as a text; it has nothing"),
        ({**USE, "name": None}, r"needs 'name'"),
        ({**USE, "input": "{}"}, r"needs 'input', as a dict; it has a value of type str"),
        ({"type": "thinking"}, r"needs 'thinking'"),
        ({"type": "image"}, r"needs 'source'"),
        ({"type": "tool_result", "tool_use_id": "t1", "content": "x"}, r"with tool_result\(\)"),
    ],
)
def test_a_block_that_nobody_would_understand_is_refused_by_name(
    et: Everthread, block: dict[str, Any], says: str
) -> None:
    """What is sent to a provider is always legal, so it is refused before it is stored."""
    ada = et.agent("ada")
    turn = ada.turn("Hello?")
    for put in (turn.add, turn.done):
        with pytest.raises(BlockInvalid, match=says):
            put([block])
    turn.done("Yes.")
    assert [m.text for m in ada.messages()] == ["Hello?", "Yes."]


def test_a_number_of_hits_that_makes_no_sense_is_told_with_its_range(et: Everthread) -> None:
    with pytest.raises(BadInput, match=r"limit must be 1 to [\d,]+; got -1"):
        et.agent("ada").recall("owls", limit=-1)


def test_what_is_looked_at_is_shown_in_a_line(et: Everthread) -> None:
    """A message, a memory and an undo say what they are, and none of what they are made of."""
    ada = et.agent("ada")
    for n in range(12):
        ada.turn(f"We decided to use store number {n}. " + "Owls are birds.\n" * 30).done("Fine.")
    message = ada.messages()[0]
    assert repr(message).startswith(
        f"<Message {message.id} by user: 'We decided to use store number 0."
    )
    memory = ada.remember("The store is PostgreSQL, and " + "it is large, " * 20)
    assert repr(memory).startswith(f"<Memory {memory.id} kept ")
    made = ada.distill()
    assert made is not None
    undone = et.undo(made.id)
    assert repr(undone).startswith("<Reversal of distillation #1: ")
    for value in (message, memory, undone):
        assert len(repr(value)) < 200 and "\n" not in repr(value) and "b'" not in repr(value)
