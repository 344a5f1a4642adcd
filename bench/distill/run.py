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
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "recall"))  # its loaders and floors

import tables

PARTS = ("llm", "ledger", "gold", "speed")
OUT = Path(__file__).with_name("out")

Figures = dict[str, Any]


def main() -> int:
    asked = _arguments()
    if not asked.data:
        print("no data: set EVERTHREAD_TEST_DATA to the folder with transcripts/, locomo/ …")
        return 1
    told = Figures()
    for name in PARTS:
        if asked.only in (None, name):
            start = time.monotonic()
            # Each part is loaded when its turn comes: the first needs but the distiller.
            told[name] = import_module(name).measure(Path(asked.data), quick=asked.quick)
            print(*getattr(tables, name)(told[name]), sep="\n")
            print(f"\n({time.monotonic() - start:.0f} s)", flush=True)
    _keep(told)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("EVERTHREAD_TEST_DATA"))
    parser.add_argument("--only", choices=PARTS)
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
