"""Which memories a session that begins is given: what a person said to hold, however long ago.

Requirements: B-46, B-49, R-21, R-44.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everthread.domain.distilling.daily_files import day_of
from everthread.domain.given.start_memories import (
    MOST,
    MOST_MADE_ELSEWHERE,
    MOST_MADE_HERE,
    MOST_STANDING,
    choose_memories,
    sort_memories,
    without_echoes,
)
from everthread.domain.memory.memories import (
    KINDS,
    ORIGINS,
    STANDING,
    Memory,
    is_standing,
    new_memory,
)
from everthread.domain.times import DAY
from everthread.services.attending.start_sections import without_parts
from everthread.services.distilling.learn import Comparison, compare
from support.harness import Bench, bench
from support.stores import EACH, fresh

NOW = 1_800_000_000_000
RULE = "Never push to main without running make test."
PARTS = ["parser", "ledger", "queue", "mailer", "vault", "reader", "table", "cache"]
WHY = ["speed", "clarity", "the audit", "the release", "old clients", "tests", "security"]


@pytest.fixture(params=EACH)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def beside(q: Bench, name: str) -> Bench:
    """The same agent at work in another project."""
    folder = q.project.parent / name
    folder.mkdir(exist_ok=True)
    return replace(q, project=folder)


def sat_through(q: Bench, key: str, *turns: tuple[str, str]) -> None:
    w = q.window(key)
    w.start()
    for text, reply in turns:
        w.turn(text, reply)
    w.end()
    q.work()


def decided(q: Bench, number: int) -> None:
    """What agents put down elsewhere, day by day."""
    for n in range(number):
        q.clock.forward(hours=24)
        text = f"Keep the {PARTS[n % 8]} v{n} in its own file because of {WHY[n % 7]}"
        q.agent.remember(text, kind="decision", origin="agent")


def headings(context: str) -> list[str]:
    return [line for line in context.splitlines() if line.startswith("[") and "memory" in line]


def test_a_rule_is_given_however_long_ago_it_was_said(q: Bench):
    """B-46: 45 days of what agents decided, and the rule of the first day still comes first."""
    sat_through(q, "s-0", (RULE, "Understood."))
    decided(q, 45)
    assert len(q.agent.memories(kind="decision")) > MOST
    given_now = beside(q, "other").window().start()
    assert RULE in given_now
    assert "· user · rule ·" in headings(given_now)[0]
    made = [line for line in headings(given_now) if "· agent ·" in line]
    assert 0 < len(made) <= MOST_MADE_ELSEWHERE


def test_what_belongs_to_the_project_comes_before_what_does_not(b: Bench):
    """B-46: what is drawn from a session is known by its project, and is found though much was said since."""
    sat_through(b, "s-0", ("Rework the roof.", "We decided to keep the roof in roof.py for good."))
    b.clock.forward(hours=24 * 8)  # its last words are told no more
    decided(b, 5)
    told = [line for line in b.window().start().splitlines() if line.startswith("| ")]
    assert "roof.py" in told[0]
    assert any("in its own file" in line for line in told[1:])
    other = beside(b, "other").window("o-1").start()
    told = [line for line in other.splitlines() if line.startswith("| ")]
    assert "in its own file" in told[0]
    assert "roof.py" in told[-1]


def test_after_a_compaction_the_rules_of_old_are_given_again(tmp_path: Path):
    """R-21: what is given back of the session leaves them room, however much that is."""
    with bench(tmp_path, start_chars=2_000) as q:
        sat_through(q, "s-0", (RULE, "Understood."))
        q.clock.forward(hours=24 * 40)
        w = q.window("s-1")
        w.start()
        for n in range(24):
            text = f"Never touch src/part_{n}/module.py without asking team number {n} about it."
            w.turn(text, "Noted.")
        _, back = w.compact()
        assert RULE in back
        assert back.count("Never touch") > 10
        assert len(back) <= 2_000


def test_what_a_person_wrote_down_leaves_room_for_the_rules(tmp_path: Path):
    """B-49: the notes before them do not take it."""
    with bench(tmp_path, start_chars=2_000) as q:
        sat_through(q, "s-0", (RULE, "Understood."))
        q.clock.forward(hours=24 * 40)
        place = tmp_path / "files" / q.agent.name / "MEMORY.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(f"- line {n} of what I wrote myself\n" for n in range(190)))
        start = q.window(harness="codex").start()
        assert "what I wrote myself" in start
        assert RULE in start
        assert len(start) <= 2_000


def test_what_holds_for_every_agent_is_given_to_every_one(q: Bench):
    """R-44: a rule that is remembered user-wide comes to the agents of other projects too."""
    eve = q.et.agent("eve")
    eve.remember("Always write dates as 2026-11-16", kind="rule", scope="user")
    eve.remember("Always greet in French", kind="rule")
    start = q.window().start()
    assert "Always write dates" in start
    assert "French" not in start


def test_outside_of_all_projects_no_project_is_told_of(q: Bench):
    """R-44: what is remembered for a project is given there, and not where there is none."""
    kept = "The staging host is called heron"
    q.agent.remember(kept, scope="project", project=str(q.project))
    assert kept in q.window().start()
    nowhere = replace(q, project=Path("/"))
    assert kept not in nowhere.window("s-2").start()


def test_of_reports_that_come_day_by_day_the_newest_is_given(q: Bench):
    """B-46: and they take no place of what else is known."""
    q.agent.remember("The staging host is called heron")
    for n in range(28):
        q.clock.forward(hours=24)
        day = day_of(q.clock.now())
        q.agent.remember(f"Nightly report for {day}: {9000 + 37 * n} invoices, 0 errors.")
    start = q.window().start()
    assert start.count("Nightly report") == 1
    assert f"Nightly report for {day_of(q.clock.now())}" in start
    assert "heron" in start


def test_nothing_is_drawn_from_what_is_erased_meanwhile(b: Bench, monkeypatch: pytest.MonkeyPatch):
    """X-29: the thread goes while the worker compares what it drew from a session of it."""

    def late(*given_to: Any) -> Comparison:
        found = compare(*given_to)
        b.et.erase(b.agent)
        return found

    w = b.window("s-0")
    w.start()
    w.turn(RULE, "Understood.")
    monkeypatch.setattr("everthread.services.harness.extract.compare", late)
    w.end()
    b.work()
    assert [m.text for m in b.agent.memories(state="all") if m.text] == []
    assert not [j for j in b.et.house.store.read(lambda r: r.jobs.all()) if j.error]


# The order, as a rule

groups = st.lists(
    st.tuples(
        st.integers(0, 35),
        st.sampled_from([*KINDS]),
        st.sampled_from(ORIGINS),
        st.integers(0, 400),
        st.booleans(),
        st.booleans(),
    ),
    max_size=6,
)
"""So many of a kind and an origin, how old, pinned or not, of the project or not."""


def made(n: int, kind: str, origin: Any, age: int, *, pinned: bool) -> Memory:
    key = n.to_bytes(16, "big")
    memory = new_memory(key, f"memory {n}", kind=kind, origin=origin, now=NOW - age * DAY)
    return memory._replace(pinned=int(pinned and origin == "user"))


@settings(deadline=None)
@example([(35, "rule", "user", 1, False, False)], 9)
@given(groups, st.integers(1, 9))
def test_what_stands_is_never_passed_over_for_what_fades(
    found: list[tuple[int, str, str, int, bool, bool]], seventh: int
) -> None:
    """B-46: whatever else is known, of whatever age."""
    known, here = list[Memory](), set[bytes]()
    for count, kind, origin, age, pinned, of_project in found:
        first = len(known)
        known += [made(n, kind, origin, age, pinned=pinned) for n in range(first, first + count)]
        here |= {m.key_id for m in known[first:] if of_project}
    told = {m.key_id for m in known[seventh::7]}
    parted = sort_memories([*known, *reversed(known)], here, now=NOW)
    assert parted.number == len(known)
    given_now = choose_memories(parted, lambda m: m.key_id in told)

    keys = [m.key_id for m in given_now]
    assert len(keys) == len(set(keys)) <= MOST
    assert told.isdisjoint(keys)
    stand = [m for m in parted.stand if m.key_id not in told]
    first = min(len(stand), MOST_STANDING)
    assert given_now[:first] == stand[:first]
    assert [m for m in given_now if is_standing(m)] == stand[: sum(map(is_standing, given_now))]
    by_machine = [m for m in given_now if not is_standing(m) and m.origin in ("agent", "tool")]
    assert sum(m.key_id in here for m in by_machine) <= MOST_MADE_HERE
    assert sum(m.key_id not in here for m in by_machine) <= MOST_MADE_ELSEWHERE
    others = [m.key_id in here for m in given_now if not is_standing(m)]
    assert others == sorted(others, reverse=True)
    if len(given_now) < MOST:
        left = [m for m in known if m.key_id not in told and m.key_id not in set(keys)]
        assert not any(is_standing(m) or m.origin in ("user", "imported") for m in left)


def test_pinned_comes_first_and_a_rule_of_old_before_a_preference_of_today() -> None:
    pinned = made(1, "note", "user", 300, pinned=True)
    rule = made(2, "rule", "user", 300, pinned=False)
    here = made(3, "preference", "user", 200, pinned=False)
    preference = made(4, "preference", "user", 0, pinned=False)
    by_agent = made(5, "rule", "agent", 0, pinned=False)
    assert [is_standing(m) for m in (pinned, rule, here, preference, by_agent)] == [True] * 4 + [
        False
    ]
    known = sort_memories([by_agent, preference, rule, here, pinned], {here.key_id}, now=NOW)
    assert [*known.stand] == [pinned, here, rule, preference]
    assert [*known.rest] == [by_agent]
    assert set(STANDING) <= set(KINDS)


def test_of_a_sentence_and_a_part_of_it_the_whole_is_told() -> None:
    def said(n: int, text: str, kind: str = "rule", origin: str = "user") -> Memory:
        return made(n, kind, origin, 0, pinned=False)._replace(text=text)

    whole = said(1, "Fix it then. We never mock the database. Tests run against Postgres.")
    part = said(2, "We never mock the database")
    assert without_parts([part, whole]) == [whole]
    assert without_parts([whole, part]) == [whole]
    beside = said(4, "Name every test after what it proves")
    assert without_parts([part, beside, whole]) == [whole, beside], (
        "what ranks low may find no room"
    )
    for other in (
        part._replace(pinned=1),
        part._replace(principal="ann"),
        said(3, part.text, "decision"),
        said(3, part.text, origin="agent"),
        said(3, "We never mock the data"),
        said(3, "mock the database. Tests"),
        said(3, whole.text),
    ):
        assert without_parts([other, whole]) == [other, whole]


def test_what_an_agent_only_said_again_is_not_told_beside_the_persons_words() -> None:
    def said(n: int, text: str, origin: str, seconds: int) -> Memory:
        memory = made(n, "fact", origin, 0, pinned=False)
        return memory._replace(text=text, updated_ms=NOW + 1_000 * seconds)

    person = said(1, "The staging database is at db-staging.internal port 5433.", "user", 0)
    nod = said(2, "Noted: staging is `db-staging.internal:5433`.", "agent", 15)
    assert without_echoes([nod, person]) == [person]
    assert without_echoes([nod]) == [nod]
    for other in (
        nod._replace(pinned=1),
        nod._replace(updated_ms=person.updated_ms - 1),
        said(3, nod.text, "agent", 600),
        said(3, nod.text, "user", 15),
        said(3, "Staging is `db-staging.internal:5433`, and answers.", "tool", 15),
        said(3, "`db-staging.internal:5433` answers, but has no table `rates`.", "agent", 15),
    ):
        assert without_echoes([other, person]) == [other, person]


def test_the_same_words_kept_as_two_kinds_are_told_once() -> None:
    def said(n: int, kind: str, text: str = "one file for all doctors, named clinic.ics") -> Memory:
        return made(n, kind, "user", 0, pinned=False)._replace(text=text)

    liked, left = said(1, "preference"), said(2, "open_item")
    assert without_echoes([liked, left]) == [liked]
    assert without_echoes([left, liked]) == [left], "what ranks first"
    for other in (
        left._replace(pinned=1),
        left._replace(principal="ann"),
        left._replace(origin="tool"),
        said(3, "open_item", "one file for all doctors"),
    ):
        assert without_echoes([liked, other]) == [liked, other]
