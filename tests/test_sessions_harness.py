"""A harness's session is that harness's alone: nobody sits down in it who did not name it.

Requirements: R-12, S-8.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.conversation.sessions import Session
from everthread.services.archive.sessions import Seat, expected_session
from support.harness import Bench, bench
from support.stores import EACH, fresh

pytestmark = pytest.mark.req("R-12")


@pytest.fixture(params=EACH)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def say(b: Bench, **options: Any) -> Session:
    """One whole turn of the library; the session it fell into."""
    turn = b.agent.turn("hello", **options)
    turn.done("heard")
    b.clock.forward(minutes=1)
    return b.agent.session(turn.session.id)


def test_a_turn_opens_a_session_of_its_own_beside_a_harness(b: Bench):
    w = b.window()
    w.turn("Fix the parser.", "Fixed.")
    mine = say(b)
    assert (mine.harness, w.row.harness) == (None, "claude-code")
    assert w.row.state == "active", "nobody ended it from here"
    assert w.row.message_count == 2
    assert mine.previous_ref is None
    # And the harness goes on in its own.
    w.turn("And now?", "Done.")
    assert (w.row.message_count, b.agent.session(mine.id).message_count) == (4, 2)


def test_a_turn_goes_on_in_its_own_session_though_a_harness_spoke_since(b: Bench):
    mine = say(b)
    for n in range(3):
        b.window(f"s-{n}").turn("Fix the parser.", "Fixed.")
        assert say(b).ref == mine.ref


def test_after_the_gap_the_session_before_is_the_last_of_ones_own(q: Bench):
    mine = say(q)
    q.clock.forward(hours=5)
    w = q.window()
    w.turn("Fix the parser.", "Fixed.")
    later = say(q)
    assert (later.ref != mine.ref, later.previous_ref) == (True, mine.ref)
    assert q.agent.session(mine.id).state == "complete"
    assert w.row.state == "active"


def test_who_names_the_session_or_the_harness_sits_down_in_it(q: Bench):
    w = q.window()
    w.turn("Fix the parser.", "Fixed.")
    named = say(q, session="s-1", channel="webchat")
    assert named.ref == w.row.ref
    # The channel was told, and remembers it.
    assert say(q, channel="webchat").ref == w.row.ref
    thread = q.agent.primary.row

    def found(wanted: Seat) -> Session | None:
        house = q.et.house
        return house.store.read(lambda r: expected_session(house, r, q.agent.row, thread, wanted))

    assert found(Seat()) is None
    assert found(Seat(harness="codex")) is None
    assert getattr(found(Seat(harness="claude-code")), "ref", None) == w.row.ref


def test_what_is_recorded_without_a_name_is_not_the_harnesss(b: Bench):
    w = b.window()
    w.turn("Fix the parser.", "Fixed.")
    for n in range(2):
        b.agent.record([{"role": "user", "content": f"said elsewhere {n}"}])
        b.clock.forward(minutes=1)
        w.turn("And now?", "Done.")
    b.agent.record(
        [
            {"role": "user", "content": "said elsewhere 2"},
            {"role": "assistant", "content": "indeed"},
        ]
    )
    assert w.row.message_count == 6
    own = [s for s in b.agent.sessions() if s.harness is None]
    assert [s.message_count for s in own] == [4]


def test_a_harnesss_session_is_not_ended_by_what_is_recorded_later(q: Bench):
    w = q.window()
    w.turn("Fix the parser.", "Fixed.")
    q.clock.forward(hours=9)
    q.agent.record([{"role": "user", "content": "said elsewhere"}])
    assert w.row.state == "active"


def test_what_a_recall_outside_any_turn_counts_is_not_the_harnesss(tmp_path: Path):
    """Another process recalls, which has heard no session."""
    with fresh("sqlite", tmp_path) as where, bench(tmp_path, where.target) as b:
        mine = say(b)
        w = b.window()
        w.turn("Fix the parser.", "Fixed.")
        b.agent.remember("The parser lives in src/parse.py.")
        with bench(tmp_path, where.target) as other:
            other.agent.recall("Where is the parser?")

        def asked(session: Session) -> tuple[str, ...]:
            score = b.et.house.store.read(lambda r: r.uses.score(b.agent.scope, session.ref))
            return () if score is None else tuple(score.queries)

        assert asked(mine) == ("Where is the parser?",)
        assert asked(w.row) == ()
