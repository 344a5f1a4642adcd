"""Our process: the product's own index, filled through its port, and its own search."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns
from typing import Any

from child import serve, timed
from corpus import Floats, Query, chunks, queries

import everthread
from everthread import Settings
from everthread.domain.ids import place_at
from everthread.domain.recall.cards import Card, describe, wording_hash
from everthread.domain.recall.questions import read_question
from everthread.ports import Filing
from everthread.services.memory.gather import gather

MODEL = "given"
ROLES = ("user", "assistant")
SITTING = 40
"""Messages of one session."""

MINUTE = 60_000
START = 1_700_000_000_000
NOW = 1_800_000_000_000
PAGE = 1_000
"""Filed at once, as the product does."""

DEPTH = 100


class Asker:
    def __init__(self, path: Path, size: int) -> None:
        self._size = size
        self._asked: dict[str, int] = {}
        self._et = everthread.connect(path, background=False, settings=Settings())
        self._house = self._et.house
        self._agent = self._et.agent("ada").row
        self._catalogue = self._house.index.of(self._agent)

    def fill(self) -> dict[str, float]:
        """Seconds of CPU for words and for vectors; making cards is the product's work, texts are not."""
        words = vectors = 0
        for first, texts, rows in chunks(self._size):
            start = process_time_ns()
            for page in range(0, len(texts), PAGE):
                some = texts[page : page + PAGE]
                filings = [filing(n, text) for n, text in enumerate(some, first + page)]
                self._catalogue.file(filings, threads={1: first + page + len(some)})
            words += process_time_ns() - start
            start = process_time_ns()
            given = [(place(first + n), rows[n : n + 1]) for n in range(len(rows))]
            self._catalogue.embed(MODEL, given)
            vectors += process_time_ns() - start
        return {"words": words / 1e9, "vectors": vectors / 1e9}

    def text(self, count: int) -> list[int]:
        return self._timed(
            "text", lambda query: self._catalogue.search(query.words, limit=DEPTH), count
        )

    def nearest(self, count: int) -> list[int]:
        return self._timed(
            "nearest", lambda query: self._catalogue.nearest(query.vector, limit=DEPTH), count
        )

    def whole(self, count: int) -> list[int]:
        return self._timed("whole", lambda query: self._gathered(query, query.vector), count)

    def words(self, count: int) -> list[int]:
        """The whole search without a vector."""
        return self._timed("words", lambda query: self._gathered(query, None), count)

    def _gathered(self, query: Query, vector: Floats | None) -> object:
        return gather(self._house, self._agent, read_question(query.text, NOW), vector)

    def cards(self, count: int) -> list[int]:
        return self._timed("cards", lambda query: self._catalogue.cards(query[0]), count, self._ids)

    def likeness(self, count: int) -> list[int]:
        return self._timed(
            "likeness", lambda given: self._catalogue.likeness(*given), count, self._ids
        )

    def _ids(self, query: Query) -> tuple[list[int], Any]:
        """Some four hundred cards, neighbours too, as a search looks at them."""
        found = [card for card, _ in self._catalogue.search(query.words, limit=DEPTH)]
        found += self._catalogue.nearest(query.vector, limit=DEPTH)
        ids = sorted({card + n for card in found for n in (-1, 0, 1)})
        self._catalogue.cards(ids)
        return ids, query.vector

    def _timed(
        self,
        what: str,
        run: Callable[[Any], Any],
        count: int,
        prepare: Callable[[Query], Any] = lambda query: query,
    ) -> list[int]:
        first = self._asked.get(what, 0)
        self._asked[what] = first + count
        taken: list[int] = []
        for query in queries(self._size, first, count):
            taken += timed(run, [prepare(query)])
        return taken

    def close(self) -> None:
        self._et.close()


def place(number: int) -> int:
    return place_at(1, number + 1)


def filing(number: int, text: str) -> Filing:
    """The card of a message, as the product makes it."""
    role = ROLES[number % 2]
    flags, words = describe(text, role)
    where = place(number)
    at = START + number * MINUTE
    session = number // SITTING + 1
    return Filing(
        Card(where, "message", where, session, role, "", at, flags, words, wording_hash(text)), text
    )


if __name__ == "__main__":
    asker = Asker(Path(sys.argv[1]), int(sys.argv[2]))
    names = "fill text nearest cards likeness whole words"
    serve({name: getattr(asker, name) for name in names.split()})
    asker.close()
