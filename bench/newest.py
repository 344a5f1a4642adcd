"""Load the newest 20 messages: against the raw query, and the peer to know."""

from __future__ import annotations

from pathlib import Path

from duel import PEERS, Child, copy_store, interleaved
from figures import Report
from stores import LIVE, filled, newest_query, taped

HISTORY = 1_000
LIMIT = 20
BLOCK = 100
BUDGET = 2.0
OURS = "ours: ada.messages(limit=20)"
FLOOR = "floor: the raw query"
PEER = "peer: SQLiteSession.get_items(20)"


def bench(folder: Path, *, rounds: int) -> Report:
    report = Report(f"load the newest {LIMIT} of {HISTORY:,}")
    base = filled(folder / "base.db", HISTORY, batch=LIVE)
    taped(copy_store(base, folder / "tape.db"), folder / "tape", 0)
    with (
        Child("ours.py", base) as ours,
        Child("floor.py", copy_store(base, folder / "floor.db"), folder / "tape") as floor,
        Child("peer_session.py", folder / "peer.db", python=PEERS) as peer,
    ):
        peer.ask("fill", count=HISTORY)
        taken = interleaved(
            {
                OURS: ours.block("newest", limit=LIMIT),
                FLOOR: floor.block("fetch", **newest_query(LIMIT)),
                PEER: peer.block("newest", limit=LIMIT),
            },
            rounds=rounds,
            block=BLOCK,
        )
    for name, times in taken.items():
        report.sampled(name, times)
    report.ratio("to the raw query", OURS, FLOOR, budget=BUDGET)
    report.ratio("to the peer", OURS, PEER)
    return report
