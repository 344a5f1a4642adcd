"""The OpenAI SDK and a model server: whole conversations, streams, failures, and their sizes."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import openai
import pytest
from rs_bpe.bpe import openai as vocabularies

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.errors import StreamBroken
from everthread.testing import FrozenClock
from support.model_clients import FUNCTION, claude, gpt, text
from support.model_server import Broken, Failure, ModelServer, Overhead, Reply, Say, ToolCall

MODEL = "gpt-test"
OVERLOADED = Failure(503, "server_error", "Overloaded")
LOST = (openai.APIError, httpx2.HTTPError, StreamBroken)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PICTURE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[FUNCTION], model=MODEL)


def request(turn: Turn) -> Any:
    return {"model": MODEL, **turn.openai()}


def plainly(turn: Turn, client: openai.OpenAI) -> None:
    """Ask until the model has answered."""
    while turn.state == "open":
        response = client.chat.completions.create(**request(turn))
        if response.choices[0].message.tool_calls:
            turn.add(response)
            answer_calls(turn)
        else:
            turn.done(response)


def by_chunks(turn: Turn, client: openai.OpenAI) -> None:
    while turn.state == "open":
        options = {"include_usage": True}
        for _ in turn.watch(
            client.chat.completions.create(**request(turn), stream=True, stream_options=options)
        ):
            pass
        answer_calls(turn)


def by_helper(turn: Turn, client: openai.OpenAI) -> None:
    while turn.state == "open":
        with client.chat.completions.stream(**request(turn)) as stream:
            for _ in turn.watch(stream):
                pass
        answer_calls(turn)


def answer_calls(turn: Turn) -> None:
    for n, call in enumerate(turn.open_calls if turn.state == "open" else []):
        turn.tool_result(call, [text(f"page {n}"), PICTURE] if n else {"found": n})


Way = Callable[[Turn, openai.OpenAI], None]
WAYS: list[Way] = [plainly, by_chunks, by_helper]

LOOKING = Say("I look.", calls=[ToolCall("look_up", {"q": "汉字"})])
SCRIPTS: list[list[Reply]] = [
    ["Hello."],
    [LOOKING, "Found."],
    [Say(calls=[ToolCall("look_up", {"n": n}) for n in range(3)]), LOOKING, Say("Done.")],
    [OVERLOADED],
    [LOOKING, OVERLOADED],
    [Broken("This answer never came to its end, for the line was cut.", after=3)],
    [LOOKING, Broken(LOOKING, after=4)],
]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_request_of_a_long_conversation_is_refused(et: Everthread, ada: Agent, way: Way) -> None:
    """(R-6, R-7)."""
    dice = random.Random(5)
    failed = 0
    with ModelServer(cache=True) as server, gpt(server) as client:
        for n in range(30):
            server.script(*(SCRIPTS[n] if n < len(SCRIPTS) else dice.choice(SCRIPTS)))
            said: Any = [text(f"Question {n}"), PICTURE] if n % 5 == 1 else f"Question {n}"
            try:
                with ada.turn(said, channel="webchat", name="Mel" if n % 3 else None) as turn:
                    way(turn, client)
            except LOST:
                failed += 1
        assert [problem for sent in server.requests for problem in sent.problems] == []
        assert len(server.requests) > 35
    assert failed > 3
    assert et.verify(ada).sound


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_went_over_the_wire_can_be_rebuilt(ada: Agent, way: Way) -> None:
    """(R-42)."""
    with ModelServer([LOOKING, LOOKING, "Found.", "Bye."]) as server, gpt(server) as client:
        way(ada.turn([text("Look 汉字 up."), PICTURE]), client)
        way(ada.turn("Thanks."), client)
        for sent, (number, call) in zip(
            server.requests, [(1, 1), (1, 2), (1, 3), (2, 1)], strict=True
        ):
            again = ada.sent(number, call=call).openai()
            messages = json.dumps(again["messages"], ensure_ascii=False, separators=(",", ":"))
            assert f'"messages":{messages}'.encode() in sent.raw
            assert again["tools"] == sent.body["tools"]


def test_the_arguments_a_model_wrote_go_back_as_it_wrote_them(ada: Agent) -> None:
    odd = '{ "q" : "x",\n "n": 1.0 }'
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": odd}}
    turn = ada.turn("go")
    turn.add({"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]})
    turn.tool_result("c1", "found")
    assert turn.openai()["messages"][-2]["tool_calls"] == [call]
    assert turn.messages[-2]["content"][0]["input"] == {"q": "x", "n": 1.0}


# ---- streams


def test_a_watched_stream_completes_the_turn_with_its_usage(ada: Agent) -> None:
    reply = "A long enough answer to need several deltas."
    with ModelServer([reply] * 3) as server, gpt(server) as client:
        for way in WAYS[1:]:
            way(ada.turn("Hello"), client)
        turn = ada.turn("Hello, uncounted")
        chunks = list(turn.watch(client.chat.completions.create(**request(turn), stream=True)))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == reply
    assert [m.text for m in ada.messages() if m.role == "assistant"] == [reply] * 3
    uncounted, _, counted = ada.turns()
    assert uncounted.reported is None
    assert json.loads(counted.reported or "{}")["input"] > 10


def test_a_stream_that_calls_tools_leaves_the_turn_open(ada: Agent) -> None:
    with ModelServer([LOOKING, "Found."]) as server, gpt(server) as client:
        turn = ada.turn("Look.")
        list(turn.watch(client.chat.completions.create(**request(turn), stream=True)))
        assert (turn.state, len(turn.open_calls)) == ("open", 1)
        turn.tool_result(turn.open_calls[0], "here")
        list(turn.watch(client.chat.completions.create(**request(turn), stream=True)))
        assert turn.state == "done"


@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way.__name__)
def test_half_an_answer_stays_out_of_the_view_and_is_not_lost(
    et: Everthread, ada: Agent, way: Way
) -> None:
    """(R-6, D-2)."""
    broken = Broken("An answer that stops in the middle of a sentence.", after=3)
    with ModelServer([broken, "Whole."]) as server, gpt(server) as client:
        turn = ada.turn("Tell me.")
        with pytest.raises(LOST):
            way(turn, client)
        assert turn.state == "failed"
        kept = ada.messages()[-1]
        assert (kept.kind, kept.text[:9]) == ("notice", "An answer")
        following = ada.turn("Again?")
        assert "An answer" not in json.dumps(following.openai())
        way(following, client)
        assert not any(sent.problems for sent in server.requests)
    assert ada.messages()[-1].text == "Whole."
    assert et.verify(ada).sound


def test_asynchronous_streams_complete_the_turn(ada: Agent) -> None:
    async def talk(server: ModelServer) -> None:
        async with openai.AsyncOpenAI(api_key="test", base_url=server.url, max_retries=0) as client:
            turn = await asyncio.to_thread(ada.turn, "Look.")
            while turn.state == "open":
                stream = await client.chat.completions.create(**request(turn), stream=True)
                async for _ in turn.watch(stream):
                    pass
                answer_calls(turn)
            turn = await asyncio.to_thread(ada.turn, "Again?")
            with pytest.raises(LOST):
                stream = await client.chat.completions.create(**request(turn), stream=True)
                async for _ in turn.watch(stream):
                    pass

    with ModelServer([LOOKING, "Found.", Broken("Half an answer.", after=2)]) as server:
        asyncio.run(talk(server))
        assert not any(sent.problems for sent in server.requests)
    assert [row.state for row in ada.turns()] == ["failed", "done"]


# ---- both


def test_a_conversation_may_change_its_provider_at_any_turn(et: Everthread, ada: Agent) -> None:
    """(R-7, X-19)."""
    dice = random.Random(2)
    thinking = Say("I look.", thinking="Hm.", calls=[ToolCall("look_up", {"q": "x"})])
    with (
        ModelServer([thinking, "Found."] * 8, signed=True) as server,
        gpt(server) as theirs,
        claude(server) as ours,
    ):
        for n in range(8):
            turn = ada.turn(f"Question {n}")
            use_claude = dice.random() < 0.5
            while turn.state == "open":
                response: Any
                if use_claude:
                    response = ours.messages.create(
                        model="claude-test",
                        max_tokens=9,
                        system=turn.system,
                        messages=turn.messages,  # pyright: ignore[reportArgumentType]
                        tools=turn.tools,  # pyright: ignore[reportArgumentType]
                    )
                else:
                    response = theirs.chat.completions.create(**request(turn))
                turn.add(response)
                if not turn.open_calls:
                    turn.done()
                answer_calls(turn)
        assert [problem for sent in server.requests for problem in sent.problems] == []
        assert {sent.path for sent in server.requests} == {"/v1/messages", "/chat/completions"}
    assert et.verify(ada).sound


# ---- size


@pytest.mark.parametrize("cached", [False, True])
def test_the_size_is_within_five_per_cent_after_ten_turns(ada: Agent, cached: bool) -> None:
    """(A-35, A-65, X-12, LA-4)."""
    dice = random.Random(4)
    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "def",
        "return",
        "None",
        "汉字",
        "{}",
        "[]",
        "42",
    ]
    errors: list[float] = []
    count = vocabularies.cl100k_base().count
    overhead = Overhead(request=200, message=5)
    with ModelServer(count=count, overhead=overhead, cache=cached) as server, gpt(server) as client:
        for _ in range(15):
            server.script(" ".join(dice.choices(words, k=dice.randint(20, 200))))
            turn = ada.turn(" ".join(dice.choices(words, k=dice.randint(20, 200))))
            size = turn.context_tokens
            told = client.chat.completions.create(**request(turn))
            assert told.usage is not None
            errors.append(abs(size - told.usage.prompt_tokens) / told.usage.prompt_tokens)
            turn.done(told)
    assert max(errors[10:]) < 0.05
