"""A full disk, a read-only one, a locked file, a folder that vanishes: a clear error, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import everthread
from everthread.domain.errors import StoreBusy, StoreFailed
from support.skips import needs, private_mounts
from support.stores import Place, fresh

pytestmark = pytest.mark.slow  # the quick loop leaves it out; `make test` does not

# What each script begins with: a small file system of its own, seen by nobody else.
MOUNTED = """
import json, subprocess, sys
from pathlib import Path
import everthread
from everthread.domain.errors import EverthreadError
folder = Path(sys.argv[1])

def mount(options):
    subprocess.run(["mount", "-o", options, "-t", "tmpfs", "tmpfs", folder], check=True)

def told(work):
    try:
        work()
    except EverthreadError as error:
        return [type(error).__name__, str(error)]
    return ["fine", ""]

def say(**facts):
    print(json.dumps(facts))
"""

FULL = (
    MOUNTED
    + """
mount("size=2m")
ballast = folder / "ballast"
et = everthread.connect(folder / "everthread.db", background=False)
ada = et.agent("ada")
ballast.write_bytes(bytes(500_000))
acknowledged, n = [], 0

def append():
    global n
    key = f"m{n}"
    ada.record([{"id": key, "role": "user", "content": f"{key} " + "x" * 5000 + key}])
    acknowledged.append(key)
    n += 1

while (first := told(append))[0] == "fine":
    pass
again = told(append)
stored = lambda: [m.external_id for m in ada.messages(limit=9999)]
while_full = stored() == acknowledged
elsewhere = told(lambda: everthread.connect(folder / "new" / "other.db", background=False))
copied = told(lambda: et.backup(folder / "copy.db"))
left = sorted(p.name for p in folder.iterdir() if p.name.startswith("copy"))
ballast.unlink()
after = told(append)
turn = told(lambda: ada.turn("does it work?").done("again"))
sound = et.verify(ada).faults == []
kept = stored()[: len(acknowledged)] == acknowledged
et.close()
with everthread.connect(folder / "everthread.db", background=False) as et:
    reopened = [m.external_id for m in et.known_agent("ada").messages(limit=9999)]
say(first=first, again=again, while_full=while_full, elsewhere=elsewhere, copied=copied, left=left,
    after=after, turn=turn, sound=sound, kept=kept, reopened=reopened[:-2] == acknowledged,
    count=len(acknowledged))
"""
)

READ_ONLY = (
    MOUNTED
    + """
mount("size=8m")
path = folder / "everthread.db"
with everthread.connect(path, background=False) as et:
    et.agent("ada").turn("hi").done("hello")
mount("remount,ro")
before = sorted(p.name for p in folder.iterdir())
opened = told(lambda: everthread.connect(path, background=False))
new = told(lambda: everthread.connect(folder / "new.db", background=False))
deeper = told(lambda: everthread.connect(folder / "a" / "new.db", background=False))
after = sorted(p.name for p in folder.iterdir())
mount("remount,rw")
with everthread.connect(path, background=False) as et:
    ada = et.agent("ada")
    ada.turn("and now?").done("now it works")
    texts = [m.text for m in ada.messages()]
    sound = et.verify(ada).faults == []
say(opened=opened, new=new, deeper=deeper, untouched=before == after, texts=texts, sound=sound)
"""
)


def apart(script: str, folder: Path) -> dict[str, object]:
    """What the script says, run where it may mount."""
    needs("tmpfs")
    done = subprocess.run(
        [*(private_mounts() or []), sys.executable, "-c", script, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_full_disk_is_named_loses_nothing_and_goes_on_when_space_returns(tmp_path: Path) -> None:
    """(R-34)"""
    said = apart(FULL, tmp_path)
    for attempt in ("first", "again", "elsewhere", "copied"):
        name, text = said[attempt]  # type: ignore[misc]
        assert name == "StoreFull", said
        assert "no space is left" in text
        assert "free some space" in text
    assert said["left"] == []
    assert int(str(said["count"])) > 10
    assert said["while_full"]
    assert said["after"] == said["turn"] == ["fine", ""]
    assert said["kept"]
    assert said["reopened"]
    assert said["sound"]


def test_a_read_only_disk_is_named_and_the_store_works_again_later(tmp_path: Path) -> None:
    said = apart(READ_ONLY, tmp_path)
    for attempt in ("opened", "new", "deeper"):
        name, text = said[attempt]  # type: ignore[misc]
        assert name == "StoreReadOnly", said
        assert "permissions" in text
    assert said["untouched"]
    assert said["texts"] == ["hi", "hello", "and now?", "now it works"]
    assert said["sound"]


# ---- permissions

# Root may write everywhere, so it becomes nobody first; what it needs is loaded by then.
FORBIDDEN = """
import json, os, sys
import everthread
from everthread.domain.errors import EverthreadError
with everthread.connect("memory://", background=False) as et:
    et.agent("ada").turn("warm").done("up")
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    everthread.connect(sys.argv[1], background=False)
except EverthreadError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach, which pytest's own are not."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="everthread-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize(
    ("what", "modes"),
    [
        ("file", {"everthread.db": 0o400, ".": 0o755}),
        ("folder", {"everthread.db": 0o600, ".": 0o500}),
        ("unreadable", {"everthread.db": 0o000, ".": 0o755}),
    ],
)
def test_a_store_that_may_not_be_written_is_named(what: str, modes: dict[str, int]) -> None:
    with open_folder() as folder:
        path = folder / "everthread.db"
        with everthread.connect(path, background=False) as et:
            et.agent("ada").turn("hi").done("hello")
        if what == "folder":
            for lock in folder.glob("*-queue"), folder.glob("*-writer"):
                next(lock).unlink()
        if os.getuid() == 0:
            for place in (folder, *folder.iterdir()):
                os.chown(place, 65534, 65534)
        for name, mode in modes.items():
            (folder / name).chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, str(path)],
            env={**os.environ, "EVERTHREAD_HOME": str(folder / "nowhere")},
            capture_output=True,
            text=True,
            check=True,
        )
        name, text = json.loads(done.stdout)
        assert name == "StoreReadOnly"
        assert str(path) in text
        assert "permissions" in text
        for place in modes:
            (folder / place).chmod(0o700)
        with everthread.connect(path, background=False) as et:
            assert len(et.known_agent("ada").messages()) == 2


# ---- locked by somebody else

HOLDS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
connection.rollback()
"""


@contextmanager
def held_by_another(path: Path) -> Iterator[Callable[[], object]]:
    """Until the end, or until what is given is called."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder.stdin.close
        finally:
            holder.stdin.close()
            holder.wait()


@pytest.mark.slow
def test_a_file_that_another_program_holds_for_a_while_is_waited_for(tmp_path: Path) -> None:
    """(R-52)"""
    path = tmp_path / "everthread.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        free = threading.Event()
        waited: list[bool] = []

        def write() -> None:
            ada.turn("may I?").done("you may")
            waited.append(free.is_set())

        writer = threading.Thread(target=write)
        with held_by_another(path) as let_go:
            assert ada.messages() == []  # reading does not wait
            writer.start()
            writer.join(1)
            free.set()
            let_go()
            writer.join(60)
        assert waited == [True]
        assert len(ada.messages()) == 2


@pytest.mark.slow
def test_a_file_that_another_program_holds_for_too_long_is_busy(tmp_path: Path) -> None:
    """(R-52)"""
    path = tmp_path / "everthread.db"
    with everthread.connect(path, background=False) as et:
        ada = et.agent("ada")
        with held_by_another(path):
            with pytest.raises(StoreBusy, match="another program holds the file locked"):
                ada.record([{"role": "user", "content": "now"}])
            assert ada.messages() == []
        ada.record([{"role": "user", "content": "later"}])
        assert [m.text for m in ada.messages()] == ["later"]
        assert et.verify(ada).faults == []


# ---- gone


def test_a_folder_that_vanishes_is_noticed_and_works_again_when_it_is_back(tmp_path: Path) -> None:
    """Nothing is acknowledged into a file that nobody can find (R-34)."""
    home, away = tmp_path / "home", tmp_path / "away"
    with everthread.connect(home / "everthread.db", background=False) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "before"}])
        home.rename(away)
        for _ in range(2):
            with pytest.raises(StoreFailed, match="moved or removed while it was open"):
                ada.record([{"role": "user", "content": "into the void"}])
        away.rename(home)
        ada.record([{"role": "user", "content": "after"}])
        assert [m.text for m in ada.messages()] == ["before", "after"]
        assert et.verify(ada).faults == []
    with everthread.connect(home / "everthread.db", background=False) as et:
        assert [m.text for m in et.known_agent("ada").messages()] == ["before", "after"]


def test_a_file_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "everthread.db"
    et = everthread.connect(path, background=False)
    ada = et.agent("ada")
    path.rename(tmp_path / "old.db")
    shutil.copy(tmp_path / "old.db", path)
    with pytest.raises(StoreFailed, match="moved or removed"):
        ada.record([{"role": "user", "content": "to whom?"}])
    et.close()


def test_a_removed_folder_is_an_error_and_connecting_again_begins_anew(tmp_path: Path) -> None:
    home = tmp_path / "home"
    et = everthread.connect(home / "everthread.db", background=False)
    ada = et.agent("ada")
    shutil.rmtree(home)
    with pytest.raises(StoreFailed):
        ada.turn("anybody there?")
    et.close()
    with everthread.connect(home / "everthread.db", background=False) as et:
        assert et.agents() == []


# ---- a server that goes away


def test_a_connection_that_the_server_cuts_loses_nothing_and_is_replaced(tmp_path: Path) -> None:
    with (
        fresh("postgres", tmp_path) as place,
        everthread.connect(place.target, background=False) as et,
    ):
        ada = et.agent("ada")
        ada.record([{"id": "1", "role": "user", "content": "before"}])
        cut(place)
        failed = 0
        for _ in range(5):
            try:
                ada.record([{"id": "2", "role": "user", "content": "after"}])
            except StoreFailed as error:
                assert "server cannot be reached or went away" in str(error)
                failed += 1
        assert failed <= 2
        assert [m.text for m in ada.messages()] == ["before", "after"]
        assert et.verify(ada).faults == []


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    url = f"postgresql://me:secret@/none?host={tmp_path}"
    with pytest.raises(StoreFailed, match="Check that it runs") as caught:
        everthread.connect(url, background=False)
    assert "secret" not in str(caught.value)


def cut(place: Place) -> None:
    place.raw(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


# ---- everything at once


def test_writers_that_wait_for_a_full_disk_all_hear_of_it(tmp_path: Path) -> None:
    """Nobody hangs because the commit that carried its work failed."""
    path = tmp_path / "home" / "everthread.db"
    et = everthread.connect(path, background=False)
    ada = et.agent("ada")
    path.parent.rename(tmp_path / "away")
    errors: list[Exception] = []

    def write(i: int) -> None:
        try:
            ada.record([{"id": str(i), "role": "user", "content": "x"}])
        except StoreFailed as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(errors) == 12
    (tmp_path / "away").rename(path.parent)
    write(99)
    assert len(errors) == 12
    assert [m.external_id for m in ada.messages()] == ["99"]
    et.close()
