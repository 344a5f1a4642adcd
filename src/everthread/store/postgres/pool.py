"""Connections to one server, kept for the next who asks."""

from __future__ import annotations

import os
import re
import select
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import psycopg

from everthread.domain.errors import StoreClosed, StoreFailed
from everthread.store.link import Row

from .link import named

OLDEST_SERVER = 150_000
RESTED = 1.0

Connection = psycopg.Connection[Row]


class Idle(NamedTuple):
    """A connection nobody uses, and since when."""

    connection: Connection
    since: float

    def lives(self) -> bool:
        """Whether the server still knows it; asked only if there is a doubt."""
        try:
            if time.monotonic() - self.since > RESTED or _speaks(self.connection):
                self.connection.execute("SELECT 1")
        except psycopg.Error:
            self.connection.close()
            return False
        return True


class Pool:
    def __init__(self, url: str, *, settings: Mapping[str, str]) -> None:
        """`settings`: the server's, for every connection."""
        self._url = url
        self._settings = settings
        self._idle: deque[Idle] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._process = os.getpid()

    @property
    def location(self) -> str:
        """The address without its password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self._url)

    def must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")
        if self._process != os.getpid():
            raise StoreFailed("this store was opened before a fork; connect again in the child")

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """A connection for the time of the block; the driver's errors leave it in our words."""
        self.must_be_open()
        try:
            connection = self._rested() or self._connect()
        except psycopg.Error as error:
            raise named(error, self.location) from error
        try:
            yield connection
        except psycopg.Error as error:
            raise named(error, self.location) from error
        finally:
            # A connection that broke is not kept; the next caller opens a new one.
            if connection.closed or self._closed:
                connection.close()
            else:
                self._idle.append(Idle(connection, time.monotonic()))

    def _connect(self) -> Connection:
        connection = psycopg.connect(self._url, autocommit=True)
        if connection.info.server_version < OLDEST_SERVER:
            connection.close()
            raise StoreFailed(f"{self.location}: PostgreSQL 15 or newer is needed")
        for name, value in self._settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        return connection

    def _rested(self) -> Connection | None:
        """A kept connection that still works: after a restart of the server none does."""
        while True:
            try:
                idle = self._idle.pop()
            except IndexError:
                return None
            if idle.lives():
                return idle.connection

    def close(self) -> None:
        with self._lock:
            self._closed = True
            # A child has the parent's sockets: to say goodbye on them would be in its name.
            while self._idle and self._process == os.getpid():
                self._idle.pop().connection.close()


def _speaks(connection: Connection) -> bool:
    """A server that says something unasked says goodbye."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
