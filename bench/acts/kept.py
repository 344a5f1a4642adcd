"""Print which of the marked things become memories, and how many memories of people are none of them.

Every talk is read as one session that ends, and what it is worth is drawn as a distillation would. A mark
is kept where a memory has its message among the sources, and its words, or most of them. A memory is marked
where it keeps a mark, or holds no word beyond one; what nobody marked may be true and yet not worth keeping.

.venv/bin/python bench/acts/kept.py [--misses]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from marked import FOLDER, rows
from told import KINDS, MOST, key, message, words

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import Fact, memories_of
from everthread.domain.gleaning.gleaner import Gleaner

HERS = ("fact", "decision", "standing", "open", "correction")
"""Marks of what a person tells that is worth a memory; a request is not."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--misses", action="store_true", help="print what was not kept, and what nobody marked"
    )
    asked = parser.parse_args()
    for name in ("talks", "held", "fresh"):
        found = Counter[str]()
        for file in sorted((FOLDER / name).glob("*.jsonl")):
            said = rows(file)
            memories = drawn(said)
            found += counted(said, memories)
            if asked.misses:
                show_misses(file.stem, said, memories)
        show(name, found)


def drawn(said: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """The memories of a talk whose words are people's."""
    gleaner = Gleaner()
    turn = 0
    for n, row in enumerate(said):
        turn += row["speaker"] != "assistant"
        gleaner.read(message(n, row, turn))
    return [fact for fact in memories_of(EMPTY, gleaner.digest()) if fact.by == "user"]


def counted(said: Sequence[Mapping[str, Any]], memories: Sequence[Fact]) -> Counter[str]:
    found = Counter[str]()
    for n, mark in marks(said):
        found[mark["kind"]] += 1
        found[f"{mark['kind']} kept"] += any(keeps(fact, n, mark["span"]) for fact in memories)
    for fact in memories:
        found[f"memories, {fact.kind}"] += 1
        found[f"marked, {fact.kind}"] += is_marked(fact, said)
    return found


def marks(said: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, str]]]:
    for n, row in enumerate(said):
        if row["speaker"] != "assistant":
            yield from ((n, mark) for mark in row["marks"])


def keeps(fact: Fact, n: int, span: str) -> bool:
    wanted = words(span)
    if key(n) not in fact.sources:
        return False
    return span.lower() in fact.text.lower() or len(wanted & words(fact.text)) >= MOST * len(wanted)


def is_marked(fact: Fact, said: Sequence[Mapping[str, Any]]) -> bool:
    own = words(fact.text)
    return any(
        mark["kind"] in HERS
        and key(n) in fact.sources
        and (keeps(fact, n, mark["span"]) or own <= words(mark["span"]))
        for n, mark in marks(said)
    )


def show(name: str, found: Mapping[str, int]) -> None:
    print(name)
    for kind in KINDS:
        print(f"  {kind:10} kept {found[f'{kind} kept']} of {found[kind]}")
    kinds = sorted(each.partition(", ")[2] for each in found if each.startswith("memories, "))
    for kind in kinds:
        print(
            f"  memories, {kind:11} marked {found[f'marked, {kind}']} of {found[f'memories, {kind}']}"
        )
    every = [sum(found[f"{what}, {kind}"] for kind in kinds) for what in ("marked", "memories")]
    print(f"  all memories of people: marked {every[0]} of {every[1]}")


def show_misses(talk: str, said: Sequence[Mapping[str, Any]], memories: Sequence[Fact]) -> None:
    for n, mark in marks(said):
        if mark["kind"] in HERS and not any(keeps(fact, n, mark["span"]) for fact in memories):
            print(f"{talk} not kept  {mark['kind']:9} {mark['span'][:140]}")
    for fact in memories:
        if not is_marked(fact, said):
            print(f"{talk} no mark   {fact.kind:9} {fact.text[:140]}")


if __name__ == "__main__":
    main()
