"""Two stores on one file, forks, Ctrl-C, deadlocks, restarts: what was acknowledged stays."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

import everthread
from everthread.domain.conversation.turns import LONGEST_LEASE
from everthread.domain.errors import EverthreadError, StoreBusy, StoreFailed
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store import connection_cache
from everthread.store.postgres.link import store_error_of
from everthread.store.postgres.store import PostgresStore
from everthread.store.sqlite.store import SqliteStore
from support import postgres
from support.skips import needs

pytestmark = pytest.mark.slow


def ids() -> SystemIds:
    return SystemIds(SystemClock())


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def count(path: Path) -> int:
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        assert et.verify(ada).faults == []
        return len(ada.messages(limit=100_000))


def run(script: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


RECORD_ONE = """
import everthread, sys
with everthread.connect(sys.argv[1], background=False) as et:
    et.agent("ada").record([{"role": "user", "content": "from elsewhere"}])
"""

# ---- the locks of a process

TWICE = """
import everthread, os, subprocess, sys
path, other = sys.argv[1:]
first = everthread.connect(path, background=False)
ada = first.agent("ada")
ada.record([{"role": "user", "content": "one"}])
second = everthread.connect(path, background=False)
third = everthread.connect(path, background=False)
third.close()
subprocess.run([sys.executable, "-c", other, path], check=True)
print(sum(ada.record([{"role": "user", "content": f"{i}"}]).added for i in range(20)), flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_second_connection_in_the_process_keeps_the_locks_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    done = subprocess.run(
        [sys.executable, "-c", TWICE, str(path), RECORD_ONE],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.strip() == "20", done.stderr
    assert count(path) == 22


def test_a_file_is_judged_again_once_every_store_on_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    stores = [SqliteStore(path, ids()), SqliteStore(path, ids())]
    for store in stores:
        store.close()
    path.write_bytes(b"no database at all" * 20)
    with pytest.raises(StoreFailed, match="the beginning of its file is lost"):
        SqliteStore(path, ids())


def test_a_backup_does_not_write_over_a_store_in_use(tmp_path: Path) -> None:
    used = SqliteStore(tmp_path / "copy.db.partial", ids())
    store = SqliteStore(tmp_path / "s.db", ids())
    with pytest.raises(StoreFailed, match="in use"):
        store.backup(str(tmp_path / "copy.db"))
    store.close()
    used.close()


# ---- forks

FORKED = """
import everthread, json, os, sys
from everthread.domain.errors import EverthreadError
path, other = sys.argv[1:]
et = everthread.connect(path, background=False)
ada = et.agent("ada")
ada.record([{"role": "user", "content": "before"}])
store = et.house.store

def told(work):
    try:
        work()
    except EverthreadError as error:
        return str(error)
    return "fine"

pid = os.fork()
if pid == 0:
    said = [told(lambda: ada.record([{"role": "user", "content": "child"}])),
            told(lambda: ada.messages()), told(store.settle), told(lambda: store.backup(path + "-b"))]
    again = told(lambda: everthread.connect(path, background=False))
    elsewhere = told(lambda: everthread.connect(path + "-new.db", background=False))
    store.close()
    print(json.dumps([said, again, elsewhere]), flush=True)
    sys.exit()
os.waitpid(pid, 0)
ada.record([{"role": "user", "content": "after"}])
os.kill(os.getpid(), 9)
"""


def test_a_child_does_not_touch_what_its_parent_had_open(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, str(path), RECORD_ONE],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout, done.stderr
    refused, again, elsewhere = json.loads(done.stdout)
    assert len(refused) == 4
    assert all("connect only after the fork" in text for text in refused), refused
    # SQLite in the child would believe in locks that only the parent has.
    assert "connect only after the fork" in again
    assert elsewhere == "fine"
    assert count(path) == 2


CHILD_EXITS = """
import everthread, os, sys, threading
et = everthread.connect(sys.argv[1], background=False)
ada = et.agent("ada")
acknowledged = 0
stop = False

def write():
    global acknowledged
    while not stop:
        ada.record([{"role": "user", "content": "x"}])
        acknowledged += 1

writer = threading.Thread(target=write)
writer.start()
for _ in range(25):
    pid = os.fork()
    if pid == 0:
        del et, ada
        import gc
        gc.collect()
        os._exit(0)
    os.waitpid(pid, 0)
stop = True
writer.join()
print(acknowledged)
"""


def test_children_that_end_disturb_no_write_of_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    acknowledged = int(run(CHILD_EXITS, path))
    assert acknowledged > 0
    assert count(path) == acknowledged


FORKED_IN_AN_IMPORT = """
import everthread, os, sys, threading
et = everthread.connect(sys.argv[1], background=False)
begun = threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "ctypes":
            begun.set()
            threading.Event().wait(0.5)

assert "ctypes" not in sys.modules
sys.meta_path.insert(0, Slow())
threading.Thread(target=lambda: __import__("ctypes")).start()
begun.wait()
pid = os.fork()
if pid == 0:
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_child_does_not_wait_for_an_import_of_its_parents_thread(tmp_path: Path) -> None:
    """It would never end: the thread that imports does not exist in the child."""
    assert run(FORKED_IN_AN_IMPORT, tmp_path / "s.db").strip() == "0"


CLOSED_BEFORE = """
import everthread, os, sys
everthread.connect(sys.argv[1], background=False).close()
pid = os.fork()
if pid == 0:
    with everthread.connect(sys.argv[1], background=False) as et:
        et.agent("ada").record([{"role": "user", "content": "child"}])
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_store_closed_before_the_fork_opens_in_the_child(tmp_path: Path) -> None:
    assert run(CLOSED_BEFORE, tmp_path / "s.db").strip() == "0"
    assert count(tmp_path / "s.db") == 1


# ---- Ctrl-C


class Shots:
    """SIGINT to the main thread every few milliseconds, while armed.

    A shot may also hit what the test tools do when garbage is collected, where nobody can catch it. They
    take note of that in Python, which takes longer than it is to the next shot on a busy machine, and a
    shot that hits them there is an error to them. So nobody takes note: an `append` is not interrupted.
    """

    def __init__(self) -> None:
        self.armed = False
        self.hits = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._shoot, daemon=True)

    def __enter__(self) -> Shots:
        self._hook, sys.unraisablehook = sys.unraisablehook, deque[object](maxlen=0).append
        self._before = signal.signal(signal.SIGINT, self._struck)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.armed = False
        self._stop.set()
        self._thread.join()
        signal.signal(signal.SIGINT, self._before)
        sys.unraisablehook = self._hook

    def _struck(self, *_: object) -> None:
        if self.armed:
            self.hits += 1
            raise KeyboardInterrupt

    def _shoot(self) -> None:
        while not self._stop.wait(0.002):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def until(
    stop: threading.Event, record: Callable[[str], object], name: str
) -> tuple[set[str], set[str]]:
    fine: set[str] = set()
    failed: set[str] = set()
    while not stop.is_set():
        text = f"{name}-{len(fine) + len(failed)}"
        try:
            record(text)
            fine.add(text)
        except EverthreadError:
            failed.add(text)
    return fine, failed


def shot_at(record: Callable[[str], object], *, hits: int) -> set[str]:
    """What was acknowledged while so many shots hit."""
    fine: set[str] = set()
    n = 0
    with Shots() as shots:
        end = time.monotonic() + 300
        while shots.hits < hits:
            assert time.monotonic() < end, f"only {shots.hits} hits"
            n += 1
            try:
                shots.armed = True
                record(f"main-{n}")
                shots.armed = False
                fine.add(f"main-{n}")
            except (KeyboardInterrupt, EverthreadError):
                shots.armed = False
    return fine


@pytest.mark.parametrize(("others", "programs"), [(0, 0), (3, 0), (0, 2), (3, 2)])
def test_ctrl_c_loses_nothing_acknowledged_and_hangs_nobody(
    tmp_path: Path, others: int, programs: int
) -> None:
    et = everthread.connect(tmp_path / "s.db", background=False)
    ada, bob = et.agent("ada"), et.agent("bob")
    crowd = [writing(tmp_path / "s.db") for _ in range(programs)]
    stop = threading.Event()
    outcomes: list[tuple[set[str], set[str]]] = []
    record = lambda text: bob.record(said(text))  # noqa: E731 - said in passing
    threads = [
        threading.Thread(
            target=lambda k=k: outcomes.append(until(stop, record, f"t{k}")), daemon=True
        )
        for k in range(others)
    ]
    for thread in threads:
        thread.start()
    fine = shot_at(lambda text: ada.record(said(text)), hits=250)
    stop.set()
    for thread in threads:
        thread.join(60)
    for program in crowd:
        told, _ = program.communicate("\n", timeout=60)
        assert int(told) > 0, "it wrote too"
    assert not any(thread.is_alive() for thread in threads)
    ada.record(said("after"))
    stored = [m.text for m in bob.messages(limit=10**6)]
    assert len(stored) == len(set(stored))
    assert set().union(*(fine for fine, _ in outcomes)) == set(stored)
    mine = [m.text for m in ada.messages(limit=10**6)]
    assert fine | {"after"} <= set(mine)
    assert len(mine) == len(set(mine))
    assert et.verify(ada).faults == et.verify(bob).faults == []
    run(RECORD_ONE, tmp_path / "s.db")  # no lock was left behind for other programs
    et.close()


WRITE_UNTIL_TOLD = """
import sys, threading
import everthread
with everthread.connect(sys.argv[1], background=False) as et:
    cyd, told, count = et.agent("cyd"), threading.Event(), 0
    print("ready", flush=True)
    threading.Thread(target=lambda: (sys.stdin.readline(), told.set())).start()
    while not told.is_set():
        cyd.record([{"role": "user", "content": "x"}])
        count += 1
print(count)
"""


def writing(path: Path) -> subprocess.Popen[str]:
    """Another program that writes all the time."""
    program = subprocess.Popen(
        [sys.executable, "-c", WRITE_UNTIL_TOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


SALTS = """
import json, os
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
ids = SystemIds(SystemClock())
ids.salt()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, b"".join(ids.salt() for _ in range(50)))
    os._exit(0)
os.close(write)
with os.fdopen(read, "rb") as pipe:
    theirs = pipe.read()
mine = b"".join(ids.salt() for _ in range(50))
print(json.dumps([(theirs + mine)[n : n + 16].hex() for n in range(0, 1600, 16)]))
"""


def test_no_salt_is_given_out_twice_by_threads_or_after_a_fork() -> None:
    """(R-33)."""
    source = ids()
    source.salt()
    drawn: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: drawn.extend([source.salt() for _ in range(2_000)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 4 * 2_000
    told = json.loads(run(SALTS))
    assert len(set(told)) == len(told) == 100


# ---- one commit for all who wait

WAL_HEADER, FRAME_HEADER = 32, 24


def commits(path: Path) -> int:
    """So many transactions are in the log: the last frame of each tells the size of the file."""
    log = path.with_name(path.name + "-wal").read_bytes()
    page = int.from_bytes(log[8:12], "big")
    heads = range(WAL_HEADER, len(log), FRAME_HEADER + page)
    return sum(int.from_bytes(log[at + 4 : at + 8], "big") > 0 for at in heads)


def test_all_who_wait_are_written_with_one_commit(tmp_path: Path) -> None:
    """(R-34)."""
    path, others = tmp_path / "s.db", 8
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        ada.record(said("first"))
        before = commits(path)
        writing, ready = threading.Event(), threading.Event()

        def slow(_records: object) -> None:
            writing.set()
            ready.wait(60)  # and writes nothing, which leaves nothing in the log

        threads = [threading.Thread(target=et.house.store.write, args=(slow,))]
        threads[0].start()
        assert writing.wait(60)
        threads += [
            threading.Thread(target=ada.record, args=(said(f"{n}"),)) for n in range(others)
        ]
        for thread in threads[1:]:
            thread.start()
        end, door = time.monotonic() + 60, et.house.store._writer._waiting  # type: ignore[attr-defined]
        while len(door) < others and time.monotonic() < end:
            time.sleep(0.01)
        ready.set()
        for thread in threads:
            thread.join()
        assert commits(path) - before == 1
        assert len(ada.messages(limit=100)) == 1 + others


# ---- the log, and what is remembered


def test_settling_waits_for_nobody_who_writes_and_says_who_reads(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path, ids())
    store.write(lambda records: records.agents.all())
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM messages").fetchone()
    writer = everthread.connect(path, background=False)
    writer.agent("ada").record(said("later"))
    with pytest.raises(StoreBusy, match="lingers in the log while another program reads it"):
        store.settle()
    reader.close()
    store.settle()
    assert Path(f"{path}-wal").stat().st_size == 0
    writer.close()
    store.close()


def test_settling_and_writing_at_once(tmp_path: Path) -> None:
    et = everthread.connect(tmp_path / "s.db", background=False)
    ada = et.agent("ada")
    stop = threading.Event()
    outcomes: list[tuple[set[str], set[str]]] = []
    thread = threading.Thread(
        target=lambda: outcomes.append(until(stop, lambda t: ada.record(said(t)), "t"))
    )
    thread.start()
    end = time.monotonic() + 60
    while len(ada.messages(limit=9)) < 9 and time.monotonic() < end:
        et.house.store.settle()
    for _ in range(50):
        et.house.store.settle()
    stop.set()
    thread.join()
    assert outcomes[0][0]
    assert outcomes[0][1] == set()
    et.close()


def test_verify_in_memory_sees_what_came_after_the_last_verify() -> None:
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        ada.record(said("a"))
        assert et.verify(ada).faults == []
        ada.thread("x", kind="background").record(said("b"))
        assert et.verify(ada).faults == []


def test_what_a_connection_remembers_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 100
    assert most <= connection_cache.MOST
    monkeypatch.setattr(connection_cache, "MOST", most)
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada")
        for n in range(most + 50):
            ada.thread(f"e{n}", kind="ephemeral").record(said("x"))
        memory = et.house.store._records._memory  # type: ignore[attr-defined]
        assert len(memory.threads) <= most + 1
        assert len(memory.sessions) <= most + 1
        assert et.verify(ada).faults == []


def test_a_job_leased_under_a_wrong_clock_is_taken_over() -> None:
    store = SqliteStore(None, ids())
    now = 1_000_000_000_000
    store.write(lambda r: r.jobs.add("tidy", "{}", due_at=now, now=now))
    absurd = now + LONGEST_LEASE + 1
    assert store.write(lambda r: r.jobs.claim("a", ["tidy"], now=now, until=absurd))
    taken = store.write(lambda r: r.jobs.claim("b", ["tidy"], now=now, until=now + 60_000))
    assert taken is not None
    assert store.write(lambda r: r.jobs.claim("c", ["tidy"], now=now, until=now + 60_000)) is None
    store.close()


# ---- PostgreSQL


def test_a_deadlock_has_a_name_of_its_own() -> None:
    for error in (psycopg.errors.DeadlockDetected("x"), psycopg.errors.SerializationFailure("x")):
        told = store_error_of(error, "here")
        assert isinstance(told, StoreBusy)
        assert "several programs wrote at once; try again" in str(told)


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    needs("postgresql")
    with postgres.start() as server:
        yield server


def end_all(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )


@pytest.mark.slow
@pytest.mark.xdist_group("postgres-faults")
class TestPostgres:
    def test_many_who_write_big_messages_at_once(self, server: postgres.Server) -> None:
        with everthread.connect(server.create("deadlocks"), background=False) as et:
            ada = et.agent("ada")
            threads = [ada.thread(f"t{i}", kind="background") for i in range(8)]
            failed: list[Exception] = []

            def work(i: int) -> None:
                for k in range(15):
                    try:
                        threads[i].record(said(f"{i}-{k} " + "y" * 6_000))
                    except EverthreadError as error:
                        failed.append(error)

            workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            assert failed == []
            assert et.verify(ada).faults == []

    @pytest.mark.parametrize("rest", [0.0, 1.2])
    def test_connections_that_died_fail_nobody(self, server: postgres.Server, rest: float) -> None:
        url = server.create(f"ended{int(rest)}")
        store = PostgresStore(url, ids())
        together = threading.Barrier(4)
        readers = [
            threading.Thread(target=lambda: store.read(lambda _: together.wait(60)))
            for _ in range(4)
        ]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        end_all(url)
        time.sleep(rest)
        for _ in range(6):
            assert store.write(lambda records: list(records.agents.all())) == []
        store.close()

    def test_a_child_leaves_the_connections_to_its_parent(self, server: postgres.Server) -> None:
        url = server.create("forked")
        out = run(FORKED_POSTGRES, url)
        refused, again = json.loads(out.splitlines()[0])
        assert "opened before a fork" in refused
        assert again == "fine"
        assert out.splitlines()[1] == "parent fine"


FORKED_POSTGRES = """
import everthread, json, os, sys
from everthread.domain.errors import EverthreadError
et = everthread.connect(sys.argv[1], background=False)
ada = et.agent("ada")

def told(work):
    try:
        work()
    except EverthreadError as error:
        return str(error)
    return "fine"

pid = os.fork()
if pid == 0:
    refused = told(lambda: ada.record([{"role": "user", "content": "child"}]))
    et.house.store.close()
    again = told(lambda: everthread.connect(sys.argv[1], background=False).close())
    print(json.dumps([refused, again]), flush=True)
    sys.exit()
os.waitpid(pid, 0)
print("parent", told(lambda: ada.record([{"role": "user", "content": "after"}])))
et.close()
"""


def test_the_main_process_is_not_taken_for_a_child() -> None:
    store = SqliteStore(None, ids())
    assert store.write(lambda _: os.getpid()) == os.getpid()
    store.close()
