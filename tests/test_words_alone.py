"""A recall that could not go by meaning says so: an embedder takes a moment to be ready."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.given.packing import CLOSING, strip_frames
from everthread.edges.mcp import tools
from everthread.edges.mcp.blocks import ROOM
from everthread.edges.mcp.caller import Caller, desk_of
from support.http_server import serving
from support.toys import ToyEmbedder

NOTE = "by words alone, as vectors were not ready"


class LateEmbedder(ToyEmbedder):
    """As that of a worker process: the first question is not answered in time."""

    ready = False

    def ask(self, text: str) -> Any:
        return super().ask(text) if self.ready else None

    def embed(self, texts: Any) -> Any:
        self.ready, was = True, self.ready
        try:
            return super().embed(texts)
        finally:
            self.ready = was


@pytest.fixture
def late() -> LateEmbedder:
    return LateEmbedder()


def with_embedder(et: Everthread, embedder: ToyEmbedder | None) -> Everthread:
    et.house = replace(et.house, embedder=embedder)
    return et


@pytest.fixture
def et(late: LateEmbedder) -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as made:
        with_embedder(made, late).agent("ada").turn("Which port?").done("The port is 8443.")
        yield made


def test_a_recall_says_that_only_words_were_compared(et: Everthread, late: LateEmbedder) -> None:
    """First there are no vectors, then the question has none; when it has, nothing is said."""
    ada = et.agent("ada")
    hit = ada.recall("port")[0]
    assert hit.by_words and hit.why.endswith(f"; {NOTE}")
    ada.index()
    assert ada.recall("port")[0].by_words
    late.ready = True
    hit = ada.recall("port")[0]
    assert not hit.by_words and NOTE not in hit.why


def test_without_an_embedder_words_are_all_there_is(et: Everthread) -> None:
    hit = with_embedder(et, None).agent("ada").recall("port")[0]
    assert not hit.by_words and NOTE not in hit.why


def test_a_model_that_asks_by_a_tool_is_told(et: Everthread, tmp_path: Path) -> None:
    desk = desk_of(et, Settings(), Caller(str(tmp_path)))
    told = tools.call(desk, "memory_search", {"query": "port"})
    assert "8443" in told and NOTE in told and len(told) <= ROOM
    assert told.endswith(CLOSING) and strip_frames(told) == "", "the note stands within the frame"


def test_a_daemon_tells_who_asks_first(tmp_path: Path, late: LateEmbedder) -> None:
    with serving(tmp_path / "home") as server:
        ada = with_embedder(server.engine, late).agent("ada")
        ada.turn("Which port?").done("The port is 8443.")
        ada.index()
        told = server.post("/api/agents/ada/recall", {"query": "port"}).json
        assert told["hits"] and told["note"] == f"found {NOTE}"
        assert NOTE in told["hits"][0]["why"]
        late.ready = True
        told = server.post("/api/agents/ada/recall", {"query": "port"}).json
        assert told["hits"] and told["note"] is None and NOTE not in json.dumps(told)
