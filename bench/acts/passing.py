"""Does what is open end when somebody tells in passing that it is done, or no longer wanted?

`passing.jsonl` holds what is asked or promised, and what is said later: 60 pairs that end it, and 90 that
only look like it (another thing, another's, only begun, planned, asked, denied, half of it, long ago). Topics
are divided into `dev`, which may be looked at, and `held`, of which nothing but the sums is printed.

    .venv/bin/python bench/acts/passing.py [--misses]

Two doors are measured. `talk`: all is one thread, distilled once. `sessions`: what is said later is another
session; both are recorded, and end. What is not open with a harmless word in place of the later one does not
count: nothing can be seen to end there.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from items import by_distilling, by_sessions, holding
from marked import FOLDER, rows

import everthread
from everthread.settings import Settings

HARMLESS = "The weather is lovely here."
BETWEEN = ("How far is the moon?", "It is about 384,000 kilometres away.")
HEARD = "Good to know."

Row = Mapping[str, Any]
Door = Callable[[Row, str], bool]
"""Is it open after that later word?"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    parser.add_argument("--rows", type=Path, default=FOLDER / "passing.jsonl", help="another file")
    asked = parser.parse_args()
    every = rows(asked.rows)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=folder, tail_messages=1)
        et = everthread.connect(f"{folder}/a.db", background=False, settings=settings)
        agents = (et.agent(f"a{n}") for n in range(1_000_000))
        doors: dict[str, Door] = {
            "talk": lambda row, later: in_talk(next(agents), row, later),
            "sessions": lambda row, later: in_sessions(next(agents), row, later),
        }
        for name, door in doors.items():
            show(name, every, door, misses=asked.misses)


def show(name: str, every: Sequence[Row], door: Door, *, misses: bool) -> None:
    sums, opened = defaultdict[str, Counter[str]](Counter), dict[tuple[str, str], bool]()
    for row in every:
        n, key = sums[row["part"]], (row["asked"], row["reply"])
        if key not in opened:
            opened[key] = door(row, HARMLESS)
        ends = row["sort"] == "ends"
        what = "ended" if ends else "wrongly ended"
        n[f"rows {what}"] += 1
        if not opened[key]:
            continue
        over = not door(row, row["later"])
        n[f"all {what}"] += 1
        n[what] += over
        if misses and row["part"] == "dev" and over != ends:
            print(f"  {name} {row['sort']:12} {row['asked']} / {row['later']}")
    for part, n in sorted(sums.items()):
        told = (
            f"{w} {n[w]} of {n[f'all {w}']} that were open ({n[f'rows {w}']} rows)"
            for w in ("ended", "wrongly ended")
        )
        print(f"{name:9} {part:4}: {', '.join(told)}")


def in_talk(agent: Any, row: Row, later: str) -> bool:
    by_distilling(agent, {"talk": [_turns(row["asked"], row["reply"], *BETWEEN, later, HEARD)]})
    return _is_open(agent, row)


def in_sessions(agent: Any, row: Row, later: str) -> bool:
    by_sessions(agent, {"talk": [_turns(row["asked"], row["reply"]), _turns(later, HEARD)]})
    return _is_open(agent, row)


def _turns(*texts: str) -> list[tuple[str, str]]:
    return [(("kim", "assistant")[n % 2], text) for n, text in enumerate(texts)]


def _is_open(agent: Any, row: Row) -> bool:
    words = row["words"].lower()
    return any(words in text.lower() for kind, text in holding(agent) if kind == "open_item")


if __name__ == "__main__":
    main()
