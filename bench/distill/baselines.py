"""What ours is measured against, at the same budget: the newest, any, and the most central.

A baseline distils a list of units (steps, or what it kept of them before) into as many tokens as it
is given. Distilled again, it gets what it kept and what came since, like a rolling memory.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from matching import content_words
from numpy.typing import NDArray

from everthread.providers.tokenizer import BpeTokenizer

Units = list[str]
Distil = Callable[[Units, int], Units]

count = BpeTokenizer().count

DAMPING = 0.85
ROUNDS = 30
LONG_UNIT = 600
"""A longer line is no sentence: it counts by its first characters."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def truncated(units: Units, budget: int) -> Units:
    """The newest, whole; of the one that no longer fits, its last lines."""
    kept, left = Units(), budget
    for unit in reversed(units):
        size = count(unit) + 1
        if size > left:
            rest = _end_of(unit, left)
            return [rest, *kept] if rest else kept
        kept.insert(0, unit)
        left -= size
    return kept


def chosen(seed: int) -> Distil:
    """Any, by chance; what does not fit any more is passed over."""

    def distil(units: Units, budget: int) -> Units:
        order = list(range(len(units)))
        random.Random(seed).shuffle(order)
        return filled(units, order, budget)

    return distil


def central(units: Units, budget: int) -> Units:
    """LexRank: the sentences most like all others (tf-idf, cosine, the power method)."""
    sentences = [piece.strip() for unit in units for piece in _SENTENCE.split(unit)]
    sentences = list(dict.fromkeys(s[:LONG_UNIT] for s in sentences if s))
    if not sentences:
        return []
    scores = lexrank(sentences)
    return filled(sentences, np.argsort(-scores, kind="stable").tolist(), budget)


def lexrank(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How central each sentence is. The matrix of likeness is X times its transpose, never written out."""
    n = len(sentences)
    rows, columns, values = _tfidf(sentences)

    def likeness(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        terms = np.bincount(columns, values * weights[rows], minlength=int(columns.max()) + 1)
        whole = np.bincount(rows, values * terms[columns], minlength=n)
        return np.maximum(whole - weights * filled, 0)  # no sentence votes for itself

    if not len(columns):
        return np.zeros(n)
    filled = np.bincount(rows, minlength=n) > 0
    degree = np.maximum(likeness(np.ones(n)), 1e-9)
    rank = np.full(n, 1 / n)
    for _ in range(ROUNDS):
        rank = (1 - DAMPING) / n + DAMPING * likeness(rank / degree)
    return rank


def _tfidf(
    sentences: Sequence[str],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Row, column, value of the sparse matrix; every row has length one."""
    counts = [Counter(content_words(sentence)) for sentence in sentences]
    spread = Counter(word for own in counts for word in own)
    number = {word: n for n, word in enumerate(spread)}
    rows, columns, values = list[int](), list[int](), list[float]()
    for row, own in enumerate(counts):
        weights = [c * math.log(len(counts) / spread[w] + 1) for w, c in own.items()]
        length = math.sqrt(sum(w * w for w in weights)) or 1.0
        rows.extend([row] * len(own))
        columns.extend(number[word] for word in own)
        values.extend(weight / length for weight in weights)
    return (
        np.array(rows, dtype=np.int64),
        np.array(columns, dtype=np.int64),
        np.array(values, dtype=np.float64),
    )


def filled(units: Sequence[str], order: Sequence[int], budget: int) -> Units:
    """The first of the order that fit, told in the order they were said in."""
    kept, left = list[int](), budget
    for n in order:
        if left <= 1:
            break
        size = count(units[n]) + 1
        if size <= left:
            kept.append(n)
            left -= size
    return [units[n] for n in sorted(kept)]


def _end_of(unit: str, budget: int) -> str:
    """As many of its last lines as fit."""
    kept, left = list[str](), budget
    for line in reversed(unit.splitlines()):
        size = count(line) + 1
        if size > left:
            break
        kept.insert(0, line)
        left -= size
    return "\n".join(kept)
