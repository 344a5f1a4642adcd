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
            row = row | {"seq": row["seq"] + 1, "id": _after(row["id"]), "external_id": None}
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


VIEW = "FROM messages WHERE thread_id = 1 AND archived = 0 AND seq BETWEEN :first AND :last"
ANY = {"first": 1, "last": 2**62}


def _columns(execute: Any) -> list[str]:
    """All but a local key, which the database gives."""
    return [r[1] for r in execute("PRAGMA table_info(messages)") if r[1] != "message_id"]


def _after(key: bytes) -> bytes:
    return (int.from_bytes(key, "big") + 1).to_bytes(16, "big")


if __name__ == "__main__":
    floor = Floor(Path(sys.argv[1]), Path(sys.argv[2]))
    serve({n: getattr(floor, n) for n in ("append", "check", "fetch", "begin", "counted")})
