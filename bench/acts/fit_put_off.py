"""Print the weights of `domain/gleaning/open_items/put_off_chances.py`, fitted on the talks.

`put_off.json` tells, by talk, in which messages a person leaves the assistant's question open; what is
unclear is left out, and in all others she answers. First print what a model finds that was fitted without the
talks of the same writer. The held talks are not read.

.venv/bin/python bench/acts/fit_put_off.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from fit import PENALTY, apart, common, held_out, show, weighed
from marked import FOLDER, Marked, lines, rows, sentences

from everthread.domain.gleaning.agent_statements import question_of
from everthread.domain.gleaning.open_items.leftovers import asks_itself
from everthread.domain.gleaning.open_items.put_off_chances import (
    AMONG,
    LOWEST,
    bounded_sum,
    traits,
)
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.classifier import may_state

LEVELS = (0.3, 0.4, 0.5, 0.6)


class Answer(NamedTuple):
    """What a person says to a question of the assistant."""

    talk: str
    found: Mapping[str, float]
    put_off: bool


def main() -> None:
    alone, within = list(lines("lines")), list(sentences(FOLDER / "talks"))
    sums = apart(alone, within, common([*alone, *within]), "open")
    every = [*answers(within, sums)]
    found = [each.found for each in every]
    wanted = np.array([each.put_off for each in every], dtype=float)
    writers = [each.talk.partition("_")[0] for each in every]
    chances = held_out(found, wanted, writers, 3 * PENALTY)
    for level in LEVELS:
        told = chances >= level
        right = int(wanted[told].sum())
        print(f"{level}: {right} of {int(told.sum())} right, of {int(wanted.sum())}")
    show(weighed(found, wanted, 3 * PENALTY))


def answers(within: list[Marked], sums: Mapping[Marked, float]) -> Iterator[Answer]:
    marks = json.loads((FOLDER / "put_off.json").read_text("utf-8"))
    asked = questions()
    for each in within:
        key = (each.talk, each.message)
        marked = marks.get(each.talk, {"put off": [], "unclear": []})
        if each.place or key not in asked or each.message in marked["unclear"]:
            continue
        weighs = [
            bounded_sum(sums[one]) if may_state(one.said[one.place]) else LOWEST
            for one in within
            if (one.talk, one.message) == key and one.place < AMONG
        ]
        found = traits(each.said, asked[key], weighs)
        yield Answer(each.talk, found, each.message in marked["put off"])


def questions() -> dict[tuple[str, int], str]:
    """What the assistant asked right before a message, by the talk and the message's number."""
    found: dict[tuple[str, int], str] = {}
    for file in sorted((FOLDER / "talks").glob("*.jsonl")):
        said = ""
        for n, row in enumerate(rows(file)):
            if row["speaker"] != "assistant":
                said = row["text"]
            elif (question := question_of(take_apart(row["text"]), said)) and asks_itself(question):
                found[file.stem, n + 1] = question
    return found


if __name__ == "__main__":
    main()
