"""What survives distillation, and what it costs: ours beside truncation, random choice and LexRank.

    python bench/distill/run.py [--only ledger|llm|gold|speed] [--quick] [--pure]

Figures are printed, and kept in bench/distill/out/figures.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "recall"))  # its loaders and floors

import gold
import ledger
import llm
import speed
import tables

OUT = Path(__file__).with_name("out")

Figures = dict[str, Any]


def main() -> int:
    asked = _arguments()
    if not asked.data:
        print("no data: set EVERTHREAD_TEST_DATA to the folder with transcripts/, locomo/ …")
        return 1
    told = Figures()
    for name, (measure, table) in _parts().items():
        if asked.only in (None, name):
            start = time.monotonic()
            told[name] = measure(Path(asked.data), quick=asked.quick)
            print(*table(told[name]), sep="\n")
            print(f"\n({time.monotonic() - start:.0f} s)", flush=True)
    _keep(told)
    return 0


def _parts() -> dict[str, tuple[Callable[..., Figures], Callable[[Figures], list[str]]]]:
    return {
        "llm": (llm.measure, tables.llm),
        "ledger": (ledger.measure, tables.ledger),
        "gold": (gold.measure, tables.gold),
        "speed": (speed.measure, tables.speed),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("EVERTHREAD_TEST_DATA"))
    parser.add_argument("--only", choices=("llm", "ledger", "gold", "speed"))
    parser.add_argument("--quick", action="store_true", help="fewer seeds, fewer sizes")
    return parser.parse_args()


def _keep(told: Figures) -> None:
    """Beside what an earlier run measured of the other parts."""
    OUT.mkdir(exist_ok=True)
    path = OUT / "figures.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(before | told, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
