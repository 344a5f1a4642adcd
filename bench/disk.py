"""Bytes on disk for what was said."""

from __future__ import annotations

from pathlib import Path

from figures import Report
from stores import content_bytes, filled

COUNT = 10_000
SIZES = (60, 470, 1_200, 2_500, 6_000)
FACTOR = 1.5
PER_MESSAGE = 400


def bench(folder: Path, *, rounds: int) -> Report:
    count = COUNT if rounds >= 20 else COUNT // 5
    report = Report(
        f"disk: {count:,} messages; allowed {FACTOR} × content + {PER_MESSAGE} bytes a message"
    )
    for size in SIZES:
        content = content_bytes(count, size)
        allowed = FACTOR * content + PER_MESSAGE * count
        for ids in (False, True):
            used = _size(filled(folder / f"{size}-{ids}.db", count, size=size, ids=ids))
            name = f"{size:,} bytes each{', with external ids' if ids else ''}"
            over = (used - content) / count
            note = f"{used / count:,.0f} bytes a message, {over:,.0f} over the content"
            report.add(name, used / allowed, unit="of it", budget=1.0, note=note)
    return report


def _size(store: Path) -> int:
    """The store with everything that lies beside it."""
    return sum(p.stat().st_size for p in store.parent.glob(store.name + "*"))
