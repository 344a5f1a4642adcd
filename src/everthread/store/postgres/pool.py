"""Connections to one server: so many at most, kept for the next who asks."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from everthread.domain.addresses import is_clear, without_secrets
from everthread.domain.errors import BadInput, StoreClosed, StoreFailed
from everthread.store.link import Row

from .link import store_error_of
from .slots import Slots

OLDEST_SERVER = 150_000
RESTED = 1.0
MOST = 10
"""Connections that one pool opens, unless told otherwise."""

PATIENCE = 30.0
"""Seconds that a caller waits for a connection, or for a row that another program holds."""

IDLE = 60.0
"""Seconds after which the server closes what nobody uses: also for a program that hangs or sleeps."""

REACHING = {
    "connect_timeout": "10",
    # A cable that was pulled is noticed in about a minute, and not after hours.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "fallback_application_name": "everthread",
}
"""How a server is reached, where neither the address nor the environment says."""

WATCHED = {
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
"""So the server notices a machine that was switched off, and lets go what it held."""

# Our own settings, and those of which the server's own stay where it has some. The search path is left
# with the first schema alone: what bears a name of ours in another is not ours.
PREPARE = """
    SELECT current_setting('server_encoding'), current_schema(),
        set_config('search_path', quote_ident(coalesce(current_schema(), '')), false),
        (SELECT count(set_config(name, value, false))
            FROM unnest(%(names)s::text[], %(values)s::text[]) AS given (name, value)),
        (SELECT count(set_config(name, value, false))
            FROM unnest(%(limits)s::text[], %(bounds)s::text[]) AS given (name, value)
            WHERE current_setting(name) = '0')"""
UNREADABLE = (
    "the store's address cannot be read. In a name or a password write % as %25, @ as %40, / as %2F, "
    ": as %3A, ? as %3F: postgresql://<name>:<password>@<host>/<database>"
)

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
    def __init__(self, url: str, *, settings: Mapping[str, str], most: int = MOST) -> None:
        """`settings`: the server's, for every connection. `most`: so many at once."""
        self._reach = _read_address(url)
        self.location = without_secrets(url)
        """The address without its password."""
        self._settings = {**WATCHED, **settings}
        self._idle: deque[Idle] = deque()
        self._places = Slots(most)
        self._closed = False
        self._process = os.getpid()

    def must_be_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; connect again")
        if self._process != os.getpid():
            raise StoreFailed("this store was opened before a fork; connect again in the child")

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """A connection for the time of the block; the driver's errors leave it in our words."""
        self.must_be_open()
        with self._places.taken(self.location, patience=PATIENCE):
            try:
                connection = self._rested() or self._connect()
            except psycopg.Error as error:
                raise store_error_of(error, self.location) from error
            try:
                yield connection
            except psycopg.Error as error:
                raise store_error_of(error, self.location) from error
            finally:
                # A connection that broke is not kept; the next caller opens a new one.
                if connection.closed or self._closed:
                    connection.close()
                else:
                    self._idle.append(Idle(connection, time.monotonic()))

    def _connect(self) -> Connection:
        connection: Connection = psycopg.connect(self._reach, autocommit=True)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        if connection.info.server_version < OLDEST_SERVER:
            raise StoreFailed(f"{self.location}: PostgreSQL 15 or newer is needed")
        limits = {"lock_timeout": PATIENCE, "idle_session_timeout": IDLE}
        prepared = connection.execute(
            PREPARE,
            {
                "names": list(self._settings),
                "values": list(self._settings.values()),
                "limits": list(limits),
                "bounds": [f"{seconds * 1_000:.0f}" for seconds in limits.values()],
            },
        ).fetchone()
        assert prepared is not None
        encoding, schema = prepared[:2]
        if encoding != "UTF8":
            raise StoreFailed(
                f"{self.location}: the database is in {encoding} and cannot hold every letter. "
                "Make one that can: createdb -E UTF8 -T template0 NAME"
            )
        if schema is None:
            raise StoreFailed(
                f"{self.location}: no schema of the search_path is there, or none that this role may "
                "use; CREATE SCHEMA it, or GRANT USAGE, CREATE on it"
            )

    def _rested(self) -> Connection | None:
        """A kept connection that still works: after a restart of the server none does."""
        while True:
            try:
                idle = self._idle.pop()
            except IndexError:
                return None
            if idle.lives():
                self._let_go()
                return idle.connection

    def _let_go(self) -> None:
        """Close here too what the server has closed: the longest unused are first."""
        with suppress(IndexError):
            while time.monotonic() - self._idle[0].since > IDLE:
                self._idle.popleft().connection.close()

    def close(self) -> None:
        self._closed = True
        # A child has the parent's sockets: to say goodbye on them would be in its name.
        if self._process == os.getpid():
            with suppress(IndexError):
                while True:
                    self._idle.pop().connection.close()


def _read_address(url: str) -> str:
    """The address as the driver takes it. Whatever is wrong with it, no piece of it is shown."""
    try:
        told = conninfo_to_dict(url) if is_clear(url) else None
    except psycopg.ProgrammingError:
        told = None
    if told is None:
        raise BadInput(UNREADABLE)
    # Options that the library knows and that no variable of the environment sets.
    unsaid = {option.keyword.decode() for option in Conninfo.get_defaults() if option.val is None}
    defaults = {name: value for name, value in REACHING.items() if name in unsaid}
    return make_conninfo("", **{**defaults, **told, "client_encoding": "utf8"})


def _speaks(connection: Connection) -> bool:
    """A server that says something unasked says goodbye."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
