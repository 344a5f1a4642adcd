"""A reply that Anthropic paused in the middle of its own tools: the model is asked again, and goes on."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

import everthread
from everthread import Agent
from support.model_clients import claude, text
from support.model_server import ModelServer, Say

Json = dict[str, Any]
SEARCH: Json = {
    "type": "server_tool_use",
    "id": "s1",
    "name": "web_search",
    "input": {"query": "x"},
}
FOUND: Json = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


def streamed(stop: str, *blocks: Json) -> Iterator[Json]:
    yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
    for n, block in enumerate(blocks):
        yield {"type": "content_block_start", "index": n, "content_block": block}
        yield {"type": "content_block_stop", "index": n}
    yield {"type": "message_delta", "delta": {"stop_reason": stop}}
    yield {"type": "message_stop"}


def response(stop: str, *blocks: Json) -> Json:
    return {"type": "message", "role": "assistant", "content": [*blocks], "stop_reason": stop}


def test_a_stream_that_pauses_leaves_the_turn_open_and_the_next_one_goes_on(ada: Agent) -> None:
    with ada.turn("Look it up.") as turn:
        assert len([*turn.watch(streamed("pause_turn", text("Wait."), SEARCH))]) == 7
        assert turn.state == "open"
        assert turn.messages[-1] == {"role": "assistant", "content": [text("Wait."), SEARCH]}
        for _ in turn.watch(streamed("end_turn", FOUND, text("Here."))):
            pass
        assert turn.state == "done"
    said = ada.turn("Thanks.").messages[1]["content"]
    assert said == [text("Wait."), SEARCH, FOUND, text("Here.")]


def test_the_sdk_streams_a_reply_that_pauses() -> None:
    with (
        everthread.connect("memory://", background=False) as et,
        ModelServer([Say("Wait.", stop="pause_turn")]) as server,
        claude(server) as client,
        et.agent("ada").turn("Look it up.") as turn,
    ):
        with client.messages.stream(model="m", max_tokens=9, messages=turn.messages) as stream:  # type: ignore[arg-type]
            for _ in turn.watch(stream):
                pass
        assert turn.state == "open"
        turn.done("Here.")


@pytest.mark.parametrize("stop", ["end_turn", "max_tokens", "stop_sequence", "refusal"])
def test_a_stream_that_stops_for_another_reason_ends_the_turn(ada: Agent, stop: str) -> None:
    turn = ada.turn("Look it up.")
    for _ in turn.watch(streamed(stop, text("Here."))):
        pass
    assert turn.state == "done"


def test_a_paused_response_is_added_and_the_next_one_ends_the_turn(ada: Agent) -> None:
    with ada.turn("Look it up.") as turn:
        turn.add(response("pause_turn", SEARCH))
        turn.done(response("end_turn", FOUND, text("Here.")))
    assert ada.turn("Thanks.").messages[1]["content"] == [SEARCH, FOUND, text("Here.")]


def test_a_turn_that_is_ended_with_a_paused_reply_keeps_it_and_says_so(
    ada: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "everthread"):
        ada.turn("Look it up.").done(response("pause_turn", text("Wait."), SEARCH))
        assert "was paused (pause_turn)" in caplog.text
        caplog.clear()
        later = ada.turn("And?")
        assert later.messages[1]["content"] == [text("Wait.")]
        later.done(response("end_turn", text("Here.")))
    assert "paused" not in caplog.text
