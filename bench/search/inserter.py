"""The floor's process for adding: bare inserts into one FTS5 table, as durable as our store."""

from __future__ import annotations

import sys
from time import process_time_ns

import corpus
from child import serve, timed
from plain import ADD, TABLE, connected


class Inserter:
    def __init__(self, path: str, history: int) -> None:
        self._db = connected(path)
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(TABLE)
        self._number = 0
        self.bulk(history)

    def _next(self, count: int) -> list[tuple[int, str]]:
        first = self._number
        self._number += count
        return [(n, corpus.text(n)) for n in range(first, first + count)]

    def one(self, count: int) -> list[int]:
        """One row, one transaction."""
        return timed(lambda row: self._db.execute(ADD, row), self._next(count))

    def bulk(self, count: int) -> list[int]:
        """All in one transaction: the share of each."""
        rows = self._next(count)
        start = process_time_ns()
        self._db.execute("BEGIN")
        self._db.executemany(ADD, rows)
        self._db.execute("COMMIT")
        return [(process_time_ns() - start) // count]


if __name__ == "__main__":
    inserter = Inserter(sys.argv[1], int(sys.argv[2]))
    serve({name: getattr(inserter, name) for name in ("one", "bulk")})
