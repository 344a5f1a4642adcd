"""Print what a summary tells of the marked talks, and of what people changed in them.

Every talk is read and told in a quarter of its tokens, 1,600 at least, as a distillation would. A mark counts
as told where a line has its message among the sources, and its words, or most of them. `changed.jsonl` holds
what people said and changed later, with the words of both; where the earlier still holds it says `none`.

.venv/bin/python bench/acts/told.py
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from marked import FOLDER, rows

from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.distilling.summaries import Room, Summary, render
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.providers.tokenizer import BpeTokenizer

KINDS = ("decision", "standing", "open", "fact", "request", "done")
MOST = 0.7
"""Of a mark's words so many tell it."""

FLOOR, SHARE = 1_600, 4
GONE = ("replaced", "lifted", "taken back")

_WORD = re.compile(r"\w+")


def main() -> None:
    count = BpeTokenizer().count
    changed = defaultdict[str, list[dict[str, Any]]](list)
    for row in rows(FOLDER / "changed.jsonl"):
        changed[row["talk"]].append(row)
    for name in ("talks", "held"):
        told = Counter[str]()
        for file in sorted((FOLDER / name).glob("*.jsonl")):
            said = rows(file)
            shown = summary(said, count)
            told += told_marks(shown, said) + told_changes(shown, changed[file.stem])
        show(name, told)


def summary(said: Sequence[Mapping[str, Any]], count: Callable[[str], int]) -> Summary:
    gleaner = Gleaner()
    turn = 0
    for n, row in enumerate(said):
        turn += row["speaker"] != "assistant"
        gleaner.read(message(n, row, turn))
    whole = sum(count(row["text"]) for row in said)
    share = max(whole // SHARE, min(FLOOR, 2 * whole // 3))
    return render(gleaner.digest(), number=1, tokens=Room(share, whole), count=count)


def message(n: int, row: Mapping[str, Any], turn: int) -> Message:
    agent = row["speaker"] == "assistant"
    return Message(
        key=key(n),
        thread_ref=1,
        session_ref=1,
        turn_ref=turn,
        seq=n + 1,
        role="assistant" if agent else "user",
        kind="said",
        origin="agent" if agent else "user",
        source="turn",
        external_id=None,
        name=None if agent else row["speaker"],
        principal=None,
        archived=False,
        form=TEXT,
        content=row["text"],
        tokens=len(row["text"]) // 4,
        at_ms=1_000 * (n + 1),
        created_ms=1_000 * (n + 1),
        entry=n + 1,
    )


def key(n: int) -> bytes:
    return (n + 1).to_bytes(16, "big")


def told_marks(shown: Summary, said: Sequence[Mapping[str, Any]]) -> Counter[str]:
    found = Counter[str]()
    for n, row in enumerate(said):
        half = "first half" if 2 * n < len(said) else "second half"
        for mark in row["marks"]:
            found[f"{mark['kind']}, {half}"] += 1
            found[f"{mark['kind']}, {half}, told"] += is_told(shown, n, mark["span"])
    return found


def told_changes(shown: Summary, changed: Sequence[Mapping[str, Any]]) -> Counter[str]:
    found = Counter[str]()
    for row in changed:
        old = is_told(shown, row["old"], row["old_words"])
        if row["how"] == "none":
            found["unchanged"] += 1
            found["unchanged told"] += old
        elif row["how"] in GONE:
            new = is_told(shown, row["new"], row["new_words"])
            found["changed"] += 1
            found["old told"] += old
            found["new told"] += new
            found["old told alone"] += old and not new
    return found


def is_told(shown: Summary, n: int, span: str) -> bool:
    wanted = words(span)
    return any(
        key(n) in sources
        and (span.lower() in line.lower() or len(wanted & words(line)) >= MOST * len(wanted))
        for line, sources in shown.lines
    )


def words(text: str) -> set[str]:
    return {*_WORD.findall(text.lower())}


def show(name: str, told: Mapping[str, int]) -> None:
    print(f"{name}: of {told['changed']} things that were changed later")
    for what in ("old told", "new told", "old told alone"):
        print(f"  {what:16} {told[what]}")
    print(f"  of what holds on {told['unchanged told']} of {told['unchanged']} told")
    for line in halves(told):
        print(f"  {line}")


def halves(told: Mapping[str, int]) -> Iterator[str]:
    for kind in KINDS:
        parts = (f"{kind}, {half}" for half in ("first half", "second half"))
        yield f"{kind:10}" + ", then ".join(f"{told[f'{p}, told']} of {told[p]}" for p in parts)


if __name__ == "__main__":
    main()
