"""The marked sentences: lines that stand alone, and those of whole talks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from everthread.domain.gleaning.said import take_apart
from everthread.domain.text.fences import flat

FOLDER = Path(__file__).parent
NONE = "none"


class Marked(NamedTuple):
    """A sentence, and what it does."""

    text: str
    act: str
    talk: str
    message: int


def lines() -> Iterator[Marked]:
    for file in sorted((FOLDER / "lines").glob("*.jsonl")):
        for n, row in enumerate(rows(file)):
            yield Marked(row["text"], row["label"], file.stem, n)


def sentences(folder: Path) -> Iterator[Marked]:
    """What people say in the talks, sentence by sentence as the product takes them apart."""
    for file in sorted(folder.glob("*.jsonl")):
        for n, row in enumerate(rows(file)):
            if row["speaker"] != "assistant":
                yield from _within(row["text"], row["marks"], file.stem, n)


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _within(text: str, marks: list[dict[str, Any]], talk: str, message: int) -> Iterator[Marked]:
    for place in take_apart(text, own=True).places:
        act = NONE
        for mark in marks:
            start = text.find(mark["span"])
            end = start + len(mark["span"])
            shared = min(place.end, end) - max(place.start, start)
            half = 0.5 * min(place.end - place.start, end - start)
            if shared >= half and act in (NONE, "fact", "request"):
                act = mark["kind"]
        yield Marked(flat(text[place.start : place.end]), act, talk, message)
