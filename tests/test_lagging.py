"""Vectors are made behind the write: whoever stored it, the worker is called for what lacks them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import everthread
from everthread import Everthread
from everthread.testing import FrozenClock
from support.toys import ToyEmbedder


def said(agent: everthread.Agent, text: str) -> None:
    agent.record([{"role": "user", "content": text}])


def test_the_worker_is_called_for_what_other_programs_stored(tmp_path: Path) -> None:
    """Once for each thing that was stored, and not again while nothing is new."""
    heard: list[str] = []
    with everthread.connect(tmp_path / "everthread.db", background=False) as et:
        house = replace(et.house, embedder=ToyEmbedder())

        def call() -> None:
            heard.append("called")

        engine = Everthread(house, wake=call, again=call)
        engine.tend()
        assert heard == [], "there is nothing yet"
        said(et.agent("ada"), "The kiln fires at 1240 degrees")
        engine.tend()
        engine.tend()
        assert heard == ["called"]
        engine.agent("ada").index()
        engine.tend()
        assert heard == ["called"], "all of it has vectors"
        et.agent("bob").note("Ask about the glaze")
        engine.tend()
        assert heard == ["called", "called"]
        restarted = Everthread(house, wake=call, again=call)
        restarted.tend()
        assert len(heard) == 3, "what an earlier program left"
        et.tend()
        assert len(heard) == 3, "words alone are filed by whoever recalls"


def test_the_size_of_a_context_is_told_before_its_first_turn() -> None:
    """What `status` says and what `context` says is one figure, also for what was recorded since."""
    clock = FrozenClock()
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada", system="You are a potter.")

        def told() -> int:
            return et.report(ada).agents[0].threads[0].computed_context_tokens

        assert told() == 0
        said(ada, "The kiln fires at 1240 degrees")
        assert told() == ada.context().tokens > 0
        ada.turn("How hot?").done("1240 degrees.")
        after = told()
        said(ada, "The glaze is cobalt blue")
        assert told() == ada.context().tokens > after
        ada.record([{"role": "user", "content": "long ago", "at": "2020-01-01T00:00:00Z"}])
        assert told() == ada.context().tokens, "the archive is no part of it"
        for n in range(60):
            said(ada, f"Shelf {n} is dry")
        ada.turn("Which shelf?").done("All of them.")
        said(ada, "The door is open")
        assert ada.primary.row.view_version and told() == ada.context().tokens


def test_a_frozen_clock_is_set_and_read() -> None:
    clock = FrozenClock("2026-02-20T10:00:00Z")
    clock.set("2026-03-01T09:00:00Z")
    assert clock.at == datetime(2026, 3, 1, 9, tzinfo=UTC)
    clock.set(datetime(2026, 1, 1, tzinfo=UTC))
    clock.forward(hours=1)
    assert clock.now() == clock.at.timestamp() * 1000 and clock.at.hour == 1
