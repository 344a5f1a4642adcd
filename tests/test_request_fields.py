"""Everything is stored as it came; of it, a request holds only what its API takes.

One field or one kind too many, and the API refuses the request, and every later one of the thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydantic
import pytest
from openai.types.responses import ResponseOutputMessage

import everthread
from everthread import Agent, Turn
from everthread.domain.conversation.rendering import UNSHOWN
from everthread.domain.errors import BadInput, BlockInvalid
from support.legality import anthropic_problems, openai_problems
from support.model_clients import TOOL, gpt, text
from support.model_server import ModelServer

pytestmark = pytest.mark.req("R-42", "R-49", "LD-3")

Json = dict[str, Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
PICTURE: Json = {"type": "base64", "media_type": "image/png", "data": PNG}
LOOK: Json = {"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada", tools=[TOOL])


def problems(turn: Turn) -> list[str]:
    claude: Json = {"model": "m", "max_tokens": 9, "messages": turn.messages, "tools": turn.tools}
    return anthropic_problems(claude) + openai_problems({"model": "m", **turn.openai()})


def completion(**message: Any) -> Json:
    said = {"role": "assistant", "content": "Yes.", **message}
    return {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": said}]}


def calling(**more: Any) -> Json:
    return {
        "id": "z",
        "type": "function",
        "function": {"name": "look_up", "arguments": "{}"},
        **more,
    }


# Replies of Chat Completions and of servers like it


@pytest.mark.parametrize(
    "field",
    [
        {"parsed": {"x": 1}},
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text"}]},
        {"context": {"citations": []}},
        {"executed_tools": [{"index": 0}]},
        {"annotations": [{"type": "url_citation"}]},
        {"next_years_field": {"a": 1}},
        {"audio": {"data": "AA"}},
        {"function_call": "look_up"},
    ],
)
def test_what_the_api_does_not_take_back_is_kept_and_not_sent(ada: Agent, field: Json) -> None:
    ada.turn("Is it?").done(completion(**field))
    kept = ada.messages()[-1].blocks[-1]["everthread"]["fields"]
    assert kept == field
    turn = ada.turn("Why?")
    assert turn.openai()["messages"][1] == {"role": "assistant", "content": "Yes."}
    assert problems(turn) == []


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"refusal": "No."}, {"refusal": "No."}),
        ({"audio": {"id": "a", "data": "AA", "transcript": "Yes."}}, {"audio": {"id": "a"}}),
        (
            {"function_call": {"name": "look_up", "arguments": "{}"}},
            {"function_call": {"name": "look_up", "arguments": "{}"}},
        ),
    ],
)
def test_what_the_api_takes_back_goes_back(ada: Agent, given: Json, sent: Json) -> None:
    ada.turn("Is it?").done(completion(**given))
    turn = ada.turn("Why?")
    assert turn.openai()["messages"][1] == {"role": "assistant", "content": "Yes.", **sent}
    assert problems(turn) == []


class Answer(pydantic.BaseModel):
    x: int


def answered(client: Any, turn: Turn, **more: Any) -> Any:
    ask = client.chat.completions.parse if more else client.chat.completions.create
    return ask(model="m", **turn.openai(), **more)


def test_a_parsed_completion_is_sent_back_through_the_sdk() -> None:
    with (
        everthread.connect("memory://", background=False) as et,
        ModelServer(['{"x": 1}', "Again."]) as server,
        gpt(server) as client,
    ):
        ada = et.agent("ada")
        with ada.turn("A number?") as turn:
            turn.done(answered(client, turn, response_format=Answer))
        with ada.turn("Again?") as turn:
            turn.done(answered(client, turn))
        assert ada.messages()[1].blocks[-1]["everthread"]["fields"]["parsed"] == {"x": 1}
        assert ada.messages()[-1].text == "Again."


SIGNED: Json = {"extra_content": {"google": {"thought_signature": "s"}}}


@pytest.mark.parametrize(
    "thoughts",
    [
        {},
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"reasoning_details": [{"type": "reasoning.text"}]},
    ],
)
def test_what_belongs_to_a_call_goes_back_with_it_in_every_turn(ada: Agent, thoughts: Json) -> None:
    """Gemini refuses a call whose signature is missing, DeepSeek and Moonshot one without its thoughts."""
    turn = ada.turn("Look it up.")
    turn.add(completion(content=None, tool_calls=[calling(**SIGNED)], **thoughts))
    turn.tool_result("z", "found")
    called = {
        "role": "assistant",
        "content": None,
        **thoughts,
        "tool_calls": [calling(**SIGNED)],
    }
    assert turn.openai()["messages"][1] == called
    for answer, words in (("Here.", "Thanks."), ("Welcome.", "And now?")):
        before = turn.openai()["messages"]
        turn.done(answer)
        turn = ada.turn(words)
        sent = turn.openai()["messages"]
        assert sent[1] == called
        assert sent[: len(before)] == before
        assert {"thought_signature", *thoughts}.isdisjoint(str(turn.messages).split("'"))


def test_of_a_message_with_calls_too_the_rest_is_kept_and_not_sent(ada: Agent) -> None:
    turn = ada.turn("Look it up.")
    turn.add(completion(tool_calls=[calling()], context={"citations": []}, parsed={"x": 1}))
    turn.tool_result("z", "found").done(completion(reasoning_content="Done then."))
    later = ada.turn("Thanks.")
    called = {"role": "assistant", "content": "Yes.", "tool_calls": [calling()]}
    assert later.openai()["messages"][1] == called
    assert later.openai()["messages"][3] == {"role": "assistant", "content": "Yes."}
    assert problems(later) == []


def test_thoughts_without_a_call_are_not_sent_back_within_a_turn_either(ada: Agent) -> None:
    turn = ada.turn("Is it?").add(completion(reasoning_content="Hm."))
    assert turn.openai()["messages"][1] == {"role": "assistant", "content": "Yes."}


# Content of the Responses API


def test_content_of_the_responses_api_is_words_for_both(ada: Agent) -> None:
    asked = [{"type": "input_text", "text": "My code is 4711."}]
    said: list[Json] = [{"type": "output_text", "text": "I keep it.", "annotations": []}]
    turn = ada.turn(asked)
    assert turn.messages == [{"role": "user", "content": [text("My code is 4711.")]}]
    assert turn.openai()["messages"] == [{"role": "user", "content": "My code is 4711."}]
    assert ada.messages()[0].tokens < 12
    turn.done({"role": "assistant", "content": said})
    assert [m.blocks for m in ada.messages()] == [asked, said]
    assert [m.text for m in ada.messages()] == ["My code is 4711.", "I keep it."]
    later = ada.turn("Which code?")
    assert later.messages[1] == {"role": "assistant", "content": [text("I keep it.")]}
    assert later.openai()["messages"][1] == {"role": "assistant", "content": "I keep it."}
    assert problems(later) == []


def test_content_of_the_responses_api_that_is_recorded_reads_the_same_and_is_found(
    ada: Agent,
) -> None:
    ada.record([
        {"role": "user", "content": [{"type": "input_text", "text": "The ferry leaves at 7:40."}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I note it."}]},
    ])  # fmt: skip
    assert [m.text for m in ada.messages()] == ["The ferry leaves at 7:40.", "I note it."]
    assert "7:40" in ada.recall("when does the ferry leave?")[0].text
    turn = ada.turn("Thanks.")
    assert problems(turn) == []
    assert turn.openai()["messages"][:2] == [
        {"role": "user", "content": "The ferry leaves at 7:40."},
        {"role": "assistant", "content": "I note it."},
    ]


def test_a_message_of_the_responses_sdk_is_a_reply(ada: Agent) -> None:
    part: Json = {"type": "output_text", "text": "Hello there.", "annotations": []}
    message = ResponseOutputMessage.model_validate({
        "type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part],
    })  # fmt: skip
    ada.turn("Hello.").done(message)
    assert ada.messages()[-1].text == "Hello there."
    assert problems(ada.turn("Next.")) == []


@pytest.mark.parametrize(
    ("address", "source"),
    [
        (f"data:image/png;base64,{PNG}", PICTURE),
        ("https://example.com/a.png", {"type": "url", "url": "https://example.com/a.png"}),
    ],
)
def test_a_picture_of_the_responses_api_is_a_picture_for_both(
    ada: Agent, address: str, source: Json
) -> None:
    turn = ada.turn([{"type": "input_image", "image_url": address, "detail": "low"}])
    assert turn.messages[0]["content"] == [{"type": "image", "source": source}]
    shown = {"type": "image_url", "image_url": {"url": address, "detail": "low"}}
    assert turn.openai()["messages"][0]["content"] == [shown]
    assert problems(turn) == []


def test_a_file_of_the_responses_api_is_a_file_for_openai(ada: Agent) -> None:
    turn = ada.turn([{"type": "input_file", "file_id": "f1", "detail": "high"}])
    assert turn.openai()["messages"][0]["content"] == [{"type": "file", "file": {"file_id": "f1"}}]
    assert turn.messages[0]["content"] == [text(UNSHOWN)]


def test_a_blank_or_wrong_text_of_that_api_is_refused_as_any_other(ada: Agent) -> None:
    with pytest.raises(BadInput, match="the content is empty"):
        ada.turn([{"type": "input_text", "text": " "}])
    with pytest.raises(BlockInvalid, match="'input_text' needs 'text'"):
        ada.turn([{"type": "input_text", "content": "x"}])


@pytest.mark.parametrize(
    "block",
    [
        {"type": "video", "source": {"type": "x"}},
        {"type": "input_image", "file_id": "f1"},
        {"type": "input_file", "file_url": "https://example.com/a.pdf"},
        {"type": "image_file", "image_file": {"file_id": "f1"}},
    ],
)
def test_what_neither_takes_never_vanishes_from_a_request(ada: Agent, block: Json) -> None:
    turn = ada.turn([block])
    assert turn.messages == [{"role": "user", "content": [text(UNSHOWN)]}]
    assert turn.openai()["messages"] == [{"role": "user", "content": UNSHOWN}]
    turn.done("I cannot see it.")
    assert ada.messages()[0].blocks == [block]
    assert problems(ada.turn("A pity.")) == []


def test_a_kind_that_anthropic_added_lately_goes_there_and_is_told_to_openai(ada: Agent) -> None:
    new = {"type": "hologram", "waves": [1, 2]}
    turn = ada.turn([new])
    assert turn.messages == [{"role": "user", "content": [new]}]
    assert turn.openai()["messages"] == [{"role": "user", "content": UNSHOWN}]


# Fields of a block


@pytest.mark.parametrize(
    "extra",
    [
        {"annotations": {"priority": 0.5}},
        {"_meta": {"a": 1}},
        {"id": "x1", "createdAt": "z", "score": 0.3},
        {"cache_control": {"type": "ephemeral"}},
        {"citations": {"enabled": True}},
    ],
)
def test_fields_that_the_messages_api_does_not_have_stay_in_the_store(
    ada: Agent, extra: Json
) -> None:
    hello, picture = text("Hello."), {"type": "image", "source": PICTURE}
    paper = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "x"},
    }
    fields = {k: v for k, v in extra.items() if k != "citations"}
    given = [{**hello, **extra}, {**picture, **fields}, {**paper, **fields}]
    turn = ada.turn(given)
    assert turn.messages[0]["content"] == [hello, picture, paper]
    turn.add([LOOK]).tool_result("t1", [{**hello, **extra}])
    assert turn.messages[-1]["content"][0]["content"] == [hello]
    assert problems(turn) == []
    kept = ada.messages()
    assert kept[0].blocks == given
    assert kept[-1].blocks[0]["content"] == [{**hello, **extra}]


def test_fields_that_the_messages_api_has_are_sent(ada: Agent) -> None:
    cited = {
        "type": "char_location",
        "cited_text": "x",
        "document_index": 0,
        "document_title": None,
    }
    reply = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        text("Yes.", citations=[cited]),
        {**LOOK, "caller": {"type": "direct"}},
    ]
    paper: Json = {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
        "title": "A", "context": "B", "citations": {"enabled": True},
    }  # fmt: skip
    turn = ada.turn([paper]).add(reply)
    turn.tool_result("t1", "no", is_error=True)
    assert turn.messages[0]["content"] == [paper]
    assert turn.messages[1]["content"] == reply
    assert turn.messages[2]["content"][0]["is_error"] is True


# What a turn begins with, and what a tool gives


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "thinking", "thinking": "Hm."}],
        [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, text(" ")],
        [{"type": "redacted_thinking", "data": "x"}],
        [{"type": "reasoning", "summary": ["x"]}],
    ],
)
def test_a_turn_does_not_begin_with_thinking_alone(ada: Agent, content: list[Json]) -> None:
    with pytest.raises(BlockInvalid, match="a turn begins with something said"):
        ada.turn(content)
    assert ada.messages() == []


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "thinking", "thinking": "Hm."}, text("Well?")],
        [{"type": "image", "source": PICTURE}],
        [{"type": "tool_result", "tool_use_id": "gone", "content": "x"}],
    ],
)
def test_a_turn_begins_with_whatever_else_is_said(ada: Agent, content: list[Json]) -> None:
    turn = ada.turn(content)
    assert turn.messages and problems(turn) == []


@pytest.mark.parametrize(
    "own",
    [
        {"type": "document", "source": {"page": 3}, "title": "x"},
        {"type": "image", "source": {"file": "x.png"}},
        {"type": "image", "source": {"type": "png", "data": "x"}},
        {"type": "image", "source": {"type": ["base64"], "data": "x"}},
        {"type": "document", "source": {"type": "url"}},
        {"type": "image_url", "image_url": {"file": "x.png"}},
        {"type": "image_url", "image_url": "x.png"},
        {"type": "search_result", "content": [1, 2]},
        {"type": "search_result", "source": "s", "title": "t", "content": [{"score": 1}]},
        [text("words"), {"type": "image", "source": {"file": "x.png"}}],
    ],
)
def test_json_of_a_tools_own_is_given_as_its_words(ada: Agent, own: Any) -> None:
    turn = ada.turn("Look.").add([LOOK]).tool_result("t1", own)
    shown = turn.messages[-1]["content"][0]["content"]
    assert isinstance(shown, str) and UNSHOWN not in shown
    assert problems(turn) == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": PICTURE},
        {"type": "image", "source": {"type": "file", "file_id": "f"}},
        {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
        {"type": "document", "source": {"type": "content", "content": [text("x")]}},
        {"type": "search_result", "source": "s", "title": "t", "content": [text("x")]},
        text("words"),
    ],
)
def test_a_block_of_a_tools_is_shown_as_one(ada: Agent, block: Json) -> None:
    turn = ada.turn("Look.").add([LOOK]).tool_result("t1", block)
    assert turn.messages[-1]["content"][0]["content"] == [block]
    assert problems(turn) == []
