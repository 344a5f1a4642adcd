"""The peer's process: OpenAI Agents SDK `SQLiteSession`, in an environment of its own.

Its asyncio loop, the worker thread it hands each call to and its JSON are part of what it costs.
`synchronous` is FULL on the very connection that writes: each new connection of the SDK comes from
`sqlite3.connect`, so that is where the pragma is set; `state` reads it back inside the worker thread.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from time import process_time_ns
from typing import Any

from child import serve
from texts import messages

_connect = sqlite3.connect


def _durable(*args: Any, **options: Any) -> sqlite3.Connection:
    connection = _connect(*args, **options)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


class Peer:
    def __init__(self, path: str) -> None:
        sqlite3.connect = _durable
        from agents import SQLiteSession

        self._session = SQLiteSession("ada", path)
        self._runner = asyncio.Runner()
        self._number = 0

    def fill(self, count: int) -> int:
        self._runner.run(self._session.add_items(messages(self._number, count)))  # type: ignore[arg-type]
        self._number += count
        return self._number

    def append(self, count: int) -> list[int]:
        given = messages(self._number, count)
        self._number += count
        return self._runner.run(self._timed(self._session.add_items, [[one] for one in given]))

    def newest(self, count: int, limit: int) -> list[int]:
        return self._runner.run(self._timed(self._session.get_items, [limit] * count))

    async def _timed(self, run: Any, inputs: list[Any]) -> list[int]:
        taken: list[int] = []
        for given in inputs:
            start = process_time_ns()
            await run(given)
            taken.append(process_time_ns() - start)
        return taken

    def state(self) -> dict[str, Any]:
        """What the connection that writes really has, and how much is in it."""
        return self._runner.run(asyncio.to_thread(self._state))

    def _state(self) -> dict[str, Any]:
        from importlib.metadata import version

        execute = self._session._get_connection().execute
        one = {n: execute(f"PRAGMA {n}").fetchone()[0] for n in ("journal_mode", "synchronous")}
        count = execute("SELECT count(*) FROM agent_messages").fetchone()[0]
        return one | {"messages": count, "version": version("openai-agents")}


if __name__ == "__main__":
    peer = Peer(sys.argv[1])
    serve({n: getattr(peer, n) for n in ("fill", "append", "newest", "state")})
