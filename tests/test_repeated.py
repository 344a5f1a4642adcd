"""What comes again and again, word for word, leaves room for the rest.

A heartbeat has the same prompt every half hour, and people say "go on" a hundred times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.recall.cards import Card, wording_hash
from everthread.domain.recall.deck import Deck
from everthread.domain.recall.told_again import STARTS
from everthread.services.memory.gather import REPEATS
from everthread.services.memory.retold import NAMING
from everthread.store.messages import MessageTable
from everthread.testing import FrozenClock
from support.stores import EACH, Place, fresh

PROMPT = "Read HEARTBEAT.md. What is left to do now?"
FACT = "For the release, what is left to do is the parser and the docs of the exporter."
MANY = 150
"""More than the candidates by words."""


def heartbeats(many: int = MANY, asked: str = PROMPT) -> list[dict[str, object]]:
    pair = [("user", asked), ("assistant", "HEARTBEAT_OK")]
    return [{"role": role, "content": text} for role, text in pair * many]


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as where:
        yield where


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(embedder="off", recall_seconds=10.0)
    with everthread.connect(place.target, clock=clock, background=False, settings=settings) as it:
        yield it


@pytest.fixture
def quick(clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(embedder="off", recall_seconds=10.0)
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as it:
        yield it


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Messages that were looked up by their places."""
    counted = Counter[str]()
    own = MessageTable.placed

    def placed(self: MessageTable, scope: Scope, places: Iterable[int]) -> Sequence[Message]:
        wanted = list(places)
        counted["places"] += len(wanted)
        return own(self, scope, wanted)

    monkeypatch.setattr(MessageTable, "placed", placed)
    return counted


def texts(agent: Agent, query: str, **options: object) -> list[str]:
    return [hit.text for hit in agent.recall(query, **options)]  # pyright: ignore[reportArgumentType]


@pytest.mark.req("A-7", "X-18")
def test_a_prompt_that_came_a_hundred_times_hides_no_answer(et: Everthread) -> None:
    ada = et.agent("ada")
    ada.record([{"role": "user", "content": FACT}, *heartbeats()])
    found = texts(ada, "What is left to do now?", limit=5)
    assert FACT in found
    assert found.count(PROMPT) == 1


def test_nor_does_one_that_differs_a_little_each_time(quick: Everthread) -> None:
    """Those are alike enough to be told once, and nothing marks them in the index."""
    ada = quick.agent("ada")
    marks = ("!", "!!", " …", " -", " –", " —", "?!")
    prompts = [f"{PROMPT}{mark * (n + 1)}" for n in range(MANY // 7) for mark in marks]
    ada.record([{"role": "user", "content": FACT}])
    ada.record([{"role": "user", "content": prompt} for prompt in prompts])
    assert len(set(prompts)) > 100
    assert FACT in texts(ada, "What is left to do now?", limit=5)


def test_by_meaning_too(clock: FrozenClock) -> None:
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada, dish = et.agent("ada"), "On Fridays there is lasagna for everybody."
        ada.record(
            [{"role": "user", "content": dish}, *heartbeats(asked="What should we eat today?")]
        )
        ada.index()
        assert texts(ada, "meal plan", limit=1) == [dish]


@pytest.mark.req("R-44")
def test_what_others_said_later_is_found_where_it_was_said_first(
    quick: Everthread, tmp_path: Path
) -> None:
    """Repetitions in other projects do not stand for the one here."""
    ada = quick.agent("ada")
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    ada.record([{"id": "own", "role": "user", "content": PROMPT}], project=here, session="here")
    ada.record(heartbeats(), project=there, session="there")
    hits = ada.recall("What is left to do now?", project=here)
    assert [m.external_id for hit in hits for m in hit.messages] == ["own"]


@pytest.mark.req("R-47")
def test_a_turn_that_repeats_itself_reads_no_more_for_it(
    quick: Everthread, read: Counter[str]
) -> None:
    """What the view shows is not looked up a hundred times more to find that it shows it."""
    ada = quick.agent("ada")
    ada.record([{"role": "user", "content": FACT}, *heartbeats()])
    ada.distill()
    ada.record(heartbeats(5))
    ada.recall("heartbeat")  # what was recorded is filed by now
    read.clear()
    ada.turn(PROMPT).done("HEARTBEAT_OK")
    assert 0 < read["places"] < 40


@pytest.mark.req("X-19")
def test_of_equal_fits_the_newest_comes_first(et: Everthread, clock: FrozenClock) -> None:
    """What is said again with another value is so now."""
    ada = et.agent("ada")
    ports = [8080, 9191, 7070]
    for port in ports:
        ada.record([{"role": "user", "content": f"The atlas gateway listens on port {port} here."}])
        clock.forward(hours=60)
    found = texts(ada, "which port does the atlas gateway use?", limit=3)
    assert found == [f"The atlas gateway listens on port {port} here." for port in reversed(ports)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("message", "memory")))))
def test_the_last_ones_of_each_wording_stay(said: list[tuple[str, str]]) -> None:
    cards = [
        Card(n, kind, n, 0, "user", "", 0, 0, 1, wording_hash(text) if kind == "message" else n)
        for n, (text, kind) in enumerate(said)
    ]
    told = Deck.of(cards).repeated(2)
    for n, (text, kind) in enumerate(said):
        later = said[n + 1 :].count((text, kind))
        assert bool(told[n]) == (kind == "message" and later >= 2)
    assert np.count_nonzero(Deck.of(cards).repeated(REPEATS)) <= max(len(said) - REPEATS, 0)


def test_nor_does_a_recall_that_looks_everywhere(
    quick: Everthread, read: Counter[str], tmp_path: Path
) -> None:
    """In a project that holds less than is asked for, all is gone through, and each text read once.

    But for what has the names of the best: of that some is looked at beside it, at each of two depths.
    """
    ada = quick.agent("ada")
    here = str(tmp_path)
    ada.record([{"role": "user", "content": FACT}, *heartbeats()], project=here, session="here")
    found = texts(ada, "What is left to do now?", project=here)
    assert sorted(found) == sorted([FACT, PROMPT, "HEARTBEAT_OK"])
    assert 0 < read["places"] < MANY + 2 * (NAMING + STARTS)
