"""A store that is away and comes back: told by name, and no event that hooks bring suffers from it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import everthread
from everthread.domain.errors import StoreAway, StoreBusy, StoreFailed
from everthread.edges.daemon.trace import read_trace, waiting_events
from everthread.edges.http.problems import AGAIN
from everthread.store.postgres.link import store_error_of
from everthread.store.sqlite.open_files import hold
from support import postgres
from support.daemon import Daemon, house, short_home, wait_for
from support.skips import needs

__all__ = ["house", "short_home"]

OUTAGE = 12.0


# ---- by its name


@pytest.mark.parametrize(
    ("error", "ours", "advice"),
    [
        (psycopg.errors.TooManyConnections("x"), StoreAway, "max_connections"),
        (psycopg.errors.CannotConnectNow("x"), StoreAway, "in a moment"),
        (psycopg.errors.AdminShutdown("x"), StoreAway, "Check that it runs"),
        (psycopg.errors.ConnectionFailure("x"), StoreAway, "Check that it runs"),
        (psycopg.OperationalError("connection refused"), StoreAway, "Check that it runs"),
        (psycopg.OperationalError("Verbindung verweigert"), StoreAway, "Check that it runs"),
        (
            psycopg.OperationalError("FATAL:  the database system is starting up"),
            StoreAway,
            "in a moment",
        ),
        (
            psycopg.OperationalError("FATAL:  sorry, too many clients already"),
            StoreAway,
            "max_connections",
        ),
        (psycopg.errors.LockNotAvailable("x"), StoreBusy, "try again"),
        (psycopg.errors.QueryCanceled("x"), StoreFailed, "statement_timeout"),
        (psycopg.errors.OutOfMemory("x"), StoreFailed, "nothing was changed"),
        (
            psycopg.OperationalError('FATAL:  password authentication failed for user "x"'),
            StoreFailed,
            "password in the address",
        ),
    ],
)
def test_what_keeps_a_server_from_us_is_told_as_it_is(
    error: psycopg.Error, ours: type[StoreFailed], advice: str
) -> None:
    told = store_error_of(error, "here")
    assert type(told) is ours
    assert advice in str(told)


def test_who_asks_over_http_is_told_to_come_again() -> None:
    assert issubclass(StoreAway, AGAIN)


def test_an_embedded_store_that_is_moved_away_is_away(tmp_path: Path) -> None:
    """(R-34)"""
    here, there = tmp_path / "here", tmp_path / "there"
    with everthread.connect(here / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        here.rename(there)
        with pytest.raises(StoreAway, match="put it back"):
            ada.record([{"role": "user", "content": "into the void"}])
        there.rename(here)
        ada.record([{"role": "user", "content": "hello"}])
        assert [m.text for m in ada.messages()] == ["hello"]
    with pytest.raises(StoreAway, match="vanished"):
        hold(tmp_path / "none", lambda: None)


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    needs("postgresql")
    with postgres.start() as found:
        yield found


def connecting(url: str) -> everthread.Everthread:
    settings = everthread.Settings.load().with_(embedder="off")
    return everthread.connect(url, background=False, settings=settings)


@pytest.mark.slow
@pytest.mark.xdist_group("store-away")
def test_a_server_without_a_free_connection_is_away_and_one_without_our_database_is_not(
    server: postgres.Server,
) -> None:
    url = server.create("crowded").replace("postgres@", "few@")
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 1")
    with psycopg.connect(url), pytest.raises(StoreAway, match="no connection left"):
        connecting(url)
    with pytest.raises(StoreFailed, match="make it first: createdb") as caught:
        connecting(server.url("nowhere"))
    assert type(caught.value) is StoreFailed
    with pytest.raises(StoreFailed, match="check the user") as caught:
        connecting(url.replace("few@", "nobody-knows@"))
    assert type(caught.value) is StoreFailed


# ---- with the daemon


@pytest.fixture
def project(short_home: Path) -> Path:
    folder = short_home.parent / "project"
    folder.mkdir()
    return folder


def bring(house: Daemon, project: Path, session: str, event: str, **more: str) -> float:
    """A hook as the harness runs it: it succeeds, whatever the store does. When it began."""
    told = {"session_id": session, "cwd": str(project), "hook_event_name": event, **more}
    began = time.time()
    done = house.hook("claude-code", event, told)
    assert (done.code, done.err) == (0, b"")
    return began


def bring_a_session(house: Daemon, project: Path, session: str) -> list[float]:
    """A whole one: when each event began."""
    return [
        bring(house, project, session, "SessionStart", source="startup"),
        bring(house, project, session, "UserPromptSubmit", prompt=f"alpha of {session}"),
        bring(house, project, session, "UserPromptSubmit", prompt=f"beta of {session}"),
        bring(house, project, session, "SessionEnd", reason="exit"),
    ]


def check_session(house: Daemon, session: str, began: list[float], back: float) -> None:
    """Complete, in order, with the times at which it happened."""
    with everthread.connect(settings=house.settings, background=False) as et:
        [agent] = et.agents()
        [found] = [each for each in agent.sessions() if each.key.endswith(session)]
        said = [m for m in agent.messages(limit=1_000) if str(m.text).endswith(f"of {session}")]
        assert [m.text for m in sorted(said, key=lambda m: m.seq)] == [
            f"alpha of {session}",
            f"beta of {session}",
        ]
        assert (found.state, found.message_count) == ("complete", 2)
        assert found.ended_at is not None
        times = [found.started_at, *(m.at for m in said), found.ended_at]
        assert times == sorted(times)
        for at, asked in zip(times, began, strict=True):
            assert asked - 1 <= at.timestamp() < min(asked + OUTAGE / 2, back)
        assert et.verify(agent).faults == []
    trace = read_trace(house.home)
    assert (trace.failed, trace.torn, trace.stuck, trace.waiting) == (0, 0, 0, 0)
    assert "is set aside" not in house.log


@pytest.mark.slow
@pytest.mark.xdist_group("store-away")
@pytest.mark.req("R-45")
def test_a_session_during_an_outage_of_the_server_is_complete_and_in_order(
    server: postgres.Server, short_home: Path, project: Path
) -> None:
    house = Daemon(short_home, EVERTHREAD_STORE=server.create("outage"), EVERTHREAD_EMBEDDER="off")
    try:
        house.up()
        bring(house, project, "before", "UserPromptSubmit", prompt="hello")
        wait_for(lambda: waiting_events(house.places) == [], "the first one is not stored")
        house.impatient()
        server.halt()
        down = time.monotonic()
        try:
            began = bring_a_session(house, project, "s-1")
            assert len(waiting_events(house.places)) == 4
            assert house.answers()
            time.sleep(max(0.0, OUTAGE - (time.monotonic() - down)))
            assert len(waiting_events(house.places)) == 4
        finally:
            server.resume()
        back = time.time()
        wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
        house.down()
        check_session(house, "s-1", began, back)
        assert house.log.count("the spool waits") <= 3, "each kind of trouble is told once"
    finally:
        house.close()


@pytest.mark.slow
@pytest.mark.req("R-45")
def test_a_session_while_the_embedded_store_is_locked_is_complete_and_in_order(
    house: Daemon, project: Path
) -> None:
    house.up()
    bring(house, project, "before", "UserPromptSubmit", prompt="hello")
    wait_for(lambda: waiting_events(house.places) == [], "the first one is not stored")
    house.impatient()
    with closing(sqlite3.connect(house.home / "everthread.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = bring_a_session(house, project, "s-1")
        time.sleep(3)
        other.execute("ROLLBACK")
        back = time.time() + 60  # what is under way goes on at once
    wait_for(lambda: waiting_events(house.places) == [], "the spool was not drained")
    house.down()
    check_session(house, "s-1", began, back)
