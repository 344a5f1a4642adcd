"""What ours is measured against: text alone, vectors alone, and the two simplest ways to fuse them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from talks import Said, Talk
from vectors import KeptEmbedder

from everthread.domain.recall.passages import passages
from everthread.domain.text.words import query_words

Floats = NDArray[np.float32]

DEPTH = 100
"""Messages of an answer that are looked at: as many as a thousand tokens can hold."""

ALL_WORDS = 64
"""Floors look up every content word of a question."""

FUSION = 60
"""The constant of reciprocal rank fusion."""

COSINE = 1.2
"""Weight of the cosine in the best weighted sum known before: BM25 + 1.2 cosine, each over its best."""


def quoted(said: Said) -> str:
    """A message as it is indexed and counted: speaker first."""
    return f"{said.name}: {said.content}" if said.name else said.content


class Floors:
    """All floors over one talk."""

    def __init__(self, talk: Talk, embedder: KeptEmbedder) -> None:
        self._ids = [said.id for said in talk.said]
        texts = [quoted(said) for said in talk.said]
        self._index = sqlite3.connect(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE said USING fts5(t, tokenize='porter unicode61')")
        self._index.executemany(
            "INSERT INTO said (rowid, t) VALUES (?, ?)", list(enumerate(texts, 1))
        )
        pieces = [passages(text) or [" "] for text in texts]
        self._starts = np.cumsum([0, *(len(p) for p in pieces[:-1])])
        self._vectors = embedder.embed([text for p in pieces for text in p])
        questions = [question.text for question in talk.questions]
        self._asked = dict(zip(questions, embedder.embed(questions), strict=True))

    def systems(self) -> dict[str, Callable[[str], list[str]]]:
        return {
            "FTS5": lambda q: self._best(self._words(q)),
            "MiniLM": lambda q: self._best(self._meaning(q)),
            "RRF": lambda q: self._best(_ranks(self._words(q)) + _ranks(self._meaning(q))),
            "BM25 + 1.2 cosine": lambda q: self._best(self._sum(q)),
        }

    def _words(self, question: str) -> Floats:
        """BM25 of every message; minus infinity where no word matches."""
        scores = np.full(len(self._ids), -np.inf, dtype=np.float32)
        words = query_words(question, ALL_WORDS)
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid, -bm25(said) FROM said WHERE said MATCH ?"
        for row, score in self._index.execute(sql, (query,)) if words else ():
            scores[row - 1] = score
        return scores

    def _meaning(self, question: str) -> Floats:
        """The cosine of the most alike passage of every message."""
        return np.maximum.reduceat(self._vectors @ self._asked[question], self._starts)

    def _sum(self, question: str) -> Floats:
        words, meaning = np.maximum(self._words(question), 0), self._meaning(question)
        return words / max(words.max(), 1e-9) + COSINE * meaning / meaning.max()

    def _best(self, scores: Floats) -> list[str]:
        order = np.argsort(-scores, kind="stable")[:DEPTH]
        return [self._ids[n] for n in order if scores[n] > -np.inf]


def _ranks(scores: Floats) -> Floats:
    """One over the rank plus sixty; nothing for what is not in the list."""
    shares = np.zeros(len(scores), dtype=np.float32)
    order = np.argsort(-scores, kind="stable")
    shares[order] = 1 / (FUSION + 1 + np.arange(len(scores)))
    return np.where(scores > -np.inf, shares, 0)
