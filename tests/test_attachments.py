"""What a person attached is sent, or a word stands in its place: it never vanishes from a request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import everthread
from everthread import Agent, Turn
from everthread.domain.conversation.rendering import UNSHOWN
from everthread.domain.errors import ContextFull
from everthread.testing import FrozenClock
from support.legality import anthropic_problems, openai_problems

pytestmark = pytest.mark.req("R-42", "R-44")

CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


def told(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def problems(turn: Turn) -> list[str]:
    claude: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": turn.messages}
    claude |= {"tools": turn.tools} if turn.tools else {}
    return anthropic_problems(claude) + openai_problems({"model": "m", **turn.openai()})


@pytest.mark.parametrize(
    "block",
    [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f1"}},
    ],
)
def test_what_only_openai_takes_is_told_to_claude(ada: Agent, block: dict[str, Any]) -> None:
    turn = ada.turn([block])
    assert turn.messages == [{"role": "user", "content": [{"type": "text", "text": UNSHOWN}]}]
    assert told(turn.openai()["messages"][-1]) == [block]
    turn.done("I see.")
    beside = ada.turn([block, {"type": "text", "text": "Summarise it."}])
    assert [part["text"] for part in told(beside.messages[-1])] == [UNSHOWN, "Summarise it."]


@pytest.mark.parametrize("kind", ["image", "document"])
@pytest.mark.parametrize(
    "source",
    [
        {},
        {"type": "base64", "media_type": "image/png", "data": ""},
        {"type": "base64", "media_type": "image/png", "data": "not base64 !!"},
        {"type": "base64", "data": PNG},
        {"type": "url"},
        {"type": "url", "url": ""},
        {"type": "url", "url": ["https://example.com/a.png"]},
        {"type": ["base64"], "media_type": "image/png", "data": PNG},
        {"type": "base64", "media_type": ["image/png"], "data": PNG},
    ],
)
def test_what_cannot_be_used_is_sent_to_nobody(
    ada: Agent, kind: str, source: dict[str, Any]
) -> None:
    """It would make every later request of the thread fail."""
    ada.turn([{"type": kind, "source": source}, {"type": "text", "text": "look"}]).failed("broken")
    turn = ada.turn("next")
    assert problems(turn) == []
    for messages in (turn.messages, turn.openai()["messages"]):
        parts = [part for message in messages for part in told(message)]
        assert [part.get("text") for part in parts] == [UNSHOWN, "look", "next"]


def test_what_can_be_used_is_sent(ada: Agent) -> None:
    sources = (
        {"type": "base64", "media_type": "image/png", "data": PNG},
        {"type": "base64", "media_type": "image/png", "data": PNG * 50 + "=="},
        {"type": "url", "url": "https://example.com/a.png"},
        {"type": "file", "file_id": "f_1"},
    )
    blocks = [{"type": "image", "source": source} for source in sources]
    assert ada.turn(blocks).messages[0]["content"] == blocks


def test_what_was_found_is_told_to_openai_as_words(ada: Agent) -> None:
    found = {
        "type": "search_result",
        "source": "https://example.com",
        "title": "Ports",
        "content": [{"type": "text", "text": "The port is 8443."}],
    }
    turn = ada.turn([found, {"type": "text", "text": "Which port?"}])
    words = [part["text"] for part in told(turn.openai()["messages"][-1])]
    assert words == ["Ports · https://example.com\nThe port is 8443.", "Which port?"]


@pytest.mark.req("R-7")
def test_a_result_that_comes_late_changes_nothing_that_was_sent(ada: Agent) -> None:
    first = ada.turn("run it")
    first.add({"role": "assistant", "content": [CALL]})
    first.failed("the process died")
    ada.turn("still there?").done("yes")
    third = ada.turn("and?")
    sent = list(third.messages)
    third.done("ok")
    late = {"type": "tool_result", "tool_use_id": "t1", "content": "late answer"}
    fourth = ada.turn([late, {"type": "text", "text": "here"}])
    assert fourth.messages[: len(sent)] == sent
    assert "late answer" in str(fourth.messages[-1])
    assert problems(fourth) == []


def test_a_result_in_the_next_turn_answers_its_call(ada: Agent) -> None:
    """For those who go on by turns instead of `tool_result`."""
    first = ada.turn("run it")
    first.add({"role": "assistant", "content": [CALL]})
    first.failed("the process died")
    turn = ada.turn([{"type": "tool_result", "tool_use_id": "t1", "content": "42"}])
    [answer] = turn.messages[-1]["content"]
    assert (answer["tool_use_id"], answer["content"]) == ("t1", "42")


def test_what_was_said_before_1970_is_there(ada: Agent) -> None:
    """A clock may have been wrong."""
    moments = ("1970-01-01T00:00:00+01:00", "1970-01-01T00:00:00Z", "2026-02-20T10:00:00Z")
    ada.record([{"id": at, "role": "user", "content": at, "at": at} for at in moments])
    assert [message.text for message in ada.messages(limit=9)] == [*moments]


def test_a_session_resumed_in_the_same_instant_is_current() -> None:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        ada.turn("one").done("ok")
        old = ada.sessions()[0]
        clock.forward(hours=9)
        ada.turn("two").done("ok")
        ada.resume(old)
        ada.turn("three").done("ok")
        assert ada.session(old.id).message_count == 4


def test_of_an_ephemeral_thread_nobody_says_that_it_was_distilled(ada: Agent) -> None:
    """(X-27)"""
    with everthread.connect("memory://", background=False) as et:
        small = et.agent("small", window=8_000)
        passing = small.thread("once", kind="ephemeral")
        with pytest.raises(ContextFull, match="ephemeral thread is never distilled"):
            for _ in range(20):
                small.turn("word " * 500, thread=passing).done("ok")


def test_the_gauge_shows_the_size_that_counts() -> None:
    """The provider counts more than the vocabulary: so do `status`, the API and the next turn."""
    from everthread.edges.documents.rows import agent_document

    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada", model="m")
        for n in range(12):
            turn = ada.turn(f"Tell me about number {n}.")
            usage = {"input_tokens": 2 * turn.context_tokens + 500, "output_tokens": 5}
            turn.done("It is a number.", usage=usage)
        [thread] = agent_document(et.report(ada).agents[0])["threads"]
        size = ada.context().tokens
        assert thread["context_tokens"] == pytest.approx(size, rel=0.02)
        assert thread["context_tokens"] > 1.5 * thread["computed_context_tokens"]
        assert thread["window_percent"] == round(100 * thread["context_tokens"] / 200_000, 2)
