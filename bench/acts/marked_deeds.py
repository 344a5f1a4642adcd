"""The agents' sentences of the marked talks, and which of them report work as done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from marked import rows

from everthread.domain.gleaning.deed_chances import Request, first_words, read_request
from everthread.domain.gleaning.utterances import Utterance, take_apart
from everthread.domain.text.acts.speech import ParsedSentence


class Report(NamedTuple):
    """A sentence of an agent."""

    said: tuple[ParsedSentence, ...]
    """All sentences of the message."""
    place: int
    request: Request
    asked: str
    done: bool
    talk: str
    message: int

    @property
    def sentence(self) -> ParsedSentence:
        return self.said[self.place]

    @property
    def row(self) -> list[str]:
        return first_words(self.sentence.text)


def reports(*folders: Path) -> Iterator[Report]:
    """What agents say in the talks, sentence by sentence as the product takes them apart."""
    for file in sorted(file for folder in folders for file in folder.glob("*.jsonl")):
        asked = ""
        for n, row in enumerate(rows(file)):
            if row["speaker"] != "assistant":
                asked = row["text"]
                continue
            said, request = take_apart(row["text"]), read_request(asked)
            for place, done in enumerate(_done(said, row["marks"])):
                yield Report(said.sentences, place, request, asked, done, file.stem, n)


def _done(said: Utterance, marks: list[dict[str, Any]]) -> Iterator[bool]:
    spans = [m["span"] for m in marks if m["kind"] == "done"]
    starts = [(said.text.find(span), len(span)) for span in spans]
    for place in said.places:
        yield any(start < place.end and start + size > place.start for start, size in starts)
