"""Bytes on disk for what was said."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import Report
from stores import BATCH, content_bytes, filled, recorded
from texts import message

COUNT = 10_000
SIZES = (60, 470, 1_200, 2_000, 2_500, 4_000, 6_000)
FACTOR = 1.5
PER_MESSAGE = 400
DATA = "EVERTHREAD_TEST_DATA"


def bench(folder: Path, *, rounds: int) -> Report:
    count = COUNT if rounds >= 20 else COUNT // 5
    report = Report(
        f"disk: {count:,} messages; allowed {FACTOR} × content + {PER_MESSAGE} bytes a message"
    )
    for size in SIZES:
        content = content_bytes(count, size)
        for ids in (False, True):
            used = _size(filled(folder / f"{size}-{ids}.db", count, size=size, ids=ids))
            name = f"{size:,} bytes each{', with external ids' if ids else ''}"
            _add(report, name, used, content, count)
    _add_transcripts(report, folder, count)
    return report


def _add(report: Report, name: str, used: int, content: int, count: int) -> None:
    allowed = FACTOR * content + PER_MESSAGE * count
    over = (used - content) / count
    note = f"{used / count:,.0f} bytes a message, {over:,.0f} over the content"
    report.add(name, used / allowed, unit="of it", budget=1.0, note=note)


def _add_transcripts(report: Report, folder: Path, count: int) -> None:
    """Mixed lengths as they come in coding sessions; and those sessions themselves."""
    place = os.environ.get(DATA)
    if not place or not (Path(place) / "transcripts").is_dir():
        skipped = (
            f"lengths as in the transcripts: skipped, {DATA} names no folder with transcripts/"
        )
        report.add(skipped, 0, unit="")
        return
    said = _transcripts(Path(place))
    lengths = [len(one["content"].encode()) for one in said]
    mixed = [message(n, lengths[n % len(lengths)]) for n in range(count)]
    empty = _size(recorded(folder / "empty.db", []))
    for name, given, base in (
        ("lengths as in the transcripts", mixed, 0),
        ("the transcripts themselves, without the empty store", said, empty),
    ):
        batches = [given[n : n + BATCH] for n in range(0, len(given), BATCH)]
        used = _size(recorded(folder / f"{len(report.lines)}.db", batches)) - base
        content = sum(len(one["content"].encode()) for one in given)
        _add(report, name, used, content, len(given))


def _transcripts(place: Path) -> Sequence[dict[str, Any]]:
    sys.path.append(str(Path(__file__).with_name("recall")))
    import coding

    return [
        {"role": "assistant" if said.role == "assistant" else "user", "content": said.content}
        for talk in coding.load(place)
        for said in talk.said
    ]


def _size(store: Path) -> int:
    """The store with everything that lies beside it."""
    return sum(p.stat().st_size for p in store.parent.glob(store.name + "*"))
