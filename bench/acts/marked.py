"""The marked sentences: lines that stand alone, and those of whole talks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from everthread.domain.gleaning.utterances import Utterance, take_apart
from everthread.domain.text.acts.speech import ParsedSentence

FOLDER = Path(__file__).parent
NONE = "none"


class Marked(NamedTuple):
    """A sentence, and what it does."""

    text: str
    act: str
    talk: str
    message: int
    place: int = 0
    said: tuple[ParsedSentence, ...] = ()
    """All sentences of the message."""
    before: tuple[ParsedSentence, ...] = ()
    """What an assistant had said just before."""


def lines(folder: str) -> Iterator[Marked]:
    for file in sorted((FOLDER / folder).glob("*.jsonl")):
        for n, row in enumerate(rows(file)):
            yield Marked(row["text"], row["label"], file.stem, n)


def sentences(folder: Path) -> Iterator[Marked]:
    """What people say in the talks, sentence by sentence as the product takes them apart."""
    for file in sorted(folder.glob("*.jsonl")):
        last, before = "", Utterance("", (), ())
        for n, row in enumerate(rows(file)):
            said = take_apart(row["text"], own=row["speaker"] != "assistant")
            if row["speaker"] != "assistant":
                earlier = before.sentences if last == "assistant" else ()
                for place, act in enumerate(_acts(said, row["marks"])):
                    text = said.sentences[place].text
                    yield Marked(text, act, file.stem, n, place, said.sentences, earlier)
            last, before = row["speaker"], said


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _acts(said: Utterance, marks: list[dict[str, Any]]) -> Iterator[str]:
    for place in said.places:
        act = NONE
        for mark in marks:
            start = said.text.find(mark["span"])
            end = start + len(mark["span"])
            shared = min(place.end, end) - max(place.start, start)
            half = 0.5 * min(place.end - place.start, end - start)
            if shared >= half and act in (NONE, "fact", "request"):
                act = mark["kind"]
        yield act
