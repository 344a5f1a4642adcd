"""Does it stay flat? The ratios to their floors at a hundred messages and at a hundred thousand."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from duel import Block, Child, copy_store, interleaved
from figures import Report
from stores import LIVE, filled, first_in_view, newest_query, taped

SMALL = 100
LARGE = 100_000
QUICK = 10_000
TOKENS = 32_000
BLOCK = 10
BUDGET = 1.3

LIVE_PLACES = "place BETWEEN (2 << 36) + :first AND (3 << 36) - 1"  # of the first thread
SUM = f"SELECT sum(tokens) FROM messages WHERE {LIVE_PLACES}"


class Pair(NamedTuple):
    """We and the floor, on stores of the same content."""

    size: int
    ours: Child
    floor: Child
    view_from: int


def bench(folder: Path, *, rounds: int) -> Report:
    large = LARGE if rounds >= 20 else QUICK
    report = Report(f"growth: {SMALL} and {large:,} messages")
    with ExitStack() as stack:
        pairs = [_pair(folder, size, stack) for size in (SMALL, large)]
        _measure(report, "assembling 32,000 tokens", pairs, _assemble, rounds=rounds)
        _measure(report, "context size", pairs, _context, rounds=rounds)
        few = max(4, rounds // 6)
        _measure(report, "beginning a turn, without recall", pairs, _begin_alone, rounds=few)
        _measure(report, "beginning a turn", pairs, _begin, rounds=few)
    return report


def _pair(folder: Path, size: int, stack: ExitStack) -> Pair:
    base = filled(folder / f"{size}.db", size, batch=LIVE)
    first = first_in_view(base)
    taped(base, folder / f"{size}.tape", 0)
    other = copy_store(base, folder / f"{size}-floor.db")
    ours = stack.enter_context(Child("ours.py", base))
    floor = stack.enter_context(Child("floor.py", other, folder / f"{size}.tape"))
    return Pair(size, ours, floor, first)


def _assemble(pair: Pair) -> tuple[Block, Block]:
    taken = pair.ours.ask("taken", tokens=TOKENS)
    query = newest_query(taken)
    return pair.ours.block("within", tokens=TOKENS), pair.floor.block("fetch", **query)


def _context(pair: Pair) -> tuple[Block, Block]:
    floor = pair.floor.block("fetch", sql=SUM, values={"first": pair.view_from})
    return pair.ours.block("context"), floor


def _begin_alone(pair: Pair) -> tuple[Block, Block]:
    return pair.ours.block("begin_alone"), pair.floor.block("begin", first=pair.view_from)


def _begin(pair: Pair) -> tuple[Block, Block]:
    return pair.ours.block("begin"), pair.floor.block("begin", first=pair.view_from)


def _measure(
    report: Report,
    what: str,
    pairs: list[Pair],
    blocks: Callable[[Pair], tuple[Block, Block]],
    *,
    rounds: int,
) -> None:
    competitors: dict[str, Block] = {}
    for pair in pairs:
        ours, floor = blocks(pair)
        competitors[f"{what}, {pair.size:,}: ours"] = ours
        competitors[f"{what}, {pair.size:,}: floor"] = floor
    taken = interleaved(competitors, rounds=rounds, block=BLOCK)
    small, small_floor, large, large_floor = (report.sampled(n, taken[n]) for n in taken)
    before, after = small / small_floor, large / large_floor
    note = f"to the floor: {before:.2f} x small, {after:.2f} x large"
    report.add(what, after / before, budget=BUDGET, note=note)
