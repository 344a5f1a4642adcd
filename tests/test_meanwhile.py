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


def test_what_changed_finds_room_beside_the_summaries_and_the_rules(b: Bench):
    """Summaries come first and rules before facts: a date that moved would be told last, or not at all."""
    own = sitting(b, "s-1", OWN)
    for n, thing in enumerate(("invoice", "customer", "payment")):
        sitting(
            b, f"s-{n + 2}", f"Never delete a row of the table {thing}, mark it as void instead."
        )
    w = b.window("s-9")
    w.start()
    w.turn("The release of the shop moved to 4 December.", "Noted.")
    w.end()
    b.work()
    told = own.start("resume")
    assert HEADING in told
    for thing in ("invoice", "customer", "payment"):
        assert f"the table {thing}" in told.partition(CLOSING)[2]
    assert "moved to 4 December" in told
    assert len(told) <= 4_000


def test_a_client_that_keeps_nothing_is_told_it_after_the_same_bytes(b: Bench):
    """Gemini CLI comes back without what hooks gave it: all of that again, and the news."""
    sitting(b, "s-0", OWN)
    own = b.window("s-1", harness="gemini")
    first = own.start()
    own.turn("Write the page for refunds.", "The page for refunds is written.")
    own.end()
    b.work()
    own.keeps = False
    assert own.start("resume") == first, "nothing was said elsewhere"
    sitting(b, "s-2", THEIRS)
    again = own.start("resume")
    assert again.startswith(first) and THEIRS in again.removeprefix(first)
    assert own.start("resume") == again, "the same bytes each time"
    sitting(b, "s-3", "Never rename a column.")
    more = own.start("resume")
    assert more.startswith(again) and "Never rename a column." in more.removeprefix(again)
    assert more.count(THEIRS) == 1
