"""One writer at a time, and one commit for all who wait.

Whoever finds the writer idle writes on its own thread, for itself and for everyone who queued
meanwhile; the others find their work done when their turn comes. That is a group commit without a
thread to hand work to (a hand-over costs more than a statement), and without one to leak.

Ctrl-C may strike between any two steps. So a ticket stays in the queue until its batch is settled,
which is one assignment, and a transaction counts as unfinished business until all of it is done.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from everthread.domain.errors import StoreBusy, StoreClosed, StoreFailed

from .link import error_of_system, store_error_of
from .turnstile import OpenTurnstile, Turnstile

T = TypeVar("T")

BATCH = 32


class Batch:
    """What one transaction writes: once settled, it is decided for all its tickets at once."""

    __slots__ = ("error", "settled", "tickets")

    def __init__(self, tickets: list[Ticket]) -> None:
        self.tickets = tickets
        self.settled = False
        self.error: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        if not self.settled:
            self.error = error
            self.settled = True


class Ticket:
    """One piece of work and what became of it."""

    __slots__ = ("batch", "error", "given_up", "result", "since", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.since = time.monotonic()
        self.given_up = False
        self.batch: Batch | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    def done(self) -> bool:
        return self.given_up or (self.batch is not None and self.batch.settled)

    def outcome(self) -> Any:
        error = self.error or (self.batch and self.batch.error)
        if error is not None:
            raise error
        return self.result


class Writer:
    def __init__(
        self,
        connection: sqlite3.Connection,
        turnstile: Turnstile | OpenTurnstile,
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
        self._clean = True
        self._closed = False

    def write(self, work: Callable[[], Any]) -> Any:
        """Run the work in a transaction; when this returns, it is on disk."""
        if not self._waiting and not self._lock.locked():
            # Nobody else writes: no ticket. Who comes in between only waits, in one order or another.
            with self._lock:
                if self._closed:
                    self._must_be_open()
                return self._write_alone(work)
        ticket = Ticket(work)
        try:
            # Before waiting for the lock: whoever holds it writes for all who are in the queue.
            self._waiting.append(ticket)
            with self._lock:
                self._must_be_open()
                if len(self._waiting) == 1 and not ticket.done:
                    self._waiting.popleft()  # more may have come meanwhile; the first is ours
                    return self._write_alone(work)
                while not ticket.done:
                    self._commit(self._batch())
                self._sweep()
        except BaseException:
            # Whoever was interrupted must not find it written later, by somebody else.
            ticket.given_up = True
            raise
        return ticket.outcome()

    def write_soon(self, work: Callable[[], Any], seconds: float) -> Any:
        """The same by itself, for what is not worth a long wait."""
        if not self._lock.acquire(timeout=seconds):
            raise StoreBusy(f"{self._where}: others write; nothing was changed")
        try:
            self._must_be_open()
            with self._hurried(seconds):
                return self._write_alone(work)
        finally:
            self._lock.release()

    @contextmanager
    def _hurried(self, seconds: float) -> Generator[None]:
        """Under the lock: nobody else waits by these limits meanwhile."""
        execute, patience = self._connection.execute, self._turnstile.patience
        limit: int = execute("PRAGMA busy_timeout").fetchone()[0]
        try:
            self._turnstile.patience = seconds
            execute(f"PRAGMA busy_timeout = {int(seconds * 1_000)}")
            yield
        finally:
            self._turnstile.patience = patience
            execute(f"PRAGMA busy_timeout = {limit}")

    def _write_alone(self, work: Callable[[], Any]) -> Any:
        """Nobody else waits, as in most programs: the same transaction without batch and savepoint."""
        try:
            self._turnstile.enter()
        except OSError as error:
            raise self._as_store_error(error) from error
        try:
            return self._transacted(work)
        except sqlite3.Error as error:
            raise self._as_store_error(error) from error
        finally:
            self._turnstile.leave()

    def _transacted(self, work: Callable[[], Any]) -> Any:
        if not self._clean:
            self._take_back()
        execute = self._connection.execute
        self._clean = False
        try:
            execute("BEGIN IMMEDIATE")
            result = work()
            execute("COMMIT")
        except BaseException:
            self._take_back()
            raise
        self._clean = True
        return result

    def alone(self, work: Callable[[], T]) -> T:
        """Run the work outside any transaction, while nobody writes, here or in another process."""
        with self._lock:
            self._must_be_open()
            self._turnstile.enter()
            try:
                self._take_back()
                return work()
            finally:
                self._turnstile.leave()

    def close(self) -> None:
        """Close the connection once nobody is in the middle of a transaction."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def _must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")

    def _sweep(self) -> None:
        while self._waiting and self._waiting[0].done:
            self._waiting.popleft()

    def _batch(self) -> Batch:
        self._sweep()
        # By place: others append meanwhile, but only the one under the lock takes away.
        first = [self._waiting[place] for place in range(min(BATCH, len(self._waiting)))]
        batch = Batch([ticket for ticket in first if not ticket.done])
        for ticket in batch.tickets:
            ticket.batch = batch
        return batch

    def _commit(self, batch: Batch) -> None:
        try:
            # Since the first of them waits: else those who came meanwhile would wait anew each time.
            self._turnstile.enter(batch.tickets[0].since)
            try:
                self._transact(batch)
            finally:
                self._turnstile.leave()
        except (sqlite3.Error, OSError) as error:
            batch.fail(self._as_store_error(error))
        except StoreBusy as error:
            batch.fail(error)
        except BaseException:
            # Ctrl-C lands on whichever thread writes; nobody else may wait for ever because of it.
            batch.fail(StoreFailed(f"{self._where}: interrupted; nothing was changed"))
            raise

    def _transact(self, batch: Batch) -> None:
        self._take_back()
        self._clean = False
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for ticket in batch.tickets:
                # Alone, a failure takes the whole transaction back, and needs no savepoint.
                self._run(ticket, apart=len(batch.tickets) > 1)
            if len(batch.tickets) == 1 and batch.tickets[0].error is not None:
                self._take_back()
                batch.settled = True
            else:
                self._seal(batch)
        except BaseException:
            self._take_back()
            raise
        self._clean = True

    def _seal(self, batch: Batch) -> None:
        execute = self._connection.execute
        # Nothing is called between the commit and the assignment, so nothing can come in between.
        try:
            execute("COMMIT")
        except sqlite3.Error:
            raise
        except BaseException:
            # The interrupt came when COMMIT had returned: what is on disk is acknowledged.
            batch.settled = not self._connection.in_transaction
            raise
        batch.settled = True

    def _take_back(self) -> None:
        """Undo what the last transaction left open; again, if that was interrupted too."""
        if self._clean:
            return
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._rolled_back()
        self._clean = True

    def _run(self, ticket: Ticket, *, apart: bool) -> None:
        execute = self._connection.execute
        if apart:
            execute("SAVEPOINT work")
        ticket.error = None
        try:
            ticket.result = ticket.work()
        except Exception as error:
            if not self._connection.in_transaction:
                raise  # SQLite itself gave up (disk full, I/O): the whole batch is lost
            ticket.error = (
                self._as_store_error(error) if isinstance(error, sqlite3.Error) else error
            )
            if apart:
                execute("ROLLBACK TO work")
                self._rolled_back()
        if apart:
            execute("RELEASE work")

    def _as_store_error(self, error: sqlite3.Error | OSError) -> StoreFailed:
        translate = store_error_of if isinstance(error, sqlite3.Error) else error_of_system
        told = translate(error, self._where)  # pyright: ignore[reportArgumentType]
        told.__cause__ = error
        return told
