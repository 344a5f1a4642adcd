"""Append one message: against the peer, and against the same statements from a bare script."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from duel import PEERS, Broken, Child, copy_store, interleaved
from figures import Report
from stores import CHECKED, filled, taped

HISTORY = 1_000
BLOCK = 50
PEER_BUDGET = 0.5
FLOOR_BUDGET = 1.5
OURS = "ours: ada.record([one])"
FLOOR = "floor: the same statements"
PEER = "peer: SQLiteSession.add_items([one])"
BARE = "anchor: one raw INSERT"
WITH_ID = "ours: with an external id"


class Ring(NamedTuple):
    """Those who append, each in a process of its own, each with the same history."""

    ours: Child
    floor: Child
    peer: Child
    bare: Child


@contextmanager
def ring(folder: Path, appends: int) -> Generator[Ring]:
    base = filled(folder / "base.db", HISTORY)
    traces = taped(copy_store(base, folder / "tape.db"), folder / "tape", appends + CHECKED)
    with ExitStack() as stack:
        ours = stack.enter_context(Child("ours.py", copy_store(base, folder / "ours.db")))
        floor = stack.enter_context(
            Child("floor.py", copy_store(base, folder / "floor.db"), folder / "tape")
        )
        peer = stack.enter_context(Child("peer_session.py", folder / "peer.db", python=PEERS))
        bare = stack.enter_context(Child("bare.py", folder / "bare.db"))
        peer.ask("fill", count=HISTORY)
        bare.ask("fill", count=HISTORY)
        if floor.ask("check", count=CHECKED) != traces:
            raise Broken("the floor does not run what `record` runs")
        yield Ring(ours, floor, peer, bare)


def bench(folder: Path, *, rounds: int) -> Report:
    report = Report(f"append one message of 470 bytes, {HISTORY:,} before it, synchronous=FULL")
    appends = BLOCK * (rounds + 1)
    with ring(folder, appends) as all_:
        taken = interleaved(
            {
                OURS: all_.ours.block("append"),
                FLOOR: all_.floor.block("append"),
                PEER: all_.peer.block("append"),
                BARE: all_.bare.block("append"),
            },
            rounds=rounds,
            block=BLOCK,
        )
        _check(all_, appends)
        taken[WITH_ID] = all_.ours.ask("append", count=BLOCK * 4, ids=True)
    for name, times in taken.items():
        report.sampled(name, times)
    report.ratio("to the peer", OURS, PEER, budget=PEER_BUDGET)
    report.ratio("to the floor", OURS, FLOOR, budget=FLOOR_BUDGET)
    report.ratio("to one raw INSERT", OURS, BARE)
    report.ratio("the peer to one raw INSERT", PEER, BARE)
    report.ratio("with an id to without (not interleaved)", WITH_ID, OURS)
    return report


def _check(all_: Ring, appends: int) -> None:
    """Everyone stored everything, and the peer as durably as we do."""
    state = all_.peer.ask("state")
    if (state["journal_mode"], state["synchronous"]) != ("wal", 2):
        raise Broken(f"the peer does not write as durably as we do: {state}")
    stored = all_.ours.ask("counted"), all_.floor.ask("counted") - CHECKED, state["messages"]
    if set(stored) != {HISTORY + appends}:
        raise Broken(f"someone lost messages: {stored}, not {HISTORY + appends}")
