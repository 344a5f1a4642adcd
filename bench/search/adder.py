"""Our process for adding: what records a message, and what files it."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time_ns

import corpus
from child import serve, timed

import everthread
from everthread import Settings
from everthread.services.memory.index import catch_up

Entry = dict[str, str]


class Adder:
    def __init__(self, path: Path, history: int) -> None:
        self._et = everthread.connect(path, background=False, settings=Settings())
        self._ada = self._et.agent("ada")
        self._number = 0
        self._ada.record(self._next(history))
        self._file()

    def _next(self, count: int) -> list[Entry]:
        said = [corpus.text(n) for n in range(self._number, self._number + count)]
        self._number += count
        roles = ("user", "assistant")
        return [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]

    def _file(self) -> None:
        catch_up(self._et.house, self._ada.row)

    def record(self, count: int) -> list[int]:
        """Record one by one; nothing is filed."""
        taken = timed(self._ada.record, [[one] for one in self._next(count)])
        self._file()
        return taken

    def amortised(self, count: int) -> list[int]:
        """Record one by one, then file them all: the share of each."""
        given = [[one] for one in self._next(count)]
        start = process_time_ns()
        for one in given:
            self._ada.record(one)
        self._file()
        return [(process_time_ns() - start) // count]

    def each(self, count: int) -> list[int]:
        """Record and file, one by one: what a recall after every message makes of it."""
        return timed(self._filed, [[one] for one in self._next(count)])

    def bulk(self, count: int) -> list[int]:
        """Record all at once and file them: the share of each."""
        given = self._next(count)
        start = process_time_ns()
        self._filed(given)
        return [(process_time_ns() - start) // count]

    def recorded(self, count: int) -> list[int]:
        """The same without filing."""
        given = self._next(count)
        start = process_time_ns()
        self._ada.record(given)
        spent = process_time_ns() - start
        self._file()
        return [spent // count]

    def _filed(self, given: list[Entry]) -> None:
        self._ada.record(given)
        self._file()

    def close(self) -> None:
        self._et.close()


if __name__ == "__main__":
    adder = Adder(Path(sys.argv[1]), int(sys.argv[2]))
    names = "record amortised each bulk recorded"
    serve({name: getattr(adder, name) for name in names.split()})
    adder.close()
