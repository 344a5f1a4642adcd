"""Beside turns without a pause a thread is distilled before its guard: nothing that can wait goes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.agents import Scope
from everthread.domain.jobs import Job
from everthread.jobs import duties
from everthread.jobs import worker as working
from everthread.jobs.duties import FOLLOW
from everthread.jobs.pause import Pause
from everthread.jobs.worker import Worker
from everthread.ports import House
from everthread.services.distilling.distill import distill
from everthread.services.distilling.notice import ask_distillation
from everthread.services.distilling.order import Order
from everthread.services.distilling.point_vectors import AT_ONCE
from everthread.services.distilling.stages import Stages
from everthread.services.job_names import DISTILL
from support.toys import ToyEmbedder

pytestmark = pytest.mark.req("R-8", "R-47")

TEXTS = 24


class CountingEmbedder(ToyEmbedder):
    """It knows how many vectors it made, and how many at once."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked.append(len(texts))
        self.made += len(texts)
        return super().embed(texts)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def et(embedder: CountingEmbedder) -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as made:
        made.house = replace(made.house, embedder=embedder)
        yield made


@pytest.fixture
def ada(et: Everthread) -> Agent:
    ada = et.agent("ada")
    for n in range(TEXTS):
        ada.record([{"role": "user", "content": f"The port of host {n} is {n + 7000}."}])
    return ada


def follow(house: House) -> None:
    now = house.clock.now()
    house.store.write(lambda r: r.jobs.add(FOLLOW, "{}", due_at=now, now=now, once="duty"))


def test_a_thread_that_becomes_due_is_distilled_while_texts_wait_for_vectors(
    et: Everthread, ada: Agent, embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of what was said in a minute take longer than a full thread has."""
    monkeypatch.setattr(working, "LOOK", 0.0)
    made_before: list[int] = []

    def handle(_house: House, _job: Job, _pause: Pause) -> None:
        made_before.append(embedder.made)

    def ask_once(texts: Sequence[str]) -> Any:
        if not embedder.made:
            ask_distillation(et.house, Scope(ada.row.ref), 1)
        return CountingEmbedder.embed(embedder, texts)

    monkeypatch.setattr(embedder, "embed", ask_once)
    follow(et.house)
    handlers = {FOLLOW: duties.HANDLERS[FOLLOW], DISTILL: handle}
    worker = Worker(et.house, handlers=handlers, duties=(), rest=0.0)
    assert worker.step()
    assert made_before == [1], "it waited for the others' vectors"
    assert embedder.made == TEXTS, "what was interrupted went on"
    assert not worker.step()


ALIKE = "The nightly import of warehouse {n} took 40 minutes and ended without a fault."
"""Replies so alike in their letters that only vectors could tell whether they say the same."""


@pytest.fixture
def full(et: Everthread) -> Agent:
    ada = et.agent("ada")
    for n in range(40):
        ada.turn(f"How did warehouse {n} go?").done(ALIKE.format(n=n))
    return ada


@pytest.mark.parametrize("waits", [False, True])
def test_who_waits_is_not_kept_waiting_for_the_vectors_of_points(
    et: Everthread,
    full: Agent,
    embedder: CountingEmbedder,
    waits: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They take longer than all the rest. A turn comes that has no room while they are made."""

    def late(_stages: Stages) -> bool:
        return waits and embedder.made > 0

    monkeypatch.setattr(Stages, "late", late)
    done = distill(et.house, Order(full.row, 1, by="hand"))
    assert done is not None
    assert done.standing
    assert max(embedder.asked) <= AT_ONCE, "nobody is let in between"
    assert (embedder.made == AT_ONCE) is waits
