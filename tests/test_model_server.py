"""The scripted model server, used through the providers' own clients."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from typing import Any

import anthropic
import openai
import pytest

from support.model_clients import (
    EPHEMERAL,
    FUNCTION,
    MODEL,
    TOOL,
    answer,
    ask,
    assistant,
    chat,
    claude,
    result,
    stream_ask,
    stream_chat,
    text,
    thought,
    user,
)
from support.model_server import (
    Broken,
    Failure,
    ModelServer,
    Nonsense,
    Overhead,
    Reply,
    Request,
    Say,
    ToolCall,
    signature,
)

pytestmark = pytest.mark.slow  # the quick loop leaves it out; `make test` does not

LONG = "A sentence long enough — ‘ünïcode’ and 汉字 included — to need several deltas."
EVERYTHING = Say(LONG, thinking=LONG, calls=[ToolCall("look_up", {"word": LONG}), ToolCall("stop")])


def check_everything(message: Any) -> None:
    thinking, words, first, second = message.content
    assert thinking.type == "thinking"
    assert (thinking.thinking, thinking.signature) == (LONG, signature(LONG))
    assert words.type == "text"
    assert words.text == LONG
    assert first.type == second.type == "tool_use"
    assert (first.input, second.input) == ({"word": LONG}, {})
    assert first.id != second.id
    assert message.stop_reason == "tool_use"
    assert message.usage.output_tokens > 3 * len(LONG) // 4


def test_anthropic_sends_thinking_text_and_calls_in_one_body_and_as_a_stream() -> None:
    with ModelServer([EVERYTHING, EVERYTHING]) as server, claude(server) as client:
        check_everything(ask(server, [user("go")], tools=[TOOL]))
        with client.messages.stream(model=MODEL, max_tokens=9, messages=[user("go")]) as stream:  # pyright: ignore[reportArgumentType]
            words = "".join(stream.text_stream)
            check_everything(stream.get_final_message())
        assert words == LONG


def test_anthropic_streams_the_real_order_of_events() -> None:
    with ModelServer([Say("Hi", thinking="hm", calls=[ToolCall("a", {"b": 1})])]) as server:
        events = stream_ask(server, [user("go")])
        kinds = [event.type for event in events]
        deltas = [event.delta.type for event in events if event.type == "content_block_delta"]
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3
    assert list(dict.fromkeys(deltas)) == [
        "thinking_delta",
        "signature_delta",
        "text_delta",
        "input_json_delta",
    ]


def test_the_asynchronous_clients_work_too() -> None:
    async def talk(server: ModelServer) -> None:
        async with (
            anthropic.AsyncAnthropic(api_key="test", base_url=server.url, max_retries=0) as client,
            client.messages.stream(
                model=MODEL, max_tokens=9, messages=[{"role": "user", "content": "go"}]
            ) as stream,
        ):
            check_everything(await stream.get_final_message())
        async with openai.AsyncOpenAI(api_key="test", base_url=server.url, max_retries=0) as other:
            chunks = await other.chat.completions.create(
                model="gpt-test", messages=[{"role": "user", "content": "go"}], stream=True
            )
            words = [chunk.choices[0].delta.content or "" async for chunk in chunks]
        assert "".join(words) == LONG

    with ModelServer([EVERYTHING, LONG]) as server:
        asyncio.run(talk(server))


def test_openai_sends_text_and_calls_in_one_body_and_as_a_stream() -> None:
    with ModelServer([EVERYTHING, EVERYTHING]) as server:
        whole = chat(server, [user("go")], tools=[FUNCTION])
        chunks = stream_chat(server, [user("go")], stream_options={"include_usage": True})
    assert whole.choices[0].message.content == LONG
    assert whole.choices[0].finish_reason == "tool_calls"
    arguments = [one.function.arguments for one in whole.choices[0].message.tool_calls]
    assert arguments == [f'{{"word":"{LONG}"}}', "{}"]
    streamed = {0: "", 1: ""}
    for chunk in chunks[:-1]:
        for delta in chunk.choices[0].delta.tool_calls or ():
            streamed[delta.index] += delta.function.arguments
    assert list(streamed.values()) == arguments
    assert chunks[-2].choices[0].finish_reason == "tool_calls"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_a_tool_loop_with_the_clients_own_objects_is_legal() -> None:
    script: list[Reply] = [Say(thinking="hm", calls=[ToolCall("look_up")]), "Done."]
    with ModelServer([*script, *script], signed=True) as server:
        first = ask(server, [user("go")], tools=[TOOL])
        history = [user("go"), assistant(first.content), user([result(first.content[1].id)])]
        assert ask(server, history, tools=[TOOL]).content[0].text == "Done."
        reply = chat(server, [user("go")], tools=[FUNCTION]).choices[0].message
        history = [user("go"), reply, answer(reply.tool_calls[0].id)]
        assert chat(server, history, tools=[FUNCTION]).choices[0].message.content == "Done."


def test_a_changed_thought_is_refused_where_signatures_are_checked() -> None:
    with ModelServer(signed=True) as server:
        history = [user("a"), assistant([thought(), text("b")]), user("c")]
        assert ask(server, history).stop_reason == "end_turn"
        history[1]["content"][0]["thinking"] = "hm?"
        with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
            ask(server, history)


@pytest.mark.parametrize(
    ("failure", "claude_error", "openai_error"),
    [
        (
            Failure(429, "rate_limit_error", "slow down"),
            anthropic.RateLimitError,
            openai.RateLimitError,
        ),
        (Failure(529, "overloaded_error", "busy"), anthropic.APIStatusError, openai.APIStatusError),
        (
            Failure(500, "api_error", "oh"),
            anthropic.InternalServerError,
            openai.InternalServerError,
        ),
    ],
)
def test_error_statuses_reach_the_clients(
    failure: Failure, claude_error: type[Exception], openai_error: type[Exception]
) -> None:
    with ModelServer([failure, failure, "Fine."]) as server:
        with pytest.raises(claude_error, match=failure.message):
            ask(server, [user("a")])
        with pytest.raises(openai_error, match=failure.message):
            chat(server, [user("a")])
        assert ask(server, [user("a")]).content[0].text == "Fine."


def test_an_error_can_carry_headers() -> None:
    slow = Failure(429, "rate_limit_error", "slow", {"retry-after": "7"})
    with ModelServer([slow]) as server, pytest.raises(anthropic.RateLimitError) as refused:
        ask(server, [user("a")])
    assert refused.value.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_stream_that_breaks_off_is_an_error_and_not_a_short_answer(after: int) -> None:
    with ModelServer([Broken(LONG, after), Broken(LONG, after)]) as server:
        with pytest.raises(Exception, match="peer closed connection"):
            stream_ask(server, [user("a")])
        with pytest.raises(openai.APIConnectionError) as lost:
            stream_chat(server, [user("a")])
        assert "peer closed connection" in str(lost.value.__cause__)


def test_a_stream_can_break_off_with_an_error_of_the_provider() -> None:
    broken = Broken(LONG, 3, Failure(529, "overloaded_error", "busy"))
    with ModelServer([broken, broken]) as server:
        with pytest.raises(anthropic.APIStatusError, match="busy"):
            stream_ask(server, [user("a")])
        with pytest.raises(openai.APIError, match="busy"):
            stream_chat(server, [user("a")])


def test_nonsense_and_a_broken_body_are_no_answers() -> None:
    with ModelServer([Nonsense(status=502), Broken("Hello", 0)]) as server:
        with pytest.raises(anthropic.InternalServerError):
            ask(server, [user("a")])
        with pytest.raises(anthropic.APIConnectionError):
            ask(server, [user("a")])


def test_a_reply_can_be_computed_and_requests_are_kept() -> None:
    def count_messages(request: Request) -> str:
        return f"{len(request.body['messages'])} of {request.path}"

    with ModelServer([count_messages]) as server:
        server.script(count_messages)
        assert ask(server, [user("a")]).content[0].text == "1 of /v1/messages"
        assert chat(server, [user("a"), user("b")]).choices[0].message.content.startswith("2 of ")
    assert [request.body["messages"][0]["content"] for request in server.requests] == ["a", "a"]
    assert b'"content":"a"' in server.requests[0].raw.replace(b": ", b":")


def test_a_failing_script_fails_the_test() -> None:
    def wrong(request: Request) -> str:
        raise AssertionError(request.path)

    server = ModelServer([wrong])
    with pytest.raises(AssertionError, match="/v1/messages"), server:
        reply_of(server)


def reply_of(server: ModelServer) -> None:
    with pytest.raises(anthropic.InternalServerError):
        ask(server, [user("a")])


def words(sentence: str) -> int:
    return len(sentence.split())


def test_usage_is_counted_by_the_given_vocabulary_plus_overhead() -> None:
    overhead = Overhead(request=100, message=10)
    history: Any = [user("one two"), assistant("three"), user([text("four five six")])]
    with ModelServer(["seven eight"], count=words, overhead=overhead) as server:
        usage = ask(server, history, system="nine ten").usage
        other = chat(server, history).usage
        with claude(server) as client:
            counted = client.messages.count_tokens(model=MODEL, messages=history).input_tokens
    assert (usage.input_tokens, usage.output_tokens) == (100 + 3 * 10 + 6 + 2, 2)
    assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (0, 0)
    assert counted == other.prompt_tokens == 136
    assert other.total_tokens == 136 + other.completion_tokens


def test_anthropic_reports_the_cache_up_to_its_marks() -> None:
    def figures(*messages: Any, **more: Any) -> tuple[int | None, ...]:
        usage = ask(server, list(messages), **more).usage
        return (
            usage.input_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        )

    marked = user([text("one two", cache_control=EPHEMERAL)])
    plain, reply, more = user("one two"), assistant("three"), user("four five")
    with ModelServer(count=words, overhead=Overhead(request=5), cache=True) as server:
        assert figures(plain) == (7, 0, 0)
        assert figures(marked) == (0, 7, 0)
        assert figures(plain, reply, more, cache_control=EPHEMERAL) == (0, 3, 7)
        assert figures(plain, reply, more, reply, marked) == (0, 3, 10)
        assert figures(user("changed"), reply, more, cache_control=EPHEMERAL) == (0, 9, 0)


def test_openai_reports_every_prompt_seen_before_as_cached() -> None:
    first, more = [user("one two")], [assistant("three"), user("four")]
    with ModelServer(count=words, cache=True) as server:
        cached = [
            chat(server, history).usage.prompt_tokens_details.cached_tokens
            for history in (first, first + more, [user("changed"), *more])
        ]
    assert cached == [0, 2, 0]


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/messages", 401), ("/v1/chat/completions", 401), ("/v1/nothing", 404)]
)
def test_a_caller_without_a_key_or_with_a_wrong_path_is_refused(path: str, status: int) -> None:
    with ModelServer() as server, pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(server.url + path, data=b"{}")
    with refused.value:
        assert refused.value.code == status
