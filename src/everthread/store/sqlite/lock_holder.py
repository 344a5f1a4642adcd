"""Who keeps others waiting at a lock file, as far as the system tells, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .open_files import identity

STOPPED = {"T", "t"}


def holder_advice(*locks: Path) -> str:
    """The first of these lock files that a process is known to hold decides."""
    for lock in locks:
        for pid in _lock_holders(lock):
            return _advice_about(pid)
    return f"another program holds it; `lsof {locks[0]}` may name it. Wait for its end, or end it if it hangs"


def _advice_about(pid: int) -> str:
    if pid == os.getpid():
        return "this very program holds it, by another thread that writes; wait for that"
    name, state = _name_and_state(pid)
    who = f"process {pid} ({name}) holds it" if name else f"process {pid} holds it"
    if state in STOPPED:
        return f"{who} and is stopped. Let it go on (kill -CONT {pid}) or end it (kill -KILL {pid})"
    return f"{who}. Wait for its end, or end it if it hangs (kill {pid})"


def _lock_holders(lock: Path) -> Iterator[int]:
    file = identity(lock)
    if file is None:
        return
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return  # not Linux
    for line in lines:
        # 1: FLOCK  ADVISORY  WRITE 4242 fe:00:131090 0 EOF; of those who wait, with an arrow.
        words = line.split()
        if words[1:2] != ["FLOCK"] or words[5].rpartition(":")[2] != str(file[1]):
            continue
        # Numbers of files are the same on several disks, and some file systems tell another disk here.
        if (pid := int(words[4])) > 0 and _has_open(pid, file):
            yield pid


def _has_open(pid: int, file: tuple[int, int]) -> bool:
    try:
        return any(_is_file(place, file) for place in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False  # gone meanwhile, or another user's


def _is_file(place: Path, file: tuple[int, int]) -> bool:
    try:
        return identity(place) == file
    except OSError:
        return False


def _name_and_state(pid: int) -> tuple[str, str]:
    """Its name and its state; empty where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "", ""
    before, _, after = stat.rpartition(")")
    return before.partition("(")[2], after.split()[0]
