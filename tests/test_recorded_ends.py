"""A session that is recorded when it is over is seen to like any other: memories and a summary. (D-22)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.services.archive.end import SOON
from everthread.services.job_names import ENDED
from everthread.testing import FrozenClock
from support.sitting import work_off

pytestmark = pytest.mark.req("D-22")

RULE = "Never mention fees in an email to a client."
LAST = "Never call Mrs Aydin before noon."
SAID = (
    "We decided to hold the client evening in the Old Library.",
    RULE,
    "The Old Library wants 1,150 euros for the night.",
    "Mrs Aydin's new address is 14 Rue Mercière, 69002 Lyon.",
    "Please order the name tags.",
)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(workspace=str(tmp_path), embedder="off")
    with everthread.connect("memory://", settings=settings, clock=clock, background=False) as et:
        yield et


def entries(day: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for n, text in enumerate(SAID):
        found.append({"role": "user", "content": text, "at": f"{day}T09:{n:02d}:00Z"})
        found.append({"role": "assistant", "content": "Noted.", "at": f"{day}T09:{n:02d}:20Z"})
    return found


def jobs(et: Everthread) -> int:
    every = et.house.store.read(lambda r: r.jobs.all())
    return sum(job.kind == ENDED for job in every)


def texts(et: Everthread) -> set[str]:
    return {memory.text for memory in et.agent("olive").memories()}


def see_to(et: Everthread, clock: FrozenClock) -> None:
    clock.forward(seconds=SOON / 1000)
    work_off(et)


def test_memories_and_a_summary_follow_soon(et: Everthread, clock: FrozenClock) -> None:
    olive = et.agent("olive")
    olive.record([*entries("2026-02-17"), *entries("2026-02-18")])
    assert jobs(et) == len(olive.sessions())
    see_to(et, clock)
    assert RULE in texts(et)
    assert [session.state for session in olive.sessions()] == ["complete"] * 2
    assert all(session.summary for session in olive.sessions())


def test_one_by_one_it_is_asked_for_once(et: Everthread, clock: FrozenClock) -> None:
    """And what comes when it was seen to is seen to as well."""
    olive, every = et.agent("olive"), entries("2026-02-18")
    for entry in every[:2]:
        olive.record([entry])
    assert jobs(et) == len(olive.sessions()) == 1
    see_to(et, clock)
    assert jobs(et) == 0 and RULE not in texts(et)
    for entry in every[2:]:
        olive.record([entry])
    assert jobs(et) == 1
    see_to(et, clock)
    assert RULE in texts(et)
    assert len(olive.sessions()) == 1


def test_what_drips_in_is_seen_to_now_and_then(et: Everthread, clock: FrozenClock) -> None:
    """Each time all that was said is read again: forty entries are not worth forty times."""
    olive, done = et.agent("olive"), 0
    olive.record(entries("2026-02-18"))
    see_to(et, clock)
    for n in range(40):
        at = f"2026-02-18T09:10:{n:02d}Z"
        said = LAST if n == 39 else f"The stall of guest {n} is row {n}."
        olive.record([{"role": "user", "content": said, "at": at}])
        clock.forward(seconds=7)
        before = jobs(et)
        work_off(et)
        done += before - jobs(et)
    assert 5 <= done <= 22
    clock.forward(minutes=2)
    work_off(et)
    assert LAST in texts(et) and jobs(et) == 0, "the last one is not lost"
    assert len(olive.sessions()) == 1


def test_a_clock_that_was_wrong_puts_nothing_off(et: Everthread, clock: FrozenClock) -> None:
    olive = et.agent("olive")
    olive.record(entries("2026-02-18")[:2])
    see_to(et, clock)
    clock.forward(hours=-2)
    olive.record(entries("2026-02-18")[2:])
    see_to(et, clock)
    assert RULE in texts(et)


@pytest.mark.parametrize(
    ("day", "options"),
    [("2026-01-02", {}), ("2026-02-18", {"source": "import"})],
    ids=["long ago", "imported"],
)
def test_what_nobody_waits_for_is_left_alone(
    et: Everthread, clock: FrozenClock, day: str, options: dict[str, Any]
) -> None:
    et.agent("olive").record(entries(day), **options)
    assert jobs(et) == 0


def test_what_goes_on_ends_by_its_hours(et: Everthread, clock: FrozenClock) -> None:
    """As a session of turns does."""
    et.agent("olive").record(entries("2026-02-20"))
    see_to(et, clock)
    assert texts(et) == set()
    clock.forward(hours=5)
    work_off(et)
    assert RULE in texts(et)


def test_the_worker_is_called_for_it(et: Everthread, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that only records has no turn that starts it."""
    called: list[int] = []
    monkeypatch.setattr(et, "nudge", lambda: called.append(1))
    olive = et.agent("olive")
    olive.record([{"role": "user", "content": "Hello there."}])
    assert not called
    for _ in range(2):  # what is known already asks for nothing
        olive.record([{**entry, "id": f"{n}"} for n, entry in enumerate(entries("2026-02-18"))])
    assert len(called) == 1


@pytest.mark.parametrize(
    ("left", "done", "over"),
    [
        ("Remember to book the hall.", "The hall is booked.", True),
        ("I still have to ring the plumber.", "I rang the plumber.", True),
        ("I still have to ring the plumber.", "The plumber has a new van.", False),
    ],
)
def test_what_it_left_open_ends_by_what_is_added_to_it(
    et: Everthread, clock: FrozenClock, left: str, done: str, *, over: bool
) -> None:
    """When its end was seen to in between."""
    olive = et.agent("olive")

    def record(text: str, minute: int) -> None:
        at = f"2026-02-18T10:{minute:02d}"
        said = {"role": "user", "content": text, "at": f"{at}:00Z"}
        olive.record([said, {"role": "assistant", "content": "Good.", "at": f"{at}:20Z"}])

    olive.record(entries("2026-02-18"))
    record(left, 1)
    see_to(et, clock)
    [item] = [memory for memory in olive.memories() if memory.text == left]
    assert item.valid_to is None
    record(done, 2)
    clock.forward(seconds=10)  # it was seen to a moment ago
    work_off(et)
    assert (olive.memory(item.id).valid_to is not None) is over
    assert RULE in texts(et)
