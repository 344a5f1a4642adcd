"""An event's way through the daemon: once, in time, and never lost to trouble of the store."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import NotUnderstood, StoreBusy, StoreFailed, StoreFull
from everthread.edges.daemon.core import THREADS, DaemonCore
from everthread.edges.daemon.events import Event, EventLate, Hooks
from everthread.edges.daemon.places import Places
from everthread.edges.daemon.retries import LONGEST_REST, TRIES, Retries
from everthread.edges.daemon.spool import DrainResult, drain, spool_event
from everthread.edges.daemon.trace import Trace, read_trace, waiting_events
from everthread.settings import Settings

Said = Callable[[str], bytes]


class House:
    """The daemon's inside, with a desk of the test's own and no store."""

    def __init__(self, home: Path) -> None:
        self.served = DaemonCore(Settings(home=home))
        self.served.engine = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
        self.places = Places(home)
        self.places.make()
        self.trace = Trace(self.places)
        self.now = 0.0
        self.tries = Retries(lambda: self.now)
        self.asked: list[tuple[str, datetime | None]] = []
        self.says: Said = lambda name: name.encode()
        self.hooks = Hooks(self.served, self.trace, partial(spool_event, self.places), self._desk)
        self.hooks.ready.set()

    def _desk(
        self,
        _engine: Any,
        _settings: Settings,
        _harness: str,
        event: str,
        _body: bytes,
        _environ: Mapping[str, str],
        at: datetime | None,
        *,
        seconds: float | None,
    ) -> bytes:
        assert at is not None or seconds is not None
        self.asked.append((event, at if seconds is None else None))  # then nobody waits
        return self.says(event)

    def answer(self, event: Event) -> bytes:
        return asyncio.run(self.hooks.answer(event))

    def traced(self) -> Any:
        self.trace.write(now=True)
        return read_trace(self.places.home)

    def drain(self) -> DrainResult:
        return drain(self.places, self.hooks, self.trace, self.tries)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.served.urgent.shutdown()
    made.served.pool.shutdown()


def event(name: str = "Stop", number: int = 1, ms: int = 20_000) -> Event:
    """One from elsewhere: how old it is does not matter."""
    ticket = f"{number:020}-1"
    return Event("claude-code", name, b"{}", {"PWD": "/x"}, ticket, ms, near=False)


def near(seconds: float) -> Event:
    """One of this machine, met so long ago by its clock."""
    ticket = f"{time.time_ns() - int(seconds * 1e9):020}-1"
    return event()._replace(near=True, ticket=ticket)


def raising(error: Exception) -> Said:
    def says(_: str) -> bytes:
        raise error

    return says


def test_an_answer_is_given_and_traced(house: House) -> None:
    assert house.answer(event()) == b"Stop"
    seen = house.traced().harnesses["claude-code"]
    assert (seen.answered, seen.failed, list(seen.last)) == (1, 0, ["Stop"])


def test_an_answer_that_takes_too_long_is_none_and_the_work_goes_on(house: House) -> None:
    free = threading.Event()
    house.says = lambda _: b"late" if free.wait(30) else b""
    assert house.answer(event(ms=20)) == b""
    free.set()
    house.served.urgent.shutdown()
    seen = house.traced().harnesses["claude-code"]
    assert (seen.late, seen.answered) == (1, 1)


def test_a_fault_is_not_told_to_the_harness(house: House) -> None:
    """LB-6."""
    house.says = raising(RuntimeError("password=hunter2hunter2"))
    assert house.answer(event()) == b""
    seen = house.traced().harnesses["claude-code"]
    assert (seen.failed, seen.error_event) == (1, "Stop")
    assert "RuntimeError" in seen.error and "hunter2" not in seen.error


def test_what_our_own_fault_kept_from_the_store_is_tried_again_and_then_set_aside(
    house: House,
) -> None:
    """LB-6: the harness goes on, and nothing of what it told is lost."""
    house.says = raising(RuntimeError("ours"))
    assert house.answer(event(number=1)) == b""
    assert house.answer(event(number=2)) == b""
    assert len(waiting_events(house.places)) == 2
    house.says = lambda _: b"mended"
    asked = len(house.asked)
    house.hooks.attend(event(number=1), spooled=True)
    assert len(house.asked) == asked + 1, "its ticket does not count as done"
    house.says = raising(RuntimeError("still ours"))
    assert house.drain() == DrainResult(1, 0)
    assert len(list(house.places.failed.iterdir())) == 1


def test_what_cannot_be_understood_or_kept_is_not_tried_again(house: House) -> None:
    house.says = raising(NotUnderstood("no such event"))
    assert house.answer(event(number=1)) == b""
    house.says = raising(RuntimeError("ours"))
    assert house.answer(event(number=2)._replace(environ={"EVERTHREAD_PRIVATE": "1"})) == b""
    assert waiting_events(house.places) == []


def test_trouble_of_the_store_is_told_to_the_client_which_spools(house: House) -> None:
    house.says = raising(StoreFailed("away"))
    with pytest.raises(StoreFailed):
        house.answer(event())
    house.says = lambda _: b"here again"
    assert house.answer(event()) == b"here again"


def test_what_is_late_is_in_the_spool_before_it_is_answered(house: House) -> None:
    """Nobody knows how the work ends: the daemon may be killed, or the store may not take it."""
    free = threading.Event()

    def says(_: str) -> bytes:
        free.wait(30)
        raise StoreFailed("away")

    house.says = says
    assert house.answer(event(ms=20)) == b""
    assert len(waiting_events(house.places)) == 1
    free.set()
    house.served.urgent.shutdown()
    house.says = lambda _: b""
    assert house.drain() == DrainResult(1, 0)
    assert waiting_events(house.places) == []
    assert house.asked[-1] == ("Stop", event().at)


def test_a_client_of_this_machine_spools_what_is_late_by_itself(house: House) -> None:
    free = threading.Event()
    house.says = lambda _: b"late" if free.wait(30) else b""
    with pytest.raises(EventLate):
        house.answer(near(0)._replace(ms=20))
    free.set()
    assert waiting_events(house.places) == []


def test_a_private_event_that_is_late_is_kept_nowhere(house: House) -> None:
    free = threading.Event()
    house.says = lambda _: b"late" if free.wait(30) else b""
    assert house.answer(event(ms=20)._replace(environ={"EVERTHREAD_PRIVATE": "1"})) == b""
    free.set()
    assert waiting_events(house.places) == []


def test_the_same_event_is_attended_to_once(house: House) -> None:
    """It came by the socket, and again by the spool."""
    begun, free = threading.Event(), threading.Event()

    def says(_: str) -> bytes:
        begun.set()
        free.wait(30)
        return b""

    house.says = says
    first = threading.Thread(target=house.hooks.attend, args=(event(),))
    first.start()
    begun.wait(30)
    spool_event(house.places, event())
    spool_event(house.places, event(number=2))
    second = threading.Thread(target=house.hooks.attend, args=(event(),))
    second.start()
    house.says = lambda _: b""
    # It leaves the spool only after the one who has it is ready; the others need not wait for that.
    assert house.drain() == DrainResult(1, 1)
    free.set()
    first.join()
    second.join()
    assert house.drain() == DrainResult(1, 0)
    assert len(house.asked) == 2
    assert waiting_events(house.places) == []


def test_an_event_that_failed_under_way_is_taken_from_the_spool(house: House) -> None:
    """Whoever waits for the one that has it does not take its failure for success."""
    begun, free = threading.Event(), threading.Event()

    def says(_: str) -> bytes:
        begun.set()
        free.wait(30)
        house.says = lambda _: b"now"
        raise StoreFailed("away")

    house.says = says
    first = house.served.pool.submit(house.hooks.attend, event())
    begun.wait(30)
    second = house.served.pool.submit(house.hooks.attend, event())
    free.set()
    assert isinstance(first.exception(30), StoreFailed)
    assert second.result(30) == b"now"


def test_of_events_that_are_done_only_the_tickets_are_remembered(house: House) -> None:
    for number in range(50):
        house.answer(event(number=number))
    assert set(house.hooks._seen.values()) == {None}


def test_at_trouble_of_the_store_the_spool_waits_in_order(house: House) -> None:
    for number in (3, 1, 2):
        spool_event(house.places, event(f"event-{number}", number))
    before = waiting_events(house.places)
    house.says = raising(StoreFailed("away"))
    assert house.drain() == DrainResult(0, 3)
    assert waiting_events(house.places) == before
    house.says, house.asked = lambda _: b"", []
    assert house.drain() == DrainResult(3, 0)
    assert [name for name, _ in house.asked] == ["event-1", "event-2", "event-3"]


@pytest.mark.parametrize(
    ("error", "looks"),
    [
        (ValueError("never"), 1),
        (OSError(errno.ENAMETOOLONG, "a folder that cannot be"), 3),
        (FileNotFoundError("a folder that is gone"), 3),
        (StoreFailed("no row like this"), 4),
    ],
    ids=["a fault", "a file", "a missing file", "the store does not want it"],
)
def test_an_event_that_fails_each_time_does_not_block_the_spool(
    house: House, error: Exception, looks: int
) -> None:
    for number in (1, 2, 3, 4):
        spool_event(house.places, event(f"event-{number}", number))

    def says(name: str) -> bytes:
        if name in {"event-2", "event-3"}:
            raise error
        return b""

    house.says = says
    for _ in range(2 * looks):
        house.drain()
    assert [name for name, _ in house.asked if name in {"event-1", "event-4"}] == [
        "event-1",
        "event-4",
    ]
    assert waiting_events(house.places) == []
    assert len(list(house.places.failed.iterdir())) == 2
    traced = house.traced()
    assert (traced.failed, traced.torn, traced.drained) == (2, 0, 2)
    assert traced.failed_at > 0
    assert len(house.tries) == 0
    assert traced.stuck == 0


@pytest.mark.parametrize(
    "error",
    [
        StoreFailed("away"),
        StoreBusy("locked"),
        StoreFull("full"),
        OSError(errno.EMFILE, "too many files"),
        ImportError("half a version is there"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_however_long_the_store_is_away_nothing_is_set_aside(
    house: House, error: Exception
) -> None:
    for number in (1, 2):
        spool_event(house.places, event(f"event-{number}", number))
    house.says = raising(error)
    for _ in range(10):
        assert house.drain() == DrainResult(0, 2)
    house.says = lambda _: b""
    house.now += LONGEST_REST
    assert house.drain() == DrainResult(2, 0)


def test_an_event_that_fails_alone_is_tried_ever_more_seldom_and_told(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing shows whether it is to blame or the store: so it stays, and is no work for the daemon."""
    spool_event(house.places, event("bad", 1))

    def says(name: str) -> bytes:
        if name == "bad":
            raise StoreFailed("no row like this")
        return b""

    house.says = says
    for look in range(1_800):  # an hour of looks
        house.now = 2.0 * look
        assert house.drain() == DrainResult(0, 1)
    assert 60 <= len(house.asked) <= 70
    assert sum("the spool waits" in each.message for each in caplog.records) == 1
    traced = house.traced()
    assert (traced.stuck, traced.waiting) == (1, 1)
    assert "no row like this" in traced.stuck_error
    # What comes behind it does not wait for it, and shows that the store is well.
    spool_event(house.places, event("good", 2))
    assert house.drain() == DrainResult(1, 0)
    assert (house.traced().stuck, house.traced().failed) == (0, 1)
    assert len(list(house.places.failed.iterdir())) == 1


def test_when_the_store_is_back_all_that_failed_is_brought_at_once(house: House) -> None:
    for number in range(1, 6):
        spool_event(house.places, event(f"event-{number}", number))
    house.says = raising(StoreFailed("away"))
    for look in range(100):
        house.now = 2.0 * look
        house.drain()
    assert house.traced().stuck == 5
    house.says = lambda _: b""
    spool_event(house.places, event("event-6", 6))  # it goes through: so nobody else has to wait
    assert house.drain() == DrainResult(6, 0)
    assert house.traced().stuck == 0


def test_an_event_at_which_daemons_end_is_set_aside_by_the_one_after(house: House) -> None:
    spool_event(house.places, event("deadly", 1))
    spool_event(house.places, event("good", 2))

    def says(name: str) -> bytes:
        if name == "deadly":
            raise SystemExit  # as near as a test comes to it
        return b""

    house.says = says
    house.tries.leave = lambda places: None  # whoever is killed tidies nothing up
    for _ in range(TRIES):
        assert len(waiting_events(house.places)) == 2
        with pytest.raises(SystemExit):
            house.drain()
        house.hooks._forget(f"{event('deadly', 1).ticket}")
        house.tries = Retries(lambda: house.now)
        house.tries.leave = lambda places: None
    assert house.drain() == DrainResult(1, 0)
    (kept,) = house.places.failed.iterdir()
    assert kept.name.startswith(event("deadly", 1).ticket)
    assert house.traced().failed == 1


def test_a_daemon_that_ends_at_another_event_each_time_blames_none(house: House) -> None:
    for number in (1, 2, 3):
        spool_event(house.places, event(f"event-{number}", number))
    for name in (*waiting_events(house.places), "nonsense", "7/../../x 9"):
        house.places.replaying.write_text(f"{name} 0")
        assert Retries().fatal(house.places) == ""
    house.places.replaying.write_text(f"../{waiting_events(house.places)[0]} 9")
    assert Retries().fatal(house.places) == ""
    assert house.drain() == DrainResult(3, 0)
    assert not house.places.replaying.exists()


def test_live_an_event_that_may_pass_is_left_to_the_client(house: House) -> None:
    house.says = raising(OSError(errno.EMFILE, "too many files"))
    with pytest.raises(OSError, match="too many files"):
        house.answer(event())


@pytest.mark.parametrize(
    "ticket",
    ["", "./../evil", "../hooks/x", "foo", "1-1", f"{1:020}-1/../x", f"{1:020}", f"{1:020}-1\n"],
)
def test_a_ticket_that_could_name_another_file_is_not_taken(house: House, ticket: str) -> None:
    """It is the name of a file in the spool."""
    headers = {"x-everthread-ticket": ticket}
    made = Event.of({"harness": "h", "event": "e"}, headers, b"")
    assert made.ticket != ticket and made.at is not None
    spool_event(house.places, made)
    [name] = waiting_events(house.places)
    assert name.startswith(f"{made.ticket}-")


def test_what_is_kept_is_bounded_as_the_client_bounds_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool_event(house.places, event(number=1))
    monkeypatch.setattr("everthread.edges.daemon.spool.SPOOL_FILES", 1)
    with pytest.raises(StoreFull):
        spool_event(house.places, event(number=2))
    monkeypatch.setattr("everthread.edges.daemon.spool.SPOOL_FILES", 10)
    monkeypatch.setattr("everthread.edges.daemon.spool.SPOOL_BYTES", 300)
    with pytest.raises(StoreFull):
        spool_event(house.places, event(number=2)._replace(body=b"x" * 300))
    assert len(waiting_events(house.places)) == 1


def test_an_event_whose_client_has_gone_is_taken_as_from_the_spool(house: House) -> None:
    house.hooks.attend(near(1_000))
    house.hooks.attend(near(0))
    assert [at is None for _, at in house.asked] == [False, True]


def test_the_clock_of_another_machine_does_not_count(house: House) -> None:
    assert house.answer(near(1_000)._replace(near=False)) == b"Stop"
    assert house.asked == [("Stop", None)]


def test_a_clock_that_was_set_back_does_no_harm(house: House) -> None:
    assert house.answer(near(-1_000)) == b"Stop"


def test_long_requests_of_others_do_not_make_a_prompt_wait(house: House) -> None:
    free = threading.Event()
    for _ in range(3 * THREADS):
        house.served.pool.submit(free.wait, 30)
    assert house.answer(event("UserPromptSubmit")) == b"UserPromptSubmit"
    free.set()


def test_what_was_spooled_before_us_comes_first(house: House) -> None:
    """A session that starts the daemon is given what the one before it had to spool."""
    house.hooks.ready.clear()
    spool_event(house.places, event("spooled", 1))
    live = threading.Thread(target=house.hooks.attend, args=(event("live", 2),))
    live.start()
    house.drain()
    house.hooks.ready.set()
    live.join()
    assert [name for name, _ in house.asked] == ["spooled", "live"]


@pytest.mark.parametrize(
    ("headers", "environ"),
    [
        ({}, {}),
        ({"x-everthread-environ": "zz"}, {}),
        ({"x-everthread-environ": b"A=1\0B=\0C".hex()}, {"A": "1", "B": ""}),
        ({"x-everthread-private": "1"}, {"EVERTHREAD_PRIVATE": "1"}),
        ({"x-everthread-folder": "/work"}, {"PWD": "/work"}),
    ],
)
def test_what_the_headers_say_of_the_surroundings(
    headers: dict[str, str], environ: dict[str, str]
) -> None:
    found = Event.of({"harness": "h", "event": "e"}, headers, b"")
    assert (found.environ, found.cut) == (environ, 0)


def test_a_kept_event_is_the_same_when_it_is_read_again(house: House) -> None:
    odd = Event(
        "codex", "St p/\r\n%ä:x", b"\r\n\r\n\x00\xff", {"PWD": "/wörk\n"}, f"{5:020}-1", 700, 9
    )
    spool_event(house.places, odd)
    [name] = waiting_events(house.places)
    from everthread.edges.daemon.spool import read_event

    assert read_event(house.places, name) == odd


def test_a_trace_has_room_for_so_many_names_and_no_more(house: House) -> None:
    for number in range(100):
        house.answer(Event(f"harness-{number}", f"event-{number}", b"", {}))
        house.answer(Event("one", f"event-{number}", b"", {}))
    traced = house.traced()
    assert len(traced.harnesses) <= 41
    assert all(len(seen.last) <= 41 for seen in traced.harnesses.values())


def test_a_damaged_trace_counts_as_none_and_says_so(house: House) -> None:
    assert read_trace(house.places.home).damaged == ""
    for text in ("", "{", "[]", '{"harnesses": {"x": {"no": 1}}}', "null"):
        house.places.trace.write_text(text)
        seen = read_trace(house.places.home)
        assert seen.harnesses == {} and str(house.places.trace) in seen.damaged
        kept = Trace(house.places)
        kept.answered("codex", "Stop")
        kept.write(now=True)
        assert read_trace(house.places.home).damaged == ""
