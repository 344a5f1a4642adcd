"""The spool keeps the order of each session whatever fails, and an outage counts against no event."""

from __future__ import annotations

import errno
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.domain.errors import (
    NotAStore,
    StoreAway,
    StoreBusy,
    StoreClosed,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
)
from everthread.edges.daemon.events import MAY_PASS, Event, EventLate
from everthread.edges.daemon.retries import LONGEST_REST, TRIES, Retries
from everthread.edges.daemon.spool import DrainResult, catch_up, spool_event
from everthread.edges.daemon.trace import waiting_events
from everthread.settings import Settings
from support.chance import few
from test_daemon_events import House

OUTAGES: tuple[Callable[[], Exception], ...] = (
    lambda: StoreAway("the server cannot be reached"),
    lambda: StoreBusy("locked"),
    lambda: StoreFull("full"),
    lambda: StoreClosed("closed"),
    lambda: StoreReadOnly("a replica"),
    lambda: NotAStore("half a file"),
    lambda: ImportError("half a version"),
    lambda: OSError(errno.EMFILE, "too many files"),
)
FAULTS: tuple[Callable[[], Exception], ...] = (
    lambda: StoreFailed("no row like this"),
    lambda: OSError(errno.ENAMETOOLONG, "a folder that cannot be"),
    lambda: ValueError("a fault of ours"),
)
Script = list[Exception]


class Told(House):
    """A house whose desk knows the events by their number, and fails as the test says."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.scripts: dict[int, Script] = {}
        self.forever: dict[int, Exception] = {}
        self.outage: Exception | None = None
        self.slow: dict[int, Callable[[], None]] = {}
        self.stored: list[int] = []
        self.hooks.caught_up = lambda event: catch_up(
            self.places, self.hooks, self.trace, self.tries, event
        )

    def _desk(
        self,
        _engine: Any,
        _settings: Settings,
        _harness: str,
        event: str,
        body: bytes,
        _environ: Mapping[str, str],
        at: datetime | None,
        *,
        seconds: float | None,
    ) -> bytes:
        number = json.loads(body)["n"]
        self.slow.get(number, lambda: None)()
        if self.outage is not None:
            raise self.outage
        if script := self.scripts.get(number):
            raise script.pop(0)
        if number in self.forever:
            raise self.forever[number]
        self.stored.append(number)
        return b""

    def spooled(self) -> list[int]:
        return [int(name[:20]) for name in waiting_events(self.places)]

    def aside(self) -> list[int]:
        folder = self.places.failed
        return sorted(int(path.name[:20]) for path in folder.iterdir()) if folder.exists() else []

    def live(self, event: Event) -> bool:
        """As the daemon's client meets it: what is not taken goes to the spool. Was it taken?"""
        try:
            self.hooks.attend(event)
        except (EventLate, *MAY_PASS):
            spool_event(self.places, event)
            return False
        return True


def event(session: str, number: int, name: str = "UserPromptSubmit") -> Event:
    body = json.dumps({"session_id": session, "cwd": "/x", "prompt": "hello", "n": number})
    return Event(
        "claude-code", name, body.encode(), {"PWD": "/x"}, f"{number:020}-1", 20_000, near=False
    )


@contextmanager
def opened() -> Generator[Told]:
    with tempfile.TemporaryDirectory() as folder:
        made = Told(Path(folder))
        try:
            yield made
        finally:
            made.served.urgent.shutdown()
            made.served.pool.shutdown()


@pytest.fixture
def house() -> Iterator[Told]:
    with opened() as made:
        yield made


def under_way(house: Told) -> tuple[threading.Thread, threading.Event]:
    """Event 1 of session a, at which somebody is until the second of these is set."""
    begun, free = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        free.wait(30)

    house.slow[1] = slow
    first = threading.Thread(target=house.hooks.attend, args=(event("a", 1),))
    first.start()
    begun.wait(30)
    return first, free


# ---- an outage


@pytest.mark.req("R-45")
@pytest.mark.parametrize("error", OUTAGES, ids=lambda error: type(error()).__name__)
def test_an_outage_counts_against_no_event(house: Told, error: Callable[[], Exception]) -> None:
    for number in range(1, 5):
        spool_event(house.places, event("s", number))
    house.outage = error()
    for look in range(30):
        house.now = 2.0 * look
        assert house.drain() == DrainResult(0, 4)
    assert len(house.tries) == 0
    assert house.traced().stuck == 0
    house.outage = None
    assert house.drain() == DrainResult(4, 0), "nobody rests first"
    assert house.stored == [1, 2, 3, 4]


@pytest.mark.req("R-45")
def test_behind_an_event_that_fails_its_session_waits_and_the_others_go_on(house: Told) -> None:
    sessions = {1: "a", 2: "b", 3: "a", 4: "b", 5: "a"}
    for number, session in sessions.items():
        spool_event(house.places, event(session, number))
    house.forever[1] = OSError(errno.ENAMETOOLONG, "a folder that cannot be")
    assert house.drain() == DrainResult(2, 3)
    assert house.stored == [2, 4]
    house.forever.clear()
    assert house.drain() == DrainResult(3, 0)
    assert house.stored == [2, 4, 1, 3, 5]


@pytest.mark.req("R-45")
def test_a_session_that_the_store_refuses_comes_last_and_in_order(house: Told) -> None:
    for number in (1, 2, 3):
        spool_event(house.places, event("a", number))
    house.scripts[1] = [StoreFailed("not now") for _ in range(TRIES + 2)]
    for _ in range(TRIES):
        assert house.drain() == DrainResult(0, 3)
    assert house.traced().stuck == 1
    house.now += LONGEST_REST
    assert house.drain() == DrainResult(0, 3), "nothing shows that the store is well"
    house.scripts.clear()
    spool_event(house.places, event("b", 4))
    assert house.drain() == DrainResult(4, 0)
    assert house.stored == [4, 1, 2, 3]


@pytest.mark.req("R-45")
def test_an_event_behind_one_that_is_under_way_waits_for_it(house: Told) -> None:
    first, free = under_way(house)
    for number, session in {1: "a", 2: "a", 3: "b"}.items():
        spool_event(house.places, event(session, number))
    assert house.drain() == DrainResult(1, 2)
    free.set()
    first.join()
    assert house.drain() == DrainResult(2, 0)
    assert house.stored == [3, 1, 2]


# ---- events that come while others wait


@pytest.mark.req("R-45")
def test_a_live_event_comes_after_what_its_session_had_to_spool(house: Told) -> None:
    for number in (1, 2):
        spool_event(house.places, event("a", number))
    spool_event(house.places, event("b", 3))
    assert house.live(event("c", 4)), "another session waits for nobody"
    assert house.stored == [4]
    house.outage = StoreAway("down")
    assert not house.live(event("a", 5))
    assert not house.live(event("a", 6, "SessionEnd"))
    house.outage = None
    assert house.live(event("a", 7, "SessionStart"))
    assert house.stored == [4, 1, 2, 3, 5, 6, 7]
    assert house.spooled() == []


@pytest.mark.req("R-45")
def test_a_live_event_is_not_taken_while_one_before_it_waits(house: Told) -> None:
    """The store is back, but the first one meets something else."""
    spool_event(house.places, event("a", 1))
    house.scripts[1] = [OSError(errno.ENOENT, "not mounted yet")]
    assert not house.live(event("a", 2))
    assert house.stored == []
    assert house.drain() == DrainResult(2, 0)
    assert house.stored == [1, 2]


@pytest.mark.req("R-45")
def test_a_live_event_waits_for_one_of_its_session_that_is_under_way(house: Told) -> None:
    """Its client gave up and spooled it; who has it may be waiting for a lock."""
    first, free = under_way(house)
    spool_event(house.places, event("a", 1))
    assert not house.live(event("a", 2)._replace(ms=20)), "not in its time"
    second = threading.Thread(target=house.live, args=(event("a", 3),))
    second.start()
    assert house.live(event("b", 4))
    free.set()
    first.join()
    second.join()
    assert house.stored == [4, 1, 2, 3]
    assert house.spooled() == []


@pytest.mark.req("R-45", "R-32")
def test_who_asks_or_is_private_waits_for_nothing_in_the_spool(house: Told) -> None:
    """A gate without an answer would let no tool run, and what is private cannot be spooled."""
    spool_event(house.places, event("a", 1))
    house.scripts[1] = [StoreAway("down")] * 2
    assert house.live(event("a", 2, "PreToolUse"))
    assert house.live(event("a", 3)._replace(environ={"EVERTHREAD_PRIVATE": "1"}))
    assert (house.stored, house.spooled()) == ([2, 3], [1])


@pytest.mark.req("R-45")
def test_an_event_that_fails_for_ever_holds_up_no_live_one_and_is_set_aside(house: Told) -> None:
    """One session alone: what it brings live shows that the store is well."""
    spool_event(house.places, event("a", 1))
    spool_event(house.places, event("a", 2))
    house.forever[1] = StoreFailed("no row like this")
    for look in range(5):
        house.now = 100.0 * look
        assert house.drain() == DrainResult(0, 2)
    assert house.live(event("a", 3))
    assert house.drain() == DrainResult(1, 0)
    assert (house.stored, house.aside()) == ([3, 2], [1])


# ---- by chance

outages = st.sampled_from(OUTAGES).map(lambda make: make())
faults = st.sampled_from(FAULTS).map(lambda make: make())
sessions = st.sampled_from("ab")
often = st.integers(TRIES, TRIES + 2).map(lambda n: [StoreFailed("not now") for _ in range(n)])
steps = st.one_of(
    st.tuples(st.just("spool"), sessions, st.lists(outages | faults, max_size=3)),
    st.tuples(st.just("spool"), sessions, often | st.just([])),
    st.tuples(st.just("spool"), sessions, st.lists(st.builds(FAULTS[1]), max_size=2)),
    st.tuples(st.just("live"), sessions, st.lists(outages | faults, max_size=2)),
    st.tuples(st.just("never"), sessions, st.lists(faults, min_size=1, max_size=1)),
    st.tuples(st.just("look"), st.integers(1, 4), st.just([])),
    st.tuples(st.just("outage"), st.integers(1, 5), st.lists(outages, min_size=1, max_size=1)),
    st.tuples(st.just("another daemon"), st.just(0), st.just([])),
)


class History:
    """What was done with a house, and what must be true of it at any time."""

    def __init__(self, house: Told) -> None:
        self.house = house
        self.sessions: dict[int, str] = {}
        self.harmless: set[int] = set()
        """Those that met nothing but outages."""
        self.ahead: set[int] = set()
        """Live ones that were taken before one that failed again and again."""

    def do(self, kind: str, what: Any, script: Script) -> None:
        house = self.house
        if kind == "look":
            for _ in range(what):
                house.now += 2.0
                house.drain()
                self.check()
        elif kind == "outage":
            house.outage = script[0]
            for _ in range(what):
                house.now += 2.0
                assert house.drain().replayed == 0
            house.outage = None
        elif kind == "another daemon":
            house.tries = Retries(lambda: house.now)
        else:
            self._event(kind, what, script)
        self.check()

    def _event(self, kind: str, session: str, script: Script) -> None:
        house, number = self.house, len(self.sessions) + 1
        self.sessions[number] = session
        if kind == "never":
            house.forever[number] = script[0]
        else:
            house.scripts[number] = list(script)
            if all(isinstance(error, OUTAGE_TYPES) for error in script):
                self.harmless.add(number)
        told = event(session, number)
        if kind != "live":
            spool_event(house.places, told)
            return
        if house.live(told) and self._before(number):
            first = next(
                n for n in waiting_events(house.places) if int(n[:20]) in self._before(number)
            )
            assert house.tries.often(first), "it was taken before one that only waits"
            self.ahead.add(number)

    def _before(self, number: int) -> list[int]:
        session = self.sessions[number]
        return [n for n in self.house.spooled() if n < number and self.sessions[n] == session]

    def check(self) -> None:
        house = self.house
        assert max(Counter(house.stored).values(), default=1) == 1, "taken twice"
        found = Counter([*house.stored, *house.spooled(), *house.aside()])
        assert found == Counter(list(self.sessions)), "lost, or in two places"
        for session in "ab":
            order = [n for n in house.stored if self.sessions[n] == session and n not in self.ahead]
            assert order == sorted(order), "out of order"
        assert not self.harmless & set(house.aside()), "set aside for an outage"


OUTAGE_TYPES = (StoreAway, StoreBusy, StoreFull, StoreClosed, StoreReadOnly, NotAStore, ImportError)


@pytest.mark.req("R-45")
@settings(max_examples=few(600), deadline=None)
@given(st.lists(steps, min_size=5, max_size=30))
def test_whatever_fails_nothing_is_lost_nothing_is_taken_twice_and_sessions_keep_their_order(
    done: list[tuple[str, Any, Script]],
) -> None:
    with opened() as house:
        history = History(house)
        for step in done:
            history.do(*step)
        # In the end all is well: somebody else brings something, and looks go on.
        house.scripts.clear()
        looks = 3 * (len(history.sessions) + 1) * (TRIES + 1)
        while house.spooled() and (looks := looks - 1):
            house.now += LONGEST_REST
            history.do("look", 1, [])
            house.hooks.attend(event("z", 10**6 + len(house.hooks._seen)))
            house.stored.pop()
        assert house.spooled() == []
        assert set(house.aside()) >= set(house.forever) & set(history.sessions)
