"""`verify` misses a row that was taken out together with the salt of its entries.

A digest without its salt says nothing, so the row cannot be missed by its facts: something in the chain
must say why it went.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.ids import id_text
from support.harness import Bench, bench
from support.stores import EACH, Place, furnished

pytestmark = pytest.mark.req("R-33")


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with furnished(request.param, tmp_path, furnish) as found:
        yield found


def furnish(place: Place, folder: Path) -> None:
    with bench(folder, place.target, score_seconds=0.0) as b:
        leave_rows(b)


def leave_rows(b: Bench) -> None:
    """A thread that was erased, then a row of every kind."""
    b.agent.thread("before", kind="background").turn("hello").done("heard")
    b.et.erase(b.agent, thread="before")
    w = b.window()
    w.start()
    w.turn("Always run make check before you commit.", "Understood.")
    w.compact("Some work was done.")
    b.work()
    for n in range(18):
        b.agent.turn(f"We decided to keep module {n}. Look at src/part{n}.py.").done("I did.")
    assert b.agent.distill().standing
    b.agent.note("A note.")
    assert b.et.verify(b.agent).faults == []


@pytest.mark.parametrize(
    "table",
    ["checkpoints", "compactions", "injections", "summaries", "marks", "turns", "notes"],
)
def test_a_row_removed_together_with_its_salt_is_missed(
    place: Place, tmp_path: Path, table: str
) -> None:
    place.without_triggers()
    key = bytes(place.raw(f"SELECT id FROM {table} ORDER BY entry DESC LIMIT 1")[0][0])
    place.raw("UPDATE timeline SET salt = NULL WHERE subject = :id", id=key)
    place.raw(*_loose(table), f"DELETE FROM {table} WHERE id = :id", id=key)
    with bench(tmp_path, place.target) as b:
        found = b.et.verify(b.agent).faults
    assert (id_text(key), "though nothing says why") in [
        (f.subject, f.problem.rpartition(", ")[2]) for f in found
    ]


def _loose(table: str) -> list[str]:
    """Nothing may point at what goes."""
    loose = {
        "checkpoints": ["UPDATE compactions SET checkpoint_id = NULL"],
        "turns": ["UPDATE injections SET turn_id = NULL"],
    }
    return loose.get(table, [])


def test_what_went_lawfully_is_not_missed(place: Place, tmp_path: Path) -> None:
    with bench(tmp_path, place.target, checkpoints_kept=1) as b:
        b.agent.checkpoint("One of mine.", session="s-1")
        b.agent.checkpoint("Another.", session="s-1")
        assert len(b.agent.checkpoints()) == 1
        assert b.et.verify(b.agent).faults == []
        b.et.erase(b.agent)
        assert b.et.verify(b.et.agent(b.agent.name)).faults == []
