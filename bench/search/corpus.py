"""What is searched: made-up texts and vectors, the same in every process, at any size.

Real words that follow Zipf's law; a text has some seventy of them, about 470 bytes, now and then an
identifier, a path or a number. Vectors lie in clusters, as those of real texts do. Everything comes
in chunks with a seed of their own, so text n is the same whether ten thousand are made or a million.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

CHUNK = 10_000
DIMENSIONS = 384
VOCABULARY = 30_000
DRAWS = 1 << 20
ODD = 2_000
"""Of a vocabulary of its own: identifiers, paths, numbers."""

MIDDLING = (400, 6_000)
"""Ranks of the words that are asked for: neither in every text nor in hardly any."""

WORDS_ASKED = 6
CLUSTERS = 500
WORDS = "BENCH_WORDS"
"""Names the file of words, the most frequent first; a dash before one that is not asked for."""


class Query(NamedTuple):
    """What is asked: the words, and the question's vector, which is given."""

    words: list[str]
    vector: Floats

    @property
    def text(self) -> str:
        return " ".join(self.words)


@cache
def vocabulary() -> NDArray[np.object_]:
    """The most frequent first."""
    return np.array([word.lstrip("-") for word in _lines()], dtype=object)


@cache
def _telling() -> NDArray[np.bool_]:
    """Which ranks may be asked for."""
    low, high = MIDDLING
    ranks = range(VOCABULARY)
    return np.array([low <= n < high and _lines()[n][0] != "-" for n in ranks], dtype=bool)


@cache
def _lines() -> list[str]:
    words = Path(os.environ[WORDS]).read_text("utf-8").split()
    return words[:VOCABULARY]


@cache
def _forms() -> NDArray[np.object_]:
    """Every word plain, with a full stop, with a comma; then the odd ones."""
    plain = vocabulary()
    chance = np.random.default_rng(2)
    odd: list[str] = []
    for n in range(ODD):
        one, two = plain[chance.integers(100, VOCABULARY, 2)]
        odd.append((f"{one}{two.title()}", f"src/{one}/{two}.py", f"{n * 37}", one.title())[n % 4])
    return np.concatenate([plain, plain + ".", plain + ",", np.array(odd, dtype=object)])


@cache
def _zipf() -> NDArray[np.int32]:
    """Ranks, each as often as it is drawn: a draw is one look into this table."""
    shares = 1 / np.arange(1, VOCABULARY + 1)
    ends = np.cumsum(shares) / shares.sum()
    places = (np.arange(DRAWS) + 0.5) / DRAWS
    return np.searchsorted(ends, places).astype(np.int32)


def _drawn(chunk: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The ranks of a chunk's words in a row, and where each text ends."""
    chance = np.random.default_rng((3, chunk))
    sizes = np.clip(chance.lognormal(4.26, 0.45, CHUNK), 8, 400).astype(np.int64)
    ends = np.cumsum(sizes)
    ranks = _zipf()[chance.integers(0, DRAWS, int(ends[-1]), dtype=np.uint32)]
    return ranks, ends


def texts(chunk: int) -> list[str]:
    """The texts of one chunk."""
    ranks, ends = _drawn(chunk)
    chance = np.random.default_rng((4, chunk))
    form = chance.choice(3, len(ranks), p=(0.86, 0.08, 0.06)).astype(np.int32)
    forms = ranks + form * VOCABULARY
    odd = np.flatnonzero(chance.random(len(ranks)) < 0.02)
    forms[odd] = 3 * VOCABULARY + chance.integers(0, ODD, len(odd))
    words = _forms()[forms].tolist()
    starts = np.concatenate([[0], ends[:-1]]).tolist()
    return [
        f"{words[start].title()} {' '.join(words[start + 1 : end])}{'?' if n % 5 == 0 else '.'}"
        for n, (start, end) in enumerate(zip(starts, ends.tolist(), strict=True))
    ]


@cache
def _centres() -> Floats:
    made = np.random.default_rng(5).standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def vectors(chunk: int) -> Floats:
    """One vector of length 1 a text: near the centre of its cluster, about .4 alike within one."""
    chance = np.random.default_rng((6, chunk))
    made = chance.standard_normal((CHUNK, DIMENSIONS), dtype=np.float32)
    made *= np.float32(0.75 / np.sqrt(DIMENSIONS))
    made += _centres()[chance.integers(0, CLUSTERS, CHUNK)] * np.float32(0.65)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def chunks(size: int) -> Iterator[tuple[int, list[str], Floats]]:
    """Texts and vectors with the number of the first, up to so many."""
    for chunk in range(-(-size // CHUNK)):
        left = min(CHUNK, size - chunk * CHUNK)
        yield chunk * CHUNK, texts(chunk)[:left], vectors(chunk)[:left]


def queries(size: int, first: int, count: int) -> list[Query]:
    """Questions after the texts of a corpus of that size: some of a text's words, a vector near its own."""
    found: list[Query] = []
    chunk, held = -1, (np.empty(0), np.empty(0), np.empty((0, 0)))
    for number in range(first, first + count):
        chance = np.random.default_rng((7, number))
        wanted = number // 50 % -(-size // CHUNK)
        if wanted != chunk:
            chunk, held = wanted, (*_drawn(wanted), vectors(wanted))
        found.append(_query(held, int(chance.integers(0, min(size, CHUNK))), chance))
    return found


def _query(held: tuple[NDArray, NDArray, Floats], text: int, chance: np.random.Generator) -> Query:
    ranks, ends, rows = held
    said = ranks[ends[text - 1] if text else 0 : ends[text]]
    telling = np.unique(said[_telling()[said]])
    if len(telling) < WORDS_ASKED:  # a short text: the rest from anywhere
        rest = chance.choice(np.flatnonzero(_telling()), WORDS_ASKED, replace=False)
        telling = np.concatenate([telling, rest])
    words = vocabulary()[chance.permutation(telling)[:WORDS_ASKED]].tolist()
    noise = chance.standard_normal(DIMENSIONS).astype(np.float32) / np.sqrt(DIMENSIONS)
    vector = rows[text] + noise
    return Query(words, (vector / np.linalg.norm(vector)).astype(np.float32))


@cache
def _kept(chunk: int) -> list[str]:
    return texts(chunk)


def text(number: int) -> str:
    """One text."""
    return _kept(number // CHUNK)[number % CHUNK]
