"""Many at once: threads of one process, processes on one file. Figures to know, no budget.

Wall time counts here, so a busy machine shows.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

from duel import Child, copy_store
from figures import Report
from stores import filled, quiet
from texts import messages

HISTORY = 100
THREADS = (1, 4, 16)
PROCESSES = 8
SECONDS = 4.0


def bench(folder: Path, *, rounds: int) -> Report:
    report = Report("many at once (to know; wall time)")
    seconds = SECONDS if rounds >= 20 else SECONDS / 4
    base = filled(folder / "base.db", HISTORY)
    for count in THREADS:
        rate, cpu = _threads(copy_store(base, folder / f"{count}.db"), count, seconds)
        note = f"{cpu:.0f} µs CPU an append"
        report.add(f"{count} threads, one process", rate, unit="appends/s", note=note)
    _processes(report, copy_store(base, folder / "shared.db"), seconds)
    return report


def _threads(store: Path, count: int, seconds: float) -> tuple[float, float]:
    """Appends a second of wall time, and microseconds of CPU for each."""
    et = quiet(store)
    ada = et.agent("ada")
    given = messages(HISTORY, 64)
    ada.record(given[:1])
    done = [0] * count
    end = time.perf_counter() + seconds

    def run(which: int) -> None:
        while time.perf_counter() < end:
            ada.record([given[done[which] % len(given)]])
            done[which] += 1

    threads = [Thread(target=run, args=(n,)) for n in range(count)]
    cpu, wall = time.process_time(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    et.close()
    return sum(done) / wall, cpu / sum(done) * 1e6


def _processes(report: Report, store: Path, seconds: float) -> None:
    with ExitStack() as stack:
        crowd = [stack.enter_context(Child("ours.py", store)) for _ in range(PROCESSES)]
        for child in crowd:
            child.ask("append", count=2)
        before = crowd[0].ask("counted")
        for child in crowd:
            child.send("crowd", seconds=seconds)
        taken: list[list[int]] = [child.receive() for child in crowd]
        stored = crowd[0].ask("counted") - before
    counts = sorted(map(len, taken))
    every = sorted(ns for one in taken for ns in one)
    name = f"{PROCESSES} processes, one file"
    report.add(name, stored / seconds, unit="appends/s", note=f"{sum(counts) - stored} lost")
    report.add(f"{name}: slowest to fastest", counts[0] / counts[-1])
    report.add(f"{name}: p99", every[len(every) * 99 // 100] / 1e6, unit="ms")
    report.add(f"{name}: longest", every[-1] / 1e6, unit="ms")
