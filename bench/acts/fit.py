"""Fit the weights of `domain/text/speech_acts.tsv` on the marked lines and talks.

The held talks are not read.

.venv/bin/python bench/acts/fit.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from marked import FOLDER, Marked, lines, sentences

from everthread.domain.text import speech_acts
from everthread.domain.text.speech_acts import ACTS, SCALE, UNIT, features, words_of

WORDS = 1_000
"""The commonest words are told apart."""

SEEN = 2
"""A feature that fewer sentences have is left out."""

TALK = 2.0
"""A sentence of a talk counts as two that were written alone: each act has its due share there."""

PENALTY = 1.0
LEAST = 0.1
"""Weights that are smaller than this are left out."""

ROUNDS = 30


class Table(NamedTuple):
    """Which sentence has which feature, and how much it counts there; one more column is the bias."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    height: int
    width: int

    def times(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.rows, weights[self.columns] * self.values, self.height)

    def across(self, each: np.ndarray) -> np.ndarray:
        return np.bincount(self.columns, each[self.rows] * self.values, self.width)


def main() -> None:
    alone, within = list(lines()), list(sentences(FOLDER / "talks"))
    every = [*alone, *within]
    share = np.array([1.0] * len(alone) + [TALK] * len(within))
    words = common(every)
    found = [features(each.text, words) for each in every]
    counted = Counter(name for one in found for name in one)
    names = sorted(name for name, times in counted.items() if times >= SEEN)
    place = {name: n for n, name in enumerate(names)}
    table = tabled(found, place)
    marks = (np.array([each.act == act for each in every], dtype=float) for act in ACTS)
    fitted = np.stack([logistic(table, wanted, share) for wanted in marks], axis=1)
    write(words, names, fitted)


def common(every: list[Marked]) -> frozenset[str]:
    counted = Counter(word for each in every for word in set(words_of(each.text)))
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return frozenset(word for word, _ in ordered[:WORDS])


def tabled(found: list[frozenset[str]], place: dict[str, int]) -> Table:
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for n, one in enumerate(found):
        known = sorted(place[name] for name in one if name in place)
        rows += [n] * (len(known) + 1)
        columns += [*known, len(place)]
        values += [SCALE / max(len(known), 1) ** 0.5] * len(known) + [1.0]
    return Table(np.array(rows), np.array(columns), np.array(values), len(found), len(place) + 1)


def logistic(table: Table, wanted: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Logistic regression with a square penalty on all but the bias, by Newton's method."""
    weights = np.zeros(table.width)
    penalty = np.full(table.width, PENALTY)
    penalty[-1] = 1e-6
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-table.times(weights)))
        slope = table.across(share * (chance - wanted)) + penalty * weights
        bend = share * chance * (1 - chance)
        step = solve(lambda x, b=bend: table.across(b * table.times(x)) + penalty * x, slope)
        weights = weights - step
        if np.abs(step).max() < LEAST / 10:
            break
    return weights


def solve(product: Callable[[np.ndarray], np.ndarray], wanted: np.ndarray) -> np.ndarray:
    """By conjugate gradients."""
    found, rest = np.zeros_like(wanted), wanted.copy()
    way, size = rest.copy(), float(rest @ rest)
    goal = size * 1e-6
    for _ in range(200):
        turned = product(way)
        far = size / float(way @ turned)
        found += far * way
        rest -= far * turned
        before, size = size, float(rest @ rest)
        if size < goal:
            break
        way = rest + (size / before) * way
    return found


def write(words: frozenset[str], names: list[str], fitted: np.ndarray) -> None:
    told = [" ".join(sorted(words)), _row(fitted[-1])]
    for name, row in zip(names, fitted, strict=False):
        if np.abs(row).max() >= LEAST:
            told.append(f"{name}\t{_row(row)}")
    place = Path(speech_acts.__file__).with_suffix(".tsv")
    place.write_text("\n".join(told) + "\n", "utf-8")
    print(f"{len(told) - 2} features of {len(names)}, {place.stat().st_size // 1000} kB")


def _row(values: np.ndarray) -> str:
    return "\t".join(str(round(each * UNIT)) for each in values)


if __name__ == "__main__":
    main()
