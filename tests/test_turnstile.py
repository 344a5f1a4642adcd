"""Who was stopped or hangs while it writes holds up nobody without end, and the others are told who it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from everthread.domain.errors import StoreBusy
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store.sqlite import lock_wait
from everthread.store.sqlite.lock_holder import holder_advice
from everthread.store.sqlite.store import SqliteStore
from everthread.store.sqlite.turnstile import Turnstile
from everthread.store.sqlite.writer import BATCH

LOCKS = Path("/proc/locks")
"""Where Linux says who holds what; elsewhere nobody is named, and the rest holds."""
SOON = 0.4
LONG = 60.0

OPEN = """
import os, sys, time
from pathlib import Path
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store.sqlite.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]), SystemIds(SystemClock()))
def note(name):
    return lambda records: records.jobs.note(name, now=1)
def say(word):
    print(word, flush=True)
"""
# It writes, and stays at it until it is told to go on.
HANGING = (
    OPEN
    + """
def work(records):
    records.jobs.note("theirs", now=1)
    say("in")
    sys.stdin.readline()
store.write(work)
say("done")
"""
)
WRITING = (
    OPEN
    + """
say("ready")
store.write(note("next"))
say("done")
"""
)


def opened(path: Path, *, patience: float = SOON) -> SqliteStore:
    return SqliteStore(path, SystemIds(SystemClock()), patience=patience)


@contextmanager
def child(script: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == word


def let_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    said(process, "done")


def note(store: SqliteStore, name: str) -> None:
    store.write(lambda records: records.jobs.note(name, now=1))


def noted(store: SqliteStore) -> set[str]:
    return {name for name, _ in store.read(lambda records: records.jobs.noted(""))}


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def waits_at(lock: Path) -> bool:
    """Does anybody wait for this lock file? Where the system does not say, a second is enough."""
    if not LOCKS.exists():
        time.sleep(1)
        return True
    mark = f":{lock.stat().st_ino} "
    return any("-> FLOCK" in line and mark in line for line in LOCKS.read_text().splitlines())


def busy(work: Callable[[], object]) -> str:
    began = time.monotonic()
    with pytest.raises(StoreBusy) as told:
        work()
    assert time.monotonic() - began < LONG
    assert "Nothing was changed" in str(told.value)
    return str(told.value)


@pytest.mark.req("R-45")
def test_a_stopped_writer_holds_nobody_up_without_end_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(opened(path)) as store, child(HANGING, path) as other:
        said(other, "in")
        other.send_signal(signal.SIGSTOP)
        for told in (busy(lambda: note(store, "ours")), busy(lambda: opened(path))):
            if LOCKS.exists():
                assert f"process {other.pid} (" in told
                assert f"is stopped. Let it go on (kill -CONT {other.pid})" in told
        assert noted(store) == set(), "who only reads waits for nobody"
        other.send_signal(signal.SIGCONT)
        let_on(other)
        note(store, "ours")
        assert noted(store) == {"theirs", "ours"}


def test_a_writer_that_hangs_is_named_too_and_all_who_wait_are_told_in_that_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More threads than one transaction writes for: the last ones do not wait anew."""
    path = tmp_path / "s.db"
    told: list[str] = []
    waits: list[float] = []
    wait = lock_wait.LockWait.wait

    def noting(standing: lock_wait.LockWait, seconds: float) -> bool:
        waits.append(seconds)
        return wait(standing, seconds)

    with closing(opened(path, patience=1.0)) as store, child(HANGING, path) as other:
        said(other, "in")
        monkeypatch.setattr(lock_wait.LockWait, "wait", noting)
        crowd = [
            threading.Thread(target=lambda n=n: told.append(busy(lambda: note(store, f"t{n}"))))
            for n in range(BATCH * 4)
        ]
        began = time.monotonic()
        for thread in crowd:
            thread.start()
        started = time.monotonic() - began  # so much later than the first one came the last
        for thread in crowd:
            thread.join(LONG)
        assert len(told) == len(crowd)
        asked = sum(max(0.0, seconds) for seconds in waits)
        assert asked < 3.0 + started, "three rounds of waiting would be four seconds"
        if LOCKS.exists():
            assert all(f"process {other.pid} (" in one and "if it hangs" in one for one in told)
        let_on(other)
        assert noted(store) == {"theirs"}, "what was given up is not written later"
        note(store, "ours")


def test_who_was_stopped_as_the_next_in_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    queue = path.with_name("s.db-queue")
    with closing(opened(path)) as store, child(HANGING, path) as first:
        said(first, "in")
        # It opens the store too, and that is a write: it waits right there.
        with child(WRITING, path) as second:
            until(lambda: waits_at(path.with_name("s.db-writer")), "the second one never waited")
            second.send_signal(signal.SIGSTOP)
            os.waitpid(second.pid, os.WUNTRACED)
            let_on(first)
            told = busy(lambda: note(store, "ours"))
            if LOCKS.exists():
                assert f"process {second.pid} (" in told
                assert "is stopped" in told
            second.send_signal(signal.SIGCONT)
            said(second, "ready")
            said(second, "done")
        until(lambda: not waits_at(queue) or not LOCKS.exists(), "somebody stands there still")
        note(store, "ours")
        assert noted(store) == {"theirs", "next", "ours"}


def test_who_gave_up_again_and_again_stands_in_line_once_and_keeps_nobody_out(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"
    with closing(opened(path, patience=0.05)) as store, child(HANGING, path) as other:
        said(other, "in")
        # Who stands in line for us may be slow to begin: then the next try sends another one.
        until(
            lambda: bool(busy(lambda: note(store, "ours"))) and stands(store), "nobody stands there"
        )
        before, times = threads(), 12
        for _ in range(times):
            busy(lambda: note(store, "ours"))
        # One that began meanwhile may be of another test in this process; one for each try is ours.
        assert len(threads() - before) < times // 2
        let_on(other)
        # We do not come again; the others pass all the same.
        with child(WRITING, path) as third:
            said(third, "ready")
            said(third, "done")
        assert noted(store) == {"theirs", "next"}
        note(store, "ours")


def test_who_was_interrupted_in_the_wait_keeps_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(opened(path, patience=LONG)) as store, child(HANGING, path) as other:
        said(other, "in")
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                note(store, "ours")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        let_on(other)
        with child(WRITING, path) as third:
            said(third, "ready")
            said(third, "done")
        assert noted(store) == {"theirs", "next"}
        note(store, "ours")


def threads() -> set[object]:
    """Also those that Python knows nothing of. By identity: one of an earlier test may still be ending."""
    place = Path("/proc/self/task")
    return {task.name for task in place.iterdir()} if place.exists() else {*threading.enumerate()}


def stands(store: SqliteStore) -> bool:
    turnstile = store._turnstile
    assert isinstance(turnstile, Turnstile)
    return turnstile._standing is not None


def test_where_no_thread_can_be_had_it_is_looked_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a handler of atexit, from Python 3.12 on."""

    def none(*_: object) -> int:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(lock_wait, "start_new_thread", none)
    path = tmp_path / "s.db"
    with closing(opened(path)) as store, child(HANGING, path) as other:
        said(other, "in")
        busy(lambda: note(store, "ours"))
        let_on(other)
        note(store, "ours")
        assert noted(store) == {"theirs", "ours"}
        with child(WRITING, path) as third:
            said(third, "ready")
            said(third, "done")


FORKING = """
import os, sys, time
from pathlib import Path
from everthread.domain.errors import StoreBusy
from everthread.providers.clock import SystemClock
from everthread.providers.ids import SystemIds
from everthread.store.sqlite.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]), SystemIds(SystemClock()), patience=30.0)
store._turnstile.patience = 0.1
print("ready", flush=True)
sys.stdin.readline()
try:
    store.write(lambda records: records.jobs.note("mine", now=1))
except StoreBusy:
    pass
child = os.fork()
if not child:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
os._exit(0)
"""


def test_a_child_forked_in_the_wait_keeps_no_place_of_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(opened(path)) as store, child(FORKING, path) as parent:
        said(parent, "ready")
        with child(HANGING, path) as other:
            said(other, "in")
            assert parent.stdin is not None and parent.stdout is not None
            parent.stdin.write("\n")
            parent.stdin.flush()
            left = int(parent.stdout.readline())
            parent.wait()
            try:
                let_on(other)
                note(store, "ours")
            finally:
                os.kill(left, signal.SIGKILL)
        assert noted(store) == {"theirs", "ours"}


CROWD = (
    OPEN
    + """
say("ready")
end, count = float(sys.stdin.readline()), 0
while time.monotonic() < end:
    store.write(note("crowd"))
    count += 1
say(count)
"""
)


@pytest.mark.slow
def test_of_eight_programs_none_starves(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    opened(path).close()
    tries: list[list[int]] = []
    # Longer only where it was uneven: a busy machine may leave one of them no processor for a while.
    for seconds in (2, 6, 20):
        tries.append(written_at_once(path, seconds))
        if tries[-1][0] * 3 > tries[-1][-1]:
            break
    assert tries[-1][0] * 3 > tries[-1][-1], tries


def written_at_once(path: Path, seconds: float) -> list[int]:
    """How often each of eight programs has written in that time, the least first."""
    with ExitStack() as stack:
        crowd = [stack.enter_context(child(CROWD, path)) for _ in range(8)]
        for one in crowd:
            said(one, "ready")
        end = (
            time.monotonic() + seconds
        )  # for all the same: whoever was left alone would write the most
        for one in crowd:
            assert one.stdin is not None
            one.stdin.write(f"{end}\n")
            one.stdin.flush()
        return sorted(int(one.stdout.readline()) for one in crowd if one.stdout is not None)


# It waits for the word to write.
NEXT = (
    OPEN
    + """
say("ready")
sys.stdin.readline()
store.write(note("next"))
say("done")
"""
)
# It writes, and once it is told to go on at once again; then it says what was written before.
AGAIN = (
    OPEN
    + """
def work(records):
    records.jobs.note("first", now=1)
    say("in")
    sys.stdin.readline()
store.write(work)
store.write(lambda records: say(sorted(name for name, _ in records.jobs.noted(""))))
"""
)


def test_who_writes_again_and_again_does_not_pass_the_one_who_waits(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with child(NEXT, path) as patient:
        said(patient, "ready")
        with child(AGAIN, path) as busy_one:
            said(busy_one, "in")
            assert patient.stdin is not None and busy_one.stdin is not None
            patient.stdin.write("\n")
            patient.stdin.flush()
            until(lambda: waits_at(path.with_name("s.db-writer")), "nobody stands in line")
            busy_one.stdin.write("\n")
            busy_one.stdin.flush()
            said(busy_one, "['first', 'next']")
        said(patient, "done")


def test_where_the_system_tells_nothing_it_is_said_how_to_find_out(tmp_path: Path) -> None:
    lock = tmp_path / "s.db-writer"
    lock.touch()
    assert f"`lsof {lock}`" in holder_advice(lock)
    assert "another program" in holder_advice(tmp_path / "away")
