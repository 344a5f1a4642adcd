"""A recall by meaning: what holds was said in other words, and comes before what it renews."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.recall.hits import Hit
from everthread.testing import FrozenClock
from support.toys import ToyEmbedder

BEGIN = datetime(2026, 2, 1, 9, tzinfo=UTC)
OLD = "Book club: we meet at Ines's place, first Friday of the month."
NEW = "Since the baby came we readers gather, from March on, at Café Anker instead of with Ines."
TALK = [
    OLD,
    "Noted, that is nice.",
    "The shop closes at six on Mondays.",
    "All right.",
    NEW,
    "Coffee and cake with it, not bad.",
    "The curtains are green.",
    "A good choice.",
]
ASKED = "Where does the book club meet?"
SENSES = {"reading": ("book", "readers"), "place": ("meet", "gather"), "ines": ("ines",)}


class SenseEmbedder(ToyEmbedder):
    """It understands a few words, and knows two of the same sense as one."""

    def ask(self, text: str) -> Any:
        low = text.lower()
        senses = [name for name, words in SENSES.items() if any(word in low for word in words)]
        made = np.sum([super(SenseEmbedder, self).ask(each) for each in (*senses, text)], axis=0)
        return (made / np.linalg.norm(made)).astype(np.float32)


@pytest.fixture
def et() -> Iterator[Everthread]:
    clock = FrozenClock(BEGIN + timedelta(days=60))
    with everthread.connect("memory://", background=False, clock=clock) as made:
        made.house = replace(made.house, embedder=SenseEmbedder())
        yield made


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def tell(agent: Agent, *, names: tuple[str | None, str | None] = (None, None)) -> None:
    """A person and an agent by turns, or two people; every pair on a day of its own."""
    people = names[1] is not None
    agent.record(
        [
            {
                "id": str(n),
                "role": "assistant" if n % 2 and not people else "user",
                "name": names[n % 2],
                "content": text,
                "at": (BEGIN + timedelta(days=5 * (n // 2), minutes=n % 2)).isoformat(),
            }
            for n, text in enumerate(TALK)
        ]
    )
    agent.index()


def found(agent: Agent, asked: str) -> list[Hit]:
    return [hit for hit in agent.recall(asked, limit=10) if hit.text in (OLD, NEW)]


def test_what_holds_comes_first_and_what_held_says_so(ada: Agent) -> None:
    tell(ada)
    new, old = found(ada, ASKED)
    assert (new.text, old.text) == (NEW, OLD)
    assert old.later == new.id
    assert old.why.endswith(f"; told anew, it seems, on 2026-02-11: {new.id}")
    assert new.later is None
    assert "told anew" in new.parts


def test_who_asks_how_it_was_is_told_that_first(ada: Agent) -> None:
    tell(ada)
    old, new = found(ada, "Where did the book club meet before the baby?")
    assert (old.text, new.text) == (OLD, NEW)
    assert (old.later, new.later) == (None, None)


def test_people_among_themselves_are_taken_by_what_they_say(ada: Agent) -> None:
    tell(ada, names=("Bo", "Cy"))
    old, *_ = found(ada, ASKED)
    assert (old.text, old.later) == (OLD, None)


def test_without_an_embedder_nothing_is_known_to_be_told_anew(et: Everthread) -> None:
    tell(et.agent("ada"))
    et.house = replace(et.house, embedder=None)
    told = found(et.agent("ada"), ASKED)
    assert told[0].text == OLD
    assert told[0].later is None
