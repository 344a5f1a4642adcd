"""What became of the events: counts and the last of each kind, in one small file that `doctor` reads."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from everthread.domain.redaction.secrets import strip_secrets

from .places import Places

EVERY = 2.0
"""Seconds between two writings of the file: it is a trace, not a record."""
DAY = 86_400.0
LONGEST_ERROR = 300
MOST_NAMES = 40
"""Harnesses and events that are told apart; who invents more names finds them under `other`."""


@dataclass
class HarnessTrace:
    """The events of one harness."""

    answered: int = 0
    failed: int = 0
    late: int = 0
    last: dict[str, float] = field(default_factory=dict[str, float])
    """When each kind of event was last answered, in seconds since 1970."""
    error: str = ""
    error_event: str = ""
    error_at: float = 0.0
    errors: int = 0
    """How many failed since then, with less than a day between two of them."""
    error_since: float = 0.0


@dataclass
class TraceReport:
    """All of it."""

    harnesses: dict[str, HarnessTrace] = field(default_factory=dict[str, HarnessTrace])
    torn: int = 0
    """Spooled events that could not be read, set aside in spool/torn."""
    torn_at: float = 0.0
    """When the last one was, in seconds since 1970; so with all `_at`."""
    failed: int = 0
    """Spooled events that failed each time, set aside in spool/failed."""
    failed_at: float = 0.0
    stuck: int = 0
    """Spooled events that failed often, and are still tried."""
    stuck_error: str = ""
    drained: int = 0
    dropped: int = 0
    """Events that the spool did not take: it was full, or could not be written."""
    dropped_at: float = 0.0
    unanswered: int = 0
    """Events that the daemon at EVERTHREAD_URL did not take."""
    unanswered_at: float = 0.0
    waiting: int = 0
    """Events in the spool."""
    cut: int = 0
    """Events so large that only their beginning was carried."""
    cut_at: float = 0.0
    start_failure: str = ""
    """Why the daemon did not come up when it was last tried."""
    trouble: str = ""
    """What keeps the daemon that runs from its work: a store that cannot be opened."""
    damaged: str = ""
    """That the file itself cannot be read: what it told is lost."""


def read_trace(home: Path) -> TraceReport:
    """What is known, also where no daemon runs. A damaged file is told as `damaged`."""
    places = Places(home)
    traced = TraceReport()
    try:
        found = cast("dict[str, Any]", json.loads(places.trace.read_bytes()))
        seen = cast("Mapping[str, Mapping[str, Any]]", found["harnesses"])
        traced.harnesses = {name: HarnessTrace(**facts) for name, facts in seen.items()}
        traced.torn, traced.drained = int(found.get("torn", 0)), int(found.get("drained", 0))
        traced.failed, traced.failed_at = int(found.get("failed", 0)), found.get("failed_at", 0.0)
        traced.torn_at = found.get("torn_at", 0.0)
        traced.cut, traced.cut_at = int(found.get("cut", 0)), found.get("cut_at", 0.0)
        traced.stuck = int(found.get("stuck", 0))
        traced.stuck_error = str(found.get("stuck_error", ""))
        traced.start_failure = str(found.get("start_failure", ""))
        traced.trouble = str(found.get("trouble", ""))
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        traced.damaged = f"{places.trace} cannot be read; it is written anew with the next event"
    traced.dropped, traced.dropped_at = _count_in(places.dropped)
    traced.unanswered, traced.unanswered_at = _count_in(places.unanswered)
    traced.waiting = len(waiting_events(places))
    return traced


def waiting_events(places: Places) -> list[str]:
    """The names of the events in the spool, in the order in which they came."""
    try:
        return sorted(name for name in os.listdir(places.spool) if name[:1].isdigit())  # noqa: PTH208 - names only
    except OSError:
        return []


def _count_in(path: Path) -> tuple[int, float]:
    """Of a file with a byte for each: how many, and when the last one was."""
    try:
        seen = path.stat()
    except OSError:
        return 0, 0.0
    return seen.st_size, seen.st_mtime


class Trace:
    """The daemon's own: it counts, and writes now and then."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._kept = read_trace(places.home)
        self._changed = bool(self._kept.start_failure or self._kept.trouble)
        self._kept.start_failure = self._kept.trouble = ""
        self._lock = threading.Lock()
        self._written = 0.0

    def answered(self, harness: str, event: str) -> None:
        with self._lock:
            seen = self._of(harness)
            seen.answered += 1
            known = event if event in seen.last or len(seen.last) < MOST_NAMES else "other"
            seen.last[known] = time.time()
            self._changed = True

    def failed(self, harness: str, event: str, error: BaseException) -> None:
        with self._lock:
            seen, now = self._of(harness), time.time()
            seen.failed += 1
            if now - seen.error_at > DAY or not seen.errors:
                seen.errors, seen.error_since = 0, now
            seen.errors += 1
            text = strip_secrets(f"{type(error).__name__}: {error}")[:LONGEST_ERROR]
            seen.error, seen.error_event, seen.error_at = text, event[:80], now
            self._changed = True

    def late(self, harness: str, _event: str) -> None:
        with self._lock:
            self._of(harness).late += 1
            self._changed = True

    def trouble(self, text: str) -> bool:
        """What keeps us from work, nothing if empty. Is that new?"""
        with self._lock:
            new = strip_secrets(text)[:LONGEST_ERROR]
            changed, self._kept.trouble = new != self._kept.trouble, new
            self._changed = self._changed or changed
            return changed

    def set_aside(self, *, torn: bool) -> None:
        """A spooled event cannot be read, or failed each time."""
        with self._lock:
            if torn:
                self._kept.torn, self._kept.torn_at = self._kept.torn + 1, time.time()
            else:
                self._kept.failed, self._kept.failed_at = self._kept.failed + 1, time.time()
            self._changed = True

    def stuck(self, number: int, error: str) -> None:
        """So many spooled events failed often, and are still tried."""
        told = strip_secrets(error)[:LONGEST_ERROR]
        with self._lock:
            if (number, told) != (self._kept.stuck, self._kept.stuck_error):
                self._kept.stuck, self._kept.stuck_error = number, told
                self._changed = True

    def cut(self) -> None:
        """Of an event only the beginning came."""
        with self._lock:
            self._kept.cut, self._kept.cut_at = self._kept.cut + 1, time.time()
            self._changed = True

    def drained(self) -> None:
        with self._lock:
            self._kept.drained += 1
            self._changed = True

    def write(self, *, now: bool = False) -> None:
        """Write the file if something is new and the last time is a little while ago."""
        with self._lock:
            if not self._changed or (not now and time.monotonic() - self._written < EVERY):
                return
            text = json.dumps(asdict(self._kept))
            self._changed, self._written = False, time.monotonic()
        write_whole(self._places.trace, text.encode())

    def _of(self, harness: str) -> HarnessTrace:
        known = self._kept.harnesses
        name = harness if harness in known or len(known) < MOST_NAMES else "other"
        return known.setdefault(name[:80], HarnessTrace())


def note_start_failure(places: Places, error: BaseException) -> None:
    """Leave word of a daemon that did not come up, for `doctor`."""
    kept = read_trace(places.home)
    kept.start_failure = strip_secrets(f"{type(error).__name__}: {error}")[:LONGEST_ERROR]
    write_whole(places.trace, json.dumps(asdict(kept)).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file whole or not at all, for nobody but us."""
    made = path.with_name(f".{path.name}-{os.getpid()}")
    made.touch(0o600)
    made.write_bytes(content)
    made.replace(path)
