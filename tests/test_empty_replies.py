"""A model that ends its turn without a word has answered; the loops of the how-tos go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.errors import BadInput, CallsOpen
from everthread.testing import FrozenClock
from support.model_clients import MODEL, TOOL, claude, gpt, use
from support.model_server import ModelServer, Reply, Say, ToolCall

LOOKING = Say(calls=[ToolCall("look_up", {"n": 1})])
SILENT = [[Say()], [LOOKING, Say()], [Say(stop="refusal")], [LOOKING, Say(stop="max_tokens")]]


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL)


def request(turn: Turn) -> Any:
    asked = {"system": turn.system, "messages": turn.messages, "tools": turn.tools}
    return {"model": MODEL, "max_tokens": 100, **asked}


def answer(turn: Turn) -> None:
    for call in turn.open_calls if turn.state == "open" else ():
        turn.tool_result(call, "found")


def plainly(turn: Turn, server: ModelServer) -> None:
    """As docs/howto/use-with-anthropic.md says it."""
    with claude(server) as client:
        response = client.messages.create(**request(turn))
        while response.stop_reason == "tool_use":
            turn.add(response)
            answer(turn)
            response = client.messages.create(**request(turn))
        turn.done(response)


def by_content(turn: Turn, server: ModelServer) -> None:
    with claude(server) as client:
        while turn.state == "open":
            response = client.messages.create(**request(turn))
            (turn.add if response.stop_reason == "tool_use" else turn.done)(response.content)
            answer(turn)


def by_events(turn: Turn, server: ModelServer) -> None:
    with claude(server) as client:
        while turn.state == "open":
            for _ in turn.watch(client.messages.create(**request(turn), stream=True)):
                pass
            answer(turn)


def by_openai(turn: Turn, server: ModelServer) -> None:
    with gpt(server) as client:
        create: Any = client.chat.completions.create
        while turn.state == "open":
            for _ in turn.watch(create(model=MODEL, **turn.openai(), stream=True)):
                pass
            answer(turn)


WAYS: list[Callable[[Turn, ModelServer], None]] = [plainly, by_content, by_events, by_openai]


@pytest.mark.req("R-6", "R-7")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("script", SILENT, ids=["at once", "after a tool", "refused", "cut"])
def test_a_reply_without_a_word_ends_the_turn(
    et: Everthread, ada: Agent, way: Callable[[Turn, ModelServer], None], script: list[Reply]
) -> None:
    with ModelServer([*script, "Hello."]) as server:
        way(turn := ada.turn("Say nothing."), server)
        assert turn.state == "done"
        assert (ada.messages()[-1].role, ada.messages()[-1].text) == ("assistant", "")
        way(ada.turn("And now?"), server)
        assert [one.problems for one in server.requests] == [()] * (len(script) + 1)
        sent = server.requests[-1].body["messages"]
    again = ada.sent(2)
    assert sent == (again.openai()["messages"] if way is by_openai else again.messages)
    assert et.verify(ada).sound


def test_no_reply_at_all_is_still_refused(ada: Agent) -> None:
    with ada.turn("Hello.") as turn:
        with pytest.raises(BadInput, match=r"use failed\(\) if there is none"):
            turn.done()
        turn.add([use("c1")])
        with pytest.raises(CallsOpen):
            turn.done({"role": "assistant", "content": []})
        turn.tool_result("c1", "found").done({"role": "assistant", "content": None})
    assert [message.text for message in ada.messages()][-1] == ""


def test_after_the_last_words_of_a_turn_nothing_is_added(ada: Agent) -> None:
    """The answer given to `add` is the reply."""
    ada.turn("Hello.").add("Hi.").done({"role": "assistant", "content": []})
    assert [message.text for message in ada.messages()] == ["Hello.", "Hi."]
