"""What still holds after a later word, or after its day: five kinds of what stayed too long.

`holds.jsonl` has rows of these kinds, more than half of them look-alikes that end nothing:

- `instead`: what was told to be used, and is turned down later (`use yarn, not pnpm`)
- `role`: who somebody is to those who speak, where that is one person (`our accountant`)
- `place`: where a thing is that moved, and how many people they are now
- `until`: a rule that names its last day; after so many days it is over, or holds
- `done`: what is to be done, and is told as done in other words

Topics are divided into `dev`, which may be looked at, and `held`, of which nothing but the sums is printed.

    .venv/bin/python bench/acts/holds.py [--misses]

The first three go through the doors of `ended.py`, with the topics of the same part beside them. The others
are talks, which go through those of `items.py`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ended import BESIDE, WEIGHT
from items import BEGAN, by_distilling, by_sessions, judged, parts_of
from marked import FOLDER, rows
from told import key, message

import everthread
from everthread.domain.gleaning.digest import EMPTY, Point
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.memories import is_valid
from everthread.domain.times import ms_of
from everthread.settings import Settings

DAY = timedelta(days=1)
PAIRS = ("instead", "role", "place")
Row = Mapping[str, Any]
Known = Sequence[tuple[str, str]]
"""Kinds and texts."""
Door = Callable[[Known, str, str], set[str]]
"""What is known, as what the next is put down, and what is said; which of the known holds after it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    parser.add_argument("--kind", choices=(*PAIRS, "until", "done"), default=None)
    asked = parser.parse_args()
    every = [row for row in rows(FOLDER / "holds.jsonl") if row["sort"] != "either"]
    every = [row for row in every if asked.kind in (None, row["kind"])]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=folder, tail_messages=1)
        et = everthread.connect(f"{folder}/a.db", background=False, settings=settings)
        agents = (et.agent(f"a{n}") for n in range(1_000_000))
        doors: dict[str, Door] = {"talk": by_talk, "remember": by_remember(agents)}
        for name, door in doors.items():
            show_pairs(name, every, door, misses=asked.misses)
        show_until(every, agents, misses=asked.misses)
        for name, talk in (("distilled", by_distilling), ("sessions", by_sessions)):
            show_done(name, every, lambda row, talk=talk: talk(next(agents), row), asked.misses)


def show_pairs(name: str, every: Sequence[Row], door: Door, *, misses: bool) -> None:
    sums = defaultdict[tuple[str, str], Counter[str]](Counter)
    pairs = [row for row in every if row["kind"] in PAIRS]
    for row in pairs:
        known = [(row["as"], text) for text in row["known"]] + beside(row, pairs)
        after = door(known, row["as"], row["said"])
        ends = None if row["ends"] is None else row["known"][row["ends"]]
        gone, count = {text for _, text in known} - after, sums[row["kind"], row["part"]]
        count["all"] += ends is not None
        count["found"] += ends in gone
        count["told"] += len(gone)
        if misses and row["part"] == "dev" and gone != ({ends} - {None}):
            print(
                f"  {name} {row['sort']:9} {row['said']} | {ends} | wrong: {sorted(gone - {ends})}"
            )
    for (kind, part), n in sorted(sums.items()):
        found = f"of {n['all']} {n['found']} found, {n['found']} of {n['told']} right"
        print(f"{name:9} {kind:8} {part:4}: {found}")


def beside(row: Row, every: Sequence[Row]) -> list[tuple[str, str]]:
    """What is known of the next topics of the same part, of whatever kind."""
    topics = {r["topic"]: r for r in every if r["part"] == row["part"]}
    names = [*topics]
    at = names.index(row["topic"])
    near = [*names[at + 1 :], *names[:at]][:BESIDE]
    return [(topics[name]["as"], text) for name in near for text in topics[name]["known"]]


def by_talk(known: Known, _: str, said: str) -> set[str]:
    stands = [Point(k, text, (key(n),), "user", n + 1, WEIGHT) for n, (k, text) in enumerate(known)]
    gleaner = Gleaner(EMPTY._replace(points=tuple(stands)))
    for n, text in enumerate(("Good morning.", said)):
        at = len(known) + 2 * n
        gleaner.read(message(at, {"speaker": "kim", "text": text}, n + 1))
        gleaner.read(message(at + 1, {"speaker": "assistant", "text": "Understood."}, n + 1))
    return {p.text for p in gleaner.digest().points if p.kind in {kind for kind, _ in known}}


def by_remember(agents: Iterator[Any]) -> Door:
    def door(known: Known, said_as: str, said: str) -> set[str]:
        agent = next(agents)
        for kind, text in known:
            agent.remember(text, kind=kind)
        agent.remember(said, kind=said_as)
        return {m.text for m in agent.memories()}

    return door


def show_until(every: Sequence[Row], agents: Iterator[Any], *, misses: bool) -> None:
    """A rule that is not drawn at all is neither: nobody was told it."""
    sums = defaultdict[str, Counter[str]](Counter)
    for row in (row for row in every if row["kind"] == "until"):
        agent, at = next(agents), ms_of(BEGAN + DAY * row["days"])
        talk = {"talk": [[["kim", row["said"]], ["assistant", "Understood."]]]}
        for entries in parts_of(talk):
            agent.record(entries)
            agent.conclude_session(agent.newest_session())
        drawn = [m for m in agent.memories(state="kept") if row["words"].lower() in m.text.lower()]
        over = bool(drawn) and not any(is_valid(m, at=at) for m in drawn)
        what, count = "over" if row["over"] else "holds", sums[row["part"]]
        count[f"all {what}"] += bool(drawn)
        count[what] += bool(drawn) and over == row["over"]
        if misses and row["part"] == "dev" and drawn and over != row["over"]:
            print(f"  until {row['sort']:9} {row['said']} | after {row['days']} days")
    for part, n in sorted(sums.items()):
        told = ", ".join(f"{w} {n[w]} of {n[f'all {w}']} drawn" for w in ("over", "holds"))
        print(f"sessions  until    {part:4}: {told}")


def show_done(name: str, every: Sequence[Row], talk: Callable[[Row], Any], misses: bool) -> None:  # noqa: FBT001 - one caller
    sums = defaultdict[str, Counter[str]](Counter)
    for row in (row for row in every if row["kind"] == "done"):
        memories = talk(row)
        for what, right in judged(row, memories):
            sums[row["part"]][what] += right
            sums[row["part"]][f"all {what}"] += 1
            if misses and row["part"] == "dev" and not right and what != "open told right":
                said = " / ".join(text for part in row["talk"] for _, text in part)
                print(f"  {name} {what}: {said[:200]}\n      {[*memories]}")
    for part, n in sorted(sums.items()):
        told = ", ".join(f"{w} {n[w]} of {n[f'all {w}']}" for w in ("done", "open"))
        print(f"{name:9} done     {part:4}: {told}")


if __name__ == "__main__":
    main()
