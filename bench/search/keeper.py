"""A store as in life: messages recorded through the public face, filed, their vectors given.

Filled by a process of its own, which tells what that cost, answers recalls, and tells its memory.
What makes texts is loaded where it is needed: numpy is part of what a recall costs.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

from child import serve, timed

import everthread
from everthread import Settings
from everthread.domain.ids import LANE
from everthread.providers.embedder import NAME
from everthread.services.memory.index import catch_up, follow

BATCH = 1_000
ROLES = ("user", "assistant")


class Keeper:
    def __init__(self, path: Path, size: int, worker: str, embedder: str) -> None:
        self._size = size
        self._asked = 0
        settings = Settings(worker=worker, embedder=embedder, embedder_wait_ms=5_000)
        background = worker == "process"
        self._et = everthread.connect(path, background=background, settings=settings)
        self._ada = self._et.agent("ada")

    def fill(self) -> dict[str, float]:
        """Seconds of CPU for recording, for filing, for vectors that are given; bytes of content."""
        from corpus import chunks

        parts = {"record": 0, "words": 0, "vectors": 0}
        wall = content = 0
        for first, texts, rows in chunks(self._size):
            content += sum(len(text.encode()) for text in texts)
            start = perf_counter_ns()
            for at in range(0, len(texts), BATCH):
                some = texts[at : at + BATCH]
                given = [{"role": ROLES[n % 2], "content": one} for n, one in enumerate(some)]
                parts["record"] += _spent(self._ada.record, given)
            parts["words"] += _spent(catch_up, self._et.house, self._ada.row)
            parts["vectors"] += _spent(self._embed, first, rows)
            wall += perf_counter_ns() - start
        self._et.house.store.settle()
        seconds = {name: value / 1e9 for name, value in parts.items()}
        cpu = sum(seconds.values())
        return {**seconds, "wall": wall / 1e9, "cpu": cpu, "content": content}

    def _embed(self, first: int, rows: Any) -> None:
        import numpy as np

        catalogue = self._et.house.index.of(self._ada.row)
        waiting = catalogue.unembedded(NAME, limit=len(rows))
        numbers = np.array(waiting) % LANE - 1 - first
        vectors = [(card, rows[n : n + 1]) for card, n in zip(waiting, numbers, strict=True)]
        catalogue.embed(NAME, vectors)

    def recall(self, count: int) -> list[int]:
        return timed(lambda query: self._ada.recall(query.text), self._queries(count))

    def vector(self, count: int) -> list[int]:
        """The question's vector alone."""
        embedder = self._et.house.embedder
        assert embedder is not None, "the extra `embed` is not installed"
        return timed(lambda query: embedder.ask(query.text), self._queries(count))

    def first(self) -> dict[str, float]:
        """The first recall of a process: what it loads, too."""
        (query,) = self._queries(1)
        start, spent = perf_counter_ns(), process_time_ns()
        self._ada.recall(query.text)
        return {"wall": perf_counter_ns() - start, "cpu": process_time_ns() - spent}

    def answer(self, texts: list[str]) -> int:
        """Recall these; how many hits that were."""
        return sum(len(self._ada.recall(text)) for text in texts)

    def _queries(self, count: int) -> Any:
        from corpus import queries

        self._asked += count
        return queries(self._size, self._asked - count, count)

    def index(self) -> dict[str, int]:
        """Bytes on disk, by what they are."""
        catalogue = self._et.house.index.of(self._ada.row)
        catalogue.file([], threads={})
        catalogue.settle()
        sizes = {"text": 0, "vectors": 0}
        for file in Path(f"{sys.argv[1]}-index").iterdir():
            kind = "vectors" if re.search(r"\.(ids|bits|codes)$", file.name) else "text"
            sizes[kind] += file.stat().st_size
        return sizes

    def embedded(self, count: int) -> dict[str, float]:
        """Seconds of wall time for each of so many more, recorded, filed and embedded by the model."""
        from corpus import chunks

        from everthread.providers.embedder import MiniLm

        model = MiniLm(idle_seconds=600)
        model.embed(["The model loads before anything is measured."])
        _, texts, _ = next(iter(chunks(self._size)))
        start = perf_counter_ns()
        self._ada.record([{"role": "user", "content": f"Again: {one}"} for one in texts[:count]])
        catch_up(self._et.house, self._ada.row)
        model.embed([f"Again: {one}" for one in texts[:count]])
        return {"wall": (perf_counter_ns() - start) / 1e9 / count}

    def learn(self, texts: list[str]) -> int:
        """Record some more and embed them, with the model that the process has."""
        self._ada.record([{"role": "user", "content": text} for text in texts])
        return follow(self._et.house, self._ada.row)

    def anonymous(self) -> dict[str, int]:
        """Kilobytes of this process and of its children that are no mapped files."""
        tasks = Path("/proc/self/task").glob("*/children")  # a worker may be a thread's child
        children = [child for task in tasks for child in task.read_text().split()]
        return {"own": _anonymous("self"), "worker": sum(map(_anonymous, children))}

    def settled(self) -> dict[str, int]:
        """The same once a worker had time to do what it does."""
        deadline, seen = time.monotonic() + 20, self.anonymous()
        while time.monotonic() < deadline:
            time.sleep(1.5)
            now = self.anonymous()
            if now["worker"] and abs(now["worker"] - seen["worker"]) < 512:
                break
            seen = now
        return self.anonymous()

    def close(self) -> None:
        self._et.close()


def _spent(run: Any, *given: Any) -> int:
    start = process_time_ns()
    run(*given)
    return process_time_ns() - start


def _anonymous(process: str) -> int:
    told = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+) kB", told)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    keeper = Keeper(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
    names = "fill embedded recall answer vector first index learn anonymous settled"
    serve({name: getattr(keeper, name) for name in names.split()})
    keeper.close()
