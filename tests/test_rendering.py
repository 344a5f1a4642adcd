"""The rendered history is legal at any moment, and its beginning stays as it was."""

from __future__ import annotations

import json
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.conversation.flow import EARLIER, OPENING, UNANSWERED
from everthread.domain.conversation.messages import PRIVATE, Block, Message, content_column
from everthread.domain.conversation.rendering import (
    FROM_TOOL,
    UNSHOWN,
    anthropic_messages,
    anthropic_tools,
    open_calls,
    openai_messages,
    openai_tools,
)
from support.chance import few
from support.legality import anthropic_problems, openai_problems

TOOL = {"name": "look", "input_schema": {"type": "object"}}
FUNCTION = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
PIXEL = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


def stored(role: str, content: str | list[Block], *, kind: str = "said", name: str | None = None):
    form, column = content_column(content)
    fields: dict[str, Any] = dict.fromkeys(Message._fields, 0)
    fields |= {"role": role, "kind": kind, "form": form, "content": column, "name": name}
    return Message(**fields)


def user(content: str | list[Block], **more: Any) -> Message:
    return stored("user", content, **more)


def agent(content: str | list[Block], **more: Any) -> Message:
    return stored("assistant", content, **more)


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def call(identity: str, **more: Any) -> Block:
    return {"type": "tool_use", "id": identity, "name": "look", "input": {}, **more}


def result(name: str, content: Any = "found", **more: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def thought(signature: str | None = "s") -> Block:
    return {"type": "thinking", "thinking": "hm", "signature": signature}


def unanswered(name: str) -> Block:
    return result(name, UNANSWERED, is_error=True)


def told(*rendered: tuple[str, list[Block]]) -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for role, content in rendered]


def claude_body(messages: list[Message]) -> dict[str, Any]:
    rendered = anthropic_messages(messages)
    return {"model": "m", "max_tokens": 9, "tools": [TOOL], "messages": rendered}


def openai_body(messages: list[Message]) -> dict[str, Any]:
    return {"model": "m", "tools": [FUNCTION], "messages": openai_messages("Be kind.", messages)}


# Roles


def test_neighbours_of_one_role_become_one_message():
    """R-6"""
    history = [user("a"), user("b"), agent("c"), agent("d"), user("e")]
    assert anthropic_messages(history) == told(
        ("user", [text("a"), text("b")]),
        ("assistant", [text("c"), text("d")]),
        ("user", [text("e")]),
    )


def test_a_history_that_begins_with_the_assistant_is_opened_by_a_fixed_text():
    """LD-3"""
    assert anthropic_messages([agent("hi")])[0] == told(("user", [text(OPENING)]))[0]
    assert openai_messages("", [agent("hi")])[0] == {"role": "user", "content": OPENING}


def test_a_summary_opens_the_history_as_the_users_words():
    """X-13, LD-3, LA-9"""
    summary = agent("Conversation Summary (Distillation #1)", kind="summary")
    assert anthropic_messages([summary, agent("go on")])[0]["role"] == "user"
    assert OPENING not in json.dumps(anthropic_messages([summary, agent("go on")]))


def test_system_messages_are_told_by_the_user_and_markers_and_notices_not_at_all():
    """LD-11: no role reaches the provider that it does not know."""
    history = [user("a"), stored("system", "now b"), user("x", kind="marker"), agent("c")]
    history.append(user("y", kind="notice"))
    expected = told(("user", [text("a"), text("now b")]), ("assistant", [text("c")]))
    assert anthropic_messages(history) == expected


def test_blank_texts_and_messages_with_nothing_left_are_dropped():
    history = [user([text(" \n"), text("a")]), agent(""), agent([thought(None)]), user("b")]
    assert anthropic_messages(history) == told(("user", [text("a"), text("b")]))


def test_the_end_of_a_final_assistant_message_is_trimmed_but_no_other():
    assert anthropic_messages([user("a "), agent("b \n")])[-1]["content"] == [text("b")]
    assert anthropic_messages([user("a"), agent("b "), user("c")])[1]["content"] == [text("b ")]


def test_nothing_said_renders_to_nothing():
    assert anthropic_messages([]) == []
    assert openai_messages("", [user(" ")]) == []


# Tool calls


def test_a_result_stored_later_is_pulled_to_its_call_and_stands_first():
    """R-44"""
    history = [user("a"), agent([call("t")]), user("wait"), agent("sure"), user([result("t")])]
    assert anthropic_messages(history) == told(
        ("user", [text("a")]),
        ("assistant", [call("t")]),
        ("user", [result("t"), text("wait")]),
        ("assistant", [text("sure")]),
    )


def test_a_call_that_never_got_its_result_is_answered_by_a_fixed_error():
    history = [user("a"), agent([call("t"), call("u")]), user([result("u")]), user("b")]
    answers = anthropic_messages(history)[2]["content"]
    assert answers == [unanswered("t"), result("u"), text("b")]
    assert openai_messages("", history)[2]["content"] == UNANSWERED


def test_open_calls_at_the_very_end_are_answered_too():
    assert anthropic_messages([user("a"), agent([call("t")])])[-1]["content"] == [unanswered("t")]


def test_a_result_whose_call_is_out_of_sight_becomes_text():
    history = [user([result("gone", [text("42"), {"type": "image", "source": PIXEL}])]), agent("b")]
    expected = [text(f"{EARLIER}\n42"), {"type": "image", "source": PIXEL}]
    assert anthropic_messages(history)[0]["content"] == expected
    assert openai_messages("", history)[0]["content"][0] == text(f"{EARLIER}\n42")


def test_the_first_of_two_results_counts_and_the_second_becomes_text():
    history = [
        user("a"),
        agent([call("t")]),
        user([result("t", "one")]),
        user([result("t", "two")]),
    ]
    answers = anthropic_messages(history)[-1]["content"]
    assert answers == [result("t", "one"), text(f"{EARLIER}\ntwo")]


def test_ids_that_a_model_uses_again_are_numbered_together_with_their_results():
    history = [user("a")]
    for n in range(3):
        history += [agent([call("call_0")]), user([result("call_0", str(n))])]
    history += [agent([call("call_0-2")]), user("b")]
    rendered = anthropic_messages(history)
    calls = [m["content"][0]["id"] for m in rendered if m["role"] == "assistant"]
    assert calls == ["call_0", "call_0-2", "call_0-3", "call_0-2-2"]
    answers = [(m["content"][0]["tool_use_id"], m["content"][0]["content"]) for m in rendered[2::2]]
    assert answers == [*zip(calls, ["0", "1", "2", UNANSWERED], strict=True)]


def test_a_result_answers_the_newest_call_of_its_id():
    history = [user("a"), agent([call("c")]), user("b"), agent([call("c")]), user([result("c")])]
    rendered = anthropic_messages(history)
    assert rendered[2]["content"] == [unanswered("c"), text("b")]
    assert rendered[4]["content"] == [result("c-2")]


def test_ids_and_tool_names_of_other_models_are_made_to_fit():
    odd = call("functions.look:0", name="ns.look") | {"input": None}
    shown = anthropic_messages([user("a"), agent([odd])])[1]["content"][0]
    assert shown == call("functions_look_0", name="ns_look")
    long = openai_messages("", [user("a"), agent([call("x" * 50)])])
    assert long[1]["tool_calls"][0]["id"] == long[2]["tool_call_id"] == "x" * 40


def test_open_calls_are_named_in_order():
    history = [agent([call("a"), call("b")]), user([result("a")]), agent([call("a")])]
    assert open_calls(history) == ["b", "a"]
    assert open_calls([*history, user([result("b"), result("a")])]) == []


def test_a_call_the_provider_still_works_on_stays_until_the_user_speaks():
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    history = [user("a"), agent([text("b"), search])]
    assert anthropic_messages(history)[-1]["content"] == [text("b"), search]
    assert anthropic_messages([*history, user("c")])[1]["content"] == [text("b")]
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    assert anthropic_messages([*history, agent([found]), user("c")])[1]["content"][1:] == [
        search,
        found,
    ]
    assert anthropic_messages([user("a"), agent([found, text("b")])])[1]["content"] == [text("b")]


# What a block carries


def test_signed_thinking_stays_untouched_and_unsigned_thinking_is_dropped():
    """R-49"""
    history = [
        user("a"),
        agent([thought(), text("b")]),
        user("c"),
        agent([thought(None), text("d")]),
    ]
    rendered = anthropic_messages(history)
    assert rendered[1]["content"] == [thought(), text("b")]
    assert rendered[3]["content"] == [text("d")]


def test_thinking_of_a_merged_neighbour_is_dropped_and_of_one_reply_stays_in_its_place():
    both = [
        user("a"),
        agent([thought(), text("b"), thought(), text("c")]),
        agent([thought(), text("d")]),
    ]
    blocks = anthropic_messages(both)[1]["content"]
    assert blocks == [thought(), text("b"), thought(), text("c"), text("d")]
    cut_off = [user("a"), agent([thought()]), user("b")]
    assert anthropic_messages(cut_off) == told(("user", [text("a"), text("b")]))


def test_private_fields_marks_and_nulls_stay_at_home_also_inside_results():
    inner = text("x") | {
        PRIVATE: {"a": 1},
        "cache_control": {"type": "ephemeral"},
        "citations": None,
    }
    data = {PRIVATE: "the tool's own", "none": None}
    history = [
        user([inner]),
        agent([call("t", input=data, caller=None, **{PRIVATE: {"arguments": "{ }"}})]),
        user([result("t", [inner, text(" ")])]),
    ]
    assert anthropic_messages(history) == told(
        ("user", [text("x")]),
        ("assistant", [call("t", input=data)]),
        ("user", [result("t", [text("x")])]),
    )


def test_unknown_blocks_stay_untouched_unless_another_provider_made_them():
    new = {"type": "brand_new", "deep": {"null": None}, "null": None}
    foreign = {"type": "input_audio", "input_audio": {}, PRIVATE: {"provider": "openai"}}
    assert anthropic_messages([user([new, foreign])]) == told(("user", [new, text(UNSHOWN)]))


def test_a_null_file_in_a_citation_is_left_out_and_a_null_title_stays():
    cited = text("a") | {"citations": [{"type": "char_location", "file_id": None, "title": None}]}
    shown = anthropic_messages([user("q"), agent([cited]), user("b")])[1]["content"][0]
    assert shown["citations"] == [{"type": "char_location", "title": None}]


def test_the_name_of_a_speaker_goes_before_the_first_words():
    history = [user([{"type": "image", "source": PIXEL}, text("look")], name="Mel"), user("hm")]
    blocks = anthropic_messages(history)[0]["content"]
    assert blocks == [{"type": "image", "source": PIXEL}, text("Mel: look"), text("hm")]
    wordless = anthropic_messages([user([{"type": "image", "source": PIXEL}], name="Mel")])
    assert wordless[0]["content"][0] == text("Mel:")


def test_an_image_format_that_claude_refuses_is_named_instead():
    drawing = {"type": "image", "source": PIXEL | {"media_type": "image/svg+xml"}}
    assert anthropic_messages([user([drawing])]) == told(("user", [text(UNSHOWN)]))


# OpenAI


def test_openai_gets_calls_results_and_pictures_in_its_own_shape():
    raw = call("t", input={"a": "ü"}) | {PRIVATE: {"arguments": '{ "a": "ü" }'}}
    history = [
        user([text("a"), {"type": "image", "source": PIXEL}]),
        agent([thought(), text("b"), raw, call("u", input={"a": 1})]),
        user(
            [result("t", [text("x"), {"type": "image", "source": PIXEL}]), result("u"), text("c")]
        ),
    ]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    written_as = {"t": '{ "a": "ü" }', "u": '{"a":1}'}
    assert openai_messages([text("Be"), text("kind.")], history) == [
        {"role": "system", "content": "Be\nkind."},
        {"role": "user", "content": [text("a"), picture]},
        {
            "role": "assistant",
            "content": "b",
            "tool_calls": [
                {"id": i, "type": "function", "function": {"name": "look", "arguments": a}}
                for i, a in written_as.items()
            ],
        },
        {"role": "tool", "tool_call_id": "t", "content": "x"},
        {"role": "tool", "tool_call_id": "u", "content": "found"},
        {"role": "user", "content": [text(FROM_TOOL), picture, text("c")]},
    ]


def test_fields_that_only_openai_knows_go_back_to_openai_alone():
    """R-49"""
    fields = {"refusal": "No.", "audio": {"id": "a1", "data": "…"}}
    block = {"type": "provider_fields", PRIVATE: {"provider": "openai", "fields": fields}}
    history = [user("a"), agent([block]), user("b")]
    expected = {"role": "assistant", "content": None, "refusal": "No.", "audio": {"id": "a1"}}
    assert openai_messages("", history)[1] == expected
    assert anthropic_messages(history) == told(("user", [text("a"), text("b")]))


def test_thoughts_before_a_call_stay_with_it_when_the_user_has_spoken():
    """R-7"""
    thoughts = {"reasoning_content": "Hm.", "reasoning_details": [1]}
    block = {"type": "provider_fields", PRIVATE: {"provider": "openai", "fields": thoughts}}
    signed = {**call("c"), PRIVATE: {"extra": {"extra_content": {"signature": "s"}}}}
    loop = [user("a"), agent([signed, block]), user([result("c")])]
    sent = openai_messages("", loop)
    assert sent[1]["tool_calls"][0]["extra_content"] == {"signature": "s"}
    assert {name: sent[1][name] for name in thoughts} == thoughts
    later = openai_messages("", [*loop, agent([text("b"), block]), user("c")])
    assert later[: len(sent)] == sent
    assert later[3] == {"role": "assistant", "content": "b"}


def test_openai_takes_plain_names_as_a_field_and_others_before_the_words():
    history = [user("a", name="Mel"), user("b", name="Dr. Who"), user("c", name="Mel")]
    assert openai_messages("", history) == [
        {"role": "user", "content": "a", "name": "Mel"},
        {"role": "user", "content": "Dr. Who: b"},
        {"role": "user", "content": "c", "name": "Mel"},
    ]


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ({"type": "text", "data": "words"}, text("words")),
        ({"type": "url", "url": "https://x"}, text(UNSHOWN)),
    ],
)
def test_documents_reach_openai_as_far_as_it_can_read_them(source: Block, part: Block):
    shown = openai_messages("", [user([{"type": "document", "source": source}, text("?")])])
    assert shown[0]["content"][0] == part


# Tool definitions


def test_tool_definitions_are_converted_both_ways_and_left_alone_when_right():
    search = {"type": "web_search_20250305", "name": "web_search"}
    assert anthropic_tools([FUNCTION, TOOL, search]) == [TOOL, TOOL, search]
    assert openai_tools([FUNCTION, TOOL, search]) == [FUNCTION, FUNCTION]
    strict = {"type": "function", "function": {"name": "f", "strict": True, "description": "F."}}
    made = {"name": "f", "description": "F.", "strict": True}
    empty = {"input_schema": {"type": "object", "properties": {}}}
    assert anthropic_tools([strict]) == [made | empty]
    assert anthropic_tools([{"type": "custom", "custom": {"name": "sh"}}]) == []


# Any history

IDS = st.sampled_from(["c", "c-2", "d", "a:b"])
SHOWN = st.sampled_from([text("x"), text(" "), {"type": "image", "source": PIXEL}])
BLOCKS = st.one_of(
    SHOWN,
    IDS.map(call),
    st.builds(result, IDS, st.one_of(st.just("r"), st.lists(SHOWN, max_size=2), st.none())),
    IDS.map(lambda i: {"type": "server_tool_use", "id": i, "name": "web_search", "input": {}}),
    IDS.map(lambda i: {"type": "web_search_tool_result", "tool_use_id": i, "content": []}),
    st.just(
        {"type": "provider_fields", PRIVATE: {"provider": "openai", "fields": {"refusal": "x"}}}
    ),
)
THOUGHTS = st.lists(st.sampled_from([thought(), thought(None)]), max_size=1)
MESSAGES = st.builds(
    lambda role, kind, name, head, rest: stored(role, [*head, *rest], kind=kind, name=name),
    st.sampled_from(["user", "assistant", "assistant", "system"]),
    st.sampled_from(["said", "said", "said", "summary", "marker"]),
    st.sampled_from([None, None, "Mel", "Dr. Who"]),
    THOUGHTS,
    st.lists(BLOCKS, max_size=4),
)


@pytest.mark.slow
@settings(max_examples=few(300), deadline=None)
@given(st.lists(MESSAGES, max_size=8))
def test_any_history_at_all_is_legal_for_both_providers(history: list[Message]):
    """LD-3, R-6"""
    asked = [*history, user("and now?")]
    assert anthropic_problems(claude_body(asked)) == []
    assert openai_problems(openai_body(asked)) == []


# Turns as they happen: replies, tool loops, failures at every point

REPLIES = st.sampled_from(["fine", "fine \n", [thought(), text("fine")], []])
ROUNDS = st.lists(st.integers(1, 2), max_size=3)
TURNS = st.lists(
    st.tuples(st.sampled_from([None, "Mel", "Dr. Who"]), ROUNDS, REPLIES, st.integers(0, 9)),
    min_size=2,
    max_size=5,
)


def turn_steps(name: str | None, rounds: list[int], reply: Any, calls: count[int]):
    """The messages of one turn in batches; a request is sent before every batch but the first."""
    yield [user(f"question {next(calls)} ", name=name)]
    for width in rounds:
        ids = [f"call_{n}" for n in range(width)]
        head = [thought(), text(f"round {next(calls)}")]
        yield [agent([*head, *map(call, ids)]), *(user([result(i)]) for i in ids)]
    yield [agent(reply)]


def requests_of(turns: list[Any], render: Any) -> list[list[Block]]:
    history: list[Message] = []
    sent: list[list[Block]] = []
    calls = count()
    for name, rounds, reply, failing in turns:
        for step, batch in enumerate(turn_steps(name, rounds, reply, calls)):
            if step > failing:
                # The turn fails after the model called, before all its tools have answered.
                history += batch[: max(1, len(batch) - 1)] if len(batch) > 1 else []
                break
            history += batch
            if step <= len(rounds):
                sent.append(render(history))
    return sent


def listed(message: Block) -> Block:
    content = message["content"]
    return message | {"content": [text(content)] if isinstance(content, str) else content}


def begins_with(longer: list[Block], shorter: list[Block]) -> bool:
    *whole, last = map(listed, shorter)
    grown = listed(longer[len(whole)])
    grown["content"] = grown["content"][: len(last["content"])]
    start = [*map(listed, longer[: len(whole)]), grown]
    return json.dumps(start) == json.dumps([*whole, last])


@pytest.mark.slow
@settings(max_examples=few(200), deadline=None)
@given(TURNS)
def test_every_request_begins_with_the_request_before_it(turns: list[Any]):
    """R-7"""
    for render in (anthropic_messages, lambda history: openai_messages("Be kind.", history)):
        for earlier, later in pairwise(requests_of(turns, render)):
            assert begins_with(later, earlier)


@pytest.mark.slow
@settings(max_examples=few(100), deadline=None)
@given(TURNS)
def test_every_request_of_every_turn_is_legal(turns: list[Any]):
    """R-6, LD-3"""
    assert not any(map(anthropic_problems, requests_of(turns, claude_body)))
    assert not any(map(openai_problems, requests_of(turns, openai_body)))
