"""The floor's process: a plain FTS5 table, one matrix product, ranks added up. Nothing else."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns
from typing import Any

import numpy as np
from child import serve, timed
from corpus import DIMENSIONS, Query, chunks, queries

TABLE = "CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize='porter unicode61')"
ADD = "INSERT INTO texts (rowid, text) VALUES (?, ?)"
FIND = "SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
DEPTH = 100
"""How many each side hands to the fusion."""

FUSION = 60
"""The constant of reciprocal rank fusion."""

BEST = 20


class Plain:
    def __init__(self, path: str, size: int) -> None:
        self._size = size
        self._asked = {"text": 0, "vectors": 0, "whole": 0}
        self._db = connected(path)
        self._vectors = np.empty((size, DIMENSIONS), dtype=np.float32)
        self._db.execute(TABLE)

    def fill(self) -> float:
        """Seconds of CPU that the table took, and not the making of the texts."""
        spent = 0
        for first, texts, vectors in chunks(self._size):
            self._vectors[first : first + len(texts)] = vectors
            rows = list(enumerate(texts, first))
            start = process_time_ns()
            with self._db:
                self._db.execute("BEGIN")
                self._db.executemany(ADD, rows)
            spent += process_time_ns() - start
        return spent / 1e9

    def text(self, count: int) -> list[int]:
        return self._timed("text", self._by_text, count)

    def vectors(self, count: int) -> list[int]:
        return self._timed("vectors", self._by_vector, count)

    def whole(self, count: int) -> list[int]:
        return self._timed("whole", self._fused, count)

    def _timed(self, what: str, run: Callable[[Query], Any], count: int) -> list[int]:
        given = queries(self._size, self._asked[what], count)
        self._asked[what] += count
        return timed(run, given)

    def _by_text(self, query: Query) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in query.words)
        return [row for row, _ in self._db.execute(FIND, (match, DEPTH)).fetchall()]

    def _by_vector(self, query: Query) -> list[int]:
        values = self._vectors @ query.vector
        best = np.argpartition(-values, DEPTH)[:DEPTH]
        return best[np.argsort(-values[best])].tolist()

    def _fused(self, query: Query) -> list[int]:
        scores: dict[int, float] = {}
        for found in (self._by_text(query), self._by_vector(query)):
            for rank, row in enumerate(found):
                scores[row] = scores.get(row, 0.0) + 1 / (FUSION + rank)
        return sorted(scores, key=scores.__getitem__, reverse=True)[:BEST]


def connected(path: str) -> sqlite3.Connection:
    """Opened as the product opens its index, so that only what is done with it differs."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA cache_size = -8000")
    db.execute(f"PRAGMA mmap_size = {1 << 30}")
    return db


if __name__ == "__main__":
    plain = Plain(str(Path(sys.argv[1])), int(sys.argv[2]))
    serve({name: getattr(plain, name) for name in ("fill", "text", "vectors", "whole")})
