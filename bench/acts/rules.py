"""Which sentences of a person lay down what holds from now on, and which only look like it.

`rules.jsonl` holds messages with the rule in them, and messages without one: orders for once, how things
stand, what others say, do or forbid, what was, questions. Topics are divided into `dev`, which may be
looked at, and `held`, of which nothing but the sums is printed.

    .venv/bin/python bench/acts/rules.py [--misses]

Each message is said in a talk. `rule`: a rule is carried from it; `standing`: a rule, or a preference.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from marked import FOLDER, rows
from told import MOST, key, message, words

from everthread.domain.gleaning.gleaner import Gleaner

AT = 2
"""The message comes after a greeting and its answer: what opens a talk is read otherwise."""

KINDS = {"rule": ("rule",), "standing": ("rule", "preference")}

Row = Mapping[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    asked = parser.parse_args()
    told = defaultdict[tuple[str, str], Counter[str]](Counter)
    for row in rows(FOLDER / "rules.jsonl"):
        found = carried(row["said"])
        for name, kinds in KINDS.items():
            texts = [text for kind, text in found if kind in kinds]
            right = row["rule"] is not None and any(covers(text, row["rule"]) for text in texts)
            count = told[name, row["part"]]
            count["rules"] += row["rule"] is not None
            count["others"] += row["rule"] is None
            count["right"] += right
            count["wrong"] += bool(texts) and not right
            if asked.misses and row["part"] == "dev" and right != (row["rule"] is not None):
                print(f"  {name:8} {'missed' if row['rule'] else 'wrong':6} {row['said']} {found}")
            elif asked.misses and row["part"] == "dev" and texts and not right:
                print(f"  {name:8} wrong  {row['said']} {found}")
    for (name, part), n in sorted(told.items()):
        found = f"of {n['rules']} rules {n['right']} found"
        print(f"{name:8} {part:4}: {found}, of {n['others']} others {n['wrong']} taken for one")


def carried(said: str) -> list[tuple[str, str]]:
    """What a digest carries of the message, by kind."""
    gleaner = Gleaner()
    for n, text in enumerate(("Good morning.", said)):
        gleaner.read(message(AT * n, {"speaker": "kim", "text": text}, n + 1))
        reply = {"speaker": "assistant", "text": "Understood."}
        gleaner.read(message(AT * n + 1, reply, n + 1))
    points = gleaner.digest().points
    return [(point.kind, point.text) for point in points if key(AT) in point.sources]


def covers(text: str, rule: str) -> bool:
    wanted = words(rule)
    return len(wanted & words(text)) >= MOST * len(wanted)


if __name__ == "__main__":
    main()
