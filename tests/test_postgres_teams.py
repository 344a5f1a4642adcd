"""PostgreSQL as teams use it: several schemas, several roles, many programs, and what goes wrong there."""

from __future__ import annotations

import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.errors import StoreAway, StoreBusy, StoreFailed, StoreReadOnly
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store.postgres import pool
from everthread.store.postgres.index import PostgresIndex
from everthread.store.postgres.pool import Pool
from everthread.store.postgres.store import PostgresStore
from everthread.store.sqlite.index import SqliteIndex
from everthread.testing.promises.index_cards import an_agent, file_texts, random_vectors, search_ids
from support import postgres
from support.skips import needs

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres-teams")]

MANY = 60
"""Messages that are filed at once, in a step of their own."""


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    needs("postgresql")
    with postgres.start() as running:
        yield running


@pytest.fixture
def url(server: postgres.Server) -> Iterator[str]:
    yield server.create("team")
    server.drop("team")


def run(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def with_option(url: str, name: str, value: str) -> str:
    return f"{url}&{name}={quote(value, safe='')}"


def on_path(url: str, path: str) -> str:
    return with_option(url, "options", f"-c search_path={path}")


def as_role(url: str, name: str) -> str:
    return url.replace("postgres@", f"{name}@")


@contextmanager
def house(url: str) -> Iterator[Everthread]:
    settings = Settings(embedder="off")
    with everthread.connect(url, background=False, settings=settings) as engine:
        yield engine


def told(engine: Everthread, word: str, many: int = 3) -> list[str]:
    """Say so many things with the word and look for it."""
    ada = engine.agent("ada")
    ada.record([{"role": "user", "content": f"{word} number {n}"} for n in range(many)])
    return sorted({hit.text.split()[0] for hit in ada.recall(word)})


@contextmanager
def roles(url: str, *names: str) -> Iterator[None]:
    """Roles that may log in, gone with the block."""
    run(url, *(f"CREATE ROLE {name} LOGIN" for name in names))
    try:
        yield
    finally:
        run(url, *(f"DROP OWNED BY {name}" for name in names))
        run(url, *(f"DROP ROLE {name}" for name in names))


# ---- several schemas in one database


def counted(url: str, schema: str) -> int:
    return run(url, f"SELECT count(*) FROM {schema}.index_cards")[0][0]


@pytest.mark.req("R-44")
def test_a_store_keeps_its_index_in_its_own_schema(url: str) -> None:
    """Though another store's is in the search path too."""
    run(url, "CREATE SCHEMA one", "CREATE SCHEMA two")
    with house(on_path(url, "one")) as engine:
        assert told(engine, "apple") == ["apple"]
    with house(on_path(url, "two,one")) as engine:
        assert told(engine, "pear") == ["pear"]
        assert engine.agent("ada").recall("apple") == []
    assert (counted(url, "one"), counted(url, "two")) == (3, 3)


@pytest.mark.req("R-44")
def test_what_was_dropped_is_not_looked_for_in_another_schema(url: str) -> None:
    run(url, "CREATE SCHEMA one", "CREATE SCHEMA two")
    one, two = PostgresIndex(on_path(url, "one")), PostgresIndex(on_path(url, "two,one"))
    agent = an_agent()
    for index in (one, two):
        file_texts(index.of(agent), ["an apple"])
    run(url, "DROP TABLE two.index_texts, two.index_cards")
    with pytest.raises(StoreFailed, match="made anew"):
        search_ids(two.of(agent), "apple")
    assert search_ids(two.of(agent), "apple") == []
    assert search_ids(one.of(agent), "apple") == [1]
    one.close()
    two.close()


def test_a_schema_may_have_any_name(url: str) -> None:
    run(url, 'CREATE SCHEMA "Team A"')
    with house(on_path(url, '"Team\\ A"')) as engine:
        assert told(engine, "apple") == ["apple"]
        assert engine.house.store.size()["database"] > 0
        engine.house.store.settle()
        engine.vacuum()


def test_a_schema_that_is_not_there_is_told(url: str) -> None:
    with pytest.raises(StoreFailed, match=r"no schema of the search_path is there.*CREATE SCHEMA"):
        PostgresStore(on_path(url, "nowhere"), SystemIds(SystemClock()))


# ---- several roles


RIGHTS = (
    "GRANT USAGE ON SCHEMA public TO mel",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO mel",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO mel",
)


def test_a_role_that_owns_nothing_files_and_finds(url: str) -> None:
    """Also many at once, which only the owner may have sorted in one go."""
    with house(url) as engine, roles(url, "mel"):
        told(engine, "apple", MANY)
        run(url, *RIGHTS)
        with house(as_role(url, "mel")) as other:
            assert told(other, "pear", MANY) == ["pear"]
            other.erase("ada", reason="asked")
            assert other.agent("ada").recall("pear") == []
            with pytest.raises(StoreReadOnly, match="call this as their owner"):
                other.vacuum()
        engine.vacuum()


def test_members_of_one_role_own_everything_together(url: str) -> None:
    """As the how-to has it: who comes first makes the tables, and everyone may tend them."""
    with roles(url, "mel", "kim"):
        run(
            url,
            "CREATE ROLE team; GRANT team TO mel, kim; GRANT ALL ON SCHEMA public TO team",
            "ALTER ROLE mel IN DATABASE team SET role = team",
            "ALTER ROLE kim IN DATABASE team SET role = team",
        )
        for name in ("mel", "kim"):
            with house(as_role(url, name)) as engine:
                assert "apple" in told(engine, "apple", MANY)
                engine.vacuum()
        owners = run(url, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")
        run(url, "DROP OWNED BY team", "DROP ROLE team")
    assert owners == [("team",)]


# ---- pgvector, wherever it lies


def test_pgvector_may_lie_in_a_schema_that_nobody_searches(url: str) -> None:
    """(R-39)"""
    run(url, 'CREATE SCHEMA "Ext 1"', 'CREATE EXTENSION vector SCHEMA "Ext 1"')
    index = PostgresIndex(url)
    catalogue = index.of(an_agent())
    assert index.lacks() == ""
    file_texts(catalogue, ["an apple", "a pear"])
    vectors = random_vectors(2)
    catalogue.embed("m", [(1, vectors[:1]), (2, vectors[1:])])
    assert list(catalogue.nearest(vectors[1], limit=1)) == [2]
    assert catalogue.likeness([2], vectors[1]).best[0] == pytest.approx(1, abs=0.01)
    index.close()


def test_a_schema_that_the_role_may_not_use_is_named(url: str) -> None:
    run(url, "CREATE SCHEMA ext", "CREATE EXTENSION vector SCHEMA ext")
    with roles(url, "mel"):
        run(url, "GRANT ALL ON SCHEMA public TO mel")
        index = PostgresIndex(as_role(url, "mel"))
        assert "GRANT USAGE ON SCHEMA ext" in index.lacks()
        agent = an_agent()
        file_texts(index.of(agent), ["an apple"])
        assert search_ids(index.of(agent), "apple") == [1]
        index.close()
        run(url, "GRANT USAGE ON SCHEMA ext TO mel")
        again = PostgresIndex(as_role(url, "mel"))
        assert again.lacks() == ""
        again.close()


# ---- how many connections, and for how long


def at_work(url: str) -> int:
    """Connections of ours that the server has."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'everthread'"
    return run(url, asked)[0][0]


def awaited(what: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


def test_no_more_connections_than_allowed_and_whoever_waits_has_its_turn(url: str) -> None:
    connections = Pool(url, settings={}, most=3)
    most, done, together = 0, [], threading.Barrier(3, timeout=60)

    def work(n: int) -> None:
        nonlocal most
        with connections.connection() as connection:
            together.wait()
            most = max(most, at_work(url))
            connection.execute("SELECT pg_sleep(0.05)")
        done.append(n)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(done) == list(range(12))
    assert most == 3
    connections.close()


def test_where_all_are_in_use_for_long_it_is_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE", 0.2)
    connections = Pool(url, settings={}, most=1)
    holds, over = threading.Event(), threading.Event()

    def hold() -> None:
        with connections.connection():
            holds.set()
            over.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holds.wait(60)
    with pytest.raises(StoreBusy, match="raise postgres_connections"), connections.connection():
        pass
    over.set()
    holder.join()
    # Who gave up is not waited for, and who holds one gets a second without waiting.
    with connections.connection(), connections.connection() as inner:
        assert inner.execute("SELECT 1").fetchone() == (1,)
    connections.close()


def test_a_connection_that_nobody_uses_is_closed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the server: so also those of a program that hangs."""
    for idle in (0.3, 3.0, 30.0):  # longer only where a busy machine is slower than that to look
        monkeypatch.setattr(pool, "IDLE", idle)
        connections = Pool(url, settings={})
        with connections.connection(), connections.connection():
            seen = at_work(url)
        if seen == 2:
            break
    assert seen == 2
    assert awaited(lambda: at_work(url) == 0)
    with connections.connection() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    connections.close()


def test_a_connection_beside_one_in_use_is_let_go_here_too(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket must not stay open for as long as the program works."""
    for idle in (
        1.0,
        4.0,
        16.0,
    ):  # longer only where a busy machine kept us from using the other one
        monkeypatch.setattr(pool, "IDLE", idle)
        connections = Pool(url, settings={})
        with connections.connection() as one, connections.connection() as two:
            pass
        last, longest = time.monotonic(), 0.0
        end = last + idle + 60
        while not (one.closed or two.closed) and time.monotonic() < end:
            with connections.connection() as used:
                used.execute("SELECT 1")
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            time.sleep(0.02)
        closed = one.closed, two.closed
        connections.close()
        if longest < idle / 2:
            break
    assert longest < idle / 2
    assert sorted(closed) == [False, True]


def test_limits_that_the_server_sets_itself_stay(url: str) -> None:
    connections = Pool(with_option(url, "options", "-c lock_timeout=77s"), settings={})
    with connections.connection() as connection:
        shown = connection.execute(
            "SELECT current_setting('lock_timeout'), current_setting('idle_session_timeout')"
        ).fetchone()
    assert shown == ("77s", "1min")
    connections.close()


# ---- what goes wrong, told as it is


def test_whoever_waits_for_a_row_too_long_is_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program that was stopped in the middle keeps nobody waiting for ever."""
    monkeypatch.setattr(pool, "PATIENCE", 0.3)
    with house(url) as engine, psycopg.connect(url) as other:
        ada = engine.agent("ada")
        # The test itself waits no longer than that.
        other.execute("SET LOCAL idle_in_transaction_session_timeout = '90s'")
        other.execute("SELECT 1 FROM agents FOR UPDATE")
        begun = time.monotonic()
        with pytest.raises(StoreBusy, match="another program holds what this one needs; try again"):
            ada.remember("The code is 4711.")
        with pytest.raises(StoreBusy):
            ada.turn("Hello?")
        assert time.monotonic() - begun < 60
        other.rollback()
        assert ada.memories() == []
        assert ada.remember("The code is 4711.").text == "The code is 4711."


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_letter_is_refused(
    server: postgres.Server, encoding: str
) -> None:
    name = encoding.lower()
    made = f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'"
    old = "" if "builtin" not in str(provider(server)) else " LOCALE_PROVIDER libc"
    run(server.url("postgres"), made + old)
    with pytest.raises(StoreFailed, match=f"in {encoding} .*createdb -E UTF8 -T template0"):
        everthread.connect(server.url(name), background=False)
    assert run(server.url(name), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [
        (0,)
    ]


def provider(server: postgres.Server) -> str:
    """Of the locale of new databases; older servers have no other than the system's."""
    asked = "SELECT datlocprovider::text FROM pg_database WHERE datname = 'template0'"
    return "builtin" if run(server.url("postgres"), asked) == [("b",)] else "libc"


def test_letters_of_other_scripts_are_told_to_the_server_as_they_are(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment says of the client's letters."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with house(url) as engine:
        assert told(engine, "знание") == ["знание"]


def refused(url: str) -> StoreFailed:
    with pytest.raises(StoreFailed) as raised:
        everthread.connect(url, background=False, settings=Settings(embedder="off"))
    return raised.value


def test_a_password_among_the_options_is_not_shown(server: postgres.Server, url: str) -> None:
    secret = url.replace("postgres@", "") + "&user=postgres&password=hush"
    with house(secret) as engine:
        assert engine.location.endswith("&user=postgres&password=***")
    error = refused(secret.replace("/team?", "/nothing?"))
    assert "hush" not in "".join(traceback.format_exception(error))


def test_each_trouble_at_the_door_has_its_own_advice(server: postgres.Server, url: str) -> None:
    """(R-34)"""
    none = refused(server.url("nothing"))
    assert "createdb" in str(none) and not isinstance(none, StoreAway)
    who = refused(as_role(url, "nobody"))
    assert "user and the password" in str(who) and not isinstance(who, StoreAway)
    with roles(url, "mel"):
        run(server.url("postgres"), "ALTER DATABASE team CONNECTION LIMIT 0")
        crowded = refused(as_role(url, "mel"))
        run(server.url("postgres"), "ALTER DATABASE team CONNECTION LIMIT -1")
    assert isinstance(crowded, StoreAway) and "no connection left" in str(crowded)
    slow = refused(with_option(url, "options", "-c statement_timeout=1"))
    assert "statement_timeout" in str(slow) and not isinstance(slow, StoreAway)
    away = refused(f"postgresql://postgres@/team?host={server.folder}/none")
    assert isinstance(away, StoreAway) and "cannot be reached" in str(away)


def test_a_server_without_ssl_is_told_so() -> None:
    """It answers N where the driver asks for it."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()

        def answer() -> None:
            with suppress(OSError):
                while True:
                    caller, _ = door.accept()
                    with caller:
                        caller.recv(8)
                        caller.sendall(b"N")

        threading.Thread(target=answer, daemon=True).start()
        port = door.getsockname()[1]
        error = refused(f"postgresql://mel@127.0.0.1:{port}/db?sslmode=require&gssencmode=disable")
        door.shutdown(socket.SHUT_RDWR)
    assert "sslmode" in str(error) and not isinstance(error, StoreAway)


@pytest.mark.parametrize("said", ["by us", "by the environment", "by the address"])
def test_a_server_that_does_not_answer_is_waited_for_a_while_only(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setitem(pool.REACHING, "connect_timeout", "2" if said == "by us" else "90")
    if said == "by the environment":
        monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")
    option = "?connect_timeout=2" if said == "by the address" else ""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        begun = time.monotonic()
        error = refused(f"postgresql://mel@127.0.0.1:{door.getsockname()[1]}/db{option}")
        assert time.monotonic() - begun < 60
    assert isinstance(error, StoreAway)


# ---- what was erased


SECRET = "zebrasecret"


def files_with(server: postgres.Server, word: str) -> list[str]:
    """The tables and indexes in whose files the word stands."""
    run(server.url("team"), "CHECKPOINT")
    folder = server.folder / "data" / "base"
    names = (
        "SELECT pg_relation_filepath(oid), relname FROM pg_class WHERE relkind IN ('r', 'i', 't')"
    )
    kept = [(Path(path), name) for path, name in run(server.url("team"), names) if path is not None]
    return sorted(
        name for path, name in kept if word.encode() in (folder.parent / path).read_bytes().lower()
    )


def erased(engine: Everthread) -> None:
    """Of two whose rows lie side by side, one is erased."""
    ada, eve = engine.agent("ada"), engine.agent("eve")
    for n in range(20):
        for agent, word in ((ada, SECRET), (eve, "harmless")):
            with agent.turn(f"Question {n}: my {word}{n} lives at /srv/{word}/{n}") as turn:
                turn.done(f"Noted. We decided on the {word} plan {n}. " + f"{word} " * 400)
    for agent, word in ((ada, SECRET), (eve, "harmless")):
        agent.remember(f"The {word} code is 4711.")
        agent.note(f"A note on {word}.")
        agent.distill()
        agent.recall(word)
    engine.erase(ada, reason="asked")


def vacuumed(url: str) -> set[str]:
    asked = "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count > 0"
    return {name for (name,) in run(url, asked)}


def test_every_table_is_swept_after_an_erasure(server: postgres.Server, url: str) -> None:
    with house(url) as engine:
        erased(engine)
    tables = {
        name for (name,) in run(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    }
    stored = {name for name in tables if not name.startswith("index_")}
    assert {"memories", "notes", "session_scores", "summary_sentences"} <= stored
    assert stored - vacuumed(url) == set()


def test_a_store_written_anew_has_nothing_of_what_was_erased(
    server: postgres.Server, url: str
) -> None:
    """Not in a page between the rows of others, nor as a word of the index."""
    with house(url) as engine:
        erased(engine)
        assert files_with(server, SECRET) != []
        engine.vacuum()
        assert files_with(server, SECRET) == []
        eve = engine.agent("eve")
        assert eve.recall("harmless") != []
        assert engine.verify(eve).faults == []


# ---- words, whatever the server makes of letters


TEXTS = ("ΣΊΣΥΦΟΣ rolls", "ο Σίσυφος", "МОСКВА стоит", "Straße", "ÄRGER", "İstanbul", "Ǆungla")
ASKED = (
    *("σίσυφος", "ΣΊΣΥΦΟΣ", "Σίσυφοσ", "москва", "Москва", "straße", "ärger", "arger"),
    *("istanbul", "ǆungla", "стоит"),
)


@pytest.mark.req("R-39")
@pytest.mark.parametrize("locale", ["", "C"])
def test_both_find_the_same_whatever_the_letters(server: postgres.Server, locale: str) -> None:
    """Also where the server's own locale knows no letters but the English."""
    name = f"letters{locale.lower()}"
    made = f"CREATE DATABASE {name} TEMPLATE template0"
    if locale:
        libc = " LOCALE_PROVIDER libc" if provider(server) == "builtin" else ""
        made += f" ENCODING 'UTF8' LOCALE 'C'{libc}"
    run(server.url("postgres"), made)
    both = (SqliteIndex(None), PostgresIndex(server.url(name)))
    agent = an_agent()
    seen: list[dict[str, set[int]]] = []
    for index in both:
        file_texts(index.of(agent), TEXTS)
        seen.append({word: set(search_ids(index.of(agent), word)) for word in ASKED})
        index.close()
    assert seen[0] == seen[1]
    assert seen[1]["σίσυφος"] == {1, 2}
    assert seen[1]["москва"] == {3}
