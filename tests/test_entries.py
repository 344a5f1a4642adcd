"""An entry to record is read whole: a key that nobody reads is refused, not passed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.errors import BadInput, EntryKeyUnknown, ImportRefused
from everthread.testing import FrozenClock
from support.http_server import serving

FINE = {"role": "user", "content": "fine"}


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as engine:
        yield engine


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ({"timestamp": "2025-01-01T00:00:00Z"}, "at"),
        ({"created_at": 1_700_000_000}, "at"),
        ({"time": "2025-01-01"}, "at"),
        ({"sender": "Mel"}, "name"),
        ({"Name": "Mel"}, "name"),
        ({"nmae": "Mel"}, "name"),
        ({"message_id": "m-1"}, "id"),
        ({"principle": "mel"}, "principal"),
        ({"tool_use_id": "c-1"}, "tool_call_id"),
        ({"tool_call": []}, "tool_call_id"),
        ({"toolcalls": []}, "tool_calls"),
    ],
)
def test_a_key_that_nobody_reads_is_refused_by_name(
    ada: Agent, wrong: dict[str, Any], meant: str
) -> None:
    key = next(iter(wrong))
    with pytest.raises(EntryKeyUnknown) as refused:
        ada.record([FINE, FINE, FINE | wrong, FINE | {"other": 1}])
    assert isinstance(refused.value, BadInput)
    assert f"entry 2: unknown key {key!r}; did you mean {meant!r}? An entry has" in str(
        refused.value
    )
    assert "nothing was stored" in str(refused.value)
    assert ada.messages() == []


def test_a_text_in_place_of_content_is_told_as_one(ada: Agent) -> None:
    """Even where role and the wrong key are all that the entry has."""
    with pytest.raises(
        EntryKeyUnknown, match=r"entry 0: unknown key 'text'; did you mean 'content'"
    ):
        ada.record([{"role": "user", "text": "hello"}])


@pytest.mark.parametrize(
    "key", ["zzqx", 5, "x" * 5_000, None], ids=["odd", "number", "long", "none"]
)
def test_a_key_that_resembles_none_is_named_with_those_that_are(ada: Agent, key: Any) -> None:
    with pytest.raises(EntryKeyUnknown, match="role, content, id, at") as refused:
        ada.record([MappingProxyType(FINE | {key: 1})])
    assert "did you mean" not in str(refused.value) and ". An entry has role" in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", -100_000_000_000]
)
def test_a_time_that_no_date_can_show_is_refused(ada: Agent, at: Any) -> None:
    with pytest.raises(BadInput, match="give a datetime, an ISO-8601 text or seconds"):
        ada.record([{"role": "user", "content": "Hello.", "at": at}])
    assert ada.messages() == []


def test_a_thousand_entries_and_a_wrong_one_at_the_end_store_nothing(ada: Agent) -> None:
    with pytest.raises(EntryKeyUnknown, match="entry 2500"):
        ada.record([*[FINE] * 2_500, FINE | {"timestamp": 5}])
    assert ada.messages() == []


def test_what_stands_inside_the_content_is_nobodys_business(ada: Agent) -> None:
    block = {"type": "text", "text": "hi", "timestamp": 5, "sender": {"text": 7}}
    ada.record([{"role": "user", "content": [block]}])
    assert ada.messages()[0].blocks == [block]


def test_a_providers_message_is_taken_whole(ada: Agent) -> None:
    """As the SDKs dump them: what they say about the call is no part of what was said."""
    claude = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [{"type": "text", "text": "Done.", "citations": None}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        "container": None,
        "context_management": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    }
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    openai = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "annotations": [],
        "audio": None,
        "function_call": None,
        "tool_calls": [call],
        "parsed": None,
        "reasoning_content": "hm",
        "reasoning": None,
        "reasoning_details": None,
    }
    result = {"role": "tool", "tool_call_id": "c1", "name": "ls", "content": "a.txt"}
    person = {"role": "user", "content": "hi", "name": "Mel", "principal": "mel", "at": 5, "id": 7}
    assert ada.record([claude, openai, result, person]).added == 4


@pytest.mark.parametrize("sdk", ["anthropic", "openai"])
def test_what_the_sdks_call_a_message_has_no_key_that_we_do_not_know(sdk: str) -> None:
    """A field that a newer SDK adds shows here first."""
    from everthread.domain.conversation.entries import KNOWN

    types = pytest.importorskip(f"{sdk}.types")
    if sdk == "anthropic":
        beta = pytest.importorskip("anthropic.types.beta")
        fields = {*types.Message.model_fields, *beta.BetaMessage.model_fields}
    else:
        chat = pytest.importorskip("openai.types.chat")
        said = (chat.ChatCompletionMessage, chat.ParsedChatCompletionMessage)
        fields = {name for each in said for name in each.model_fields}
    assert fields <= KNOWN


def test_a_reply_is_taken_with_whatever_its_provider_adds(ada: Agent) -> None:
    """Only entries of `record` are meant; a response may carry what we have never heard of."""
    with ada.turn("hello") as turn:
        turn.done({"role": "assistant", "content": "hi", "timestamp": 5, "invented": {"a": 1}})
    assert ada.messages()[-1].text == "hi"


def test_an_import_may_have_keys_of_its_own(et: Everthread) -> None:
    """An older system keeps more of a message than we read; no line is refused for that."""
    row = FINE | {"id": "o-1", "at": "2024-05-01T08:00:00Z", "tokens": 5, "metadata": {"a": 1}}
    assert et.import_lines([json.dumps(row | {"session_key": "s"})], agent="ada")[0].rows == 1
    twice = row | {"id": "o-2", "timestamp": "the same by another name"}
    assert et.import_lines([json.dumps(twice)], agent="ada")[0].rows == 1


@pytest.mark.parametrize(
    ("key", "meant"), [("timestamp", "at"), ("sender", "name"), ("uuid", "id")]
)
def test_an_import_that_would_lose_a_time_or_a_name_is_refused(
    et: Everthread, key: str, meant: str
) -> None:
    lines = [json.dumps(FINE), json.dumps(FINE | {key: "x"})]
    with pytest.raises(ImportRefused, match=f"line 2: unknown key '{key}'; did you mean '{meant}'"):
        et.import_lines(lines, agent="ada")
    assert "ada" not in [agent.name for agent in et.agents()]


def test_the_api_refuses_it_too(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server:
        server.engine.agent("ada")
        body = {"entries": [FINE, FINE | {"timestamp": "2025-01-01T00:00:00Z"}]}
        answer = server.post("/api/agents/ada/messages", body)
        assert answer.status == 422
        assert "entry 1: unknown key 'timestamp'; did you mean 'at'?" in answer.detail
        assert "EntryKeyUnknown" in json.dumps(answer.json)
        assert server.engine.agent("ada").messages() == []
