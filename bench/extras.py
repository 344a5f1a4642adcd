"""What else is good to know, without a budget: starts, whole turns, a large tool result, verifying."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from duel import Child, clean_env, copy_store
from figures import Report
from stores import filled, quiet

HISTORY = 1_000
VERIFIED = 10_000
LARGE = 1_000_000
COMMAND = Path(sys.executable).with_name("everthread")


def bench(folder: Path, *, rounds: int) -> Report:
    report = Report("also (to know)")
    _starts(report, folder, times=max(5, rounds // 3))
    base = filled(folder / "base.db", HISTORY)
    with Child("ours.py", copy_store(base, folder / "turns.db")) as ours:
        ours.ask("whole_turn", count=5)
        report.sampled("a turn: begin and done", ours.ask("whole_turn", count=60))
    with Child("ours.py", copy_store(base, folder / "tools.db")) as ours:
        ours.ask("tool_result", count=1, size=100)
        for step, taken in ours.ask("tool_result", count=1, size=LARGE).items():
            report.sampled(f"a tool result of 1 MB: {step}", taken)
    _verify(report, filled(folder / "verified.db", VERIFIED))
    return report


def _starts(report: Report, folder: Path, *, times: int) -> None:
    python = [sys.executable, "-c"]
    commands: dict[str, Sequence[str]] = {
        "bare": [*python, "pass"],
        "import": [*python, "import everthread"],
        "connect": [*python, "import everthread; everthread.connect"],
    }
    if COMMAND.exists():
        commands["command"] = [str(COMMAND), "--version"]
    spent = _spent(commands, folder, times)
    bare = spent.pop("bare")
    name = "import everthread, over a bare interpreter"
    report.add(name, spent["import"] - bare, unit="ms CPU", note=f"bare {bare:.1f} ms")
    report.add("the same, with connect() loaded", spent["connect"] - bare, unit="ms CPU")
    if "command" in spent:
        report.add("everthread --version, over bare", spent["command"] - bare, unit="ms CPU")


def _spent(commands: Mapping[str, Sequence[str]], folder: Path, times: int) -> dict[str, float]:
    """Medians of CPU milliseconds, the commands in random order."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    order = list(commands)
    env = clean_env() | {"EVERTHREAD_HOME": str(folder / "home")}
    for _ in range(times + 1):
        random.shuffle(order)
        for name in order:
            process = subprocess.Popen(commands[name], env=env, stdout=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
            taken[name].append((usage.ru_utime + usage.ru_stime) * 1000)
    return {name: median(all_[1:]) for name, all_ in taken.items()}


def _verify(report: Report, store: Path) -> None:
    et = quiet(store)
    ada = et.agent("ada")
    start = time.process_time()
    et.verify(ada)
    took = time.process_time() - start
    et.close()
    report.add(f"verify {VERIFIED:,} messages", VERIFIED / took, unit="rows/s of CPU")
