"""How many sessions a person may open in a month, and what counts as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.agents import Scope
from everthread.domain.errors import QuotaReached
from everthread.domain.harness.happenings import Happening
from everthread.domain.times import month_of, ms_of
from everthread.ports import Records
from everthread.services.archive.sessions import Seat, seat
from everthread.testing import FrozenClock
from support.http_server import serving


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-10T10:00:00Z")


@contextmanager
def limited(clock: FrozenClock, most: int) -> Iterator[Everthread]:
    settings = Settings(sessions_per_month=most)
    with everthread.connect("memory://", clock=clock, background=False, settings=settings) as et:
        yield et


def say(agent: Agent, words: str = "hello", **options: str) -> str:
    turn = agent.turn(words, **options)
    turn.done("heard")
    return turn.session.id


def test_the_session_after_the_last_one_is_refused_and_nothing_is_stored(
    clock: FrozenClock,
) -> None:
    """(R-38, S-13): n and n + 1."""
    with limited(clock, 2) as et:
        ada = et.agent("ada")
        for _ in range(2):
            say(ada)
            clock.forward(hours=5)
        before = et.house.store.read(lambda r: r.timeline.head(ada.scope))
        with pytest.raises(QuotaReached, match=r"2 sessions since 2026-02-01.*Nothing was stored"):
            ada.turn("one too many")
        assert et.house.store.read(lambda r: r.timeline.head(ada.scope)) == before
        assert len(ada.messages()) == 4
        assert et.verify("ada").sound


def test_a_session_that_goes_on_is_free(clock: FrozenClock) -> None:
    """(D-20, S-13, LD-19): two chats within the window are one session."""
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        first = say(ada)
        for _ in range(5):
            clock.forward(hours=3, minutes=59)
            assert say(ada) == first
        clock.forward(hours=4)
        with pytest.raises(QuotaReached):
            ada.turn("hello")
        ada.resume(first)
        assert say(ada) == first


def test_a_new_month_begins_anew_at_midnight_utc(clock: FrozenClock) -> None:
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        say(ada)
        clock.forward(hours=24 * 18 + 13, minutes=59)
        with pytest.raises(QuotaReached):
            ada.turn("on the last evening of February")
        clock.forward(minutes=1)
        say(ada, "on the first of March")


@pytest.mark.parametrize(
    ("at", "start"),
    [
        ("2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"),
        ("2026-02-28T23:59:59.999Z", "2026-02-01T00:00:00Z"),
        ("2026-03-01T00:30:00+01:00", "2026-02-01T00:00:00Z"),
    ],
)
def test_a_month_is_a_month_of_the_calendar_in_utc(at: str, start: str) -> None:
    assert month_of(ms_of(at)) == ms_of(start)


def test_each_person_has_their_own_count(clock: FrozenClock) -> None:
    """(R-11, LD-18)."""
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        say(ada, principal="mel")
        clock.forward(hours=5)
        say(ada, principal="kim")
        clock.forward(hours=5)
        with pytest.raises(QuotaReached, match="'mel' has"):
            ada.turn("hello", principal="mel")
        say(ada)
        say(et.agent("bob"), principal="mel")


def test_only_what_a_person_opens_counts(clock: FrozenClock) -> None:
    """(S-13): neither what was recorded, nor background work, nor the system's own words."""
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "from elsewhere", "at": "2026-02-05T10:00:00Z"}])
        beat = ada.thread("heartbeat:noon", kind="background")
        for _ in range(3):
            beat.turn("tick").done("tock")
            clock.forward(hours=5)
        ada.turn("wake up", origin="system").done("awake")
        clock.forward(hours=5)
        say(ada)
        clock.forward(hours=5)
        beat.turn("tick").done("tock")
        ada.turn("wake up", origin="system").done("awake")
        clock.forward(hours=5)
        with pytest.raises(QuotaReached):  # the limit was in force all the time
            say(ada)


@pytest.mark.parametrize("named", [{}, {"session": "my-own"}])
def test_what_a_person_says_now_counts_also_where_it_is_recorded(
    clock: FrozenClock, named: dict[str, str]
) -> None:
    """(R-38, S-13): the other way to say something is no way around it."""
    hello = [{"role": "user", "content": "hello"}]
    with limited(clock, 2) as et:
        ada = et.agent("ada")
        say(ada)
        clock.forward(hours=5)
        ada.record(hello, **named)
        clock.forward(hours=5)
        with pytest.raises(QuotaReached):
            ada.turn("one too many")
        before = et.house.store.read(lambda r: r.timeline.head(ada.scope))
        with pytest.raises(QuotaReached, match="Nothing was stored"):
            ada.record(hello, **{key: f"{name}-2" for key, name in named.items()})
        assert et.house.store.read(lambda r: r.timeline.head(ada.scope)) == before
        ada.record(hello, session=ada.newest_session().id)


@pytest.mark.parametrize(
    ("at", "counts"),
    [
        ("2026-02-10T06:00:00Z", False),
        ("2026-02-10T06:00:00.001Z", True),
        ("2026-02-10T10:00:00Z", True),
    ],
)
def test_what_was_said_before_the_gap_is_past(clock: FrozenClock, at: str, counts: bool) -> None:
    """(S-13): a session that nobody could go on with was not opened now."""
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        ada.record([{"role": "user", "content": "hello", "at": at}])
        if not counts:
            say(ada)
            return
        ada.end_session()
        with pytest.raises(QuotaReached):
            ada.turn("hello")


def test_what_a_harness_or_an_import_brings_is_never_refused(
    clock: FrozenClock, tmp_path: Path
) -> None:
    """(S-13, R-38): it was said already; nor does it count."""
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        for key in ("one", "two", "three"):
            start = Happening("claude-code", "start", key, str(tmp_path), start="startup")
            ada.attend(start)
            ada.attend(start._replace(kind="prompt", text="hello"))
            ada.attend(start._replace(kind="end", reason="exit"))
            ada.record([{"role": "user", "content": "hi", "id": key}], source="import", session=key)
        say(ada)
        assert len(ada.sessions()) == 4


def test_of_many_entries_those_before_the_refused_ones_are_told_of(clock: FrozenClock) -> None:
    """(R-38): more than one transaction."""
    past = [
        {"role": "user", "content": f"m{n}", "at": f"2026-02-01T00:{n // 60:02}:{n % 60:02}Z"}
        for n in range(1_000)
    ]
    with limited(clock, 1) as et:
        ada = et.agent("ada")
        say(ada)
        clock.forward(hours=5)
        with pytest.raises(QuotaReached, match="Only the first 1,000 entries were stored"):
            ada.record([*past, {"role": "user", "content": "hello"}])
        assert len(ada.messages(limit=2_000)) <= 2 + 1_000


def test_without_the_setting_there_is_no_limit(clock: FrozenClock) -> None:
    with limited(clock, 0) as et:
        ada = et.agent("ada")
        for _ in range(30):
            say(ada)
            clock.forward(hours=5)
        assert len(et.sessions(ada)) == 30


def test_the_boundary_says_itself_whether_it_opened_a_session(clock: FrozenClock) -> None:
    """(LD-19)."""
    with limited(clock, 0) as et:
        ada = et.agent("ada")

        def sat() -> bool:
            def work(records: Records) -> bool:
                thread = records.threads.hold(Scope(ada.row.ref), ada.primary.ref)
                return seat(et.house, records, ada.row, thread, Seat(), clock.now()).new

            return et.house.store.write(work)

        assert sat() is True
        assert sat() is False
        clock.forward(hours=4)
        assert sat() is True


def test_the_api_answers_429(tmp_path: Path) -> None:
    """(R-38)."""
    with serving(tmp_path, sessions_per_month=1) as server:
        ada = server.engine.agent("ada")
        say(ada)
        ada.end_session()
        refused = server.post("/api/agents/ada/turns", {"content": "hello"})
        assert refused.status == 429
        assert "Nothing was stored" in refused.detail
        assert refused.json["type"] == "urn:everthread:error:QuotaReached"
        shown = server.get(f"/api/agents/ada/sessions/{ada.newest_session().id}").json
        assert shown["summary"] is None and shown["state"] == "complete"
        ada.summarize_session()
        shown = server.get(f"/api/agents/ada/sessions/{ada.newest_session().id}").json
        assert {"summary", "summary_at"} <= {*shown}
