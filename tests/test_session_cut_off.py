"""What a new session is told of one that was cut off, though another ended after it began."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.given.packing import SESSION_CLOSING
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

RULE = "Never deploy on Fridays."
OPEN = "Convert settings/prod.py to pydantic."
QUICK = "Just a quick question: what is 2+2?"


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def cut_off(b: Bench, session: str = "a", owner: str = "killed", asked: str = OPEN) -> Window:
    w = b.window(session, owner=owner)
    w.start()
    w.turn(RULE, "I will not.")
    b.clock.forward(minutes=1)
    w.prompt(asked)
    return w


def quick(b: Bench, session: str = "b") -> Window:
    """Another window, beside the first; it ends as it should."""
    w = b.window(session, owner="other")
    w.start()
    w.turn(QUICK, "4")
    w.end()
    return w


def told(text: str) -> str:
    """Where the last session stood."""
    return text.partition(SESSION_CLOSING)[0]


def test_what_was_cut_off_is_told_though_another_ended_after_it(b: Bench):
    cut_off(b)
    quick(b)
    given = told(b.gone("killed").window("c").start())
    assert "was cut off" in given
    assert OPEN in given.partition("### Other sessions")[0]
    assert "Another session here" in given
    assert given.count(QUICK) == 1


def test_its_memories_are_drawn_when_the_next_one_starts(b: Bench):
    cut_off(b)
    quick(b)
    after = b.gone("killed")
    after.window("c").start()
    assert after.agent.session("a").state == "suspended"
    b.work()
    assert RULE in [m.text for m in b.agent.memories()]


def test_all_that_were_cut_off_are_seen_to(q: Bench):
    for n in range(5):
        cut_off(q, f"a-{n}", f"killed-{n}", f"Move part {n} of the parser to src/part_{n}.py.")
    after = q.gone(*(f"killed-{n}" for n in range(5)))
    given = told(after.window("c").start())
    assert [n for n in range(5) if f"src/part_{n}.py" in given] == [2, 3, 4]
    assert {after.agent.session(f"a-{n}").state for n in range(5)} == {"suspended"}


def test_who_started_and_said_nothing_leaves_it_to_the_next(q: Bench):
    cut_off(q)
    quick(q)
    after = q.gone("killed")
    assert OPEN in after.window("c").start()
    assert OPEN in told(after.window("d").start()).partition("### Other sessions")[0]


def test_once_somebody_goes_on_from_it_the_newest_is_told(q: Bench):
    cut_off(q)
    quick(q)
    after = q.gone("killed")
    third = after.window("c")
    third.start()
    third.turn("Please rename the billing module to invoices.", "Renamed.")
    third.end()
    given = told(after.window("d").start())
    assert "rename the billing module" in given
    assert "Other sessions" not in given
    assert "The last session here" in given


def test_what_was_cut_off_long_ago_does_not_go_before_the_newest(q: Bench):
    cut_off(q)
    q.clock.forward(hours=5)
    quick(q)
    given = told(q.gone("killed").window("c").start())
    assert "The last session here" in given
    assert QUICK in given
    assert q.agent.session("a").state == "suspended"


def test_one_that_is_alive_is_left_alone(q: Bench):
    cut_off(q)
    quick(q)
    given = q.window("c").start()
    assert OPEN not in given
    assert "Another session works in this project right now" in given
    assert q.agent.session("a").state == "active"


def test_what_the_other_one_told_and_left_open_is_told_with_it(q: Bench):
    cut_off(q)
    w = q.window("b", owner="other")
    w.start()
    w.turn("Please also write the migration guide in docs/migrate.md.", "I will do that later.")
    q.agent.checkpoint(
        "The guide is planned.", session="b", kind="agent", next_steps=["Write docs/migrate.md"]
    )
    w.end()
    given = told(q.gone("killed").window("c").start())
    assert OPEN in given.partition("### Other sessions")[0]
    beside = given.partition("### Other sessions")[2]
    assert "write the migration guide" in beside
    assert "Next Steps:\n- Write docs/migrate.md" in beside


def test_after_a_clear_the_newest_is_pointed_at_and_the_next_start_tells_the_rest(q: Bench):
    """R-25."""
    cut_off(q)
    quick(q)
    after = q.gone("killed")
    pointed = after.window("c")
    given = pointed.start("clear")
    assert "The last session here" in given
    assert "Another session here" not in given
    pointed.turn("Please rename the billing module to invoices.", "Renamed.")
    pointed.end()
    assert OPEN in told(after.window("d").start()).partition("### Other sessions")[0]
