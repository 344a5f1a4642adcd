"""The search itself, the query already embedded: ours over the floor, at every size."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from duel import Child, interleaved
from figures import Report

WHOLE = {10_000: 2.0, 100_000: 1.2, 1_000_000: 0.5}
TEXT = 1.2
BLOCK = 5
FLOOR = ("text", "vectors", "whole")
OURS = ("text", "words", "nearest", "whole")


def bench(folder: Path, asked: Namespace) -> Report:
    report = Report("search: words and vectors, fused; the question's vector is given")
    for size in asked.sizes:
        rounds = 4 if asked.quick else 8 if size >= 1_000_000 else 24
        _measure(report, folder, size, rounds)
    return report


def _measure(report: Report, folder: Path, size: int, rounds: int) -> None:
    with (
        Child("search/plain.py", folder / f"plain-{size}.db", size) as floor,
        Child("search/asker.py", folder / f"ours-{size}.db", size) as ours,
    ):
        floor.send("fill")
        spent = ours.ask("fill")
        bare = floor.receive()
        taken = interleaved(
            {f"floor: {name}": floor.block(name) for name in FLOOR}
            | {f"ours: {name}": ours.block(name) for name in OURS},
            rounds=rounds,
            block=BLOCK,
        )
    for name, samples in taken.items():
        report.sampled(_at(size, name), samples)
    _ratio(report, size, "the whole search, to the floor", ("whole", "whole"), WHOLE.get(size))
    _ratio(report, size, "text alone, to bare FTS5", ("text", "text"), TEXT)
    _ratio(report, size, "text alone with all that ranking adds", ("words", "text"))
    note = f"vectors {spent['vectors'] / size * 1e6:.0f} µs each; FTS5 {bare / size * 1e6:.0f} µs"
    each = spent["words"] / size * 1e6
    report.add(_at(size, "filing a card"), each, unit="µs CPU", note=note)


def _at(size: int, name: str) -> str:
    return f"{size:,}: {name}"


def _ratio(
    report: Report, size: int, name: str, pair: tuple[str, str], budget: float | None = None
) -> None:
    ours, floor = pair
    of, to = _at(size, f"ours: {ours}"), _at(size, f"floor: {floor}")
    report.ratio(_at(size, name), of, to, budget=budget)
