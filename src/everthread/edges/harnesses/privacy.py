"""Which sessions and projects are private, and since when: what is said meanwhile is kept nowhere.

Transcripts go on while a session is private, and are read later. So the times are written down, and
what was said in them is left out whenever it comes.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

from everthread.domain.errors import BadInput, StoreBusy
from everthread.domain.harness.happenings import Line, Reading
from everthread.domain.times import ms_of

FILE = "private.json"
ON = "EVERTHREAD_PRIVATE"
"""The variable that makes a whole session private."""
PATIENCE = 3.0
"""Seconds to wait for another that writes: a moment's work, and an event of a harness may wait for it."""
LOOK_AGAIN = 0.005
OFF_WORDS = frozenset({"", "0", "no", "off", "false"})

Span = tuple[int, int | None]
"""From when to when, in milliseconds; None while it lasts."""

Read = Callable[[str, str], Reading]


class PrivateTimes(NamedTuple):
    """The private times, by session and by folder."""

    sessions: Mapping[str, Sequence[Span]]
    folders: Mapping[str, Sequence[Span]]

    def spans(self, session: str, folder: str) -> tuple[Span, ...]:
        """When this session was private, by itself or with a folder that it is in."""
        spans = (span for each in _around(folder) for span in self.folders.get(each, ()))
        return (*self.sessions.get(session, ()), *spans)

    def private_folder(self, folder: str, now: int) -> str | None:
        """The folder, or the nearest around it, that is private now."""
        found = (f for f in _around(folder) if is_private_at(self.folders.get(f, ()), now))
        return next(found, None)

    def whenever(self) -> tuple[Span, ...]:
        """All private times of anything."""
        tables = (self.sessions, self.folders)
        return tuple(span for table in tables for spans in table.values() for span in spans)


def _around(folder: str) -> tuple[str, ...]:
    """The folder, and those that it is in."""
    return (folder, *map(str, PurePath(folder).parents)) if folder else ()


def read_private(home: Path) -> PrivateTimes:
    """What is private. A file that cannot be read is an error: silence could tell a secret."""
    try:
        text = (home / FILE).read_text("utf-8")
    except FileNotFoundError:
        return PrivateTimes({}, {})
    try:
        told = cast("dict[str, Any]", json.loads(text))
        return PrivateTimes(_spans(told["sessions"]), _spans(told["folders"]))
    except (ValueError, TypeError, KeyError, AttributeError) as wrong:
        raise BadInput(
            f"{home / FILE} cannot be read, so nothing is kept; correct it, or remove it"
        ) from wrong


def _spans(table: dict[str, list[list[int | None]]]) -> dict[str, list[Span]]:
    return {
        name: [(int(since or 0), None if until is None else int(until)) for since, until in spans]
        for name, spans in table.items()
    }


def is_asked_for(environ: Mapping[str, str]) -> bool:
    """Does the harness's environment ask for a private session?"""
    return environ.get(ON, "").strip().lower() not in OFF_WORDS


def is_private_at(spans: Sequence[Span], now: int) -> bool:
    """Is it private now?"""
    return any(since <= now and (until is None or now < until) for since, until in spans)


def switch(home: Path, *, now: int, on: bool, session: str = "", folder: str = "") -> bool:
    """Make a session, or all of a folder, private, or end that; False if it was so already."""
    with _writer_lock(home):
        known = read_private(home)
        tables = {"sessions": {**known.sessions}, "folders": {**known.folders}}
        table = tables["sessions" if session else "folders"]
        name = session or folder
        spans = list(table.get(name, ()))
        if is_private_at(spans, now) == on:
            return False
        if on:
            spans.append((now, None))
        else:
            spans = [(since, now if until is None else until) for since, until in spans]
        table[name] = spans
        write_whole(home / FILE, json.dumps(tables))
        return True


@contextmanager
def _writer_lock(home: Path) -> Generator[None]:
    """One writer at a time. One that was stopped meanwhile is named, and not waited for without end."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = home / f"{FILE}.lock"
    handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + PATIENCE
        while not _try_lock(handle):
            if time.monotonic() >= until:
                raise StoreBusy(
                    f"{home / FILE}: waited {PATIENCE:g} s for another that writes it; "
                    f"{_holder(handle, place)}; then try again. Nothing was changed"
                )
            time.sleep(LOOK_AGAIN)
        # Who waits for us can say for whom.
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(handle: int, place: Path) -> str:
    pid = os.pread(handle, 32, 0).decode("ascii", "replace").strip()
    if not pid.isdecimal():
        return f"`lsof {place}` may name it. Wait for its end, or end it if it hangs"
    return (
        f"process {pid} holds it. Wait for its end, let it go on if it was stopped "
        f"(kill -CONT {pid}), or end it (kill -KILL {pid})"
    )


def write_whole(place: Path, text: str) -> None:
    """Write a file whole, or leave it as it was."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f"{place.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def public_reader(read: Read, spans: Sequence[Span]) -> Read:
    """Read as before, without what was said while it was private, or sums that up."""
    if not spans:
        return read

    def reading(place: str, cursor: str) -> Reading:
        found = read(place, cursor)
        return found._replace(lines=[line for line in found.lines if not hidden(place, line)])

    def hidden(place: str, line: Line) -> bool:
        if line.summary:
            return may_tell_private(read, place, spans, at=_time(line.entry))
        return was_said_in(line.entry, spans)

    return reading


def may_tell_private(read: Read, place: str, spans: Sequence[Span], *, at: int | None) -> bool:
    """Can a summary that was made then tell what was private before? Each is made of the one before.

    It cannot if the transcript begins later, as it may where a whole project was private.
    """
    before = [(since, until) for since, until in spans if at is None or since <= at]
    if not before:
        return False
    lines = read(place, "").lines if place else ()
    began = next((time for line in lines if (time := _time(line.entry)) is not None), 0)
    return any(until is None or began < until for _, until in before)


def was_said_in(entry: Mapping[str, Any], spans: Sequence[Span]) -> bool:
    """Was it said in one of those times? Without a time of its own it could have been."""
    at = _time(entry)
    return bool(spans) and (at is None or is_private_at(spans, at))


def _time(entry: Mapping[str, Any]) -> int | None:
    at = entry.get("at")
    return ms_of(at) if isinstance(at, str | int | float | datetime) else None
