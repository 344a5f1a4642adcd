"""An event's way through the daemon: once, in time, and never lost to trouble of the store."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.errors import StoreFailed
from everthread.edges.daemon.events import Event, Hooks
from everthread.edges.daemon.places import Places
from everthread.edges.daemon.served import THREADS, Served
from everthread.edges.daemon.spool import Drained, drain, keep
from everthread.edges.daemon.trace import Trace, read_trace, waiting
from everthread.settings import Settings

Said = Callable[[str], bytes]


class House:
    """The daemon's inside, with a desk of the test's own and no store."""

    def __init__(self, home: Path) -> None:
        self.served = Served(Settings(home=home))
        self.served.engine = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
        self.places = Places(home)
        self.places.make()
        self.trace = Trace(self.places)
        self.asked: list[tuple[str, datetime | None]] = []
        self.says: Said = lambda name: name.encode()
        self.hooks = Hooks(self.served, self.trace, partial(keep, self.places), self._desk)
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
        self.asked.append((event, at))
        return self.says(event)

    def answer(self, event: Event) -> bytes:
        return asyncio.run(self.hooks.answer(event))

    def traced(self) -> Any:
        self.trace.write(now=True)
        return read_trace(self.places.home)

    def drain(self) -> Drained:
        return drain(self.places, self.hooks, self.trace)


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


def test_trouble_of_the_store_is_told_to_the_client_which_spools(house: House) -> None:
    house.says = raising(StoreFailed("away"))
    with pytest.raises(StoreFailed):
        house.answer(event())
    house.says = lambda _: b"here again"
    assert house.answer(event()) == b"here again"


def test_trouble_of_the_store_after_the_time_was_up_puts_the_event_into_the_spool(
    house: House,
) -> None:
    """The client has gone with an empty answer and will not spool it itself."""
    free = threading.Event()

    def says(_: str) -> bytes:
        free.wait(30)
        raise StoreFailed("away")

    house.says = says

    async def late() -> bytes:
        answer = await house.hooks.answer(event(ms=20))
        free.set()
        for _ in range(1_000):
            if waiting(house.places):
                return answer
            await asyncio.sleep(0.01)
        raise AssertionError("it is lost")

    assert asyncio.run(late()) == b""
    house.says = lambda _: b""
    assert house.drain() == Drained(1, 0)
    assert waiting(house.places) == []
    assert house.asked[-1] == ("Stop", event().at)


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
    keep(house.places, event())
    second = threading.Thread(target=house.drain)
    second.start()
    # It leaves the spool only after the one who has it is ready.
    assert len(waiting(house.places)) == 1
    free.set()
    first.join()
    second.join()
    assert len(house.asked) == 1
    assert waiting(house.places) == []


def test_at_trouble_of_the_store_the_spool_waits_in_order(house: House) -> None:
    for number in (3, 1, 2):
        keep(house.places, event(f"event-{number}", number))
    before = waiting(house.places)
    house.says = raising(StoreFailed("away"))
    assert house.drain() == Drained(0, 3)
    assert waiting(house.places) == before
    house.says, house.asked = lambda _: b"", []
    assert house.drain() == Drained(3, 0)
    assert [name for name, _ in house.asked] == ["event-1", "event-2", "event-3"]


def test_an_event_that_fails_for_good_does_not_block_the_spool(house: House) -> None:
    for number in (1, 2, 3):
        keep(house.places, event(f"event-{number}", number))

    def says(name: str) -> bytes:
        if name == "event-2":
            raise ValueError("never")
        return b""

    house.says = says
    assert house.drain() == Drained(2, 0)
    assert len(list(house.places.torn.iterdir())) == 1
    assert house.traced().torn == 1


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
    keep(house.places, event("spooled", 1))
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
    assert (found.environ, found.at, found.cut) == (environ, None, 0)


def test_a_kept_event_is_the_same_when_it_is_read_again(house: House) -> None:
    odd = Event("codex", "Stop", b"\r\n\r\n\x00\xff", {"PWD": "/wörk\n"}, f"{5:020}-1", 700, 9)
    keep(house.places, odd)
    [name] = waiting(house.places)
    from everthread.edges.daemon.spool import read

    assert read(house.places, name) == odd


def test_a_trace_has_room_for_so_many_names_and_no_more(house: House) -> None:
    for number in range(100):
        house.answer(Event(f"harness-{number}", f"event-{number}", b"", {}))
        house.answer(Event("one", f"event-{number}", b"", {}))
    traced = house.traced()
    assert len(traced.harnesses) <= 41
    assert all(len(seen.last) <= 41 for seen in traced.harnesses.values())


def test_a_damaged_trace_counts_as_none(house: House) -> None:
    for text in ("", "{", "[]", '{"harnesses": {"x": {"no": 1}}}', "null"):
        house.places.trace.write_text(text)
        assert read_trace(house.places.home).harnesses == {}
        assert Trace(house.places)
