"""How much the compressed vectors find of what exact ones would: on real texts, and many of them."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from duel import Broken
from figures import Report

from everthread.domain.agents import AgentRow
from everthread.domain.recall.cards import Card
from everthread.domain.recall.passages import passages
from everthread.ports import Filing
from everthread.providers.embedder import MiniLm
from everthread.store.sqlite.index import SqliteIndex

TEXTS = 2_600
"""More than the few of which all are compared by value."""

ASKED = 100
GROWN = 26_000
LEAST = 0.97
ADA = AgentRow(1, bytes(16), "ada", None, 200_000, None, "UTC", None, None, 0, 0)


def bench(folder: Path, _asked: Namespace) -> Report:
    """Missed shares, so that, as elsewhere, less is better."""
    report = Report("nearness: what `nearest` misses of the exact order, real vectors")
    place = os.environ.get("EVERTHREAD_TEST_DATA")
    if not place:
        report.add("no data: EVERTHREAD_TEST_DATA names no folder", 0, unit="")
        return report
    said, questions = _data(Path(place))
    embedder = MiniLm(idle_seconds=600)
    texts = [part for text in said for part in passages(text)][:TEXTS]
    real = embedder.embed(texts)
    queries = embedder.embed(questions[:ASKED])
    for name, vectors in ((f"{len(real):,} passages", real), (f"{GROWN:,}", _grown(real))):
        report.lines += _missed(folder / name.split()[0], name, vectors, queries)
    return report


def _data(place: Path) -> tuple[list[str], list[str]]:
    """What was said in LoCoMo and BEAM, mixed, and LoCoMo's questions."""
    talks = [json.loads(p.read_text("utf-8")) for p in sorted(place.glob("locomo/conv-*.json"))]
    chats = [json.loads(p.read_text("utf-8")) for p in sorted(place.glob("beam_100k/*/chat.json"))]
    if not talks or not chats:
        raise Broken(f"{place} holds neither LoCoMo nor BEAM")
    people = [text for talk in talks for text in _turns(talk["conversation"])]
    agents = [
        message["content"]
        for chat in chats
        for batch in chat
        for turn in batch["turns"]
        for message in turn
    ]
    questions = [asked["question"] for talk in talks for asked in talk["qa"]]
    # Mixed: with people's turns alone the questions, which are about them, would be too easy.
    mixed = [text for pair in zip(people, agents, strict=False) for text in pair]
    return mixed + people[len(agents) :], questions[:: max(1, len(questions) // ASKED)]


def _turns(talk: dict[str, Any]) -> Iterator[str]:
    for name, turns in talk.items():
        if name.startswith("session_") and isinstance(turns, list):
            yield from (turn["text"] for turn in turns)


def _grown(real: Any) -> Any:
    """Many more, between two real ones each: they crowd as real ones would."""
    chance = np.random.default_rng(1)
    one, two = chance.integers(0, len(real), (2, GROWN))
    share = chance.uniform(0.5, 0.95, (GROWN, 1)).astype(np.float32)
    made = real[one] * share + real[two] * (1 - share)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def _missed(folder: Path, name: str, vectors: Any, queries: Any) -> Iterator[Any]:
    folder.mkdir()
    index = SqliteIndex(folder / "near.db")
    catalogue = index.of(ADA)
    cards = [Card(n + 1, "message", n + 1, 1, "user", "", 0, 0, 1, n) for n in range(len(vectors))]
    catalogue.file([Filing(card, "") for card in cards], threads={1: len(cards)})
    catalogue.embed("real", [(n + 1, vectors[n : n + 1]) for n in range(len(vectors))])
    exact = np.argsort(-(queries @ vectors.T), axis=1)[:, :100] + 1
    found = [catalogue.nearest(query, limit=100) for query in queries]
    index.close()
    report = Report("")
    for depth, budget in ((20, 100 * (1 - LEAST)), (100, None)):
        held = [
            len(set(mine[:depth]) & set(true[:depth].tolist())) / depth
            for mine, true in zip(found, exact, strict=True)
        ]
        missed = 100 * (1 - float(np.mean(held)))
        report.add(f"of the best {depth} among {name}", missed, unit="% missed", budget=budget)
    return iter(report.lines)
