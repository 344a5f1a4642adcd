"""What is over is listed in `MEMORY.md` no more, though nobody distils or ends a session that day. (S-4)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.text.rule_periods import has_ended, last_moment
from everthread.domain.times import DAY
from everthread.services.distilling.memory_file import write_listing
from everthread.services.job_names import RENEW_FILES
from support.desk import Desk, desk_in

pytestmark = pytest.mark.req("S-4")

RULE = "Never deploy Heron on Fridays."
UNTIL = "Don't schedule any meetings until Monday."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        for said in (RULE, UNTIL):
            found.turn(said, "Understood.")
        found.talk(0, 14)
        found.ada.distill()
        yield found


def listed(desk: Desk) -> str:
    (place,) = desk.folder.rglob("MEMORY.md")
    return place.read_text()


def renewals(desk: Desk) -> int:
    every = desk.et.house.store.read(lambda r: r.jobs.all())
    return sum(job.kind.partition("@")[0] == RENEW_FILES for job in every)


def test_a_rule_goes_when_its_last_day_is_past(desk: Desk) -> None:
    desk.work()
    assert RULE in listed(desk) and UNTIL in listed(desk)
    assert renewals(desk) == 1
    assert write_listing(desk.et.house, desk.ada.row).ok
    assert renewals(desk) == 1, "asked for once, however often it is written"
    desk.clock.forward(hours=5 * 24)
    desk.work()
    assert RULE in listed(desk) and UNTIL not in listed(desk)
    assert renewals(desk) == 0


def test_what_a_digest_holds_and_is_over_as_a_memory_is_listed_no_more(desk: Desk) -> None:
    """A later session may have ended it, or somebody by hand."""
    (rule,) = (m for m in desk.ada.memories() if m.text == RULE)
    now = desk.clock.now()
    desk.et.house.store.write(
        lambda r: r.memories.bound(desk.ada.scope, rule, until=now + DAY, now=now)
    )
    assert write_listing(desk.et.house, desk.ada.row).ok
    assert RULE in listed(desk)
    desk.clock.forward(hours=25)
    assert write_listing(desk.et.house, desk.ada.row).ok
    assert RULE not in listed(desk)


def test_the_last_moment_is_told_where_it_is_named() -> None:
    said = 1_771_581_600_000  # a Friday
    end = last_moment(UNTIL, said)
    assert end is not None and said + 3 * DAY < end <= said + 5 * DAY
    assert has_ended(UNTIL, said, end) and not has_ended(UNTIL, said, end - 1)
    assert last_moment(RULE, said) is None
