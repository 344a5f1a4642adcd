"""Print the weights of `domain/gleaning/standing_chances.py`, fitted on what people say in the talks.

First print what a model finds that was fitted without the talks of the same writer. The held talks are not
read.

.venv/bin/python bench/acts/fit_standing.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from fit import PENALTY, apart, common, held_out, show, weighed
from marked import FOLDER, Marked, lines, rows, sentences

from everthread.domain.gleaning.standing_chances import FEWEST, traits
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.classifier import may_state
from everthread.domain.text.acts.speech import ParsedSentence

LEVELS = (0.3, 0.4, 0.5, 0.6)


class Exchange(NamedTuple):
    """A sentence of a person, and what is known of it when the agent has replied."""

    said: Marked
    found: Mapping[str, float]


def main() -> None:
    alone, within = list(lines("lines")), list(sentences(FOLDER / "talks"))
    sums = apart(alone, within, common([*alone, *within]), "standing")
    every = [*exchanges(within, sums)]
    found = [each.found for each in every]
    wanted = np.array([each.said.act == "standing" for each in every], dtype=float)
    writers = [each.said.talk.partition("_")[0] for each in every]
    chances = held_out(found, wanted, writers, 3 * PENALTY)
    for level in LEVELS:
        told = chances >= level
        right = int(wanted[told].sum())
        print(f"{level}: {right} of {int(told.sum())} right, of {int(wanted.sum())}")
    show(weighed(found, wanted, 3 * PENALTY))


def exchanges(within: list[Marked], sums: Mapping[Marked, float]) -> Iterator[Exchange]:
    replied = replies()
    for each in within:
        said = each.said[each.place]
        if len(said.words) < FEWEST or not (may_state(said) or said.orders):
            continue
        reply = replied.get((each.talk, each.message), ())
        asked = any(one.asks for one in each.before)
        found = traits(each.said, each.place, reply, asked=asked)
        yield Exchange(each, {**found, "words": sums[each]})


def replies() -> dict[tuple[str, int], tuple[ParsedSentence, ...]]:
    """What an assistant said right after a message, by the talk and the message's number."""
    found: dict[tuple[str, int], tuple[ParsedSentence, ...]] = {}
    for file in sorted((FOLDER / "talks").glob("*.jsonl")):
        for n, row in enumerate(rows(file)):
            if n and row["speaker"] == "assistant":
                found[file.stem, n - 1] = take_apart(row["text"]).sentences
    return found


if __name__ == "__main__":
    main()
