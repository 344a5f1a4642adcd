"""What failed in the spool, from one look at it to the next: how often, and when it is tried again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from .places import Places

log = logging.getLogger("everthread.daemon")

TRIES = 3
"""So often an event may fail before it is set aside."""
REST, LONGEST_REST = 2.0, 60.0
"""Seconds until an event that failed often, and may not be to blame for it, is tried again: each time
twice as many, up to so many."""


class Failure(NamedTuple):
    times: int
    due: float
    error: str
    taken: int
    """How many events the store had taken by then."""


class Retries:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, Failure] = {}
        self._lines: dict[str, str] = {}
        self._deaths: dict[str, int] | None = None
        self._said = ""
        self.lock = threading.Lock()
        """Held by whoever looks at the spool."""

    def __len__(self) -> int:
        return len(self._failed)

    def often(self, name: str) -> bool:
        return name in self._failed and self._failed[name].times >= TRIES

    def due(self, name: str) -> bool:
        """Is it to be tried now, though nothing shows that it would succeed?"""
        return not self.often(name) or self._clock() >= self._failed[name].due

    def alone(self, name: str, taken: int) -> bool:
        """Has the store taken others since this one failed last? So many it took up to now."""
        return name in self._failed and taken > self._failed[name].taken

    def failed(self, name: str, error: Exception, taken: int = 0) -> None:
        times = self._failed[name].times + 1 if name in self._failed else 1
        rest = min(LONGEST_REST, REST * 2.0 ** min(times - TRIES, 10))
        told = f"{type(error).__name__}: {error}"
        self._failed[name] = Failure(times, self._clock() + rest, told, taken)

    def over(self, name: str) -> None:
        self._failed.pop(name, None)
        self._lines.pop(name, None)

    def only(self, names: Iterable[str]) -> None:
        """Nothing but these is left; others may have taken the rest."""
        for name in {*list(self._failed), *list(self._lines)}.difference(names):
            self.over(name)

    def line(self, name: str, find: Callable[[str], str]) -> str:
        """The line that an event stands in; found once, since that means to read it."""
        if name not in self._lines:
            self._lines[name] = find(name)
        return self._lines[name]

    def stuck(self, names: Iterable[str]) -> tuple[int, str]:
        """How many of these failed often and still wait, and what kept one of them."""
        errors = [self._failed[name].error for name in names if self.often(name)]
        return len(errors), errors[0] if errors else ""

    def say(self, text: str) -> None:
        """Log it, but not with every look."""
        if text and text != self._said:
            log.warning("%s", text)
        self._said = text

    # An event at which the daemon itself ends fails too, and nobody is left to count it.

    def begin(self, places: Places, name: str) -> None:
        """Leave word of what is tried now, for the daemon after us."""
        deaths = (self._deaths or {}).get(name, 0)
        with suppress(OSError):  # a full disk keeps nobody from trying
            places.replaying.write_text(f"{name} {deaths}", "utf-8")

    def leave(self, places: Places) -> None:
        with suppress(OSError):
            places.replaying.unlink(missing_ok=True)

    def fatal(self, places: Places) -> str:
        """The event at which so many daemons in a row ended; looked up once."""
        if self._deaths is not None:
            return ""
        self._deaths = {}
        try:
            name, _, before = places.replaying.read_text("utf-8").partition(" ")
            deaths = int(before) + 1
        except (OSError, ValueError):
            return ""
        self._deaths[name] = deaths
        return name if deaths >= TRIES and name[:1].isdigit() and "/" not in name else ""
