"""Programs are killed while they write, and many write at once: nothing that was acknowledged is lost."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import everthread
from support.nursery import Child, Nursery
from support.stores import EACH, Place, fresh

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))
PATIENCE = 60.0

# Appends until it dies. What is acknowledged goes down the pipe only after record() has returned.
# A new child begins with the first id that nobody acknowledged: as a harness does that sends again.
WRITER = """
import os, sys
import everthread
target, name, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
ada = everthread.connect(target, background=False).agent("ada")
n = start
while True:
    key = f"{name}-{n}"
    text = f"<{key}>" + ("x" * 6000 if n % 7 == 0 else "")
    recorded = ada.record([{"id": key, "role": "user", "content": text}])
    assert recorded.added + recorded.known == 1
    os.write(1, f"{n}\\n".encode())
    n += 1
"""


class Writer:
    """One place among several from which messages come; its process is killed again and again."""

    def __init__(self, nursery: Nursery, place: Place, name: str) -> None:
        self._nursery = nursery
        self._place = place
        self._name = name
        self._rest = b""
        self.acknowledged = -1
        self.lives = 0
        self.process = self._spawn()

    def _spawn(self) -> Child:
        child = self._nursery.bear(
            [self._place.target, self._name, str(self.acknowledged + 1)],
        )
        os.set_blocking(child.stdout.fileno(), False)
        self.lives += 1
        return child

    def listen(self) -> None:
        """Take in what was acknowledged."""
        while heard := self.process.stdout.read(65_536):
            *lines, self._rest = (self._rest + heard).split(b"\n")
            if lines:
                self.acknowledged = int(lines[-1])
        # Nothing at hand is None; nothing for ever, when its writer is gone, is no bytes.
        assert heard is None, self.last_words()

    def last_words(self) -> str:
        return self.process.stderr.readall().decode()

    def kill(self) -> None:
        self.process.kill()
        os.set_blocking(self.process.stdout.fileno(), True)
        for line in (self._rest + self.process.stdout.readall()).split(b"\n")[:-1]:
            self.acknowledged = int(line)
        self._rest = b""
        assert self.last_words() == ""
        self.process.wait()

    def revive(self) -> None:
        self.process = self._spawn()

    def await_news(self, others: list[Writer]) -> None:
        """Until this one has acknowledged something new, so that the next kill meets it at work."""
        before, deadline = self.acknowledged, time.monotonic() + PATIENCE
        while self.acknowledged == before:
            assert time.monotonic() < deadline, f"{self._name} is not heard of"
            time.sleep(0.002)
            for writer in others:
                writer.listen()


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


def kill_in_a_loop(place: Place, *, rounds: int, processes: int) -> list[Writer]:
    everthread.connect(place.target, background=False).close()
    with Nursery(WRITER) as nursery:
        writers = [Writer(nursery, place, f"w{i}") for i in range(processes)]
        return kill_each(writers, rounds)


def kill_each(writers: list[Writer], rounds: int) -> list[Writer]:
    chance = random.Random(rounds)
    try:
        for i in range(rounds):
            # Mostly one of them; now and then all at once, so that nobody is left to clean up.
            victims = writers if i % 10 == 9 else [chance.choice(writers)]
            for victim in victims:
                victim.await_news(writers)
            time.sleep(chance.random() * 0.02)
            for victim in victims:
                victim.process.kill()
            for victim in victims:
                victim.kill()
            for victim in victims:
                victim.revive()
    finally:
        for writer in writers:
            writer.process.kill()
        for writer in writers:
            writer.kill()
    return writers


def stored_by(place: Place, name: str) -> list[int]:
    rows = place.raw(f"SELECT external_id FROM messages WHERE external_id LIKE '{name}-%'")
    return sorted(int(key.partition("-")[2]) for (key,) in rows)


def check(place: Place, writers: list[Writer]) -> None:
    """Everything acknowledged is there, none twice, in order, and the chain verifies."""
    total = 0
    for i, writer in enumerate(writers):
        assert writer.acknowledged > 0
        there = stored_by(place, f"w{i}")
        assert there == list(range(len(there))), "lost or twice"
        # At most the one that was under way when it was killed is there without an acknowledgement.
        assert writer.acknowledged + 1 <= len(there) <= writer.acknowledged + 2
        total += len(there)
    with everthread.connect(place.target, background=False) as et:
        ada = et.known_agent("ada")
        assert et.verify(ada).faults == []
        assert ada.primary.message_count == total
        messages = ada.messages(limit=total + 1)
        assert [m.seq for m in sorted(messages, key=lambda m: m.seq)] == list(range(1, total + 1))
        assert all(m.text.startswith(f"<{m.external_id}>") for m in messages)
        assert len(ada.threads()) == 1


@pytest.mark.slow
@pytest.mark.soak
def test_killed_programs_lose_nothing_that_they_acknowledged(tmp_path: Path) -> None:
    """kill -9 in a loop during appends, four processes on one SQLite file (R-34, R-52)."""
    with fresh("sqlite", tmp_path) as place:
        check(place, kill_in_a_loop(place, rounds=3_000 if SOAK else 100, processes=4))


@pytest.mark.slow
@pytest.mark.soak
def test_killed_clients_of_a_server_lose_nothing_that_they_acknowledged(tmp_path: Path) -> None:
    """(R-34)"""
    with fresh("postgres", tmp_path) as place:
        check(place, kill_in_a_loop(place, rounds=1_000 if SOAK else 20, processes=3))


# ---- eight at once

# Says that it is ready, waits for the word, appends for so long, and tells how far it came.
RACER = """
import sys, time
import everthread
target, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
ada = everthread.connect(target, background=False).agent("ada")
print("ready", flush=True)
sys.stdin.readline()
end, n, longest = time.monotonic() + seconds, 0, 0.0
while (before := time.monotonic()) < end:
    ada.record([{"id": f"{name}-{n}", "role": "user", "content": "hello"}])
    longest = max(longest, time.monotonic() - before)
    n += 1
print(n, longest, flush=True)
"""

# Creates the same agent as all the others, in one fresh store after another.
CREATOR = """
import sys
import everthread
print("ready", flush=True)
for target in sys.stdin:
    with everthread.connect(target.strip(), background=False) as et:
        print(et.agent("ada", system="You are Ada.").primary.id, flush=True)
"""


@contextmanager
def eight(code: str, arguments: Callable[[int], list[str]]) -> Generator[list[Child]]:
    """Eight programs that have said that they are ready; in the end each has come to its own end."""
    with Nursery(code) as nursery:
        children = [nursery.bear(arguments(i)) for i in range(8)]
        try:
            assert [line(child) for child in children] == ["ready"] * 8
            yield children
            for child in children:
                child.stdin.close()
            assert [child.stderr.readall() for child in children] == [b""] * 8
        finally:
            for child in children:
                child.kill()
                child.wait()


def line(child: Child) -> str:
    """The next that it says; what it died of, if it does not."""
    heard = b""
    while not heard.endswith(b"\n"):
        piece = child.stdout.read(1)
        assert piece, child.stderr.readall().decode()
        heard += piece
    return heard.decode().strip()


def tell(children: list[Child], word: str) -> list[str]:
    """Give all the word at once; what each answers."""
    for child in children:
        child.stdin.write(f"{word}\n".encode())
    return [line(child) for child in children]


@pytest.mark.slow
def test_eight_programs_on_one_file_lose_nothing_and_none_starves(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """No 'database is locked', and the slowest comes at least a third as far as the fastest (R-52)."""
    tries: list[list[int]] = []
    # Longer only where it was uneven: a busy machine may leave one of them no processor for a while.
    for seconds in (4, 8, 20):
        (tmp_path / str(seconds)).mkdir()
        with fresh("sqlite", tmp_path / str(seconds)) as place:
            tries.append(race(place, seconds, record_property))
        if even(tries[-1]):
            break
    assert even(tries[-1]), tries


def even(counts: list[int]) -> bool:
    return min(counts) / max(counts) >= 0.3


def race(place: Place, seconds: float, record_property: Callable[[str, object], None]) -> list[int]:
    """How far each of eight programs came in that time, all of it stored."""
    with everthread.connect(place.target, background=False) as et:
        et.agent("ada")
    with eight(RACER, lambda i: [place.target, f"w{i}", str(seconds)]) as children:
        results = [answer.split() for answer in tell(children, "go")]
    counts = [int(count) for count, _ in results]
    record_property("appends", counts)
    record_property("longest_ms", [round(float(wait) * 1000) for _, wait in results])
    for i, count in enumerate(counts):
        assert stored_by(place, f"w{i}") == list(range(count))
    with everthread.connect(place.target, background=False) as et:
        assert et.verify(et.known_agent("ada")).faults == []
    return counts


@pytest.mark.slow
@pytest.mark.soak
def test_eight_programs_that_create_the_same_agent_make_one_primary(
    place: Place, tmp_path: Path
) -> None:
    """Also where none of them finds a store yet (A-22, A-76, LA-15)."""
    with eight(CREATOR, lambda _: []) as children:
        for i in range(25 if SOAK else 8):
            with fresh(place.engine, tmp_path / str(i)) as there:
                one_primary(there, tell(children, there.target))


def one_primary(there: Place, ids: list[str]) -> None:
    assert len(set(ids)) == 1
    assert len(ids[0]) == 36
    assert there.raw("SELECT count(*) FROM agents") == [(1,)]
    assert there.raw("SELECT kind, count(*) FROM threads GROUP BY kind") == [("primary", 1)]
    with everthread.connect(there.target, background=False) as et:
        assert et.verify(et.known_agent("ada")).faults == []
