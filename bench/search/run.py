"""Measure search and memory against floors and a peer, print what passes and what misses its budget.

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

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
# The competitors, too, find what all benches share; and one thread computes, as in a daemon.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (os.environ.get("PYTHONPATH"), str(HERE.parent)))
)
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import adding  # noqa: E402 - after its folder is on the path
import asking  # noqa: E402 - after its folder is on the path
import nearness  # noqa: E402 - after its folder is on the path
import peers  # noqa: E402 - after its folder is on the path
import searching  # noqa: E402 - after its folder is on the path
import sizes  # noqa: E402 - after its folder is on the path
import vocabulary  # noqa: E402 - after its folder is on the path
from corpus import WORDS  # noqa: E402 - after its folder is on the path
from duel import Broken  # noqa: E402 - after its folder is on the path
from figures import Report, shown  # noqa: E402 - after its folder is on the path

BENCHES: dict[str, Callable[[Path, argparse.Namespace], Report]] = {
    "search": searching.bench,
    "add": adding.bench,
    "peer": peers.bench,
    "sizes": sizes.bench,
    "nearness": nearness.bench,
    "asking": asking.bench,
}
SIZES = "10000,100000,1000000"


def main() -> int:
    asked = _arguments()
    print(_machine())
    reports: list[Report] = []
    for name in [asked.only] if asked.only else BENCHES:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="everthread-bench-") as folder:
            os.environ[WORDS] = str(vocabulary.write(Path(folder) / "words"))
            try:
                report = BENCHES[name](Path(folder), asked)
            except Broken as error:
                print(f"{name}: broken: {error}", file=sys.stderr)
                return 1
        reports.append(report)
        print(*shown(report), f"    ({time.monotonic() - start:.0f} s)", sep="\n", flush=True)
    print(f"\n{_tally(reports)}; load average {os.getloadavg()[0]:.1f}")
    if asked.json:
        document = {"machine": _machine(), "benches": [report.as_json() for report in reports]}
        Path(asked.json).write_text(json.dumps(document, indent=2) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure search against floors and a peer.")
    parser.add_argument("--only", choices=BENCHES, help="this bench alone")
    parser.add_argument("--sizes", default=SIZES, help=f"messages to search in ({SIZES})")
    parser.add_argument("--quick", action="store_true", help="a rough look: few rounds, no million")
    parser.add_argument("--json", metavar="FILE", help="also write the figures here")
    asked = parser.parse_args()
    asked.sizes = [int(size) for size in asked.sizes.split(",")]
    if asked.quick:
        asked.sizes = [size for size in asked.sizes if size < 1_000_000]
    return asked


def _machine() -> str:
    return (
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, load average {os.getloadavg()[0]:.1f}"
    )


def _tally(reports: list[Report]) -> str:
    verdicts = [line.verdict for report in reports for line in report.lines]
    return f"{verdicts.count('PASS')} within budget, {verdicts.count('MISS')} over"


if __name__ == "__main__":
    sys.exit(main())
