"""What else is good to know, without a budget: recall as a whole, the first one, the command."""

from __future__ import annotations

import subprocess
import time
from argparse import Namespace
from pathlib import Path
from statistics import median

from duel import Child, clean_env
from extras import COMMAND
from figures import Report

SIZE = 10_000
QUESTION = "where did we leave the parser"


def bench(folder: Path, asked: Namespace) -> Report:
    report = Report(f"also (to know), {SIZE:,} messages")
    count, times = (20, 3) if asked.quick else (100, 7)
    store = folder / "filled.db"
    with Child("search/keeper.py", store, SIZE, "off", "off") as keeper:
        keeper.ask("fill")
    for name, embedder in (("text alone", "off"), ("with vectors", "auto")):
        with Child("search/keeper.py", store, SIZE, "off", embedder) as keeper:
            first = keeper.ask("first")
            note = f"{first['wall'] / 1e6:.0f} ms of wall time"
            label = f"first recall after connect, {name}"
            report.add(label, first["cpu"] / 1e6, unit="ms CPU", note=note)
            keeper.ask("recall", count=5)
            report.sampled(f"ada.recall, {name}", keeper.ask("recall", count=count))
            if embedder == "auto":
                report.sampled("the question's vector alone", keeper.ask("vector", count=count))
    if COMMAND.exists():
        for embedder in ("off", "auto"):
            took = _command(store, embedder, times)
            report.add(f"everthread recall, embedder {embedder}", took, unit="ms of wall time")
    return report


def _command(store: Path, embedder: str, times: int) -> float:
    command = [str(COMMAND), "recall", QUESTION, "--store", str(store), "--agent", "ada", "--json"]
    env = clean_env() | {
        "EVERTHREAD_HOME": str(store.parent / "home"),
        "EVERTHREAD_EMBEDDER": embedder,
    }
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        taken.append((time.perf_counter() - start) * 1000)
    return median(taken)
