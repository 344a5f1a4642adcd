"""Who goes on with a session is told what was said elsewhere in the project since.

Requirements: R-1, R-23.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.given.packing import SESSION_CLOSING as CLOSING
from everthread.services.attending.meanwhile import HEADING
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

OWN = "Always run make check before you commit."
THEIRS = "Never store an amount as a float, always as whole cents."


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


def sitting(b: Bench, name: str, rule: str) -> Window:
    w = b.window(name)
    w.start()
    w.turn(rule, "Understood.")
    for thing in ("endpoint", "table", "webhook", "page", "job"):  # enough to be summed up
        w.turn(f"Write the {thing} for refunds.", f"The {thing} for refunds is written.")
    w.end()
    b.work()
    b.clock.forward(minutes=30)
    return w


def test_what_others_said_since_is_told_once(b: Bench):
    own = sitting(b, "s-1", OWN)
    sitting(b, "s-2", THEIRS)
    told = own.start("resume")
    assert HEADING in told
    assert "for refunds" in told.partition(CLOSING)[0]
    assert THEIRS in told
    assert OWN not in told, "its context has that"
    assert own.start("resume") == ""
    assert THEIRS not in own.prompt("Store each amount as cents and no float.")
    assert THEIRS in own.prompt("How do we store an amount, as a float or as cents?")
    sitting(b, "s-3", "Never rename a column.")
    again = own.start("resume")
    assert "Never rename a column." in again
    assert THEIRS not in again


def test_where_nobody_else_said_anything_nothing_is_told(b: Bench):
    sitting(b, "s-0", THEIRS)
    own = sitting(b, "s-1", OWN)
    assert own.start("resume") == ""


def test_what_a_reconnect_of_a_running_session_is_given_is_nothing(b: Bench):
    own = sitting(b, "s-1", OWN)
    sitting(b, "s-2", THEIRS)
    assert own.start("startup") == ""
