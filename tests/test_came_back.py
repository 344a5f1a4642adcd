"""A session that was taken for left, as it was quiet while another began, and that goes on after all.

The process of some harnesses serves many sessions, so only quiet tells which of them was left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.services.harness.session_owner import HOSTS
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

RULE = "Never deploy on Fridays."
OPEN = "Convert settings/prod.py to pydantic."
LATER = "We always write commit messages in English."
OTHER = "Rename the billing module to invoices."

pytestmark = pytest.mark.parametrize("harness", sorted(HOSTS))


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


def thinking(b: Bench, harness: str) -> Window:
    """Somebody who asks, and reads the answer for longer than five minutes."""
    w = b.window("slow", harness=harness, owner="host")
    w.start()
    w.turn(RULE, "I will not.")
    w.turn(OPEN, "Done, please look at it.")
    b.clock.forward(minutes=6)
    return w


def beside(b: Bench, harness: str) -> Window:
    """Another session of the same process."""
    w = b.window("other", harness=harness, owner="host")
    w.start()
    b.clock.forward(seconds=1)
    return w


def states(b: Bench) -> dict[str, str]:
    return {s.key: s.state for s in b.agent.sessions()}


def test_it_simply_comes_back(b: Bench, harness: str) -> None:
    slow = thinking(b, harness)
    other = beside(b, harness)
    assert states(b) == {"slow": "suspended", "other": "active"}
    other.turn(OTHER, "Renamed.")
    b.work()
    slow.turn(LATER, "I will.")
    assert states(b) == {"slow": "active", "other": "active"}, "and no third one"
    said = [RULE, "I will not.", OPEN, "Done, please look at it.", LATER, "I will.", OTHER]
    assert [b.words().count(each) for each in said] == [1] * len(said)
    of_slow = b.et.session(b.agent, "slow").messages
    assert [m.text for m in of_slow] == said[:-1]


def test_the_other_one_is_told_that_it_fell_quiet_not_that_it_was_cut_off(
    b: Bench, harness: str
) -> None:
    thinking(b, harness)
    for n in range(2):
        given = b.window(f"other-{n}", harness=harness, owner="host").start()
        assert OPEN in given
        assert "fell quiet" in given and "was cut off" not in given
    given = b.gone("host").window("last", harness=harness).start()
    assert "was cut off" in given and "fell quiet" not in given


def test_its_memories_are_drawn_once_and_those_of_later_too(b: Bench, harness: str) -> None:
    slow = thinking(b, harness)
    beside(b, harness)
    b.work()
    assert [m.text for m in b.agent.memories()].count(RULE) == 1, "they hold for the other one"
    slow.turn(LATER, "I will.")
    b.work()
    slow.end()
    b.work()
    kept = [m.text for m in b.agent.memories()]
    assert kept.count(RULE) == kept.count(LATER) == 1
    assert states(b)["slow"] == "complete"


def test_the_job_that_was_asked_for_waits_if_it_came_back_before(b: Bench, harness: str) -> None:
    slow = thinking(b, harness)
    beside(b, harness)
    slow.prompt(LATER)
    b.work()
    assert states(b)["slow"] == "active"
    slow.reply("I will.")
    slow.end()
    b.work()
    kept = [m.text for m in b.agent.memories()]
    assert kept.count(RULE) == kept.count(LATER) == 1


def test_what_it_is_given_again_it_was_not_given_before(b: Bench, harness: str) -> None:
    """It has its own words in its context; the other's it may be told of."""
    slow = thinking(b, harness)
    other = beside(b, harness)
    other.turn(OTHER, "Renamed.")
    b.work()
    given = slow.turn("And now?", "Nothing more.")
    assert OPEN not in given and RULE not in given


def test_the_next_one_is_told_that_it_goes_on(b: Bench, harness: str) -> None:
    slow = thinking(b, harness)
    other = beside(b, harness)
    other.turn(OTHER, "Renamed.")
    other.end()
    b.work()
    slow.turn(LATER, "I will.")
    given = b.window("third", harness=harness, owner="host").start()
    assert "Another session works in this project right now" in given
    assert "Renamed" in given or OTHER in given
    assert OPEN not in given.partition("Another session works")[0]


def test_a_start_of_its_own_brings_it_back_too(b: Bench, harness: str) -> None:
    """As a host that was restarted tells of what it goes on with."""
    slow = thinking(b, harness)
    beside(b, harness)
    b.work()
    slow.start("resume")
    slow.turn(LATER, "I will.")
    assert states(b)["slow"] == "active"
    assert b.words().count(OPEN) == 1


def test_it_may_be_quiet_and_come_back_as_often_as_it_likes(b: Bench, harness: str) -> None:
    slow = thinking(b, harness)
    for n in range(3):
        w = b.window(f"other-{n}", harness=harness, owner="host")
        w.start()
        assert states(b)["slow"] == "suspended"
        b.work()
        slow.turn(f"Part {n} of the parser moves to src/part_{n}.py.", f"Part {n} is moved.")
        assert states(b)["slow"] == "active"
        b.clock.forward(minutes=6)
    slow.end()
    b.work()
    assert b.words().count(RULE) == 1
    assert [m.text for m in b.agent.memories()].count(RULE) == 1
    assert len([s for s in b.agent.sessions() if s.key == "slow"]) == 1
    assert b.et.verify(b.agent).sound
