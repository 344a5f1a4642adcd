"""Cards and vectors to try an index with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from everthread.domain.agents import AgentRow
from everthread.domain.recall.cards import Card, wording_hash
from everthread.domain.text.words import query_words
from everthread.ports import Catalogue, Filing

from .rows import NOON, new_id

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Vectors = NDArray[float32]

DIMENSIONS = 384
SEED = 7


def an_agent(ref: int = 1, key_id: bytes | None = None, name: str = "ada") -> AgentRow:
    """An agent as a store would hand it out."""
    return AgentRow(
        ref=ref,
        key_id=key_id or new_id(),
        name=name,
        model=None,
        window=200_000,
        inactivity_hours=None,
        time_zone="UTC",
        system_hash=None,
        tools_hash=None,
        created_ms=NOON,
        entry=1,
    )


def a_filing(card: int, text: str, kind: str = "message") -> Filing:
    flags, words = card % 64, len(text.split())
    known = flags, words, wording_hash(text) if kind == "message" else card
    return Filing(Card(card, kind, card * 10, 3, "user", "Mel", NOON + card, *known), text)


def file_texts(catalogue: Catalogue, texts: Sequence[str], *, first: int = 1) -> list[int]:
    """File the texts under following ids; these."""
    filings = [a_filing(n, text) for n, text in enumerate(texts, first)]
    catalogue.file(filings, threads={1: filings[-1].card.id})
    return [each.card.id for each in filings]


def search_ids(catalogue: Catalogue, question: str, limit: int = 100) -> list[int]:
    return [card for card, _ in catalogue.search(query_words(question), limit=limit)]


def unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def random_vectors(rows: int, seed: int = SEED) -> Vectors:
    """So many vectors of length 1 that point anywhere."""
    drawn = np.random.default_rng(seed).standard_normal((rows, DIMENSIONS))
    return unit(drawn.astype(np.float32))


def vector_near(towards: Vectors, by: float, seed: int) -> Vectors:
    """A vector whose cosine with another is about `by`."""
    return unit(by * towards + float(np.sqrt(1 - by * by)) * random_vectors(1, seed)[0])
