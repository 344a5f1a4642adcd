"""One writer at a time, and one commit for all who wait.

Whoever finds the writer idle writes on its own thread, for itself and for everyone who queued
meanwhile; the others find their work done when their turn comes. That is a group commit without a
thread to hand work to (a hand-over costs more than a statement), and without one to leak.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from everthread.domain.errors import StoreClosed, StoreFailed

from .link import failed, named

BATCH = 32


class Ticket:
    """One piece of work and what became of it."""

    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None


class Writer:
    def __init__(
        self,
        connection: sqlite3.Connection,
        turnstile: AbstractContextManager[None],
        where: str,
        *,
        rolled_back: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._rolled_back = rolled_back
        self._turnstile = turnstile
        self._where = where
        self._lock = threading.Lock()
        self._waiting: deque[Ticket] = deque()
        self._closed = False

    def write(self, work: Callable[[], Any]) -> Any:
        """Run the work in a transaction; when this returns, it is on disk."""
        ticket = Ticket(work)
        self._waiting.append(ticket)
        with self._lock:
            if self._closed:
                raise StoreClosed("the store is closed; connect again")
            while not ticket.done:
                self._commit(self._batch())
        if ticket.error is not None:
            raise ticket.error
        return ticket.result

    def close(self) -> None:
        """Close the connection once nobody is in the middle of a transaction."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def _batch(self) -> list[Ticket]:
        batch: list[Ticket] = []
        while self._waiting and len(batch) < BATCH:
            batch.append(self._waiting.popleft())
        return batch

    def _commit(self, batch: list[Ticket]) -> None:
        try:
            with self._turnstile:
                self._transact(batch)
        except (sqlite3.Error, OSError) as error:
            self._fail(batch, self._told(error))
        except BaseException:
            # Ctrl-C lands on whichever thread writes; nobody else may wait for ever because of it.
            self._fail(batch, StoreFailed(f"{self._where}: interrupted; nothing was changed"))
            raise
        finally:
            for ticket in batch:
                ticket.done = True

    def _transact(self, batch: list[Ticket]) -> None:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        try:
            for ticket in batch:
                # Alone, a failure takes the whole transaction back, and needs no savepoint.
                self._run(ticket, apart=len(batch) > 1)
            alone_failed = len(batch) == 1 and batch[0].error is not None
            if alone_failed:
                self._rolled_back()
            execute("ROLLBACK" if alone_failed else "COMMIT")
        except BaseException:
            self._rolled_back()
            if self._connection.in_transaction:
                execute("ROLLBACK")
            raise

    def _run(self, ticket: Ticket, *, apart: bool) -> None:
        execute = self._connection.execute
        if apart:
            execute("SAVEPOINT work")
        try:
            ticket.result = ticket.work()
        except Exception as error:
            if not self._connection.in_transaction:
                raise  # SQLite itself gave up (disk full, I/O): the whole batch is lost
            ticket.error = self._told(error) if isinstance(error, sqlite3.Error) else error
            if apart:
                execute("ROLLBACK TO work")
                self._rolled_back()
        if apart:
            execute("RELEASE work")

    def _told(self, error: sqlite3.Error | OSError) -> StoreFailed:
        translate = named if isinstance(error, sqlite3.Error) else failed
        told = translate(error, self._where)  # pyright: ignore[reportArgumentType]
        told.__cause__ = error
        return told

    def _fail(self, batch: list[Ticket], error: StoreFailed) -> None:
        for ticket in batch:
            ticket.error = ticket.error or error
