"""What a model says when it refuses is said: read, found, and seen by whoever answers next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Turn
from everthread.domain.conversation.messages import PRIVATE
from everthread.domain.errors import BadInput
from everthread.testing import FrozenClock
from support.model_clients import ask, gpt, text
from support.model_server import Broken, ModelServer, Say

NO = "I can't help with opening the neighbour's garage."
REFUSED = Say(refusal=NO)


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada", system="You are Ada.")


def plainly(turn: Turn, server: ModelServer) -> None:
    with gpt(server) as client:
        create: Any = client.chat.completions.create
        turn.done(create(model="gpt-test", **turn.openai()))


def by_chunks(turn: Turn, server: ModelServer) -> None:
    with gpt(server) as client:
        create: Any = client.chat.completions.create
        for _ in turn.watch(create(model="gpt-test", stream=True, **turn.openai())):
            pass


@pytest.mark.req("R-7", "R-42", "R-49")
@pytest.mark.parametrize("way", [plainly, by_chunks], ids=lambda way: way.__name__)
def test_a_refusal_is_words_for_everyone_and_a_refusal_for_openai(
    et: Everthread, ada: Agent, way: Callable[[Turn, ModelServer], None]
) -> None:
    with ModelServer([REFUSED, "Sure.", "Sure."]) as server:
        way(ada.turn("Please open the garage."), server)
        assert ada.messages()[-1].text == NO
        assert NO in [hit.text for hit in ada.recall("neighbour's garage")]
        way(ada.turn("Then tell me the time."), server)
        with ada.turn("And the day.") as turn:
            turn.done(ask(server, turn.messages, system=turn.system))
        assert [one.problems for one in server.requests] == [()] * 3
        _, plain, claude = (one.body["messages"] for one in server.requests)
    assert plain[2] == {"role": "assistant", "content": None, "refusal": NO}
    assert claude[1] == {"role": "assistant", "content": [text(NO)]}
    assert ada.sent(2).openai()["messages"] == plain
    assert ada.sent(3).messages == claude
    assert et.verify(ada).sound


def test_the_parts_of_a_message_may_refuse_too(ada: Agent) -> None:
    parts = [text("Well."), {"type": "refusal", "refusal": NO}]
    ada.turn("Please.").done({"role": "assistant", "content": parts})
    ada.record([{"role": "assistant", "content": "", "refusal": "Not that either."}])
    with ada.turn("Why?") as turn:
        said = {"role": "assistant", "content": "Well.", "refusal": f"{NO}\nNot that either."}
        assert turn.openai()["messages"][2] == said
        turn.failed("enough")
    assert [m.text for m in ada.messages()][1:3] == [f"Well.\n{NO}", "Not that either."]
    with ada.turn("Why?") as turn, pytest.raises(BadInput, match="a refusal part carries a text"):
        turn.done([{"type": "refusal", "refusal": None}])


def test_a_refusal_that_breaks_off_is_kept(ada: Agent) -> None:
    with ModelServer([Broken(REFUSED, after=3)]) as server, pytest.raises(Exception, match=r".+"):
        by_chunks(ada.turn("Please."), server)
    kept = ada.messages()[-1]
    assert (kept.kind, NO.startswith(kept.text), len(kept.text) > 5) == ("notice", True, True)


@pytest.mark.req("R-42")
def test_what_was_stored_of_refusals_before_is_rebuilt_as_it_was_sent(ada: Agent) -> None:
    """Older stores keep them as a field that only OpenAI knows."""
    fields = {"provider": "openai", "fields": {"refusal": NO}}
    ada.turn("Please.").done([{"type": "provider_fields", PRIVATE: fields}])
    with ada.turn("Then not.") as turn:
        said = {"role": "assistant", "content": None, "refusal": NO}
        assert json.dumps(turn.openai()["messages"][2]) == json.dumps(said)
        assert turn.messages == [
            {"role": "user", "content": [text("Please."), text("Then not.")]},
        ]
        turn.done("Fine.")
