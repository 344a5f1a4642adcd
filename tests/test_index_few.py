"""Who asks is made to wait for a few vectors, never for those of a conversation that goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.services.memory import index
from support.toys import ToyEmbedder


class BusyEmbedder(ToyEmbedder):
    """While it is at work, something else happens."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0
        self.meanwhile: Callable[[], object] = lambda: None

    def embed(self, texts: Sequence[str]) -> Any:
        self.made += len(texts)
        assert self.made < 500, "it would go on for ever"
        self.meanwhile()
        return super().embed(texts)


@pytest.fixture
def busy() -> BusyEmbedder:
    return BusyEmbedder()


@pytest.fixture
def et(busy: BusyEmbedder) -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as made:
        made.house = replace(made.house, embedder=busy)
        yield made


@pytest.fixture
def ada(et: Everthread) -> Agent:
    ada = et.agent("ada")
    for n in range(10):
        ada.record([{"role": "user", "content": f"The port of host {n} is {n + 7000}."}])
    return ada


def test_a_few_are_made_at_once(ada: Agent, busy: BusyEmbedder) -> None:
    assert (ada.index_few(), busy.made) == (0, 10)
    assert (ada.index_few(), busy.made) == (0, 10)


def test_what_others_say_meanwhile_is_not_waited_for(
    et: Everthread, ada: Agent, busy: BusyEmbedder
) -> None:
    def meanwhile() -> None:
        ada.record([{"role": "user", "content": f"And host {busy.made} is up again."}])
        index.catch_up(et.house, ada.row)

    busy.meanwhile = meanwhile
    left = ada.index_few()
    assert 10 <= busy.made < 10 + index.BATCH
    assert left == 10, "each that was made came with a new one"


def test_nor_is_a_machine_that_has_no_time(
    ada: Agent, busy: BusyEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MOST_SECONDS", 0.0)
    assert (ada.index_few(), busy.made) == (10, 0)
