"""A streamed reply is the reply that would have come whole, whichever SDK streamed it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.messages import PRIVATE, Block
from everthread.domain.conversation.replies import Reply, Usage, read_reply
from everthread.domain.conversation.streams import Gathering

ASKED: Any = [{"role": "user", "content": "q"}]
CITED = {
    "type": "char_location",
    "cited_text": "c",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 1,
}


def started(n: int, block: Block) -> Block:
    return {"type": "content_block_start", "index": n, "content_block": block}


def delta(n: int, kind: str, **fields: Any) -> Block:
    return {"type": "content_block_delta", "index": n, "delta": {"type": kind, **fields}}


def stopped(n: int) -> Block:
    return {"type": "content_block_stop", "index": n}


CLAUDE_EVENTS: list[Block] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 40},
        },
    },
    {"type": "ping"},
    started(0, {"type": "thinking", "thinking": "", "signature": ""}),
    delta(0, "thinking_delta", thinking="h"),
    delta(0, "thinking_delta", thinking="m"),
    delta(0, "signature_delta", signature="sig"),
    stopped(0),
    started(1, {"type": "text", "text": ""}),
    delta(1, "text_delta", text="Hel"),
    delta(1, "text_delta", text="lo"),
    delta(1, "citations_delta", citation=CITED),
    stopped(1),
    started(2, {"type": "tool_use", "id": "t1", "name": "look", "input": {}}),
    delta(2, "input_json_delta", partial_json=""),
    delta(2, "input_json_delta", partial_json='{"a": [1, '),
    delta(2, "input_json_delta", partial_json="null]}"),
    stopped(2),
    started(3, {"type": "tool_use", "id": "t2", "name": "now", "input": {}}),
    stopped(3),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 25},
    },
    {"type": "message_stop"},
]
CLAUDE_REPLY = Reply(
    [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "Hello", "citations": [CITED]},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": [1, None]}},
        {"type": "tool_use", "id": "t2", "name": "now", "input": {}},
    ],
    Usage(3, 25, cache_read=40),
    "claude-x",
    "tool_use",
    "msg_1",
)


def chunk(delta: Block | None = None, *, finish: str | None = None, **more: Any) -> Block:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}] if delta is not None else []
    head = {"id": "cc_1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x"}
    return {**head, "choices": choices, **more}


def call_piece(n: int, arguments: str, **more: Any) -> Block:
    named = {"name": more.pop("name")} if "name" in more else {}
    return {"index": n, "function": {"arguments": arguments, **named}, **more}


OPENAI_CHUNKS: list[Block] = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Hel"}),
    chunk({"content": "lo"}),
    chunk({"tool_calls": [call_piece(0, "", id="c1", type="function", name="look")]}),
    chunk({"tool_calls": [call_piece(0, '{"a"')]}),
    chunk({"tool_calls": [call_piece(1, "{}", id="c2", type="function", name="now")]}),
    chunk({"tool_calls": [call_piece(0, ": 1}")]}),
    chunk({}, finish="tool_calls"),
    chunk(usage={"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}),
]
OPENAI_REPLY = Reply(
    [
        {"type": "text", "text": "Hello"},
        {
            "type": "tool_use",
            "id": "c1",
            "name": "look",
            "input": {"a": 1},
            PRIVATE: {"arguments": '{"a": 1}'},
        },
        {"type": "tool_use", "id": "c2", "name": "now", "input": {}},
    ],
    Usage(9, 5),
    "gpt-x",
    "tool_calls",
    "cc_1",
)


def http(lines: Iterable[str]) -> httpx2.Client:
    body = "".join(f"{line}\n\n" for line in lines)
    kind = {"content-type": "text/event-stream"}
    answer = httpx2.Response(200, headers=kind, content=body.encode())
    return httpx2.Client(transport=httpx2.MockTransport(lambda _: answer))


def claude() -> anthropic.Anthropic:
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}" for event in CLAUDE_EVENTS)
    return anthropic.Anthropic(api_key="test", http_client=http(lines))


def gpt() -> openai.OpenAI:
    lines = (f"data: {json.dumps(chunk)}" for chunk in OPENAI_CHUNKS)
    return openai.OpenAI(api_key="test", http_client=http([*lines, "data: [DONE]"]))


def gathered(events: Iterable[object]) -> Gathering:
    gathering = Gathering()
    for event in events:
        gathering.feed(event)
    return gathering


def test_raw_events_of_the_anthropic_sdk_make_the_whole_reply():
    events = claude().messages.create(model="claude-x", max_tokens=9, messages=ASKED, stream=True)
    assert gathered(events).reply() == CLAUDE_REPLY


def test_the_anthropic_helper_counts_nothing_twice():
    with claude().messages.stream(model="claude-x", max_tokens=9, messages=ASKED) as stream:
        events = [*stream]
        final = stream.get_final_message()
    assert {"text", "thinking", "signature", "citation", "input_json"} <= {e.type for e in events}
    assert gathered(events).reply() == CLAUDE_REPLY == read_reply(final)


def test_chunks_of_the_openai_sdk_make_the_whole_reply():
    options: Any = {"include_usage": True}
    chunks = gpt().chat.completions.create(
        model="gpt-x", messages=ASKED, stream=True, stream_options=options
    )
    assert gathered(chunks).reply() == OPENAI_REPLY


def test_the_openai_helper_counts_nothing_twice():
    with gpt().chat.completions.stream(model="gpt-x", messages=ASKED) as stream:
        events = [*stream]
    assert {"chunk", "content.delta"} <= {event.type for event in events}
    assert gathered(events).reply() == OPENAI_REPLY


@pytest.mark.parametrize(
    ("events", "reply"), [(CLAUDE_EVENTS, CLAUDE_REPLY), (OPENAI_CHUNKS, OPENAI_REPLY)]
)
def test_events_may_be_dicts_and_unknown_ones_are_ignored(events: list[Block], reply: Reply):
    noise: list[object] = [None, 7, "data", {"type": "brand_new"}, {}, object()]
    mixed = [item for event in events for item in (event, *noise)]
    gathering = gathered(mixed)
    assert gathering.reply() == reply
    assert gathering.complete
    assert gathering.partial_text == "Hello"


@pytest.mark.parametrize("events", [CLAUDE_EVENTS, OPENAI_CHUNKS])
def test_feeding_leaves_the_events_as_they_were(events: list[Block]):
    before = json.dumps(events)
    gathered(events)
    assert json.dumps(events) == before


@settings(deadline=None)
@given(st.sampled_from([CLAUDE_EVENTS, OPENAI_CHUNKS]), st.data())
def test_a_stream_that_breaks_off_leaves_what_came(events: list[Block], data: st.DataObject):
    gathering = gathered(events[: data.draw(st.integers(0, len(events) - 3))])
    assert not gathering.complete
    assert "Hello".startswith(gathering.partial_text)
    texts = [b["text"] for b in gathering.reply().blocks if b["type"] == "text"]
    assert "".join(texts) == gathering.partial_text


def test_arguments_that_break_off_are_kept_as_they_came():
    block = gathered(CLAUDE_EVENTS[:15]).reply().blocks[-1]
    assert block["input"] == {}
    assert block[PRIVATE] == {"arguments": '{"a": [1, '}


def test_refusals_and_fields_beside_the_words_are_gathered_too():
    pieces = [
        chunk({"refusal": "I "}),
        chunk({"refusal": "won't", "reasoning_content": "h"}),
        chunk({"reasoning_content": "m", "audio": {"id": "a", "data": "AA"}}),
        chunk({"audio": {"data": "BB"}}, finish="stop"),
    ]
    fields = {"reasoning_content": "hm", "audio": {"id": "a", "data": "AABB"}}
    refusal, block = gathered(pieces).reply().blocks
    assert block[PRIVATE] == {"provider": "openai", "fields": fields}
    assert refusal["text"] == "I won't" == gathered(pieces[:2]).partial_text


def test_only_the_first_choice_counts():
    other = {"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}
    gathering = gathered([chunk({"content": "one"}), {**chunk(), "choices": [other]}])
    assert gathering.partial_text == "one"
    assert not gathering.complete


def test_calls_without_numbers_are_counted_as_they_come():
    pieces = [call_piece(0, "{}", id=f"c{n}", name="look") | {"index": None} for n in range(2)]
    blocks = gathered([chunk({"tool_calls": pieces}, finish="tool_calls")]).reply().blocks
    assert [block["id"] for block in blocks] == ["c0", "c1"]


# Kinds of deltas that are new


def grown(block: Block, *deltas: Block) -> Block:
    gathering = Gathering()
    for event in (CLAUDE_EVENTS[0], started(0, block), *deltas, stopped(0)):
        gathering.feed(event)
    return gathering.reply().blocks[0]


def test_a_compaction_keeps_what_it_says():
    whole = grown(
        {"type": "compaction", "content": None},
        delta(0, "compaction_delta", content="What was ", encrypted_content=None),
        delta(0, "compaction_delta", content="said.", encrypted_content="c2VhbGVk"),
    )
    said = {"type": "compaction", "content": "What was said.", "encrypted_content": "c2VhbGVk"}
    assert whole == said


@pytest.mark.parametrize(
    ("block", "fields", "whole"),
    [
        ({"waves": "ab"}, {"waves": "c"}, {"waves": "abc"}),
        ({"waves": [1]}, {"waves": [2]}, {"waves": [1, 2]}),
        ({"waves": 1}, {"waves": 2}, {"waves": 2}),
        ({}, {"waves": {"a": 1}}, {"waves": {"a": 1}}),
        ({"waves": "ab"}, {"waves": None}, {"waves": "ab"}),
    ],
)
def test_a_delta_of_a_new_kind_grows_the_fields_of_its_name(
    block: Block, fields: Block, whole: Block
):
    shown = grown({"type": "hologram", **block}, delta(0, "hologram_delta", **fields))
    assert shown == {"type": "hologram", **whole}


def test_a_delta_that_fits_no_field_leaves_a_trace():
    odd = delta(0, "hologram_delta", waves=[2])
    shown = grown({"type": "hologram", "waves": "ab"}, odd, odd)
    kept = {PRIVATE: {"deltas": [odd["delta"], odd["delta"]]}}
    assert shown == {"type": "hologram", "waves": "ab", **kept}
