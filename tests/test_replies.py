"""Replies, contents and usage are read from whatever either SDK or a plain program hands over."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.messages import PRIVATE, Block, Message, content_column
from everthread.domain.conversation.rendering import UNSHOWN, anthropic_messages, openai_messages
from everthread.domain.conversation.replies import (
    Reply,
    Usage,
    read_content,
    read_message,
    read_reply,
    read_usage,
    tool_output,
)
from everthread.domain.errors import BadInput
from support.legality import anthropic_problems, openai_problems

TOOL: Any = {"name": "look", "input_schema": {"type": "object"}}
FUNCTION: Any = {"type": "function", "function": {"name": "look"}}
CLAUDE_REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {
            "type": "text",
            "text": "hi",
            "citations": [
                {
                    "type": "char_location",
                    "cited_text": "c",
                    "document_index": 0,
                    "document_title": None,
                    "start_char_index": 0,
                    "end_char_index": 1,
                    "file_id": None,
                }
            ],
        },
        {"type": "text", "text": "ho", "citations": None},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"deep": None}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 4},
}
OPENAI_MESSAGE = {
    "role": "assistant",
    "content": None,
    "refusal": None,
    "annotations": [],
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "look", "arguments": '{"a": 1}'},
        },
        {"id": "c2", "type": "function", "function": {"name": "look", "arguments": '{"a":'}},
    ],
}
OPENAI_REPLY = {
    "id": "cc_1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x",
    "choices": [
        {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": OPENAI_MESSAGE},
        {"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": "no"}},
    ],
    "usage": {
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 6},
    },
}


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def stored(role: str, content: str | list[Block]) -> Message:
    form, column = content_column(content)
    fields: dict[str, Any] = dict.fromkeys(Message._fields, 0)
    fields |= {"role": role, "kind": "said", "form": form, "content": column, "name": None}
    return Message(**fields)


class Wire:
    """Answers every request with one body and keeps what was asked."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self.http = httpx2.Client(transport=httpx2.MockTransport(self._handle))

    def _handle(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        return httpx2.Response(200, json=self._answer)


def ask_claude(wire: Wire, messages: list[dict[str, Any]]) -> anthropic.types.Message:
    client = anthropic.Anthropic(api_key="test", http_client=wire.http)
    given: Any = messages
    return client.messages.create(model="claude-x", max_tokens=9, tools=[TOOL], messages=given)


def ask_openai(wire: Wire, messages: list[dict[str, Any]]) -> Any:
    client = openai.OpenAI(api_key="test", http_client=wire.http)
    given: Any = messages
    return client.chat.completions.create(model="gpt-x", tools=[FUNCTION], messages=given)


# Replies of the SDKs


def test_a_response_of_the_anthropic_sdk_is_kept_as_it_came_over_the_wire():
    """R-49"""
    reply = read_reply(ask_claude(Wire(CLAUDE_REPLY), [{"role": "user", "content": "q"}]))
    assert reply == Reply(
        CLAUDE_REPLY["content"], Usage(3, 4, cache_read=40), "claude-x", "tool_use", "msg_1"
    )


@pytest.mark.parametrize("as_given", [lambda r: r, lambda r: r.model_dump(), lambda r: r.content])
def test_what_the_anthropic_sdk_gave_is_accepted_when_it_goes_back(as_given: Any):
    """R-49"""
    wire = Wire(CLAUDE_REPLY)
    reply = read_reply(as_given(ask_claude(wire, [{"role": "user", "content": "q"}])))
    history = [stored("user", "q"), stored("assistant", reply.blocks)]
    ask_claude(wire, anthropic_messages(history))
    assert anthropic_problems(wire.asked[-1]) == []
    sent = wire.asked[-1]["messages"][1]["content"]
    assert sent[0] == CLAUDE_REPLY["content"][0]
    assert "file_id" not in sent[1]["citations"][0]
    assert sent[1]["citations"][0]["document_title"] is None
    assert sent[2:] == [text("ho"), CLAUDE_REPLY["content"][3]]


@pytest.mark.parametrize("as_given", [lambda r: r, lambda r: r.model_dump()])
def test_what_the_openai_sdk_gave_is_accepted_when_it_goes_back(as_given: Any):
    """R-49"""
    wire = Wire(OPENAI_REPLY)
    reply = read_reply(as_given(ask_openai(wire, [{"role": "user", "content": "q"}])))
    assert reply[1:] == (Usage(4, 4, cache_read=6), "gpt-x", "tool_calls", "cc_1")
    history = [stored("user", "q"), stored("assistant", reply.blocks)]
    ask_openai(wire, openai_messages("", history))
    assert openai_problems(wire.asked[-1]) == []
    sent = wire.asked[-1]["messages"][1]
    assert sent["tool_calls"] == OPENAI_MESSAGE["tool_calls"]


def test_a_block_kind_newer_than_the_sdk_is_kept_without_a_warning():
    new = {"type": "brand_new", "deep": {"null": None}}
    wire = Wire(CLAUDE_REPLY | {"content": [new]})
    assert read_reply(ask_claude(wire, [{"role": "user", "content": "q"}])).blocks == [new]


# Replies as plain values


def test_arguments_that_are_no_json_are_kept_as_the_model_wrote_them():
    blocks = read_reply(OPENAI_MESSAGE).blocks
    assert blocks == [
        {
            "type": "tool_use",
            "id": "c1",
            "name": "look",
            "input": {"a": 1},
            PRIVATE: {"arguments": '{"a": 1}'},
        },
        {
            "type": "tool_use",
            "id": "c2",
            "name": "look",
            "input": {},
            PRIVATE: {"arguments": '{"a":'},
        },
    ]


@pytest.mark.parametrize(
    "value",
    [
        "hi",
        {"content": "hi"},
        {"role": "assistant", "content": "hi", "note": "of the program's own"},
        {"role": "assistant", "content": [text("hi")]},
        [text("hi")],
        Reply([text("hi")]),
    ],
)
def test_a_reply_may_be_a_text_a_message_or_blocks(value: object):
    assert read_reply(value) == Reply([text("hi")])


def test_fields_of_the_message_that_openai_added_are_kept_and_only_those_it_takes_back_are_sent():
    message = {"role": "assistant", "content": None, "refusal": "No.", "new_field": {"a": 1}}
    reply = read_reply({"choices": [{"message": message}]})
    assert reply.blocks == [
        {**text("No."), PRIVATE: {"provider": "openai", "refusal": True}},
        {
            "type": "provider_fields",
            PRIVATE: {"provider": "openai", "fields": {"new_field": {"a": 1}}},
        },
    ]
    shown = openai_messages("", [stored("user", "q"), stored("assistant", reply.blocks)])[1]
    assert shown == {"role": "assistant", "content": None, "refusal": "No."}


def test_calls_of_other_kinds_and_with_further_fields_go_back_as_they_came():
    calls: list[Block] = [
        {"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}},
        {
            "id": "c2",
            "type": "function",
            "function": {"name": "look", "arguments": "{}"},
            "extra_content": {"signature": "x"},
        },
    ]
    reply = read_reply({"role": "assistant", "content": "", "tool_calls": calls})
    assert [b["name"] for b in reply.blocks[1:]] == ["sh", "look"]
    history = [stored("user", "q"), stored("assistant", reply.blocks)]
    assert openai_messages("", history)[1]["tool_calls"] == calls
    later = openai_messages("", [*history, stored("user", "And?")])
    assert later[1]["tool_calls"] == calls


def test_a_call_without_an_id_gets_one():
    function = {"function": {"name": "look", "arguments": {"a": 1}}}
    (block,) = read_reply({"role": "assistant", "tool_calls": [function]}).blocks
    assert block == {"type": "tool_use", "id": "call_0", "name": "look", "input": {"a": 1}}


@pytest.mark.parametrize(
    "value",
    [
        *(None, 7, b"hi", object(), {}, {"type": "error"}, {"choices": []}, [7], [{"no": "type"}]),
        *({"role": "user", "content": "hi"}, {"content": 7}, {"object": "response", "output": []}),
        *({"role": "assistant", "tool_calls": 7}, {"role": "assistant", "tool_calls": [7]}),
        [{"type": "text", "text": None}],
    ],
)
def test_anything_else_is_refused_as_a_reply(value: object):
    with pytest.raises(BadInput):
        read_reply(value)


def test_the_refusal_says_what_is_accepted():
    with pytest.raises(BadInput, match="a text, a list of content blocks, a message or completion"):
        read_reply(7)


def test_a_nonsensical_usage_does_not_cost_the_reply():
    assert read_reply(CLAUDE_REPLY | {"usage": {"input_tokens": -1}}).usage is None


# Usage


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        (None, None),
        ({}, None),
        (Usage(1, 2, 3, 4), Usage(1, 2, 3, 4)),
        ({"input": 1, "output": 2}, Usage(1, 2)),
        (
            {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 3},
            Usage(1, 2, 0, 3),
        ),
        ({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}}, Usage(5, 0, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 1}, Usage(9, 1)),
        (
            {
                "prompt_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 9},
            },
            Usage(0, 0, 4, 5),
        ),
        (anthropic.types.Usage(input_tokens=1, output_tokens=2), Usage(1, 2)),
        (
            openai.types.CompletionUsage(prompt_tokens=1, completion_tokens=2, total_tokens=3),
            Usage(1, 2),
        ),
    ],
)
def test_usage_is_read_in_every_form(value: object, usage: Usage | None):
    """A-36"""
    assert read_usage(value) == usage


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_context_of_an_openai_call_is_all_of_its_prompt(prompt: int, cached: int):
    """R-2"""
    details = {"cached_tokens": min(prompt, cached)}
    usage = read_usage({"prompt_tokens": prompt, "prompt_tokens_details": details})
    assert usage is not None
    assert usage.context == prompt


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"input_tokens": -1}, "input_tokens"),
        ({"input_tokens": 1, "output_tokens": True}, "output_tokens"),
        ({"prompt_tokens": 10**12}, "prompt_tokens"),
        ({"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}, "cached_tokens"),
        ({"input_tokens": "9"}, "input_tokens"),
        (Usage(1, -2), "output"),
        (7, "usage"),
        ({"tokens": 7}, "usage"),
    ],
)
def test_an_absurd_usage_is_refused_by_the_name_of_its_field(value: object, field: str):
    with pytest.raises(BadInput, match=field):
        read_usage(value)


# Contents


def test_user_content_is_a_text_or_blocks_of_either_form():
    address = "data:image/png;base64,AAAA"
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
    }
    assert read_content("hi") == "hi"
    assert read_content(text("hi")) == [text("hi")]
    assert read_content([{"type": "image_url", "image_url": {"url": address}}]) == [image]
    linked = read_content(
        [{"type": "image_url", "image_url": {"url": "https://x", "detail": "low"}}]
    )
    assert linked == [
        {
            "type": "image",
            "source": {"type": "url", "url": "https://x"},
            PRIVATE: {"extra": {"detail": "low"}},
        }
    ]
    part = openai_messages("", [stored("user", linked)])[0]["content"][0]
    assert part == {"type": "image_url", "image_url": {"url": "https://x", "detail": "low"}}


def test_parts_that_only_openai_understands_go_back_to_openai_alone():
    sound = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    history = [stored("user", read_content([sound]))]
    assert openai_messages("", history) == [{"role": "user", "content": [sound]}]
    word = {"type": "text", "text": UNSHOWN}
    assert anthropic_messages(history) == [{"role": "user", "content": [word]}]


@pytest.mark.parametrize("value", [None, 7, b"x", ["hi"], [{"type": "image_url"}], {"a": 1}])
def test_content_of_another_shape_is_refused(value: object):
    with pytest.raises(BadInput):
        read_content(value)


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ("42", "42"),
        ([text("42")], [text("42")]),
        (text("42"), [text("42")]),
        ({"a": [1, None], "ü": "é"}, '{"a":[1,null],"ü":"é"}'),
        ({"type": "text", "length": 3}, '{"type":"text","length":3}'),
        ({"type": "image", "url": "x"}, '{"type":"image","url":"x"}'),
        ([], "[]"),
        (None, "null"),
        ((1, 2), "[1,2]"),
    ],
)
def test_a_tool_may_give_a_text_blocks_or_any_json(value: object, output: object):
    assert tool_output(value) == output


@pytest.mark.parametrize("value", [b"x", {"a": b"x"}, {1, 2}, object()])
def test_tool_output_that_is_no_json_is_refused(value: object):
    with pytest.raises(BadInput, match="tool's output"):
        tool_output(value)


# History from elsewhere


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        ({"role": "user", "content": "hi", "id": "x"}, ("user", "hi")),
        ({"role": "assistant", "content": "hi", "at": "…"}, ("assistant", "hi")),
        ({"role": "assistant", "content": [text("hi")]}, ("assistant", [text("hi")])),
        ({"role": "developer", "content": "hi"}, ("system", "hi")),
        ({"role": "system", "content": [text("hi")]}, ("system", [text("hi")])),
        (
            {"role": "tool", "tool_call_id": "c", "content": "42"},
            ("user", [{"type": "tool_result", "tool_use_id": "c", "content": "42"}]),
        ),
        (OPENAI_MESSAGE, ("assistant", read_reply(OPENAI_MESSAGE).blocks)),
    ],
)
def test_history_entries_of_both_providers_are_read(entry: dict[str, Any], read: object):
    """R-12"""
    assert read_message(entry) == read


@pytest.mark.parametrize(
    "entry",
    [
        *({}, {"role": "robot", "content": "hi"}, {"role": "user"}, {"role": "user", "content": 7}),
        *({"role": "tool", "content": "42"}, {"role": ["user"], "content": "hi"}),
    ],
)
def test_history_entries_of_another_shape_are_refused(entry: dict[str, Any]):
    with pytest.raises(BadInput):
        read_message(entry)
