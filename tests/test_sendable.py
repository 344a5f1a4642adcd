"""Half a character, from whoever it came, is kept as it came and never holds up a request."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message as Answer
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.conversation.messages import PRIVATE, Block, Message, content_column
from everthread.domain.conversation.rendering import anthropic_messages, openai_messages
from everthread.domain.errors import BadInput, BlockInvalid
from everthread.domain.redaction.json_values import Redactor
from everthread.testing import FrozenClock
from support.chance import few
from support.model_clients import ask, chat, text, use
from support.model_server import ModelServer

HALF = "caf\udce9 \ud83d."
MENDED = "caf\ufffd \ufffd."
TOOLS = [{"name": "look_up", "description": HALF, "input_schema": {"type": "object", HALF: HALF}}]


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


def encodable(value: Any) -> bytes:
    """As both SDKs write it on the wire; it raises where they do, also for a number JSON does not have."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def called(arguments: str) -> dict[str, Any]:
    """An answer that calls a tool with these arguments, as the model wrote them."""
    function = {"name": "look", "arguments": arguments}
    calls = [{"id": "c1", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answered(turn: Turn, output: object) -> None:
    turn.add([text(HALF), use("c1", input={HALF: [HALF]})])
    turn.tool_result("c1", output)
    turn.done(HALF)


def next_request(ada: Agent) -> tuple[Any, ...]:
    """What the next turn would send through either client."""
    with ada.turn(HALF) as turn:
        asked = turn.system, turn.messages, turn.tools, turn.openai()
        turn.done([text(HALF)])
    again = ada.sent(turn.number)
    assert (again.system, again.messages, again.tools, again.openai()) == asked
    return asked


@pytest.mark.req("R-6", "R-7")
@pytest.mark.parametrize(
    "output",
    [HALF, [text(HALF)], {"name": HALF}, {HALF: 1}],
    ids=["text", "blocks", "value", "key"],
)
def test_real_clients_send_every_turn_after_it(et: Everthread, output: object) -> None:
    """A file name in another encoding, a text cut inside an emoji: both come from tools every day."""
    ada = et.agent("ada", system=f"You are Ada, {HALF}", tools=TOOLS)
    with ada.turn("List the files.") as turn:
        answered(turn, output)
    with ModelServer(["One.", "Two."]) as server:
        with ada.turn("Thanks.") as turn:
            sent: Any = {"system": turn.system, "tools": turn.tools}
            turn.done(ask(server, turn.messages, **sent))
        with ada.turn("Once more.") as turn:
            turn.done(chat(server, **turn.openai()))
        assert [request.problems for request in server.requests] == [(), ()]
        for number, request in enumerate(server.requests, 2):
            assert MENDED in json.dumps(request.body, ensure_ascii=False)
            again = ada.sent(number)
            rebuilt = again.messages if number == 2 else again.openai()["messages"]
            assert request.body["messages"] == rebuilt
    assert et.verify(ada).sound


def test_what_was_said_stays_as_it_came(et: Everthread) -> None:
    ada = et.agent("ada")
    with ada.turn(HALF) as turn:
        answered(turn, HALF)
        assert turn.result_of("c1") == HALF
    asked, called, told, reply = ada.messages()
    assert (asked.text, reply.text) == (HALF, HALF)
    assert called.blocks[1]["input"] == {HALF: [HALF]}
    assert told.blocks[0]["content"] == HALF


@pytest.mark.req("R-6")
def test_system_prompts_of_either_form_are_sent(et: Everthread) -> None:
    for n, system in enumerate((HALF, [text(HALF)])):
        with et.agent(f"a{n}", system=system, tools=TOOLS).turn("Hello.") as turn:
            assert MENDED.encode() in encodable(turn.system)
            assert MENDED.encode() in encodable(turn.tools)
            assert encodable(turn.openai()).count(MENDED.encode()) == 4
            turn.done("Hello.")


@pytest.mark.req("R-6", "LD-3")
def test_a_summary_of_it_is_sent_too(et: Everthread) -> None:
    ada = et.agent("ada")
    for n in range(12):
        with ada.turn(f"Please never touch file_{n}-{HALF}" + " It matters." * 20) as turn:
            answered(turn, f"file_{n}: {HALF}\n" * 50)
    assert ada.distill().outcome == "ok"
    encodable(next_request(ada))


@pytest.mark.req("R-7")
def test_a_character_that_clients_can_send_is_sent_as_it_is(et: Everthread) -> None:
    """Such turns were sent already, and are rebuilt as they were: NUL, emoji, words like an escape."""
    said = "a\x00b 😀 \ufeff C:\\udata \\ud83d"
    ada = et.agent("ada", system=said)
    with ada.turn([text(said), text("?")]) as turn:
        assert turn.system == said
        assert turn.messages[0]["content"][0]["text"] == said
        turn.done("Yes.")


def test_two_halves_that_belong_together_are_one_character(et: Everthread) -> None:
    """A stream may break an emoji between two of its pieces."""
    with et.agent("ada").turn("\ud83d\ude00 and \ud83d") as turn:
        assert turn.messages[0]["content"] == [text("😀 and \ufffd")]
        turn.done("Yes.")


# Numbers that JSON does not have

NONE: dict[str, Any] = {"a": nan, "b": [inf, {"c": -inf}], "d": 1.5}
NAMED: dict[str, Any] = {"a": "NaN", "b": ["Infinity", {"c": "-Infinity"}], "d": 1.5}


@pytest.mark.req("R-6")
@pytest.mark.parametrize(
    "arguments", ['{"n": 1e999}', '{"n": Infinity}'], ids=["overflow", "bare word"]
)
def test_a_number_too_large_in_a_models_arguments_holds_up_no_request(
    et: Everthread, arguments: str
) -> None:
    ada = et.agent("ada")
    with ada.turn("Look.") as turn:
        turn.add(called(arguments))
        turn.tool_result("c1", "Seen.").done("Yes.")
    call = ada.messages()[1].blocks[0]
    assert call["input"] == {"n": "Infinity"}
    encodable(next_request(ada))


@pytest.mark.req("R-6")
def test_a_number_that_json_does_not_have_is_kept_by_its_name(et: Everthread) -> None:
    tools = [{"name": "look", "input_schema": {"type": "object", "default": NONE}}]
    ada = et.agent("ada", tools=tools, system=[{**text("You are Ada."), "odd": NONE}])
    ada.record([{"role": "user", "content": [{**text("Hello."), "odd": NONE}]}])
    with ada.turn([{**text("Look."), "odd": NONE}]) as turn:
        turn.add([use("c1", input=NONE)]).tool_result("c1", NONE)
        assert json.loads(turn.result_of("c1")) == NAMED
        turn.add([use("c2", input={}) | {"odd": NONE}]).tool_result("c2", [text("Seen.")])
        turn.done("Yes.")
    asked = next_request(ada)
    encodable(asked)
    assert asked[2][0]["input_schema"]["default"] == NAMED
    assert ada.messages()[2].blocks[0]["input"] == NAMED
    assert et.verify(ada).sound


@pytest.mark.req("R-6")
def test_what_an_older_version_stored_of_it_is_sent_and_shown_by_its_name(tmp_path: Path) -> None:
    place = tmp_path / "ada.db"
    with everthread.connect(place, background=False) as et:
        ada = et.agent("ada", tools=[{"name": "look", "input_schema": {"default": "NAN"}}])
        with ada.turn("Look.") as turn:
            turn.add([use("c1", input={"n": "NAN"})]).tool_result("c1", {"n": 1}).done("Yes.")
    with closing(sqlite3.connect(place)) as db, db:
        for (guard,) in db.execute(
            "select name from sqlite_master where type = 'trigger'"
        ).fetchall():
            db.execute(f"drop trigger {guard}")
        db.execute("""update messages set content = replace(content, '"NAN"', 'NaN')""")
        db.execute("""update bodies set content = replace(content, '"NAN"', 'NaN')""")
    with everthread.connect(place, background=False) as et:
        ada = et.agent("ada")
        asked = next_request(ada)
        encodable(asked)
        assert asked[2][0]["input_schema"] == {"default": "NaN"}
        assert ada.messages()[1].blocks[0]["input"] == {"n": "NaN"}


# Values within values


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.req("R-6")
def test_a_block_nested_too_deep_is_refused_by_name(et: Everthread) -> None:
    ada = et.agent("ada")
    with ada.turn("Look.") as turn:
        turn.add([use("c1", input={})])
        for wrong in (nested(900), [nested(100_000)]):
            with pytest.raises(BlockInvalid, match="128 levels"):
                turn.tool_result("c1", wrong)
        turn.tool_result("c1", "Seen.")
        for wrong in ([use("c2", input=nested(900))], [{**text("Yes."), "odd": nested(900)}]):
            with pytest.raises(BlockInvalid, match="128 levels"):
                turn.add(wrong)
        turn.done("Yes.")
    with pytest.raises(BlockInvalid, match="128 levels"):
        ada.turn([{**text("Look."), "odd": nested(900)}])
    with pytest.raises(BlockInvalid, match=r"entry 1: .*128 levels.*; nothing was stored"):
        ada.record([
            {"role": "user", "content": "Hello."},
            {"role": "user", "content": [{**text("Look."), "odd": nested(900)}]},
        ])  # fmt: skip
    with pytest.raises(BadInput, match=r"tools .*128 levels"):
        et.agent("ada", tools=[{"name": "look", "input_schema": nested(900)}])
    with pytest.raises(BlockInvalid, match="128 levels"):
        ada.turn("Look.").add(Answer.model_construct(
            role="assistant", content=[use("c1", input=nested(600))]
        ))  # fmt: skip


@pytest.mark.req("R-6")
@pytest.mark.parametrize(
    "arguments",
    ["[" * 3000 + "]" * 3000, json.dumps(nested(300))],
    ids=["cannot be read", "can be read"],
)
def test_arguments_nested_too_deep_are_kept_as_the_model_wrote_them(
    et: Everthread, arguments: str
) -> None:
    ada = et.agent("ada")
    with ada.turn("Look.") as turn:
        turn.add(called(arguments))
        turn.tool_result("c1", "Those were no arguments.").done("Yes.")
    assert ada.messages()[1].blocks[0]["input"] == {}
    sent = next_request(ada)[3]["messages"]
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == arguments


@pytest.mark.req("R-6")
def test_what_is_nested_as_deep_as_allowed_is_sent_rebuilt_and_shown(et: Everthread) -> None:
    ada = et.agent("ada")
    with ada.turn("Look.") as turn:
        turn.add([use("c1", input={HALF: nested(120)})]).tool_result("c1", nested(120)).done("Yes.")
    next_request(ada)
    shown = Redactor().value([message.blocks for message in ada.messages()])
    assert json.dumps(shown)
    assert ada.recall("Look.") is not None


# Anything anywhere

WORDS = st.text(st.sampled_from("aé😀\x00\ud83d\ude00\udcfc\\u"), max_size=6)
VALUES = st.recursive(
    WORDS | st.none() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)
IDS = WORDS.map(lambda words: f"c{words}")
SOURCES = st.builds(
    lambda kind, data: {"type": kind, "media_type": "image/png", "data": data, "url": data},
    st.sampled_from(["base64", "url", "text"]),
    WORDS,
)
FIELDS = st.builds(
    lambda fields: {"provider": "openai", "fields": fields},
    st.dictionaries(st.sampled_from(["refusal", "reasoning"]), WORDS, max_size=2),
)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    WORDS.map(text),
    st.builds(lambda i, n, v: use(i, input={n: v}) | {"name": n}, IDS, WORDS, VALUES),
    st.builds(lambda i, v: use(i, **{PRIVATE: {"arguments": v}}), IDS, WORDS),
    st.builds(lambda i, c: {"type": "tool_result", "tool_use_id": i, "content": c}, IDS, VALUES),
    st.builds(lambda kind, s: {"type": kind, "source": s}, st.sampled_from(["image"]), SOURCES),
    st.builds(lambda t, s: {"type": "document", "title": t, "source": s}, WORDS, SOURCES),
    st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": "s" + t}, WORDS),
    st.builds(lambda v: {"type": "newer", "content": v}, VALUES),
    FIELDS.map(lambda fields: {"type": "provider_fields", PRIVATE: fields}),
    st.builds(lambda w: {**text(w), "citations": [{"cited_text": w}]}, WORDS),
)


def stored(role: str, content: str | list[Block]) -> Message:
    form, column = content_column(content)
    fields: dict[str, Any] = dict.fromkeys(Message._fields, 0)
    fields |= {"role": role, "kind": "said", "form": form, "content": column}
    return Message(**fields)


HISTORIES = st.lists(
    st.builds(stored, st.sampled_from(["user", "assistant"]), WORDS | st.lists(BLOCKS, max_size=3)),
    max_size=5,
)


@pytest.mark.req("R-6", "R-7")
@settings(max_examples=few(300), deadline=None)
@given(HISTORIES)
def test_whatever_a_block_holds_both_requests_can_be_sent(history: list[Message]) -> None:
    for rendered in (anthropic_messages(history), openai_messages("s", history)):
        assert json.loads(encodable(rendered)) == rendered
