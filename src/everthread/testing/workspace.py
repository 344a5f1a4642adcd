"""The files of agents, in memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from everthread.domain.distilling.daily_files import (
    FOLDER,
    MEMORY,
    Change,
    by_hand,
    day_in,
    day_name,
    is_untouched,
    put_day,
    sections_in,
    with_managed,
    without_section,
)
from everthread.ports.workspace import Flush, FlushResult, Handwritten, WrittenSection

_MOST_PARTS = 100


class MemoryWorkspace:
    """Keeps what a workspace promises, without a disk. `files` and `trouble` are yours to change."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        """Texts by path; a path begins with `path(agent)`."""
        self.trouble: str | None = None
        """As long as this is set nothing can be written, and this is why."""
        self._lock = threading.Lock()

    def path(self, agent: str) -> str:
        return f"memory:{agent}"

    def write(self, agent: str, order: Flush) -> FlushResult:
        paths = self._days(agent, order.day)
        with self._lock:
            texts = [self.files.get(path) for path in paths]
            while texts and texts[-1] is None:
                texts.pop()
            at, change = put_day(texts, order.section, order.day)
            return self._keep(agent, order, {paths[at]: change})

    def withdraw(self, agent: str, order: Flush) -> FlushResult:
        with self._lock:
            paths = [path for path in self._days(agent, order.day) if path in self.files]
            changes = {path: without_section(self.files[path], order.receipt_id) for path in paths}
            return self._keep(agent, order, changes)

    def renew(self, agent: str, managed: str | None) -> FlushResult:
        if not self.there(agent):
            return FlushResult(ok=True)
        with self._lock:
            return self._keep(agent, Flush("", "", "", managed), {})

    def there(self, agent: str) -> bool:
        with self._lock:
            return any(path.startswith(f"{self.path(agent)}/") for path in self.files)

    def sections(self, agent: str) -> Sequence[WrittenSection]:
        if self.trouble is not None:
            raise OSError(f"cannot read {self.path(agent)}: {self.trouble}")
        folder = f"{self.path(agent)}/{FOLDER}/"
        with self._lock:
            files = {
                path[len(folder) :]: text
                for path, text in sorted(self.files.items())
                if path.startswith(folder)
            }
        dated = ((day_in(name), text) for name, text in files.items())
        return [
            WrittenSection(key, day, told, is_untouched(text, key))
            for day, text in dated
            if day is not None
            for key, told in sections_in(text)
        ]

    def handwritten(self, agent: str) -> Handwritten | None:
        if self.trouble is not None:
            raise OSError(f"cannot read {self.path(agent)}: {self.trouble}")
        text = by_hand(self.files.get(f"{self.path(agent)}/{MEMORY}", ""))
        return Handwritten(text, 0) if text.strip() else None

    def _days(self, agent: str, day: str) -> list[str]:
        folder = f"{self.path(agent)}/{FOLDER}"
        return [f"{folder}/{day_name(day, n)}" for n in range(1, _MOST_PARTS)]

    def _keep(self, agent: str, order: Flush, changes: dict[str, Change]) -> FlushResult:
        if self.trouble is not None:
            return FlushResult(ok=False, error=f"cannot write {self.path(agent)}: {self.trouble}")
        memory = f"{self.path(agent)}/{MEMORY}"
        changes[memory] = with_managed(self.files.get(memory), order.managed)
        for path, change in changes.items():
            if change.text is None:
                self.files.pop(path, None)
            else:
                self.files[path] = change.text
        return FlushResult(
            ok=True,
            paths=tuple(path for path, change in changes.items() if change.outcome != "absent"),
            edited=any(change.outcome == "edited" for change in changes.values()),
        )
