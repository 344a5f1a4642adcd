"""The least that any session store can do: one INSERT, one commit. An anchor, not a floor of ours."""

from __future__ import annotations

import json
import sqlite3
import sys

from child import serve, timed
from texts import messages

SCHEMA = """
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY, session TEXT NOT NULL, data TEXT NOT NULL, created INTEGER NOT NULL);
    CREATE INDEX of_session ON messages (session, id);
"""
ADD = "INSERT INTO messages (session, data, created) VALUES (?, ?, ?)"


class Bare:
    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(SCHEMA)
        self._number = 0

    def fill(self, count: int) -> int:
        self._connection.execute("BEGIN")
        self._run(messages(self._number, count))
        self._connection.execute("COMMIT")
        self._number += count
        return self._number

    def append(self, count: int) -> list[int]:
        given = messages(self._number, count)
        self._number += count
        execute = self._connection.execute
        return timed(lambda one: execute(ADD, ("ada", json.dumps(one), 1)), given)

    def _run(self, given: list[dict[str, str]]) -> None:
        self._connection.executemany(ADD, [("ada", json.dumps(one), 1) for one in given])


if __name__ == "__main__":
    bare = Bare(sys.argv[1])
    serve({n: getattr(bare, n) for n in ("fill", "append")})
