"""Fit the weights of `domain/text/acts/weights.tsv` on the marked lines and talks.

Then those of `lasting_weights.tsv` beside it, on the lines in `statements` as well; and print those of
`domain/gleaning/choices/exchanges.py`, fitted on the talks alone.

The held talks are not read.

.venv/bin/python bench/acts/fit.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from marked import FOLDER, Marked, lines, sentences

from everthread.domain.gleaning.choices.exchanges import answered_by, traits
from everthread.domain.text.acts import word_model
from everthread.domain.text.acts.classifier import ACTS, Act, may_state
from everthread.domain.text.acts.word_model import SCALE, UNIT, features, words_of

STATEMENTS = ("fact", "request")
"""In the order of `lasting_statements.StatementChances`."""

WORDS = 1_000
"""The commonest words are told apart."""

SEEN = 2
"""A feature that fewer sentences have is left out."""

TALK = 2.0
"""A sentence of a talk counts as two that were written alone: each act has its due share there."""

SHORT_TALKS, SHORT = ("7_", "8_", "9_", "10_"), 0.5
"""In these talks people are terse. At half the share of a line they do not drown the others."""

PENALTY = 1.0
LEAST = 0.1
"""Weights that are smaller than this are left out."""

ROUNDS = 30

FOLDS = 6

BIAS = "bias"


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
    alone, within = list(lines("lines")), list(sentences(FOLDER / "talks"))
    words = common([*alone, *within])
    fit("weights.tsv", ACTS, [*alone, *within], words)
    # With the same words told apart, each sentence is taken to pieces once for both.
    fit("lasting_weights.tsv", STATEMENTS, [*alone, *lines("statements"), *within], words)
    exchanges(alone, within, words)


def fit(file: str, senses: Sequence[str], every: list[Marked], words: frozenset[str]) -> None:
    """Weigh the words of all of them for each sense, and write that down."""
    share = shares(every)
    found = [features(each.text, words) for each in every]
    names = known(found)
    table = tabled(found, {name: n for n, name in enumerate(names)})
    marks = (np.array([each.act == sense for each in every], dtype=float) for sense in senses)
    fitted = np.stack([logistic(table, wanted, share) for wanted in marks], axis=1)
    write(file, words, names, fitted)


def shares(every: list[Marked]) -> np.ndarray:
    """How much each sentence counts."""
    talk = (SHORT if each.talk.startswith(SHORT_TALKS) else TALK for each in every)
    return np.array([one if each.said else 1.0 for each, one in zip(every, talk, strict=True)])


def known(found: list[frozenset[str]]) -> list[str]:
    counted = Counter(name for one in found for name in one)
    return sorted(name for name, times in counted.items() if times >= SEEN)


def exchanges(alone: list[Marked], within: list[Marked], words: frozenset[str]) -> None:
    """Weigh how a sentence stands in the talk, beside what its words weigh in a model without that talk."""
    sums = apart(alone, within, words, "decision")
    stating = [each for each in within if each.before and may_state(each.said[each.place])]
    found = [
        {**traits(each.said, each.place, answered_by(each.before)), "words": sums[each]}
        for each in stating
    ]
    wanted = np.array([each.act == "decision" for each in stating], dtype=float)
    show(weighed(found, wanted, 10 * PENALTY))


def weighed(
    found: Sequence[Mapping[str, float]], wanted: np.ndarray, penalty: float
) -> dict[str, float]:
    """The weight of each trait, and of the bias; whatever its range, each is held down alike."""
    names = sorted(found[0])
    values = np.array([[one[name] for name in names] + [1.0] for one in found])
    wide = values.std(axis=0)
    wide[-1] = 1.0
    rows, columns = np.indices(values.shape)
    cells = (rows.ravel(), columns.ravel(), (values / wide).ravel())
    table = Table(*cells, *values.shape)
    fitted = logistic(table, wanted, np.ones(len(found)), penalty) / wide
    return dict(zip([*names, BIAS], map(float, fitted), strict=True))


def held_out(
    found: Sequence[Mapping[str, float]],
    wanted: np.ndarray,
    writers: Sequence[str],
    penalty: float,
) -> np.ndarray:
    """The chance of each, by weights that were fitted without what its writer wrote."""
    sums, by = np.zeros(len(found)), np.array(writers)
    for writer in sorted({*writers}):
        seen = [one for one, other in zip(found, writers, strict=True) if other != writer]
        weights = weighed(seen, wanted[by != writer], penalty)
        for n, one in enumerate(found):
            if writers[n] == writer:
                own = sum(weights[name] * value for name, value in one.items())
                sums[n] = own + weights[BIAS]
    return 1 / (1 + np.exp(-sums))


def show(weights: Mapping[str, float]) -> None:
    for name, weight in weights.items():
        print(f"{name:>16} {weight:6.2f}")


def apart(
    alone: list[Marked], within: list[Marked], words: frozenset[str], act: Act
) -> dict[Marked, float]:
    """What the words of each sentence weigh for an act, fitted without its own talk and a few more."""
    talks, sums = sorted({each.talk for each in within}), dict[Marked, float]()
    for fold in range(FOLDS):
        out = {*talks[fold::FOLDS]}
        seen = [*alone, *(each for each in within if each.talk not in out)]
        found = [features(each.text, words) for each in seen]
        place = {name: n for n, name in enumerate(known(found))}
        wanted = np.array([each.act == act for each in seen], dtype=float)
        fitted = logistic(tabled(found, place), wanted, shares(seen))
        held = [each for each in within if each.talk in out]
        weights = tabled([features(each.text, words) for each in held], place).times(fitted)
        sums |= dict(zip(held, map(float, weights), strict=True))
    return sums


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


def logistic(
    table: Table, wanted: np.ndarray, share: np.ndarray, least: float = PENALTY
) -> np.ndarray:
    """Logistic regression with a square penalty on all but the bias, by Newton's method."""
    weights = np.zeros(table.width)
    penalty = np.full(table.width, least)
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


def write(file: str, words: frozenset[str], names: list[str], fitted: np.ndarray) -> None:
    told = [" ".join(sorted(words)), _row(fitted[-1])]
    for name, row in zip(names, fitted, strict=False):
        if np.abs(row).max() >= LEAST:
            told.append(f"{name}\t{_row(row)}")
    place = Path(word_model.__file__).with_name(file)
    place.write_text("\n".join(told) + "\n", "utf-8")
    print(f"{file}: {len(told) - 2} features of {len(names)}, {place.stat().st_size // 1000} kB")


def _row(values: np.ndarray) -> str:
    return "\t".join(str(round(each * UNIT)) for each in values)


if __name__ == "__main__":
    main()
