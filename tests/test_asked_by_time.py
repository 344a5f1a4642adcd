"""Who asks what was said at some time finds what was said then; and one sign is a word in some scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread import Agent
from everthread.domain.recall.questions import asked_beside_time, read_question
from everthread.testing import FrozenClock
from support.stores import EACH, fresh

NOW = FrozenClock("2026-03-02T09:00:00Z")
SAID = [
    ("2026-01-03T09:00:00Z", "Mel", "The invoice was lost, item 10"),
    ("2026-01-10T09:00:00Z", "Nora", "The bike costs too much"),
    ("2026-01-10T10:00:00Z", "Mel", "The garden needs water"),
    ("2026-02-24T09:00:00Z", "Mel", "The kitchen is blue"),
    ("2026-03-01T09:00:00Z", "Nora", "The server was repaired"),
]


@pytest.fixture(params=EACH)
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    settings = everthread.Settings(embedder="off", recall_seconds=10.0)
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, settings=settings, clock=NOW, background=False) as et,
    ):
        yield et.agent("ada")


def test_what_was_said_on_a_day_is_found_by_the_day(ada: Agent) -> None:
    ada.record([{"role": "user", "name": who, "content": text, "at": at} for at, who, text in SAID])

    def best(query: str, limit: int) -> set[str]:
        return {hit.text for hit in ada.recall(query, limit=limit)}

    both = {"The bike costs too much", "The garden needs water"}
    assert best("What did we talk about on 10 January?", 2) == both
    assert best("what was said on 2026-01-10", 2) == both
    assert best("What did Nora say on 10 January?", 1) == {"The bike costs too much"}
    assert best("What did we discuss yesterday?", 1) == {"The server was repaired"}
    assert best("What did Mel tell you last week?", 1) == {"The kitchen is blue"}
    # Where nobody said anything then, words decide as ever.
    assert "The garden needs water" in best("What did we say about the garden yesterday?", 1)


def test_what_was_forgotten_is_not_found_by_its_day(ada: Agent) -> None:
    ada.record([{"role": "user", "content": "My pin is 9031", "at": "2026-01-10T09:00:00Z"}])
    ada.forget(ada.remember("My pin is 9031", sources=[ada.messages()[0]]).id)
    assert ada.recall("What did I say on 10 January?") == []


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("What did we talk about on 10 January?", []),
        ("what was discussed two weeks ago", []),
        ("What did Nora say on 14 February?", ["nora"]),
        ("What did we say about the garden last week?", ["garden"]),
        ("What is due on 10 January?", None),
        ("What did Nora do on 10 January?", None),
        ("What happened on 10 January?", None),
        ("What did we talk about?", None),
        ("2026-01-10", None),
    ],
)
def test_only_who_asks_what_was_said_then_asks_for_a_time(
    query: str, asked: list[str] | None
) -> None:
    assert asked_beside_time(read_question(query, NOW.now())) == asked


def test_a_word_of_one_sign_is_found(ada: Agent) -> None:
    texts = ["我的猫叫小白。", "昨天我们去了公园。", "犬も好きです。"]
    ada.record([{"role": "user", "content": text} for text in texts])
    ada.remember("他的猫很老")
    assert {hit.text for hit in ada.recall("猫", limit=2)} == {"我的猫叫小白。", "他的猫很老"}
    assert ada.recall("犬", limit=1)[0].text == "犬も好きです。"
    assert ada.recall("魚") == []
