"""In a large index not every card that has a word is judged, and what is found is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import pytest

from everthread.ports import Index
from everthread.store.sqlite import word_search
from everthread.store.sqlite.index import SqliteIndex
from everthread.store.sqlite.word_search import Scored
from everthread.testing.promises.index_cards import a_filing, an_agent

# The further down the list, the rarer.
WORDS = [f"{a}{b}ko" for a in "bdfglmnprst" for b in "aeiou"]


@pytest.fixture
def index() -> Iterator[Index]:
    index = SqliteIndex(None)
    yield index
    index.close()


def texts_of(chance: Random, count: int) -> list[str]:
    """Short ones and long ones; some say the same word again and again, some say the same as others."""
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    made: list[str] = []
    for _ in range(count):
        words = chance.choices(WORDS, weights, k=chance.choice((1, 2, 5, 20, 60)))
        made.append(" ".join(words * chance.choice((1, 1, 1, 4))))
    return [*made, *chance.choices(made, k=count // 5)]


@pytest.mark.parametrize("repeats", [None, 2])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_is_the_same_as_if_all_were_judged(
    index: Index, monkeypatch: pytest.MonkeyPatch, seed: int, repeats: int | None
) -> None:
    """R-35: how large the store is changes how long it takes, and nothing else."""
    chance = Random(seed)
    catalogue = index.of(an_agent())
    filings = [a_filing(n, text) for n, text in enumerate(texts_of(chance, 500), 1)]
    catalogue.file(filings, threads={1: len(filings)})
    shortened = 0

    def noted(judged: Callable[[str], Scored], *rest: Any) -> Scored | None:
        nonlocal shortened
        asked: list[str] = []
        found = best_of_two(lambda match: asked.append(match) or judged(match), *rest)
        shortened += found is not None and sum(" AND " not in match for match in asked) < len(
            rest[0]
        )
        return found

    best_of_two = word_search.best_of_two
    monkeypatch.setattr(word_search, "best_of_two", noted)
    monkeypatch.setattr(word_search, "MANY", 0)
    for _ in range(40):
        asked = chance.sample(WORDS, chance.randint(1, 9))
        search = partial(catalogue.search, asked, limit=chance.choice((1, 5, 20)), repeats=repeats)
        monkeypatch.setattr(word_search, "LARGE", 10**9)
        whole = search()
        monkeypatch.setattr(word_search, "LARGE", 0)
        found = search()
        assert [score for _, score in found] == pytest.approx([score for _, score in whole])
        # Of two that are as good, summing up in another order may prefer the other.
        every = dict(catalogue.search(asked, limit=len(filings), repeats=repeats))
        for card, score in found:
            assert every[card] == pytest.approx(score)
    assert shortened > 10, "nearly all were judged"
