"""Measure everything, print what passes and what misses its budget.

Ends with 0 unless the bench itself is broken: a noisy machine must not fail a build.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import append
import crowd
import disk
import extras
import growth
import newest
from duel import Broken
from figures import Report, shown

BENCHES: dict[str, Callable[..., Report]] = {
    "append": append.bench,
    "newest": newest.bench,
    "growth": growth.bench,
    "disk": disk.bench,
    "crowd": crowd.bench,
    "extras": extras.bench,
}
ROUNDS = 60
QUICK = 8


def main() -> int:
    asked = _arguments()
    print(_machine())
    reports: list[Report] = []
    for name in [asked.only] if asked.only else BENCHES:
        with tempfile.TemporaryDirectory(prefix="everthread-bench-") as folder:
            try:
                report = BENCHES[name](Path(folder), rounds=asked.rounds)
            except Broken as error:
                print(f"{name}: broken: {error}", file=sys.stderr)
                return 1
        reports.append(report)
        print(*shown(report), sep="\n", flush=True)
    print(f"\n{_tally(reports)}; load average {os.getloadavg()[0]:.1f}")
    if asked.json:
        Path(asked.json).write_text(json.dumps(_document(reports), indent=2) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Everthread against floors and peers.")
    parser.add_argument("--quick", action="store_true", help="a rough look")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")
    parser.add_argument("--only", choices=BENCHES, help="this bench alone")
    parser.add_argument("--rounds", type=int, metavar="N", help="blocks for each competitor")
    asked = parser.parse_args()
    asked.rounds = asked.rounds or (QUICK if asked.quick else ROUNDS)
    return asked


def _machine() -> str:
    cores = os.cpu_count()
    return (
        f"{cores} cores {platform.machine()}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, load average {os.getloadavg()[0]:.1f}"
    )


def _tally(reports: list[Report]) -> str:
    verdicts = [line.verdict for report in reports for line in report.lines]
    return f"{verdicts.count('PASS')} within budget, {verdicts.count('MISS')} over"


def _document(reports: list[Report]) -> dict[str, object]:
    when = time.strftime("%Y-%m-%d", time.gmtime())
    return {"date": when, "machine": _machine(), "benches": [r.as_json() for r in reports]}


if __name__ == "__main__":
    sys.exit(main())
