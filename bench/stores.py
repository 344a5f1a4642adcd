"""Stores to measure on: filled through the public face, then closed."""

from __future__ import annotations

import pickle
import random
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from duel import Broken
from tape import recording, unknown_texts
from texts import messages

import everthread
from everthread import Settings

BATCH = 5_000
CHECKED = 10


def quiet(path: Path) -> everthread.Everthread:
    """A store with default settings and no worker beside it."""
    return everthread.connect(path, background=False, settings=Settings())


LIVE = 10
"""So many at a time all enter the view; of more, the rest becomes archive, which lies elsewhere."""


def filled(
    path: Path, count: int, *, size: int = 470, ids: bool = False, batch: int = BATCH
) -> Path:
    """A store of so many messages in one file, nothing left in the log."""
    batches = (
        [*_given(first, min(batch, count - first), size, ids=ids)]
        for first in range(0, count, batch)
    )
    return recorded(path, batches)


def recorded(path: Path, batches: Iterable[list[dict[str, Any]]]) -> Path:
    """A store of these messages in one file, nothing left in the log."""
    et = quiet(path)
    ada = et.agent("ada", system="You are Ada. You answer briefly.")
    for given in batches:
        ada.record(given)
    et.house.store.settle()
    et.close()
    return path


def _given(first: int, count: int, size: int, *, ids: bool) -> Iterator[dict[str, Any]]:
    for n, one in enumerate(messages(first, count, size), first):
        yield one | {"id": _uuid(n)} if ids else dict[str, Any](one)


def _uuid(number: int) -> str:
    return str(uuid.UUID(int=random.Random(number).getrandbits(128), version=4))


def content_bytes(count: int, size: int) -> int:
    """What was said in such a store."""
    return sum(len(one["content"].encode()) for one in messages(0, count, size))


def taped(store: Path, target: Path, count: int) -> list[list[str]]:
    """Append to a store with the tape running; the traces of the first few messages.

    The file begins with how the connection was opened; then come the calls of each message.
    """
    with recording() as tape:
        et = quiet(store)
    ada = et.agent("ada")
    first = ada.primary.message_count
    ada.messages(limit=1)  # what is looked up once is looked up here
    tape.cut()
    traces: list[list[str]] = []
    with target.open("wb") as file:
        pickle.dump({"options": tape.options, "pragmas": tape.pragmas}, file)
        for number, one in enumerate(messages(first, count)):
            ada.record([one])
            calls, trace = tape.cut()
            if number < CHECKED:
                _check(calls)
                traces.append(trace)
            pickle.dump(calls, file)
    et.close()
    return traces


def _check(calls: Any) -> None:
    strange = unknown_texts(calls)
    if strange:
        raise Broken(f"the tape holds statements that the product does not name: {strange}")


def newest_query(limit: int) -> dict[str, Any]:
    """The product's own query for the newest, with the values of the first agent and thread."""
    from everthread.domain.ids import LANE, place_at
    from everthread.store.sql.statements import MESSAGES_LIVE

    low = place_at(1, 0)
    values = {"agent": 1, "low": low, "high": low + LANE - 1, "limit": limit}
    return {"sql": str(MESSAGES_LIVE), "values": values}


def first_in_view(store: Path) -> int:
    """The place of the oldest message that a turn sends, once a first turn has settled the view."""
    et = quiet(store)
    turn = et.agent("ada").turn("Shall we begin?")
    sent = len(turn.messages)
    turn.failed("only to settle the view")
    et.house.store.settle()
    et.close()
    connection = sqlite3.connect(store)
    newest = "SELECT seq FROM messages WHERE archived = 0 ORDER BY seq DESC LIMIT 1 OFFSET ?"
    found = connection.execute(newest, (sent - 1,)).fetchone()[0]
    connection.close()
    return found
