"""Where does an append spend its CPU? Layers by leaving each out in turn, then a profile.

    .venv/bin/python bench/profile_append.py [--rounds N] [--profile]

A layer's cost is what an append saves when the layer is replaced by a stub: no profiler, no
micro-benchmark in a warm loop. All variants run interleaved on stores of their own.
"""

from __future__ import annotations

import argparse
import cProfile
import pickle
import pstats
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from child import timed
from duel import Block, copy_store, interleaved
from stores import filled, quiet, taped
from tape import replay
from texts import messages

from everthread.domain.errors import StoreFailed
from everthread.services.archive import record as recording
from everthread.store import messages as message_table
from everthread.store import timeline
from everthread.store.sqlite.turnstile import OpenTurnstile

BLOCK = 25
HISTORY = 1_000
KEYS = count(0x7F << 120)


class Free:
    """A tokenizer that costs nothing."""

    def count(self, _text: str) -> int:
        return 118


class Variant:
    """The append path with one layer left out while `inside` is open."""

    def __init__(self, store: Path, inside: Callable[[Any], Any]) -> None:
        self._et = quiet(store)
        self._ada = self._et.agent("ada")
        self._number = self._ada.primary.message_count
        self._inside = inside

    def possible(self) -> bool:
        """Stubs reach into the code, and the code changes."""
        try:
            self.block(1)
        except (AttributeError, TypeError, StoreFailed):
            return False
        return True

    def block(self, count: int) -> list[int]:
        given = [[one] for one in messages(self._number, count)]
        self._number += count
        with self._inside(self._et.house):
            return timed(self._ada.record, given)


@contextmanager
def swapped(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """These attributes replaced; frozen values too."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    _put(*changes)
    try:
        yield
    finally:
        _put(*before)


def _put(*changes: tuple[Any, str, Any]) -> None:
    for owner, name, value in changes:
        put = setattr if isinstance(owner, ModuleType) else object.__setattr__
        put(owner, name, value)


def _ids(house: Any) -> Any:
    """Ids from a counter that begins after every real one."""
    salt = bytes(16)
    return swapped(
        (house.store._records.timeline, "salt", lambda: salt),
        (message_table, "message_id", lambda *_: next(KEYS).to_bytes(16, "big")),
    )


def _chain(_house: Any) -> Any:
    return swapped(
        (message_table, "message_digest", lambda *_: bytes(32)),
        (timeline, "link", lambda *_: bytes(32)),
    )


def _parsing(_house: Any) -> Any:
    """A ready draft that only takes its content from the entry, and counts its tokens still."""
    known: list[Any] = []

    def ready(*given: Any) -> Any:
        if not known:
            known.append(plain(*given))
        content = given[0]["content"]
        return known[0]._replace(content=content, tokens=given[2](content))

    plain = recording.draft_entry
    return swapped((recording, "draft_entry", ready))


def _straight(house: Any) -> Any:
    """No queue, no ticket, no lock: the transaction and nothing else."""
    writer = house.store._writer
    execute = writer._connection.execute

    def write(work: Callable[[], Any]) -> Any:
        execute("BEGIN IMMEDIATE")
        result = work()
        execute("COMMIT")
        return result

    return swapped((writer, "write", write))


LAYERS: dict[str, Callable[[Any], Any]] = {
    "everything": lambda _house: swapped(),
    "tokenise": lambda house: swapped((house, "tokenizer", Free())),
    "parse into a draft": _parsing,
    "ids and salt": _ids,
    "facts and two hashes": _chain,
    "turnstile (4 flocks)": lambda h: swapped((h.store._writer, "_turnstile", OpenTurnstile())),
    "writer and turnstile": _straight,
}


def _floor(folder: Path, base: Path, appends: int) -> Callable[[int], list[int]]:
    taped(copy_store(base, folder / "tape.db"), folder / "tape", appends)
    file = (folder / "tape").open("rb")
    head = pickle.load(file)
    connection = sqlite3.connect(copy_store(base, folder / "floor.db"), **head["options"])
    for pragma in head["pragmas"]:
        connection.execute(pragma)
    run = partial(replay, connection.execute)
    return lambda count: timed(run, [pickle.load(file) for _ in range(count)])


def layers(folder: Path, rounds: int) -> None:
    base = filled(folder / "base.db", HISTORY)
    variants: dict[str, Block] = {}
    for n, (name, inside) in enumerate(LAYERS.items()):
        variant = Variant(copy_store(base, folder / f"{n}.db"), inside)
        if variant.possible():
            variants[name] = variant.block
        else:
            print(f"{name}: its stub no longer fits the code; mend {Path(__file__).name}")
    variants["floor"] = _floor(folder, base, BLOCK * (rounds + 1))
    taken = interleaved(variants, rounds=rounds, block=BLOCK)
    whole, floor = (median(taken[name]) / 1000 for name in ("everything", "floor"))
    over = _saved(taken["everything"], taken["floor"])
    print(f"{'an append':<40}{whole:>8.1f} µs")
    print(f"{'floor: its statements alone':<40}{floor:>8.1f} µs   ratio {whole / floor:.2f}")
    print(f"{'over the floor':<40}{over:>8.1f} µs")
    rest = over
    for name in [n for n in variants if n not in ("everything", "floor")]:
        saved = _saved(taken["everything"], taken[name])
        print(f"    {name:<36}{saved:>8.1f} µs")
        rest -= 0.0 if name.startswith("turnstile") else saved
    print(f"    {'rest: values, dicts, calls':<36}{rest:>8.1f} µs")


def _saved(whole: list[int], less: list[int]) -> float:
    """The median over the rounds of how much less a block took: noise hits neighbours alike."""
    pairs = zip(batched(whole), batched(less), strict=True)
    return median(_quiet(a) - _quiet(b) for a, b in pairs) / 1000


def _quiet(taken: list[int]) -> float:
    """The lower quartile: neighbours only ever make things slower."""
    return sorted(taken)[len(taken) // 4]


def batched(taken: list[int]) -> list[list[int]]:
    return [taken[n : n + BLOCK] for n in range(0, len(taken), BLOCK)]


def profile(folder: Path, appends: int = 2_000) -> None:
    et = quiet(filled(folder / "profiled.db", HISTORY))
    ada = et.agent("ada")
    given = [[one] for one in messages(HISTORY, appends)]
    ada.record(messages(0, 1))
    profiler = cProfile.Profile()
    profiler.enable()
    for one in given:
        ada.record(one)
    profiler.disable()
    print(
        f"\nProfile of {appends:,} appends (its own cost is in it: read the order, not the times)"
    )
    pstats.Stats(profiler).sort_stats("tottime").print_stats(28)
    et.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--profile", action="store_true", help="cProfile too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="everthread-bench-") as folder:
        layers(Path(folder), asked.rounds)
        if asked.profile:
            profile(Path(folder))


if __name__ == "__main__":
    main()
