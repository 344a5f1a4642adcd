"""The Anthropic SDK and a model server: whole conversations, streams, failures, and their sizes."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
from rs_bpe.bpe import openai as vocabularies

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.conversation.replies import read_usage
from everthread.domain.errors import BadInput, StreamBroken
from everthread.testing import FrozenClock
from support.model_clients import EPHEMERAL, MODEL, TOOL, claude, text
from support.model_server import Broken, Failure, ModelServer, Overhead, Reply, Say, ToolCall

OVERLOADED = Failure(529, "overloaded_error", "Overloaded")
LOST = (anthropic.APIError, httpx2.HTTPError, StreamBroken)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.", tools=[TOOL], model=MODEL)


def request(turn: Turn) -> Any:
    """What the SDK's `create` and `stream` take."""
    return {
        "model": MODEL,
        "max_tokens": 100,
        "system": turn.system,
        "messages": turn.messages,
        "tools": turn.tools,
    }


def plainly(turn: Turn, client: anthropic.Anthropic) -> None:
    """Ask until the model has answered."""
    while turn.state == "open":
        response = client.messages.create(**request(turn))
        if response.stop_reason == "tool_use":
            turn.add(response)
            answer_calls(turn)
        else:
            turn.done(response)


def by_events(turn: Turn, client: anthropic.Anthropic) -> None:
    while turn.state == "open":
        for _ in turn.watch(client.messages.create(**request(turn), stream=True)):
            pass
        answer_calls(turn)


def by_helper(turn: Turn, client: anthropic.Anthropic) -> None:
    while turn.state == "open":
        with client.messages.stream(**request(turn)) as stream:
            for _ in turn.watch(stream):
                pass
        answer_calls(turn)


def answer_calls(turn: Turn) -> None:
    for n, call in enumerate(turn.open_calls if turn.state == "open" else []):
        turn.tool_result(call, [text(f"page {n}"), IMAGE] if n else "found", is_error=n == 2)


WAYS: list[Callable[[Turn, anthropic.Anthropic], None]] = [plainly, by_events, by_helper]

THINKING = Say("I look.", thinking="Where is it?", calls=[ToolCall("look_up", {"q": "汉字"})])
SCRIPTS: list[list[Reply]] = [
    ["Hello."],
    [THINKING, "Found."],
    [Say(calls=[ToolCall("look_up", {"n": n}) for n in range(3)]), THINKING, Say("Done.")],
    [OVERLOADED],
    [THINKING, OVERLOADED],
    [Broken("This answer never came to its end, for the line was cut.", after=4)],
    [THINKING, Broken(THINKING, after=6)],
    [Broken("Half an answer, and then an error.", after=5, error=OVERLOADED)],
    [Say("", thinking="Nothing to say.", stop="end_turn")],
]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_no_request_of_a_long_conversation_is_refused(
    et: Everthread, ada: Agent, way: Callable[[Turn, anthropic.Anthropic], None], seed: int
) -> None:
    """(R-6, R-7)."""
    dice = random.Random(seed)
    failed = 0
    with ModelServer(signed=True, cache=True) as server, claude(server) as client:
        for n in range(30):
            script = SCRIPTS[n] if n < len(SCRIPTS) else dice.choice(SCRIPTS)
            server.script(*script)
            said: Any = [text(f"Question {n}"), IMAGE] if n % 5 == 1 else f"Question {n}"
            try:
                with ada.turn(said, channel="webchat") as turn:
                    way(turn, client)
            except LOST:
                failed += 1
            server.script()
        assert [problem for sent in server.requests for problem in sent.problems] == []
        assert len(server.requests) > 35
    assert failed > 3
    assert [row.number for row in ada.turns() if row.state == "failed"]
    assert et.verify(ada).sound


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_went_over_the_wire_can_be_rebuilt(
    ada: Agent, way: Callable[[Turn, anthropic.Anthropic], None]
) -> None:
    """(R-42)."""
    with ModelServer([THINKING, THINKING, "Found.", "Bye."]) as server, claude(server) as client:
        way(ada.turn([text("Look 汉字 up."), IMAGE]), client)
        way(ada.turn("Thanks."), client)
        for sent, (number, call) in zip(
            server.requests, [(1, 1), (1, 2), (1, 3), (2, 1)], strict=True
        ):
            again = ada.sent(number, call=call)
            messages = json.dumps(again.messages, ensure_ascii=False, separators=(",", ":"))
            assert f'"messages":{messages}'.encode() in sent.raw
            assert (again.system, again.tools) == (sent.body["system"], sent.body["tools"])


def test_thoughts_come_back_as_they_were_signed(ada: Agent) -> None:
    with ModelServer([THINKING, "Found.", "Bye."], signed=True) as server, claude(server) as client:
        plainly(ada.turn("Look."), client)
        plainly(ada.turn("Thanks."), client)
        thoughts = [
            block
            for message in server.requests[-1].body["messages"]
            for block in message["content"]
            if block["type"] == "thinking"
        ]
        assert [block["thinking"] for block in thoughts] == ["Where is it?"]


# ---- streams


def test_a_watched_stream_gives_every_event_and_completes_the_turn(ada: Agent) -> None:
    reply = Say("A long enough answer to need several deltas.", thinking="Hm.")
    with ModelServer([reply, reply]) as server, claude(server) as client:
        turn = ada.turn("Hello")
        events = list(turn.watch(client.messages.create(**request(turn), stream=True)))
        assert [event.type for event in events][0::100] == ["message_start"]
        assert events[-1].type == "message_stop"
        assert turn.state == "done"
        turn = ada.turn("Hello again")
        words = ""
        with client.messages.stream(**request(turn)) as stream:
            for event in turn.watch(stream):
                words += event.text if event.type == "text" else ""
        assert words == reply.text
    assert [m.text for m in ada.messages() if m.role == "assistant"] == [reply.text] * 2
    assert [block["type"] for block in ada.messages()[1].blocks] == ["thinking", "text"]
    reported = [json.loads(row.reported or "{}") for row in ada.turns()]
    assert all(told["input"] > 10 and told["output"] > 5 for told in reported)


def test_a_stream_that_calls_tools_leaves_the_turn_open(ada: Agent) -> None:
    with ModelServer([THINKING, "Found."]) as server, claude(server) as client:
        turn = ada.turn("Look.")
        list(turn.watch(client.messages.create(**request(turn), stream=True)))
        assert (turn.state, len(turn.open_calls)) == ("open", 1)
        turn.tool_result(turn.open_calls[0], "here")
        list(turn.watch(client.messages.create(**request(turn), stream=True)))
        assert turn.state == "done"
    assert ada.messages()[1].blocks[-1]["input"] == {"q": "汉字"}


@pytest.mark.parametrize("error", [None, OVERLOADED], ids=["cut", "error"])
@pytest.mark.parametrize("way", [by_events, by_helper], ids=lambda way: way.__name__)
def test_half_an_answer_stays_out_of_the_view_and_is_not_lost(
    et: Everthread,
    ada: Agent,
    way: Callable[[Turn, anthropic.Anthropic], None],
    error: Failure | None,
) -> None:
    """(R-6, D-2)."""
    broken = Broken("An answer that stops in the middle of a sentence.", after=5, error=error)
    with ModelServer([broken, "Whole."]) as server, claude(server) as client:
        turn = ada.turn("Tell me.")
        with pytest.raises(LOST):
            way(turn, client)
        assert turn.state == "failed"
        kept = ada.messages()[-1]
        assert (kept.kind, kept.text[:9]) == ("notice", "An answer")
        assert ada.turns()[0].error
        following = ada.turn("Again?")
        assert "An answer" not in json.dumps(following.messages)
        way(following, client)
        assert not any(sent.problems for sent in server.requests)
    assert ada.messages()[-1].text == "Whole."
    assert et.verify(ada).sound


def test_a_stream_that_is_left_early_fails_the_turn(ada: Agent) -> None:
    long = "A long answer, of which nobody reads the end."
    with ModelServer([long] * 2) as server, claude(server) as client:
        turn = ada.turn("Hello")
        with client.messages.stream(**request(turn)) as stream:
            for _ in turn.watch(stream):
                break
        assert turn.state == "failed"
        assert "left before its end" in (ada.turns()[0].error or "")
        with pytest.raises(ZeroDivisionError), ada.turn("Hello") as turn:
            for _ in turn.watch(client.messages.create(**request(turn), stream=True)):
                raise ZeroDivisionError
        assert ada.turns()[0].state == "failed"


def test_a_turn_ended_while_its_stream_is_read_stays_as_it_was_ended(ada: Agent) -> None:
    with ModelServer(["A long answer."] * 2) as server, claude(server) as client:
        turn = ada.turn("Hello")
        with client.messages.stream(**request(turn)) as stream:
            for _ in turn.watch(stream):
                turn.failed("the user pressed Escape")
                break
        assert ada.turns()[0].error == "the user pressed Escape"


def test_a_stream_must_be_read_in_its_own_colour(ada: Agent) -> None:
    turn = ada.turn("Hello")

    async def events() -> Any:
        yield {"type": "ping"}

    with pytest.raises(BadInput, match="async for"):
        list(turn.watch(events()))

    async def read() -> None:
        async for _ in turn.watch([{"type": "ping"}]):
            pass

    with pytest.raises(BadInput, match="`for event in"):
        asyncio.run(read())
    assert turn.state == "open"


def test_asynchronous_streams_complete_the_turn(et: Everthread, ada: Agent) -> None:
    async def talk(server: ModelServer) -> None:
        async with anthropic.AsyncAnthropic(
            api_key="test", base_url=server.url, max_retries=0
        ) as client:
            turn = await asyncio.to_thread(ada.turn, "Look.")
            while turn.state == "open":
                stream = await client.messages.create(**request(turn), stream=True)
                async for _ in turn.watch(stream):
                    pass
                answer_calls(turn)
            turn = await asyncio.to_thread(ada.turn, "Thanks.")
            async with client.messages.stream(**request(turn)) as helper:
                async for _ in turn.watch(helper):
                    pass
            assert turn.state == "done"
            turn = await asyncio.to_thread(ada.turn, "Again?")
            with pytest.raises(LOST):
                async for _ in turn.watch(
                    await client.messages.create(**request(turn), stream=True)
                ):
                    pass
            assert turn.state == "failed"
            turn = await asyncio.to_thread(ada.turn, "Enough.")
            async for _ in turn.watch(await client.messages.create(**request(turn), stream=True)):
                turn.failed("Escape")
                break

    script: list[Reply] = [THINKING, "Found.", "Welcome.", Broken("Half an answer.", after=4)]
    with ModelServer([*script, "A long answer."], signed=True) as server:
        asyncio.run(talk(server))
        assert not any(sent.problems for sent in server.requests)
    assert [row.state for row in ada.turns()] == ["failed", "failed", "done", "done"]
    assert ada.turns()[0].error == "Escape"
    assert et.verify(ada).sound


# ---- size


def other_vocabulary(words: str) -> int:
    return vocabularies.cl100k_base().count(words)


def english(dice: random.Random) -> str:
    words = (Path(__file__).parent.parent / "LICENSE").read_text().split()
    start = dice.randrange(len(words) - 400)
    return " ".join(words[start : start + dice.randint(40, 400)])


def code(dice: random.Random) -> str:
    lines = Path(__file__).read_text().splitlines()
    start = dice.randrange(len(lines) - 60)
    return "\n".join(lines[start : start + dice.randint(10, 60)])


def table(dice: random.Random) -> str:
    rows = [
        {"id": dice.randrange(10**6), "name": f"item-{n}", "price": dice.random(), "tags": ["a", n]}
        for n in range(dice.randint(3, 30))
    ]
    return json.dumps(rows, indent=dice.choice([None, 2]))


def chinese(dice: random.Random) -> str:
    sentences = (
        "今天天气很好，我们去公园散步吧。",
        "请问这个函数的返回值是什么类型？",
        "数据库里的记录不会被删除，只会被归档。",
        "他昨天说的话，我到现在还记得很清楚。",
        "如果上下文太长，就需要先做一次总结。",
    )
    return "".join(dice.choices(sentences, k=dice.randint(5, 40)))


@pytest.mark.slow
@pytest.mark.parametrize("loops", [0, 2], ids=["talk", "tools"])
@pytest.mark.parametrize("kind", [english, code, table, chinese], ids=lambda kind: kind.__name__)
def test_the_size_is_within_five_per_cent_after_ten_turns(
    et: Everthread, kind: Callable[[random.Random], str], loops: int
) -> None:
    """(A-35, A-36, A-65, X-12)."""
    dice = random.Random(11)
    ada = et.agent(
        "ada", system=kind(dice), tools=[TOOL, TOOL | {"name": "look_down"}], model=MODEL
    )
    overhead = Overhead(request=350, message=6, image=120)
    vocabulary = {"count": other_vocabulary, "overhead": overhead, "cache": True}
    errors: list[float] = []
    with ModelServer(**vocabulary) as server, claude(server) as client:
        for _ in range(15):
            for _ in range(loops):
                server.script(Say(calls=[ToolCall("look_up", {"q": kind(dice)[:200]})]))
            server.script(kind(dice))
            turn = ada.turn(kind(dice))
            for call in range(loops + 1):
                size = turn.context_tokens
                told = client.messages.create(**request(turn), cache_control=EPHEMERAL)
                real = read_usage(told.usage)
                assert real is not None
                errors.append(abs(size - real.context) / real.context)
                if call < loops:
                    turn.add(told).tool_result(turn.open_calls[0], kind(dice))
                else:
                    turn.done(told)
    assert max(errors[10 * (loops + 1) :]) < 0.05


def test_the_cached_part_of_a_prompt_counts_as_read(et: Everthread) -> None:
    """(LA-4, X-12, A-33)."""
    ada = et.agent("ada", system="word " * 90_000, model=MODEL)
    cached = text("word " * 90_000, cache_control=EPHEMERAL)
    with ModelServer(count=other_vocabulary, cache=True) as server, claude(server) as client:
        for n in range(5):
            turn = ada.turn("?")
            before = turn.context_tokens
            told = client.messages.create(
                model=MODEL,
                max_tokens=9,
                system=[cached],  # pyright: ignore[reportArgumentType]
                messages=turn.messages,  # pyright: ignore[reportArgumentType]
            )
            assert n == 0 or told.usage.input_tokens < 100 < (
                told.usage.cache_read_input_tokens or 0
            )
            turn.done(told)
            assert ada.primary.row.last_input_tokens > 89_000
            assert ada.turn("?").failed("only asking").number
            assert before == pytest.approx(90_000, rel=0.02)


def test_a_dated_model_teaches_the_name_the_agent_goes_by(et: Everthread) -> None:
    """(X-12)."""
    ada = et.agent("ada", system="word " * 500, model=MODEL)
    for _ in range(5):
        turn = ada.turn("go on")
        told = {"input_tokens": round(ada.turns()[0].computed_tokens * 1.3)}
        dated = {"role": "assistant", "content": "yes", "model": f"{MODEL}-20260101"}
        turn.done(dated, usage=told)
    assert ada.turn("now?").context_tokens > ada.turns()[0].computed_tokens * 1.2
    assert ada.turns()[1].model == f"{MODEL}-20260101"
