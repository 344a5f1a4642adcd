"""The tests' own PostgreSQL server: real, separate by database, and never left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from support import postgres
from support.skips import needs

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parent

STARTS_AND_WAITS = """
import time
from support import postgres
server = postgres.start()
print(server.pid, server.folder, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    needs("postgresql")
    with postgres.start() as running:
        yield running


def ask(url: str, statement: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None


def test_the_server_is_a_recent_postgresql(server: postgres.Server) -> None:
    assert str(ask(server.url("postgres"), "select version()")).startswith("PostgreSQL ")
    assert int(str(ask(server.url("postgres"), "show server_version_num"))) >= 150_000


def test_text_is_ordered_by_code_point(server: postgres.Server) -> None:
    ordered = "select string_agg(w, '' order by w) from unnest(array['ä', 'b', 'Z', 'a', '€']) as w"
    assert ask(server.url("postgres"), ordered) == "Zabä€"


def test_databases_do_not_see_each_other(server: postgres.Server) -> None:
    one, two = server.create("one"), server.create("two")
    with psycopg.connect(one) as connection:
        connection.execute("create table note (text text)")
        connection.execute("insert into note values ('only in one')")
    assert ask(one, "select text from note") == "only in one"
    assert ask(two, "select to_regclass('note')::text") is None
    server.drop("one")
    server.drop("two")


def test_a_database_can_be_cloned_with_its_content(server: postgres.Server) -> None:
    with psycopg.connect(server.create("prepared")) as connection:
        connection.execute("create table note as select 'from the template' as text")
    assert (
        ask(server.create("clone", template="prepared"), "select text from note")
        == "from the template"
    )
    server.drop("clone")
    server.drop("prepared")


def test_a_database_is_dropped_from_under_its_users_and_names_are_quoted(
    server: postgres.Server,
) -> None:
    name = 'odd "name" & more'
    url = server.create(name)
    with psycopg.connect(url) as connection:
        server.drop(name)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("select 1")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    server.drop(name)


def test_fsync_is_off_unless_asked_for(server: postgres.Server) -> None:
    assert ask(server.url("postgres"), "show fsync") == "off"
    with postgres.start(fsync=True) as durable:
        assert ask(durable.url("postgres"), "show fsync") == "on"


def test_stopping_leaves_neither_process_nor_folder(server: postgres.Server) -> None:
    other = postgres.start()
    other.stop()
    other.stop()
    assert using(other.folder) == []
    assert not other.folder.exists()
    assert ask(server.url("postgres"), "select 1") == 1


@pytest.fixture
def private(server: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place in which nobody else sweeps: other tests that start a server do it in the usual one."""
    place = Path(tempfile.mkdtemp(prefix="et-pg-", dir=server.folder.parent))
    place.chmod(0o755)
    monkeypatch.setattr(postgres, "_temporary", lambda _: place)
    yield place
    shutil.rmtree(place)


def test_a_killed_test_run_leaves_no_server_and_the_next_one_sweeps_its_folder(
    server: postgres.Server, private: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_AND_WAITS],
        cwd=TESTS,
        env={**os.environ, "TMPDIR": str(private)},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        pid, _, folder = run.stdout.readline().strip().partition(" ")
        assert Path(folder).parent == private
        assert int(pid) in using(Path(folder))
        os.kill(run.pid, signal.SIGKILL)
    deadline = time.monotonic() + postgres.PATIENCE
    while using(Path(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert using(Path(folder)) == []
    assert Path(folder).exists()
    with postgres.start():
        assert not Path(folder).exists()
    assert server.folder.exists()


def using(folder: Path) -> list[int]:
    """The living processes that work in the folder. A zombie has no working directory any more."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            place = (process / "cwd").readlink()
        except OSError:
            continue
        if place.is_relative_to(folder):
            found.append(int(process.name))
    return found
