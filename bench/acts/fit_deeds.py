"""Fit the weights of `domain/gleaning/deed_weights.tsv` on the agents' sentences of the marked talks.

First print what a model finds that was fitted without the talks of the same writer: of the sentences that
the forms leave, how many are right from which chance on.

.venv/bin/python bench/acts/fit_deeds.py
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fit import Table, logistic
from marked import FOLDER
from marked_deeds import Report, reports

from everthread.domain.gleaning import deed_chances
from everthread.domain.gleaning.deed_chances import (
    SCALE,
    UNIT,
    is_past,
    may_report,
    traits,
    word_shapes,
)
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.deed_reports import tells_deed

FOLDERS = (FOLDER / "talks", FOLDER / "deeds")
"""In the second, agents talk while they work with tools."""

COMMON = 100
"""The commonest words stand for themselves."""

TALKS = 5
"""Words that stand in fewer talks than this are not told apart: they tell what a talk is about."""

SEEN = 3
"""A shape that fewer sentences have is left out."""

PENALTY = 0.5
LEAST = 0.1
"""Weights that are smaller than this are left out."""

LEVELS = (0.4, 0.5, 0.6, 0.7, 0.8)


class Fitted(NamedTuple):
    """A model, by its names."""

    common: frozenset[str]
    known: frozenset[str]
    names: list[str]
    weights: np.ndarray


def main() -> None:
    every = [
        each
        for each in reports(*FOLDERS)
        if not each.sentence.asks and may_report(each.sentence, each.row)
    ]
    measure(every)
    write(fit(every))


def fit(every: list[Report]) -> Fitted:
    spread = dict[str, set[str]]()
    counted = Counter[str]()
    for each in every:
        told = {word for word in each.row if word[0].isalpha()}
        counted.update(told)
        for word in told:
            spread.setdefault(word, set()).add(each.talk)
    ordered = sorted(counted, key=lambda word: (-counted[word], word))
    common = frozenset([word for word in ordered if not is_past(word)][:COMMON])
    known = frozenset(word for word in ordered if len(spread[word]) >= TALKS)
    times = Counter(
        shape for each in every for shape in word_shapes(each.sentence, each.row, common, known)
    )
    shapes = sorted(shape for shape, seen in times.items() if seen >= SEEN)
    names = [*shapes, *traits_of(every[0])]
    model = Fitted(common, known, names, np.zeros(len(names) + 1))
    wanted = np.array([each.done for each in every], dtype=float)
    return model._replace(
        weights=logistic(tabled(every, model), wanted, np.ones(len(every)), PENALTY)
    )


def tabled(every: list[Report], model: Fitted) -> Table:
    place = {name: n for n, name in enumerate(model.names)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for n, each in enumerate(every):
        shapes = word_shapes(each.sentence, each.row, model.common, model.known)
        known = sorted(place[shape] for shape in shapes if shape in place)
        told = traits_of(each)
        columns += [*known, *(place[name] for name in told), len(place)]
        values += [SCALE / max(len(known), 1) ** 0.5] * len(known) + [*told.values(), 1.0]
        rows += [n] * (len(known) + len(told) + 1)
    return Table(np.array(rows), np.array(columns), np.array(values), len(every), len(place) + 1)


def measure(every: list[Report]) -> None:
    """By models that were fitted without the talks of the same writer."""
    writers = sorted({each.talk.partition("_")[0] for each in every})
    found = list[tuple[float, bool]]()
    for writer in writers:
        seen = [each for each in every if each.talk.partition("_")[0] != writer]
        held = [each for each in every if each.talk.partition("_")[0] == writer]
        model = fit(seen)
        sums = tabled(held, model).times(model.weights)
        found += [
            (1 / (1 + float(np.exp(-total))), each.done)
            for each, total in zip(held, sums, strict=True)
            if not by_form(each)
        ]
    print(f"{sum(done for _, done in found)} done of {len(found)} that the forms leave")
    for level in LEVELS:
        told = [done for chance, done in found if chance >= level]
        print(f"from {level}: {sum(told)} right of {len(told)}")


def by_form(each: Report) -> bool:
    return speech.reports(each.sentence) or tells_deed(each.sentence, each.asked)


def traits_of(each: Report) -> dict[str, float]:
    return traits(each.said, each.place, each.row, each.request)


def write(model: Fitted) -> None:
    rows = [
        f"{name}\t{round(weight * UNIT)}"
        for name, weight in zip(model.names, model.weights, strict=False)
        if abs(weight) >= LEAST
    ]
    head = (" ".join(sorted(model.common)), " ".join(sorted(model.known)))
    bias = str(round(float(model.weights[-1]) * UNIT))
    place = Path(deed_chances.__file__).with_name("deed_weights.tsv")
    place.write_text("\n".join((*head, bias, *rows)) + "\n", "utf-8")
    print(f"{len(rows)} weights of {len(model.names)}, {place.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
