"""What ends by a later word: rules that are lifted, facts that changed, lifts of rules that are set again.

`ended.jsonl` holds what is known, what is said then, and which of the known that ends, if any. Topics are
divided into `dev`, which may be looked at, and `held`, of which nothing but the sums is printed. What is
known of the next topics of the same part stands beside it, so that there is something wrong to end.

    .venv/bin/python bench/acts/ended.py [--misses]

Two doors are measured. `remember`: everything is put down by it, what is said in the kind that nobody
names (`as rule`: as a rule). `talk`: a person says it in a talk whose digest holds what is known.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from marked import FOLDER, rows
from told import key, message

import everthread
from everthread.domain.gleaning.digest import EMPTY, Point
from everthread.domain.gleaning.gleaner import Gleaner

BESIDE = 5
"""Topics that stand beside."""

WEIGHT = 0.8
"""Of a point that stands."""

_AS = {"rule": "rule", "longer": "rule", "fact": "fact", "again": "correction"}
"""As what it is kept: what lifted a rule is a correction."""

Row = Mapping[str, Any]
Door = Callable[[str, Sequence[str], str], tuple[set[str], set[str]]]
"""A kind, what is known and what is said; which of the known stood before that, and which after it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    parser.add_argument("--door", choices=("talk", "remember", "as rule"), default=None)
    asked = parser.parse_args()
    every = [row for row in rows(FOLDER / "ended.jsonl") if row["sort"] != "either"]
    with tempfile.TemporaryDirectory() as folder:
        doors: dict[str, Door] = {
            "talk": by_talk,
            "remember": by_remember(f"{folder}/a.db", "fact"),
            "as rule": by_remember(f"{folder}/b.db", "rule"),
        }
        for name, door in doors.items():
            if asked.door in (None, name):
                show(name, every, door, misses=asked.misses)


def show(name: str, every: Sequence[Row], door: Door, *, misses: bool) -> None:
    told = defaultdict[tuple[str, str], Counter[str]](Counter)
    around = neighbours(every)
    for row in every if name != "as rule" else [r for r in every if r["kind"] == "rule"]:
        known = [*row["known"], *around[row["kind"], row["part"], row["topic"]]]
        before, after = door(row["kind"], known, row["said"])
        ends = None if row["ends"] is None else row["known"][row["ends"]]
        gone, count = before - after, told[row["kind"], row["part"]]
        count["known"] += ends in before
        count["found"] += ends in gone
        count["told"] += len(gone)
        wrong = gone - {ends}
        if misses and row["part"] == "dev" and (wrong or (ends in before and ends not in gone)):
            print(f"  {name} {row['sort']:12} {row['said']} | {ends} | wrong: {sorted(wrong)}")
    for (kind, part), n in sorted(told.items()):
        right = f"{n['found']} of {n['told']} right"
        print(f"{name:9} {kind} {part:4}: of {n['known']} {n['found']} found, {right}")


def neighbours(every: Sequence[Row]) -> dict[tuple[str, str, str], list[str]]:
    """What is known of the next topics of the same part."""
    known = {(r["kind"], r["part"], r["topic"]): r["known"] for r in every}
    order = sorted(known)
    found: dict[tuple[str, str, str], list[str]] = {}
    for place in order:
        part = [each for each in order if each[:2] == place[:2]]
        at = part.index(place)
        after = [*part[at + 1 :], *part[:at]][:BESIDE]
        found[place] = [text for each in after for text in known[each]]
    return found


def by_talk(kind: str, known: Sequence[str], said: str) -> tuple[set[str], set[str]]:
    kind = _AS[kind]
    stands = [Point(kind, text, (key(n),), "user", n + 1, WEIGHT) for n, text in enumerate(known)]
    gleaner = Gleaner(EMPTY._replace(points=tuple(stands)))
    for n, text in enumerate(("Good morning.", said)):  # what opens a talk is read otherwise
        at = len(known) + 2 * n
        gleaner.read(message(at, {"speaker": "kim", "text": text}, n + 1))
        gleaner.read(message(at + 1, {"speaker": "assistant", "text": "Understood."}, n + 1))
    left = {p.text for p in gleaner.digest().points if p.kind == kind}
    return {*known}, left & {*known}


def by_remember(path: str, said_as: str) -> Door:
    et = everthread.connect(path, background=False)
    agents = iter(range(1_000_000))

    def door(kind: str, known: Sequence[str], said: str) -> tuple[set[str], set[str]]:
        agent = et.agent(f"a{next(agents)}")
        for text in known:
            agent.remember(text, kind=_AS[kind])
        before = {m.text for m in agent.memories()} & {*known}
        agent.remember(said, kind=said_as)
        return before, before & {m.text for m in agent.memories()}

    return door


if __name__ == "__main__":
    main()
