"""Which histories a provider accepts: the rules, asked through the providers' own clients."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import anthropic
import openai
import pytest

from support.legality import anthropic_problems, openai_problems
from support.model_clients import (
    EPHEMERAL,
    FUNCTION,
    MODEL,
    TOOL,
    answer,
    assistant,
    call,
    calling,
    claude,
    gpt,
    result,
    text,
    thought,
    use,
    user,
)
from support.model_server import ModelServer


@pytest.fixture(scope="module")
def echo() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def ask(echo: ModelServer) -> Iterator[Any]:
    with claude(echo) as client:
        yield partial(client.messages.create, model=MODEL, max_tokens=100)


@pytest.fixture(scope="module")
def chat(echo: ModelServer) -> Iterator[Any]:
    with gpt(echo) as client:
        yield partial(client.chat.completions.create, model="gpt-test")


LEGAL_CLAUDE: list[tuple[list[Any], dict[str, Any]]] = [
    ([user("hi")], {}),
    ([user("hi")], {"system": "Be brief."}),
    ([user([text("hi", cache_control=EPHEMERAL)])], {"system": [text("Be brief.")]}),
    ([user("hi"), assistant([thought(), text("yes")]), user("why?")], {}),
    (
        [
            user("hi"),
            assistant([thought(), text("wait"), use(), use("t2")]),
            user([result("t2"), result(is_error=True), text("and?")]),
        ],
        {"tools": [TOOL]},
    ),
    ([user("hi"), assistant([use()]), user([result(content=[text("a")])])], {"tools": [TOOL]}),
    (
        [user([{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}])],
        {},
    ),
    (
        [
            user(
                [
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
                    }
                ]
            )
        ],
        {},
    ),
    (
        [user("hi"), assistant([{"type": "redacted_thinking", "data": "x"}, text("a")]), user("b")],
        {},
    ),
]


@pytest.mark.parametrize(("messages", "more"), LEGAL_CLAUDE)
def test_anthropic_answers_legal_histories(
    ask: Any, messages: list[Any], more: dict[str, Any]
) -> None:
    reply = ask(messages=messages, **more)
    assert reply.stop_reason == "end_turn"
    assert reply.content[0].type == "text"


ILLEGAL_CLAUDE: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("at least one message", [], {}),
    ('first message must use the "user" role', [assistant("hi"), user("hi")], {}),
    ("roles must alternate", [user("a"), user("b")], {}),
    ("must end with a user message", [user("a"), assistant("b")], {}),
    ("'user' or 'assistant'", [{"role": "system", "content": "a"}], {}),
    ("non-empty content", [user("  ")], {}),
    ("non-empty content", [user([])], {}),
    ("text content blocks must be non-empty", [user([text("")])], {}),
    ("Input tag 'video'", [user([{"type": "video"}])], {}),
    ("Input tag 'tool_use'", [user([use()])], {}),
    ("messages.0.content.0.text: Field required", [user([{"type": "text"}])], {}),
    ("note: Extra inputs are not permitted", [user([text("a", note=1)])], {}),
    ("id: Extra inputs are not permitted", [user("a") | {"id": "m1"}], {}),
    (
        "ids must be unique",
        [user("a"), assistant([use()]), user([result()]), assistant([use()]), user([result()])],
        {"tools": [TOOL]},
    ),
    ("without `tool_result`", [user("a"), assistant([use()]), user("b")], {"tools": [TOOL]}),
    (
        "without `tool_result` blocks immediately after: t2",
        [user("a"), assistant([use(), use("t2")]), user([result()])],
        {"tools": [TOOL]},
    ),
    ("unexpected `tool_use_id`", [user([result()])], {"tools": [TOOL]}),
    (
        "single result",
        [user("a"), assistant([use()]), user([result(), result()])],
        {"tools": [TOOL]},
    ),
    (
        "`tool_result` blocks must come before",
        [user("a"), assistant([use()]), user([text("b"), result()])],
        {"tools": [TOOL]},
    ),
    (
        "`thinking` blocks must come before",
        [user("a"), assistant([text("b"), thought()]), user("c")],
        {},
    ),
    ("cannot be `thinking`", [user("a"), assistant([thought()]), user("c")], {}),
    ("of type 'ephemeral'", [user([text("a", cache_control={"type": "for ever"})])], {}),
    (
        "Only HTTP and HTTPS",
        [user([{"type": "image", "source": {"type": "url", "url": "file:///a.png"}}])],
        {},
    ),
    ("Invalid `signature`", [user("a"), assistant([thought(signature="")]), user("c")], {}),
    (
        "signature: Field required",
        [user("a"), assistant([{"type": "thinking", "thinking": "b"}]), user("c")],
        {},
    ),
    (
        "media_type",
        [user([{"type": "image", "source": {"type": "base64", "data": "aGk="}}])],
        {},
    ),
    ("Input tag 'path'", [user([{"type": "image", "source": {"type": "path"}}])], {}),
    ("must define tools", [user("a"), assistant([use()]), user([result()])], {}),
    ("id: String should match", [user("a"), assistant([use("t 1")]), user([result("t 1")])], {}),
    ("system.0", [user("a")], {"system": [text(" ")]}),
    ("tools.0.name", [user("a")], {"tools": [TOOL | {"name": "look up"}]}),
    ("tools.0.input_schema: Field required", [user("a")], {"tools": [{"name": "a"}]}),
    ("names must be unique", [user("a")], {"tools": [TOOL, TOOL]}),
    ("tool_choice", [user("a")], {"tool_choice": {"type": "auto"}}),
    ("at most 4", [user([text("a", cache_control=EPHEMERAL)] * 5)], {}),
    ("max_tokens", [user("a")], {"extra_body": {"max_tokens": 0}}),
    ("colour: Extra inputs", [user("a")], {"extra_body": {"colour": "red"}}),
]


@pytest.mark.parametrize(("reason", "messages", "more"), ILLEGAL_CLAUDE)
def test_anthropic_refuses_illegal_histories(
    echo: ModelServer, ask: Any, reason: str, messages: list[Any], more: dict[str, Any]
) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        ask(messages=messages, **more)
    error: Any = refused.value.body
    assert error["type"] == "error"
    assert error["error"]["type"] == "invalid_request_error"
    assert reason in error["error"]["message"]
    assert reason in " ".join(echo.requests[-1].problems)


LEGAL_OPENAI: list[tuple[list[Any], dict[str, Any]]] = [
    ([user("hi")], {}),
    ([{"role": "developer", "content": "Be brief."}, user([text("hi")]), assistant("a")], {}),
    ([{"role": "system", "content": [text("Be brief.")]}, user("")], {}),
    (
        [user("a"), calling("c1", "c2"), answer("c2"), answer("c1"), user("b")],
        {"tools": [FUNCTION]},
    ),
    ([user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}])], {}),
    ([user("a"), assistant([text("b")]), user("c")], {}),
]


@pytest.mark.parametrize(("messages", "more"), LEGAL_OPENAI)
def test_openai_answers_legal_histories(
    chat: Any, messages: list[Any], more: dict[str, Any]
) -> None:
    reply = chat(messages=messages, **more)
    assert reply.choices[0].finish_reason == "stop"
    assert reply.choices[0].message.content.startswith("You said:")


ILLEGAL_OPENAI: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    ("messages", "too short", [], {}),
    ("messages[0].role", "'bot' is not one of", [{"role": "bot", "content": "a"}], {}),
    ("messages[0].content", "got null", [user(None)], {}),
    ("messages[1].content", "got null", [user("a"), assistant(None)], {}),
    ("messages[0].content", "empty array", [user([])], {}),
    ("messages[0].content[0]", "Input tag 'image'", [user([{"type": "image"}])], {}),
    (
        "messages[0].content[0].image_url.url",
        "valid URL",
        [user([{"type": "image_url", "image_url": {}}])],
        {},
    ),
    (
        "messages[2].role",
        "did not have response messages: c1",
        [user("a"), calling("c1"), user("b")],
        {},
    ),
    ("messages[2].role", "c1", [user("a"), calling("c1")], {}),
    (
        "messages[3].role",
        "did not have response messages: c2",
        [user("a"), calling("c1", "c2"), answer("c1"), user("b"), answer("c2")],
        {},
    ),
    ("messages[1].role", "preceding message with 'tool_calls'", [user("a"), answer()], {}),
    (
        "messages[3].role",
        "nothing waits for c1",
        [user("a"), calling("c1"), answer(), answer()],
        {},
    ),
    ("messages[1].tool_calls", "empty array", [user("a"), assistant("b") | {"tool_calls": []}], {}),
    ("messages[1].tool_calls", "duplicate", [user("a"), calling("c1", "c1"), answer()], {}),
    (
        "messages[1].tool_calls[0].function.arguments",
        "valid str",
        [user("a"), assistant(None) | {"tool_calls": [call(arguments={})]}, answer()],
        {},
    ),
    (
        "messages[1].tool_calls[0].function.name",
        "pattern",
        [user("a"), assistant(None) | {"tool_calls": [call(name="look up")]}, answer()],
        {},
    ),
    ("messages[0].note", "Extra inputs", [user("a") | {"note": 1}], {}),
    ("tools", "too short", [user("a")], {"tools": []}),
    (
        "tools[0].function.name",
        "pattern",
        [user("a")],
        {"tools": [FUNCTION | {"function": {"name": "é"}}]},
    ),
    ("tool_choice", "only allowed", [user("a")], {"tool_choice": "auto"}),
    ("stream_options", "only allowed", [user("a")], {"stream_options": {"include_usage": True}}),
]


@pytest.mark.parametrize(("param", "reason", "messages", "more"), ILLEGAL_OPENAI)
def test_openai_refuses_illegal_histories(
    chat: Any, param: str, reason: str, messages: list[Any], more: dict[str, Any]
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        chat(messages=messages, **more)
    assert refused.value.type == "invalid_request_error"
    assert refused.value.param == param
    assert reason in refused.value.message


@pytest.mark.parametrize("body", [{}, {"messages": 1}, {"messages": [1, None, {"role": []}]}])
def test_the_rules_survive_any_json(body: dict[str, Any]) -> None:
    assert anthropic_problems(body)
    assert openai_problems(body)


def test_max_tokens_is_needed_for_an_answer_and_not_for_counting() -> None:
    body = {"model": MODEL, "messages": [user("a")]}
    assert anthropic_problems(body) == ["max_tokens: Field required, a whole number of at least 1"]
    assert anthropic_problems(body, counting=True) == []
