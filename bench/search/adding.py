"""What a message costs until it is found by its words: recorded and filed, over a bare FTS5 insert."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from duel import Child, interleaved
from figures import Report

HISTORY = 2_000
FEW = 20
MANY = 200
BULK = 1_000
BUDGET = 2.0
ONE, AT_ONCE = "bare FTS5: one row, one transaction", f"bare FTS5: {BULK:,} rows, one transaction"
SHARED, EACH = f"ours: recorded one by one, filed after {MANY}", "ours: recorded and filed, each"
RECORD, BULKED = "ours: recorded alone, one by one", f"ours: {BULK:,} recorded at once, filed"
RECORDED = f"ours: {BULK:,} recorded at once, not filed"


def bench(folder: Path, asked: Namespace) -> Report:
    report = Report(f"add: about 470 bytes a message, synchronous = FULL, {HISTORY:,} there before")
    rounds = 3 if asked.quick else 10
    with (
        Child("search/inserter.py", folder / "bare.db", HISTORY) as bare,
        Child("search/adder.py", folder / "ours.db", HISTORY) as ours,
    ):
        few = {
            ONE: bare.block("one"),
            RECORD: ours.block("record"),
            EACH: ours.block("each"),
            SHARED: lambda _: ours.ask("amortised", count=MANY),
        }
        taken = interleaved(few, rounds=rounds, block=FEW)
        many = {
            AT_ONCE: bare.block("bulk"),
            RECORDED: ours.block("recorded"),
            BULKED: ours.block("bulk"),
        }
        taken |= interleaved(many, rounds=rounds, block=BULK)
    for name, samples in taken.items():
        report.sampled(name, samples)
    report.ratio("one by one, filed together, to bare inserts", SHARED, ONE, budget=BUDGET)
    report.ratio("one by one, filed each time, to bare inserts", EACH, ONE)
    report.ratio("in bulk, to a bare bulk insert", BULKED, AT_ONCE, budget=BUDGET)
    return report
