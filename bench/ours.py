"""Our process: the library as its users hold it, with default settings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

from child import serve, timed
from texts import messages, text

import everthread
from everthread import Settings
from everthread.services.archive.view import view_at, view_tokens


class Ours:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._et = everthread.connect(path, settings=Settings())
        self._ada = self._et.agent("ada")
        self._number = self._ada.primary.message_count

    def append(self, count: int, *, ids: bool = False) -> list[int]:
        given: list[Any] = messages(self._number, count)
        if ids:
            given = [one | {"id": f"ext-{self._number + n}"} for n, one in enumerate(given)]
        self._number += count
        return timed(self._ada.record, [[one] for one in given])

    def newest(self, count: int, limit: int) -> list[int]:
        return timed(lambda n: self._ada.messages(limit=n), [limit] * count)

    def within(self, count: int, tokens: int) -> list[int]:
        return timed(lambda n: self._ada.messages(tokens=n), [tokens] * count)

    def taken(self, tokens: int) -> int:
        """How many messages fit."""
        return len(self._ada.messages(tokens=tokens))

    def begin(self, count: int) -> list[int]:
        """Begin a turn; ending it is not counted."""
        given = [text(self._number + n) for n in range(count)]
        self._number += count
        return timed(self._ada.turn, given, after=lambda turn: turn.failed("measured"))

    def begin_alone(self, count: int) -> list[int]:
        """The same without recall and the worker, whose embedding would drown all else."""
        given = [text(self._number + n) for n in range(count)]
        self._number += count
        alone = everthread.connect(self._path, settings=Settings(recall="off"), background=False)
        with alone as engine:
            ada = engine.agent("ada")
            ada.turn(given[0]).failed("the first loads what a turn needs")
            return timed(ada.turn, given, after=lambda turn: turn.failed("measured"))

    def whole_turn(self, count: int) -> list[int]:
        """A turn from its beginning to its reply."""
        given = [(text(self._number + n), text(n)) for n in range(count)]
        self._number += count
        return timed(lambda pair: self._ada.turn(pair[0]).done(pair[1]), given)

    def context(self, count: int) -> list[int]:
        """The size of what a turn would send, read in a transaction of its own."""
        house, scope, thread = self._et.house, self._ada.scope, self._ada.primary.row

        def size(records: Any) -> int:
            version, last = thread.view_version, thread.last_seq
            view = view_at(records, scope, thread.ref, version=version, last=last)
            return view_tokens(records, scope, thread.ref, view)

        return timed(lambda _: house.store.read(size), range(count))

    def tool_result(self, count: int, size: int) -> dict[str, list[int]]:
        """A turn with a tool call whose result is large, step by step."""
        output = text(1, size)
        steps: dict[str, list[int]] = {}
        for number in range(count):
            call = {"type": "tool_use", "id": f"c{number}", "name": "look", "input": {"n": number}}
            turn = self._step(steps, "begin", lambda: self._ada.turn("Look it up, please."))
            self._step(steps, "add", lambda t=turn, c=call: t.add([c]))
            self._step(steps, "tool_result", lambda t=turn, c=call: t.tool_result(c["id"], output))
            self._step(steps, "messages", lambda t=turn: t.messages)
            self._step(steps, "done", lambda t=turn: t.done("That is what I found."))
        return steps

    def _step(self, steps: dict[str, list[int]], name: str, run: Callable[[], Any]) -> Any:
        start = process_time_ns()
        result = run()
        steps.setdefault(name, []).append(process_time_ns() - start)
        return result

    def crowd(self, seconds: float) -> list[int]:
        """Append without a pause for that long; wall nanoseconds of each."""
        given = messages(self._number, 50)
        end = perf_counter_ns() + int(seconds * 1e9)
        taken: list[int] = []
        while (start := perf_counter_ns()) < end:
            self._ada.record([given[len(taken) % len(given)]])
            taken.append(perf_counter_ns() - start)
        return taken

    def counted(self) -> int:
        return self._ada.primary.message_count

    def close(self) -> None:
        self._et.close()


if __name__ == "__main__":
    ours = Ours(Path(sys.argv[1]))
    names = (
        "append newest within taken begin begin_alone whole_turn context tool_result crowd counted"
    )
    serve({n: getattr(ours, n) for n in names.split()})
    ours.close()
