"""What people tell, and tell anew in other words: what is kept of it, and what that ends.

`retold.jsonl` has three kinds of rows. Each kind has look-alikes beside it, of which nothing may come.

- `pair`: a rule or a fact, and what the same person says a week later. 80 change it, 120 only look like it
  (another person or thing, a question, a plan, the past, an addition, a narrower case, for once)
- `lone`: one statement. 60 are worth a memory (`what`: as a rule, or as anything), 60 are not
- `asked`: a request and a short reply. 10 are open then, 10 are answered

Topics are divided at random into `dev`, which may be looked at, and `held`, of which nothing but the sums is
printed.

    .venv/bin/python bench/acts/retold.py [--misses] [--kind pair]

All of it goes through the library: sessions are recorded, and end; then the memories are listed. Beside
each pair the first statements of other topics are told, so that there is something wrong to end. `talk` tells
both statements in one session. What is not kept with a harmless word in place of the later one cannot be seen
to end: it is not drawn.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from items import by_sessions
from marked import FOLDER, rows

import everthread
from everthread.settings import Settings

BESIDE = 3
"""Topics that stand beside."""

HEARD = "Noted."
HARMLESS = "The weather is lovely here."
RULES = ("rule", "preference")
RIGHT = ("change", "keep", "open")
"""Sorts of which something shall come."""

Row = Mapping[str, Any]
Talk = list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    parser.add_argument("--kind", choices=("pair", "lone", "asked"), default=None)
    asked = parser.parse_args()
    every = [row for row in rows(FOLDER / "retold.jsonl") if asked.kind in (None, row["kind"])]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), tail_messages=1)
        et = everthread.connect(f"{folder}/a.db", background=False, settings=settings)
        agents = (et.agent(f"a{n}") for n in range(1_000_000))
        show_pairs(agents, every, misses=asked.misses)
        show_others(agents, every, misses=asked.misses)


def show_pairs(agents: Iterator[Any], every: Sequence[Row], *, misses: bool) -> None:
    sums = defaultdict[tuple[str, str, str], Counter[str]](Counter)
    pairs = [row for row in every if row["kind"] == "pair"]
    for door in ("sessions", "talk"):
        for row in pairs:
            n, changes = sums[door, row["what"], row["part"]], row["sort"] == "change"
            drawn, gone, wrong, new = pair(agents, row, beside(row, pairs), door)
            n["all" if changes else "others"] += 1
            n["drawn"] += changes and drawn
            n["new"] += changes and new
            n["ended"] += changes and drawn and gone
            n["wrong"] += (not changes and drawn and gone) or wrong > 0
            if misses and row["part"] == "dev" and (wrong or not drawn or gone != changes):
                state = "wrong beside" if wrong else "not drawn" if not drawn else ""
                print(f"  {door} {row['sort']:9} {row['first']} / {row['later']} {state}{new}")
    for (door, what, part), n in sorted(sums.items()):
        told = f"of {n['all']} {n['ended']} ended ({n['drawn']} drawn, {n['new']} newly told)"
        print(f"{door:9} {what} {part:4}: {told}, of {n['others']} others {n['wrong']}")


def beside(row: Row, pairs: Sequence[Row]) -> list[str]:
    """The first statements of the next topics of the same part."""
    topics = {r["topic"]: r["first"] for r in pairs if r["part"] == row["part"]}
    names = [*topics]
    at = names.index(row["topic"])
    return [topics[name] for name in [*names[at + 1 :], *names[:at]][:BESIDE]]


def pair(
    agents: Iterator[Any], row: Row, others: Sequence[str], door: str
) -> tuple[bool, bool, int, bool]:
    """Was the first drawn, has it gone, how many others went, and is the later kept?"""
    first = [turn for text in [row["first"], *others] for turn in (["kim", text], ["a", HEARD])]
    held = after_all(agents, first, HARMLESS, door)
    after = after_all(agents, first, row["later"], door)
    was = [text for text in held if text in row["first"] or row["first"] in text]
    gone = not any(row["words"].lower() in text.lower() and text in after for text in was)
    lost = sum(text not in after for text in held if text not in was)
    return bool(was), gone, lost, any(text in row["later"] for text in after)


def after_all(agents: Iterator[Any], first: Talk, later: str, door: str) -> set[str]:
    agent, then = next(agents), [["kim", later], ["a", HEARD]]
    by_sessions(agent, {"talk": [first + then] if door == "talk" else [first, then]})
    return {m.text for m in agent.memories() if m.valid_to_ms is None}


def show_others(agents: Iterator[Any], every: Sequence[Row], *, misses: bool) -> None:
    sums = defaultdict[tuple[str, str], Counter[str]](Counter)
    for row in every:
        if row["kind"] == "pair":
            continue
        said = (row["said"], HEARD) if row["kind"] == "lone" else (row["asked"], row["reply"])
        memories = by_sessions(next(agents), {"talk": [[["kim", said[0]], ["a", said[1]]]]})
        n, keep, came = sums[row["kind"], row["part"]], row["sort"] in RIGHT, came_of(row, memories)
        n["all" if keep else "others"] += 1
        n["found" if keep else "wrong"] += came
        if misses and row["part"] == "dev" and came != keep:
            print(f"  {row['kind']} {row['sort']:9} {' / '.join(said)} {[*memories]}")
    for (kind, part), n in sorted(sums.items()):
        told = f"of {n['all']} {n['found']} kept, of {n['others']} others {n['wrong']}"
        print(f"{kind:9} {part:4}: {told}")


def came_of(row: Row, memories: Sequence[tuple[str, str]]) -> bool:
    """Does a memory of the right kind come of it? Of a look-alike: any but what is open."""
    words = row["words"].lower()
    if row["kind"] == "asked":
        return any(kind == "open_item" and words in text.lower() for kind, text in memories)
    kept = [(kind, text) for kind, text in memories if kind != "open_item"]
    as_rule = row["what"] == "rule"
    return any(words in t.lower() and (kind in RULES or not as_rule) for kind, t in kept)


if __name__ == "__main__":
    main()
