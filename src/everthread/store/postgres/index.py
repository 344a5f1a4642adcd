"""The index in the store's own database: tables that it makes itself, and makes anew as it likes.

They are derived, so they are no part of the migrations, of an export or of what `verify` proves. All
agents share them; every statement names its agent, and that agent's id: a row that was left by another
agent under the same number is never seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from psycopg import errors as pg

from everthread.domain.agents import AgentRow
from everthread.domain.errors import IndexDamaged
from everthread.store.link import Row

from .catalogue import Desk, PostgresCatalogue
from .link import PostgresLink
from .pool import MOST, Connection, Pool

T = TypeVar("T")

VERSION = "everthread index 4"
MAKING = 0x45565449
"""The advisory lock under which one program at a time makes the tables."""

SETTINGS = {
    # A crash of the server may cost the newest cards: they are filed again.
    "synchronous_commit": "off",
    # To compile a query costs more than to run it, and what fits one agent's words misfits the next's.
    "jit": "off",
    "plan_cache_mode": "force_custom_plan",
    # Words wait unsorted until there are so many kilobytes; every search reads through them.
    "gin_pending_list_limit": "128",
}

TABLES = """
CREATE TABLE index_catalogues (
    agent_id BIGINT PRIMARY KEY,
    stamp    UUID NOT NULL,
    entry    BIGINT NOT NULL DEFAULT 0,
    shared   BIGINT NOT NULL DEFAULT 0,
    life     BIGINT NOT NULL,
    model    TEXT,
    cards    BIGINT NOT NULL DEFAULT 0,
    size     BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE index_threads (
    agent_id  BIGINT NOT NULL,
    stamp     UUID NOT NULL,
    thread_id BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    PRIMARY KEY (agent_id, stamp, thread_id)
);
CREATE TABLE index_cards (
    agent_id BIGINT NOT NULL,
    stamp    UUID NOT NULL,
    id       BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    place    BIGINT NOT NULL,
    session  BIGINT NOT NULL,
    role     TEXT NOT NULL,
    speaker  TEXT NOT NULL,
    at       BIGINT NOT NULL,
    flags    BIGINT NOT NULL,
    words    BIGINT NOT NULL,
    wording  BIGINT NOT NULL,
    passages BIGINT,
    PRIMARY KEY (agent_id, stamp, id)
);
CREATE INDEX index_cards_waiting ON index_cards (agent_id, stamp, id) WHERE passages IS NULL;
CREATE INDEX index_cards_memories ON index_cards (agent_id, stamp, id) WHERE kind <> 'message';
CREATE TABLE index_texts (
    agent_id BIGINT NOT NULL,
    stamp    UUID NOT NULL,
    id       BIGINT NOT NULL,
    size     BIGINT NOT NULL,
    text     TSVECTOR NOT NULL,
    PRIMARY KEY (agent_id, stamp, id)
);
CREATE INDEX index_texts_words ON index_texts USING gin (text);
CREATE INDEX index_texts_sample ON index_texts USING gin (text) WHERE id % 17 = 0;
CREATE TEXT SEARCH DICTIONARY index_stem (TEMPLATE = snowball, Language = porter);
CREATE TEXT SEARCH CONFIGURATION index_words (PARSER = default);
ALTER TEXT SEARCH CONFIGURATION index_words
    ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat WITH index_stem;
"""
# Half the width of a float is exact enough: a vector's length is one. {} is the schema of pgvector.
PASSAGES = """
CREATE TABLE IF NOT EXISTS index_passages (
    agent_id  BIGINT NOT NULL,
    stamp     UUID NOT NULL,
    card      BIGINT NOT NULL,
    part      BIGINT NOT NULL,
    embedding {}.halfvec(384) NOT NULL,
    PRIMARY KEY (agent_id, stamp, card, part)
)
"""
# It may lie in any schema: it is not looked for in the search path, which knows ours alone.
PGVECTOR = """
    SELECT quote_ident(nspname), has_schema_privilege(n.oid, 'USAGE'), to_regclass('index_passages'),
        EXISTS (SELECT FROM pg_type WHERE typname = 'halfvec' AND typnamespace = n.oid)
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector'"""
WHOLE = """
    SELECT obj_description(to_regclass('index_catalogues'), 'pg_class'), to_regclass('index_threads'),
        to_regclass('index_cards'), to_regclass('index_texts'), to_regclass('index_texts_words'),
        (SELECT cfgname FROM pg_ts_config WHERE cfgname = 'index_words' AND pg_ts_config_is_visible(oid))"""
OLD_TABLES = """
    SELECT format('DROP TABLE %I CASCADE', tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND starts_with(tablename, 'index_')"""
OLD_WORDS = """
    DROP TEXT SEARCH CONFIGURATION IF EXISTS index_words;
    DROP TEXT SEARCH DICTIONARY IF EXISTS index_stem"""
SIZE = """
    SELECT coalesce(sum(pg_total_relation_size(format('%I', tablename)::regclass)), 0)::bigint
    FROM pg_tables WHERE schemaname = current_schema() AND starts_with(tablename, 'index_')"""
LOST = (pg.UndefinedTable, pg.UndefinedColumn, pg.UndefinedObject)
"""What a statement says when someone took the tables away, or made them for another version."""


NO_VECTORS = (
    "the server has no pgvector, or you may not switch it on: have it installed there, then, "
    "as one who may, in this database: CREATE EXTENSION vector"
)
CLOSED = (
    "pgvector lies in the schema {0}, which this role may not use: GRANT USAGE ON SCHEMA {0} TO it"
)
TOO_OLD = (
    "pgvector is older than 0.7; as one who may, in this database: ALTER EXTENSION vector UPDATE"
)
NO_TABLE = (
    "this role may make no table for vectors: GRANT CREATE on the schema to it, "
    "or let the tables' owner connect once"
)


class VectorSupport(NamedTuple):
    """Where pgvector lies, as it is written in a statement; or why there are words alone."""

    schema: str = ""
    lacks: str = ""


class PostgresIndex:
    def __init__(self, url: str, *, connections: int = MOST) -> None:
        self._pool = Pool(url, settings=SETTINGS, most=connections)
        self._lock = threading.Lock()
        self._made = False
        self._meaning = VectorSupport()

    def of(self, agent: AgentRow) -> PostgresCatalogue:
        return PostgresCatalogue(self, agent)

    def run(self, work: Callable[[Desk], T]) -> T:
        """Run the work in one transaction."""
        with self._pool.connection() as connection:
            meaning = self._ready(connection)
            try:
                with connection.transaction():
                    return work(Desk(PostgresLink(connection), meaning.schema))
            except LOST as error:
                self._made = False
                raise IndexDamaged("the index's tables were gone and are made anew") from error

    def _ready(self, connection: Connection) -> VectorSupport:
        if not self._made:
            with self._lock:
                if not self._made:
                    _make(connection)
                    self._meaning = _make_vectors(connection)
                    self._made = True
        return self._meaning

    def drop(self, agent: AgentRow) -> None:
        self.of(agent).discard()

    def check(self, agent: AgentRow) -> None:
        self.of(agent).check()

    def settle(self, agent: AgentRow) -> bool:
        return True  # the log is the server's, and the tables are swept as soon as something goes

    def swept(self) -> None:
        """What was removed goes from the pages too, where nobody else still reads it."""
        with self._pool.connection() as connection:
            tables = "index_cards, index_texts" + (
                ", index_passages" if self._meaning.schema else ""
            )
            connection.execute(f"VACUUM (SKIP_LOCKED) {tables}".encode())

    def size(self) -> int:
        with self._pool.connection() as connection:
            row = connection.execute(SIZE).fetchone()
            return 0 if row is None else row[0]

    def beside(self) -> PostgresIndex:
        return self  # each question has a connection of its own

    def place(self) -> str:
        return ""

    def spare(self) -> PostgresIndex:
        return self  # where the server has no space, it has none for the store either

    def lacks(self) -> str:
        with self._pool.connection() as connection:
            return self._ready(connection).lacks

    def close(self) -> None:
        self._pool.close()


def _is_complete(connection: Connection) -> bool:
    """Are the tables there, all of them, and of this version?"""
    row = connection.execute(WHOLE).fetchone()
    return row is not None and row[0] == VERSION and None not in row


def _make(connection: Connection) -> None:
    if _is_complete(connection):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
        if _is_complete(connection):
            return  # somebody was quicker
        for (statement,) in connection.execute(OLD_TABLES).fetchall():
            connection.execute(statement.encode())
        connection.execute(OLD_WORDS)
        connection.execute(TABLES)
        connection.execute(f"COMMENT ON TABLE index_catalogues IS '{VERSION}'".encode())


def _make_vectors(connection: Connection) -> VectorSupport:
    """Whether vectors can be kept: that takes pgvector, and perhaps the right to install it."""
    found = connection.execute(PGVECTOR).fetchone() or _install_pgvector(connection)
    if found is None:
        return VectorSupport(lacks=NO_VECTORS)
    schema, usable, table, new = found
    if not usable:
        return VectorSupport(lacks=CLOSED.format(schema))
    if not new:
        return VectorSupport(lacks=TOO_OLD)
    if table is None:
        try:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
                connection.execute(PASSAGES.format(schema).encode())
        except pg.InsufficientPrivilege:
            return VectorSupport(lacks=NO_TABLE)
    return VectorSupport(schema)


def _install_pgvector(connection: Connection) -> Row | None:
    """The extension, switched on here and now; nothing where the server lacks it or the role may not."""
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (pg.InsufficientPrivilege, pg.FeatureNotSupported, pg.UndefinedFile):
        return None
    return connection.execute(PGVECTOR).fetchone()
