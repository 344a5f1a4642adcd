"""How the tests are handed out to the workers of one run.

One by one, as `--dist loadgroup` does it, with three exceptions. Those of a file of the quick run are so
short that to send for each takes as long as many of them, so they go together. So do the cases of one
test: what it loads and keeps is there for the second of them. And where a file makes something for all of
its tests, they go together too: it is made once, and not by every worker.

The largest sheaves are handed out first, so at the end of a run only single tests are left.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import Scheduling
    from xdist.workermanage import WorkerController

LIST = Path(__file__).resolve().parent.parent / "quick"


@functools.cache
def short_files() -> frozenset[str]:
    """The files of the quick run, as they are called in the names of tests."""
    lines = (line.partition("#")[0] for line in LIST.read_text().splitlines())
    return frozenset(f"{LIST.parent.name}/{name}" for line in lines for name in line.split())


SHARED = re.compile(
    r'scope="module"|^from support\.(?:daemon|stores) import .*\b(?:standing|furnished)\b',
    re.MULTILINE,
)


@functools.cache
def shares(file: str) -> bool:
    """Is something made there for all tests of the file?"""
    return SHARED.search((LIST.parent.parent / file).read_text("utf-8")) is not None


def bundle(name: str) -> str:
    """With which others a test goes: with its file, or with the other cases of it."""
    file = name.partition("::")[0]
    return file if file in short_files() or shares(file) else name.partition("[")[0]


class Numbered(list[str]):
    """The tests of a worker, whose numbers are known: a list looks through all before it, for each."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._numbers = {name: number for number, name in reversed([*enumerate(names)])}

    def index(self, name: str, *_: SupportsIndex) -> int:  # type: ignore[override]
        return self._numbers[name]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling | None:
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Sheaves(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            return bundle(nodeid) if scope == nodeid else scope

        def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
            super().add_node_collection(node, collection)
            if node in self.registered_collections:
                self.registered_collections[node] = Numbered(collection)

        def mark_test_complete(
            self, node: WorkerController, item_index: int, duration: float = 0
        ) -> None:
            # What is done with is counted again for each test of the run, if it stays in the books.
            done = self.registered_collections[node][item_index]
            scope = self._split_scope(done)
            work = self.assigned_work[node]
            work[scope][done] = True
            if all(work[scope].values()):
                del work[scope]
            self._reschedule(node)

    return Sheaves(config, log)
