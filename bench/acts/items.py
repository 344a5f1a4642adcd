"""What is open at the end of a small talk, what is done, and what was never to be done.

`items.jsonl` holds talks of several walks of life, some in two parts with a week between them. Each names by
some of its words what is open at the end, what was open and is done, what never was, what was decided, what
only tells how something is, and what is another person's way. Topics are divided into `dev`, which may be
looked at, and `held`, of which nothing but the sums is printed; `seen` are talks of the latter that served as
examples when the forms were written.

    .venv/bin/python bench/acts/items.py [--misses]

Two doors are measured. `distilled`: all is one thread, distilled after each part. `sessions`: each part is a
session, which ends. Then the memories are listed; nothing is read but them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from marked import FOLDER, rows

import everthread
from everthread.settings import Settings

BEGAN = datetime(2025, 3, 3, 9, tzinfo=UTC)
GREETING = ("Good morning.", "Good morning, nice to hear from you.")
STORY = (
    "The fox went down to the water and drank. A heron stood there on one leg and said nothing. The fox "
    "asked whether the water was deep, and the heron looked at the sky. So the fox sat down as well, and "
    "both of them looked at the clouds for a long while. A leaf came down the stream and turned round and "
    "round. The wind lifted a feather, dropped it, and lifted it again. After that the light went slowly "
    "from yellow to red, and the frogs began to sing. The fox had never heard so many of them at once. It "
    "listened until the moon stood over the alders, and then it went home the way it had come. "
)
OTHER = (
    ("Tell me a story about a fox.", STORY * 3),
    (
        "Which river flows through Lisbon?",
        f"The Tagus does. Here is more of the story. {STORY * 3}",
    ),
)
LAST = ("What is the highest mountain in Austria?", "It is the Grossglockner.")
"""What is said before and after. A talk must be long for a distillation to be worth it; what a person said
last stays in the view, and is not read."""

OWN = ("preference", "rule", "identity")
"""Kinds of what is a person's own."""

Row = Mapping[str, Any]
Memories = Sequence[tuple[str, str]]
"""Kinds and texts."""

Door = Callable[[Row], Memories]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was wrong in dev")
    asked = parser.parse_args()
    every = rows(FOLDER / "items.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=folder, tail_messages=1)
        et = everthread.connect(f"{folder}/a.db", background=False, settings=settings)
        agents = iter(range(1_000_000))
        doors: dict[str, Door] = {
            "distilled": lambda row: by_distilling(et.agent(f"a{next(agents)}"), row),
            "sessions": lambda row: by_sessions(et.agent(f"a{next(agents)}"), row),
        }
        for name, door in doors.items():
            show(name, every, door, misses=asked.misses)


def show(name: str, every: Sequence[Row], door: Door, *, misses: bool) -> None:
    sums = defaultdict[str, Counter[str]](Counter)
    for row in every:
        memories = door(row)
        for what, right in judged(row, memories):
            sums[row["part"]][what] += right
            sums[row["part"]][f"all {what}"] += 1
            if misses and row["part"] == "dev" and not right:
                said = " / ".join(text for part in row["talk"] for _, text in part)
                print(f"  {name} {what}: {said[:300]}\n      {[*memories]}")
    for part, n in sorted(sums.items()):
        told = (w for w in n if not w.startswith("all "))
        print(f"{name:9} {part:4}: " + ", ".join(f"{w} {n[w]} of {n[f'all {w}']}" for w in told))


def judged(row: Row, memories: Memories) -> Iterator[tuple[str, bool]]:
    """Each thing that the row names, and each memory of what is open: is it as it should be?"""
    by_kind = defaultdict[str, list[str]](list)
    for kind, text in memories:
        by_kind[kind].append(text.lower())
    left, decided = by_kind["open_item"], by_kind["decision"]
    own = [text for kind in OWN for text in by_kind[kind]]
    for what, among, wanted in (
        ("open", left, True),
        ("done", left, False),
        ("never", left, False),
        ("decided", decided, True),
        ("undecided", decided, False),
        ("others", own, False),
    ):
        for words in row.get(what, ()):
            yield what, any(words.lower() in text for text in among) == wanted
    for text in left:
        yield "open told right", any(words.lower() in text for words in row.get("open", ()))


def by_distilling(agent: Any, row: Row) -> Memories:
    for entries in parts_of(row):
        for asked, told in zip(entries[::2], entries[1::2], strict=True):
            agent.turn(asked["content"]).done(told["content"])
        agent.distill()
    return holding(agent)


def by_sessions(agent: Any, row: Row) -> Memories:
    for entries in parts_of(row):
        agent.record(entries)
        agent.conclude_session(agent.newest_session())
    return holding(agent)


def holding(agent: Any) -> Memories:
    """What holds now: what ended is listed, too, with its end."""
    return [(m.kind, m.text) for m in agent.memories() if m.valid_to_ms is None]


def parts_of(row: Row) -> Iterator[list[dict[str, str]]]:
    """The parts as entries, each with something after it that is nothing of the kind."""
    for n, part in enumerate(row["talk"]):
        before = GREETING if n == 0 else ()
        texts = [*before, *(text for _, text in part), *OTHER[n], *LAST]
        at = BEGAN + timedelta(days=7 * n)
        yield [
            {
                "id": f"{n}.{i}",
                "role": ("user", "assistant")[i % 2],
                "content": text,
                "at": (at + timedelta(minutes=i)).isoformat(),
            }
            for i, text in enumerate(texts)
        ]


if __name__ == "__main__":
    main()
