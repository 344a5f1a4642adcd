"""Memory of the process that asks and of the worker; the index on disk."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from corpus import queries, text
from duel import Child
from figures import Report

SIZE = 100_000
ASKED = 30
LEARNT = 40
MORE, WORKER = 40.0, 400.0
TEXT, VECTOR = 2.0, 450.0


def bench(folder: Path, asked: Namespace) -> Report:
    size = SIZE // 10 if asked.quick else SIZE
    report = Report(f"sizes: {size:,} messages indexed; memory without mapped files (RssAnon)")
    store = folder / "filled.db"
    with Child("search/keeper.py", store, size, "off", "off") as keeper:
        content = keeper.ask("fill")["content"]
        disk = keeper.ask("index")
    _process(report, "text alone", store, size, ("off", "off"))
    _process(report, "a worker process embeds", store, size, ("process", "auto"))
    report.add("index on disk: text, to the content", disk["text"] / content, budget=TEXT)
    each = disk["vectors"] / size
    report.add("index on disk: vectors, a passage", each, unit="bytes", budget=VECTOR)
    _worker(report, store, size)
    return report


def _process(report: Report, name: str, store: Path, size: int, modes: tuple[str, str]) -> None:
    with Child("search/keeper.py", store, size, *modes) as keeper:
        before = keeper.ask("anonymous")["own"]
        keeper.ask("answer", texts=_questions(size))
        after = keeper.ask("settled" if modes[0] == "process" else "anonymous")
    note = f"{before / 1024:.0f} MB before its first recall"
    if after["worker"]:
        note += f"; worker, asked for vectors only: {after['worker'] / 1024:.0f} MB"
    more = (after["own"] - before) / 1024
    report.add(f"the process that asks, {name}", more, unit="MB more", budget=MORE, note=note)


def _worker(report: Report, store: Path, size: int) -> None:
    """What a worker does, in a process that is measured: file, embed, append, answer."""
    with Child("search/keeper.py", store, size, "off", "auto") as keeper:
        keeper.ask("learn", texts=[text(n) for n in range(LEARNT)])
        keeper.ask("answer", texts=_questions(size))
        used = keeper.ask("anonymous")["own"] / 1024
    note = f"after {LEARNT} texts embedded and {ASKED} recalls, all in one process"
    report.add("a worker with its model loaded", used, unit="MB", budget=WORKER, note=note)


def _questions(size: int) -> list[str]:
    return [query.text for query in queries(size, 0, ASKED)]
