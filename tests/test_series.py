"""Reports that differ in a date and a figure: the newest stands for them all, and nothing else is folded.

A job that reports every night would otherwise be most of what is kept, and crowd out what was said once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import Message, content_column
from everthread.domain.distilling.daily_files import managed_section
from everthread.domain.distilling.summaries_lines import point_line
from everthread.domain.given.report_series import newest_of_each
from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.digest import Digest, Point, Series, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.points import Points
from everthread.domain.gleaning.trace_weight import trace_value
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.ids import message_id
from everthread.domain.memory.memories import Memory, new_memory, sources_text
from everthread.domain.memory.merging import earlier_reports
from everthread.domain.recall.hits import Hit
from everthread.domain.text.templates import template
from everthread.domain.times import DAY, HOUR, ms_of
from everthread.services.memory.remember import settle
from everthread.testing import FrozenClock
from support.stores import ABOVE, Place, fresh

pytestmark = pytest.mark.req("A-13", "LA-10", "LA-18")

START = ms_of("2026-03-02T06:00:00Z")
THREAD = bytes(16)
REPORT = "Nightly backup of {day}: {files} files copied, {faults} faults."
OPENING = "Please look after our accounts from today on."
FINE = "The importer is fine now; {n} tests pass."


def day(n: int) -> date:
    return datetime.fromtimestamp(START / 1000, UTC).date() + timedelta(days=n)


def report(n: int) -> str:
    return REPORT.format(day=day(n), files=9_000 + 7 * n, faults=n % 5)


def message(n: int, text: str, at: int, by: Literal["user", "agent"] = "user") -> Message:
    form, content = content_column(text)
    return Message(
        key=message_id(THREAD, n, at), thread_ref=1, session_ref=1, turn_ref=None, seq=n,
        role="user" if by == "user" else "assistant", kind="said", origin=by, source="turn",
        external_id=None, name=None, principal=None, archived=False, form=form, content=content,
        at_ms=at, tokens=10, created_ms=at, entry=n,
    )  # fmt: skip


def read(said: Sequence[tuple[str, str, int]], before: Digest | None = None) -> Digest:
    """What is carried of texts, each by somebody at some hour after the start."""
    if before is None:
        first = Gleaner()
        first.read(message(999, OPENING, START - HOUR))
        before = first.digest()
    gleaner = Gleaner(before)
    for n, (by, text, hour) in enumerate(said, start=1):
        by_whom = "agent" if by == "agent" else "user"
        gleaner.read(message(n, text, START + hour * HOUR, by_whom))
    return gleaner.digest()


def told(digest: Digest, *kinds: str) -> list[str]:
    return [p.text for p in digest.points if p.kind in kinds]


# ---- what is left of a text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (report(0), report(1)),
        (FINE.format(n=12), FINE.format(n=413)),
        ("Bericht vom 02.03.2026: 9.777 Rechnungen gebucht, 4 Fehler, Platte zu 40 % voll",
         "Bericht vom 01.03.2026: 10.001 Rechnungen gebucht, 0 Fehler, Platte zu 7,5 % voll"),
        ("Rapport du 2 mars 2026 : 12 factures traitées et 3 erreurs dans les journaux",
         "Rapport du 28 février 2026 : 9 factures traitées et 0 erreurs dans les journaux"),
        ("[2026-03-02T03:15:22Z] Disk check on web-1: 71 % used, 120 jobs ok",
         "[2026-03-01T03:14:07Z] Disk check on web-1: 9.5 % used, 7 jobs ok"),
        ("db-20260302-0300.tar.gz was written to the vault: 4.2 GB in 33 min",
         "db-20260301-0301.tar.gz was written to the vault: 417 MB in 5 min"),
        ("Weekly numbers for 2026-W09: 12 new customers, 3 lost ones",
         "Weekly numbers for 2026-W08: 7 new customers, 0 lost ones"),
        ("Coverage of the suite went from 81.2% to 83%.", "Coverage of the suite went from 83% to 90.4%."),
        ("412/413 tests passed in 31.07s on the main branch", "9/10 tests passed in 2s on the main branch"),
        ("处理了9777张发票，发现4个错误需要检查", "处理了12张发票，发现0个错误需要检查"),
    ],
)  # fmt: skip
def test_dates_times_and_counts_are_taken_out(one: str, other: str) -> None:
    assert template(one, START)
    assert template(one, START) == template(other, START)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 12 on the second floor has 3 beds.", "Room 14 on the second floor has 3 beds."),
        ("Camera 3 sees the front door of the house.", "Camera 4 sees the front door of the house."),
        ("Step 3 passes the checks of the linter.", "Step 4 passes the checks of the linter."),
        ("We deployed version 1.2.3 to the shop with 2 fixes.",
         "We deployed version 1.2.4 to the shop with 2 fixes."),
        ("Ticket #45 about the slow login is closed in 3 days.",
         "Ticket #46 about the slow login is closed in 3 days."),
        ("Server web-1 in the rack has 4 disks.", "Server web-2 in the rack has 4 disks."),
        ("The old dashboard of 1999 runs with 2 users.", "The old dashboard of 2001 runs with 2 users."),
        ("第3章有12页讲述了主角的童年", "第4章有12页讲述了主角的童年"),
        # What is to be, or was long ago, is told once.
        ("The dentist expects Mia and me on 9 March 2026 at 10:00.",
         "The dentist expects Mia and me on 16 March 2026 at 10:00."),
        ("The flood of 3 May 1921 took 40 houses of the village.",
         "The flood of 9 May 1921 took 12 houses of the village."),
        # Too little is left to be no chance.
        ("The port is 8080.", "The port is 9090."),
        ("Ran 5 km today", "Ran 7 km today"),
    ],
)  # fmt: skip
def test_a_figure_that_names_something_tells_two_apart(one: str, other: str) -> None:
    assert not template(one, START) or template(one, START) != template(other, START)


@given(st.integers(0, 40), st.integers(0, 10**6), st.floats(0, 100, width=16), st.integers(0, 1439))
def test_whatever_the_figures_it_is_one_template(
    back: int, count: int, share: float, minute: int
) -> None:
    text = "Report of {} {}: {} rows read, disk at {} %, all queues empty."
    clock = f"{minute // 60:02}:{minute % 60:02}"
    one = text.format(day(-back), clock, f"{count:,}", f"{share:.1f}")
    assert template(one, START) == template(text.format(day(0), "09:00", 1, 2), START) != ""


# ---- what is carried


def test_the_newest_report_stands_for_all() -> None:
    once = "Our accountant is Frau Lindqvist, reach her under 030 1234567."
    said = [("user", once, 1), *(("user", report(n), 24 * n) for n in range(121))]
    digest = read(said)
    (newest,) = [p for p in digest.points if p.text.startswith("Nightly")]
    assert newest.text == report(120)
    assert newest.series == Series(121, START)
    assert once in told(digest, "fact")
    assert newest.sources[0] == message_id(THREAD, 2, START)
    assert message_id(THREAD, 122, START + 120 * DAY) in newest.sources


def test_so_it_is_over_ranges_too() -> None:
    digest = None
    for n in range(12):
        digest = read([("user", report(n), 24 * n)], digest)
        digest = read_digest(digest_text(digest))
    assert digest is not None
    (newest,) = [p for p in digest.points if p.text.startswith("Nightly")]
    assert (newest.text, newest.series) == (report(11), Series(12, START))


def test_its_figures_leave_room_in_the_ledger() -> None:
    digest = read([("user", report(n), 24 * n) for n in range(9)])
    numbers = [t for t in digest.ledger if t.kind == "number"]
    assert [(t.note, t.times) for t in numbers] == [(report(8), 9)]
    once = next(t for t in read([("user", report(8), 1)]).ledger if t.kind == "number")
    assert trace_value(numbers[0]) == pytest.approx(trace_value(once))


@pytest.mark.parametrize("many", [1, 2])
def test_fewer_than_three_are_no_series(many: int) -> None:
    digest = read([("user", report(n), 24 * n) for n in range(many)])
    assert told(digest, "fact") == [report(n) for n in range(many)]


def test_what_a_person_says_in_one_talk_are_several_things() -> None:
    houses = [f"The house by the lake got {n} new windows from the carpenter." for n in (3, 5, 8)]
    digest = read([("user", text, n) for n, text in enumerate(houses)])
    assert sorted(told(digest, "fact")) == sorted(houses)


def test_what_an_agent_tells_three_times_is_how_it_stands_now() -> None:
    digest = read([("agent", FINE.format(n=n), hour) for hour, n in enumerate((31, 77, 412))])
    found = [p for p in digest.points if "importer" in p.text]
    assert [p.text for p in found] == [FINE.format(n=412)]


def test_what_an_agent_lists_in_one_message_are_several_things() -> None:
    listed = "\n".join(FINE.format(n=n) for n in (31, 77, 412))
    points = Points()
    for n, text in enumerate(listed.splitlines()):
        points.add(Point("done", text, (b"one",), "agent", START + n, 0.5))
    assert "\n".join(p.text for p in points) == listed


def test_the_same_report_once_more_counts_too() -> None:
    digest = read([*(("user", report(n), 24 * n) for n in range(4)), ("user", report(3), 90)])
    assert [(p.text, p.series) for p in digest.points if p.kind == "fact"] == [
        (report(3), Series(5, START))
    ]


KINDS = ["rule", "decision", "request", "correction", "preference", "identity", "open_item"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_choice_request_or_correction_is_folded(kind: str) -> None:
    points = Points()
    for n in range(5):
        at = START + n * DAY
        points.add(Point(kind, report(n), (message_id(THREAD, n, at),), "user", at, 0.5))
    assert {p.text for p in points} == {report(n) for n in range(5)}


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12))
def test_none_is_counted_twice_and_none_left_out(days: list[int]) -> None:
    digest = read([("user", report(n), 24 * n) for n in sorted({*days})])
    found = [p for p in digest.points if p.kind == "fact"]
    assert sum(p.series.times if p.series else 1 for p in found) == len({*days})
    assert report(max(days)) in {p.text for p in found}


def test_how_often_it_came_is_shown() -> None:
    point = Point(
        *("fact", report(9), (b"1",), "user", START + 9 * DAY, 0.5),
        verbatim=True,
        series=Series(10, START),
    )
    assert point_line(point, years=False).startswith("- User, 11 Mar, ×10 since 2 Mar: ")
    assert "(2026-03-11, ×10 since 2026-03-02)" in (managed_section([point]) or "")


# ---- what is given


def hit(n: int, text: str, by: Literal["user", "agent"] = "user") -> Hit:
    at = START + n * DAY
    return Hit(f"m{n}", text, 1.0, "message", at, "", messages=[message(n + 1, text, at, by)])


def test_a_block_tells_the_newest_of_a_series() -> None:
    other = hit(50, "The vault of the backup is in Basel.")
    hits = [hit(3, report(3)), other, hit(9, report(9)), hit(6, report(6))]
    now = START + 90 * DAY
    assert newest_of_each(hits, "how is the backup doing?", now) == [hits[2], other]
    assert newest_of_each(hits[:3], "how is the backup doing?", now) == hits[:3]


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ("what did the backup copy on 5 March?", [3]),
        ("and what did the backup copy in March?", [3, 9, 6]),
        ("what did the backup copy in January?", [3, 9, 6, 40]),
    ],
)
def test_who_speaks_of_a_time_is_told_what_is_of_it(asked: str, days: list[int]) -> None:
    hits = [hit(n, report(n)) for n in (3, 9, 6, 40)]
    found = newest_of_each(hits, asked, START + 90 * DAY)
    assert found == [h for h in hits if h.id in {f"m{n}" for n in days}]


def test_who_names_a_figure_is_told_what_has_it() -> None:
    hits = [hit(n, report(n)) for n in (3, 9, 6)]
    asked = "when did the backup copy 9042 files?"
    assert newest_of_each(hits, asked, START + 90 * DAY) == [hits[2]]


# ---- what is kept


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as where:
        yield where


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-03-02T06:00:00Z")


@pytest.fixture
def et(place: Place, clock: FrozenClock, tmp_path: Path) -> Iterator[everthread.Everthread]:
    settings = everthread.Settings(
        workspace=str(tmp_path / "files"), score_seconds=0.0, recall="off", embedder="off"
    )
    with everthread.connect(place.target, background=False, clock=clock, settings=settings) as it:
        yield it


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada", window=10_000)


def nights(ada: everthread.Agent, clock: FrozenClock, first: int, last: int) -> None:
    for n in range(first, last):
        ada.turn(report(n)).done("NO_REPLY")
        for part in range(3):
            ada.turn(f"Please look at src/part{part}.py.").done("That is done." + " Fine." * 40)
        clock.forward(hours=24)


def kept(ada: everthread.Agent) -> list[tuple[str, int]]:
    return [(m.text, m.said) for m in ada.memories(limit=100) if m.text.startswith("Nightly")]


def test_one_memory_is_kept_of_a_series_and_its_history(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    fact = "The root cause of the outage in March was an expired certificate on the gateway."
    ada.turn(OPENING).done("Gladly.")
    ada.turn(fact).done("Noted, I will keep that in mind.")
    receipts = list[str]()
    for first, last in ((0, 6), (6, 12), (12, 18)):
        nights(ada, clock, first, last)
        receipt = ada.distill()
        assert receipt.outcome == "ok", receipt.errors
        receipts.append(receipt.id)
    (last_kept,) = kept(ada)
    newest = next(n for n in range(18) if report(n) == last_kept[0])
    assert last_kept[1] == newest + 1 > 12
    (memory,) = [m for m in ada.memories(limit=100) if m.text.startswith("Nightly")]
    versions = ada.history(memory.id)
    assert len(versions) == 3
    assert {v.memory.state for v in versions[:-1]} == {"superseded"}
    written_down = (tmp_path / "files" / "ada" / "MEMORY.md").read_text("utf-8")
    assert fact in written_down
    assert written_down.count("Nightly") == 1
    assert "in mind" not in written_down
    et.undo(receipts[-1])
    (before,) = kept(ada)
    assert before[1] < last_kept[1]


def drawn(n: int, text: str, **other: object) -> Memory:
    at = START + n * DAY
    made = new_memory(message_id(b"memories" * 2, n, at), text, kind="fact", origin="user", now=at)
    sources = sources_text([message_id(THREAD, n, at)])
    return made._replace(sources_json=sources, **other)


def settled(et: everthread.Everthread, ada: everthread.Agent, *memories: Memory) -> list[Memory]:
    for memory in memories:
        et.house.store.write(lambda r, m=memory: settle(r, ada.scope, m, drawn=True))
    return [m for m in ada.memories(limit=100) if m.text.startswith("Nightly")]


def test_a_report_that_comes_late_is_only_counted(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    (one,) = settled(et, ada, *(drawn(n, report(n)) for n in (1, 5, 9, 3)))
    assert (one.text, one.said) == (report(9), 4)
    assert {*one.sources} == {message_id(THREAD, n, START + n * DAY) for n in (1, 3, 5, 9)}
    assert one.confidence == drawn(9, report(9)).confidence


def test_a_long_series_names_its_first_and_its_newest_sources(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    (one,) = settled(et, ada, *(drawn(n, report(n)) for n in range(30)))
    days = [0, *range(21, 30)]
    assert [*one.sources] == [message_id(THREAD, n, START + n * DAY) for n in days]


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "reference"},
        {"kind": "note"},
        {"pinned": 1},
        {"session_ref": 7},
        {"sources_json": "[]"},
        {"valid_to_ms": START + 99 * DAY},
        {"origin": "agent"},
    ],
)
def test_only_facts_that_were_drawn_alike_are_of_one_series(other: dict[str, object]) -> None:
    plain = [drawn(n, report(n)) for n in range(3)]
    assert earlier_reports(plain[2], plain[:2]) == plain[:2]
    assert earlier_reports(plain[2], [plain[0], plain[1]._replace(**other)]) == []


def test_what_somebody_asks_to_be_remembered_is_not_folded(ada: everthread.Agent) -> None:
    for n in range(5):
        ada.remember(report(n))
    assert sorted(text for text, _ in kept(ada)) == [report(n) for n in range(5)]


# ---- what is no decision


@pytest.mark.parametrize(
    "text",
    [
        "Noted, I will keep that in mind.",
        "Understood, we'll keep this in mind for the next release.",
        "Thanks, I will keep you posted on the migration.",
        "Got it, we'll keep a note of that.",
        "Okay, we'll go with that.",
        "Understood, I'll use that from now on.",
        "Verstanden, wir nehmen das.",
        "Compris, on va utiliser ça.",
        "Entendido, usaremos eso.",
        "はい、今後はいつもそのようにします、ありがとうございます。",
    ],
)
def test_who_only_acknowledges_decides_nothing(text: str) -> None:
    assert "decision" not in [found.kind for found in from_agent(take_apart(text))]


@pytest.mark.parametrize(
    "text",
    [
        "Noted, I will keep the importer in one file because it is read as one.",
        "Understood, we'll use Postgres for the ledger.",
        "We decided to keep that in memory because of the cache.",
        "Verstanden, wir nehmen Postgres.",
        "Entendido, usaremos Postgres.",
        "データベースはPostgresにします。",
    ],
)
def test_who_names_what_is_chosen_does(text: str) -> None:
    assert [found.kind for found in from_agent(take_apart(text))] == ["decision"]
