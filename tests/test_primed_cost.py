"""The messages behind what is primed cost a turn a few reads, however many they are, and how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.agents import Scope
from everthread.store.postgres.link import PostgresLink
from everthread.store.sqlite.link import SqliteLink
from everthread.testing import FrozenClock
from support.stores import EACH, fresh

MEMORIES, SOURCES = 40, 4
FEW = 15
"""Reads for them all: of their threads, then of the two places of each, 32 at a time; and what the turn reads
of the one before."""


@pytest.fixture(params=EACH)
def et(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Everthread]:
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, clock=FrozenClock(), background=False) as engine,
    ):
        yield engine


class Reads:
    """How many statements read threads or messages, and how many rows of each they brought."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.statements = self.messages = self.threads = 0
        for link in (SqliteLink, PostgresLink):
            patch.setattr(link, "all", self._counted(link.all, len))
            patch.setattr(link, "one", self._counted(link.one, bool))

    def _counted(self, plain: Any, size: Any) -> Any:
        def counted(link: Any, sql: str, scope: Scope | None, /, **values: Any) -> Any:
            found = plain(link, sql, scope, **values)
            threads, messages = "FROM threads" in sql, "FROM messages" in sql
            self.statements += threads or messages
            self.threads += size(found) if threads else 0
            self.messages += size(found) if messages else 0
            return found

        return counted

    def of_a_turn(self, ada: Agent) -> Reads:
        self.statements = self.messages = self.threads = 0
        ada.turn("Good morning.").failed()
        return copy(self)


def primed(et: Everthread, ada: Agent) -> None:
    """So many memories, of which each rests on messages of as many threads."""
    said: list[list[str]] = []
    for n in range(SOURCES):
        thread = ada.thread(f"talk-{n}", kind="background")
        thread.record(
            [{"role": "user", "content": f"Lamp {n}-{m} is lit."} for m in range(MEMORIES)]
        )
        said.append([message.id for message in thread.messages(limit=MEMORIES)])
    for n, sources in enumerate(zip(*said, strict=True)):
        ada.remember(f"Street {n} has lamp number {n * 7} and gate {n * 11}.", sources=sources)
    store, ref = et.house.store, ada.primary.row.ref
    memories = store.read(lambda r: r.memories.all(ada.scope, state="kept", limit=99))
    assert [len(memory.sources) for memory in memories] == [SOURCES] * MEMORIES
    store.write(lambda r: r.memories.prime(ada.scope, ref, memories, now=et.house.clock.now()))


@pytest.mark.req("A-45")
def test_many_primed_memories_are_read_with_few_statements(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, reads = et.agent("ada"), Reads(monkeypatch)
    ada.turn("Hello.").done("Hello.")
    before = reads.of_a_turn(ada)
    primed(et, ada)
    after = reads.of_a_turn(ada)
    assert after.messages - before.messages >= MEMORIES * SOURCES, "else nothing was counted"
    assert after.statements - before.statements <= FEW


@pytest.mark.req("A-45")
def test_a_turn_with_primed_memories_reads_no_more_where_there_are_many_threads(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, reads = et.agent("ada"), Reads(monkeypatch)
    ada.turn("Hello.").done("Hello.")
    primed(et, ada)
    reads.of_a_turn(ada)  # the next looks at what this one was given
    few = reads.of_a_turn(ada)
    for n in range(100):
        ada.thread(f"more-{n}", kind="background")
    many = reads.of_a_turn(ada)
    assert (many.statements, many.threads) == (few.statements, few.threads)
