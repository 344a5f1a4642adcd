"""A checkpoint that was late never stands after one that goes further: the newest one tells where it stood.

Requirements: B-26, LB-4.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.agents import Scope
from everthread.domain.harness.checkpoints import Checkpoint
from everthread.services.harness.checkpoint import write_checkpoint
from support.harness import Bench, bench

TURNS = 9


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path, checkpoint_prompts=100) as made:
        yield made


def checkpoints(q: Bench) -> list[Checkpoint]:
    """In the order in which they were written."""
    row = q.window().row
    found = q.et.house.store.read(
        lambda r: r.checkpoints.of_session(Scope(row.agent_ref), row.ref, limit=50)
    )
    return sorted(found, key=lambda one: one.ref)


def test_one_that_was_late_gives_way_to_one_that_the_worker_wrote_meanwhile(q: Bench):
    """Before a compaction a machine under load had read fifteen of twenty-four prompts in time."""
    w = q.window()
    w.start()
    for n in range(TURNS):
        w.turn(f"Set MAX_RETRIES_{n} to {1000 + n}.", f"I set MAX_RETRIES_{n}.")
    written = list[bool]()

    def late() -> bool:
        if not written:
            written.append(True)
            write_checkpoint(q.et.house, q.agent.row, w.row, "periodic")  # as the worker does
        return True

    made, digest = write_checkpoint(q.et.house, q.agent.row, w.row, "pre_compaction", late=late)
    assert [(one.kind, one.total_prompts) for one in checkpoints(q)] == [("periodic", TURNS)]
    assert made is not None and made.total_prompts == TURNS
    assert any("MAX_RETRIES_8" in trace.text for trace in digest.ledger)


def test_one_that_goes_further_than_another_is_written(q: Bench):
    w = q.window()
    w.start()
    w.turn("Set MAX_RETRIES_0 to 1000.", "I set MAX_RETRIES_0.")
    before = w.row
    w.turn("Set MAX_RETRIES_1 to 1001.", "I set MAX_RETRIES_1.")
    written = list[bool]()

    def late() -> bool:
        if not written:
            written.append(True)
            write_checkpoint(q.et.house, q.agent.row, before, "periodic")
        return False

    made, _ = write_checkpoint(q.et.house, q.agent.row, w.row, "pre_compaction", late=late)
    assert made is not None and made.through_seq == w.row.last_seq
    assert [one.kind for one in checkpoints(q)] == ["periodic", "pre_compaction"]
