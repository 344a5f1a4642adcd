"""The floor's process: a raw connection that replays the product's own statements."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from child import serve, timed
from tape import Call, replay


class Floor:
    """Opened as the product opens its store: same options, same pragmas, read off the tape."""

    def __init__(self, store: Path, tape: Path) -> None:
        self._file = tape.open("rb")
        head = pickle.load(self._file)
        self._connection = sqlite3.connect(store, **head["options"])
        for pragma in head["pragmas"]:
            self._connection.execute(pragma)
        self._run: Callable[[list[Call]], None] = partial(replay, self._connection.execute)

    def append(self, count: int) -> list[int]:
        """The next messages of the tape; reading the tape is not counted."""
        return timed(self._run, [self._next() for _ in range(count)])

    def check(self, count: int) -> list[list[str]]:
        """SQLite's own trace of the next messages."""
        traces: list[list[str]] = []
        for calls in [self._next() for _ in range(count)]:
            trace: list[str] = []
            self._connection.set_trace_callback(trace.append)
            self._run(calls)
            traces.append(trace)
        self._connection.set_trace_callback(None)
        return traces

    def fetch(self, count: int, sql: str, values: dict[str, Any]) -> list[int]:
        """A raw query with all its rows."""
        execute = self._connection.execute
        return timed(lambda given: execute(sql, given).fetchall(), [values] * count)

    def begin(self, count: int, first: int) -> list[int]:
        """The least a turn's beginning can do: store the message, fetch the rows of the view.

        The message is a copy of the newest but for its id and its place.
        """
        execute = self._connection.execute
        names = _columns(execute)
        newest = execute(f"SELECT {', '.join(names)} {VIEW} ORDER BY seq DESC LIMIT 1", ANY)
        row = dict(zip(names, newest.fetchone(), strict=True))
        add = f"INSERT INTO messages ({', '.join(names)}) VALUES (:{', :'.join(names)})"
        given: list[dict[str, Any]] = []
        for _ in range(count):
            place, seq = row["place"] + 1, row["seq"] + 1
            row = row | {"place": place, "seq": seq, "id": _after(row["id"]), "external_id": None}
            given.append(row)

        def run(new: dict[str, Any]) -> None:
            execute("BEGIN IMMEDIATE")
            execute(f"SELECT * {VIEW}", {"first": first, "last": new["seq"]}).fetchall()
            execute(add, new)
            execute("COMMIT")

        return timed(run, given)

    def counted(self) -> int:
        return self._connection.execute("SELECT count(*) FROM messages").fetchone()[0]

    def _next(self) -> list[Call]:
        return pickle.load(self._file)


LIVE = 2 << 36  # where the live messages of the first thread begin
VIEW = f"FROM messages WHERE place BETWEEN {LIVE} + :first AND {LIVE} + :last"
ANY = {"first": 1, "last": 2**36 - 1}


def _columns(execute: Any) -> list[str]:
    return [r[1] for r in execute("PRAGMA table_info(messages)")]


def _after(key: bytes) -> bytes:
    return (int.from_bytes(key, "big") + 1).to_bytes(16, "big")


if __name__ == "__main__":
    floor = Floor(Path(sys.argv[1]), Path(sys.argv[2]))
    serve({n: getattr(floor, n) for n in ("append", "check", "fetch", "begin", "counted")})
