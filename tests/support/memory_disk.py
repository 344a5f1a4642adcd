"""Temporary folders in memory, where there is room: a store waits for its disk at every commit.

What the product asks of the disk stays the same; only the disk is quicker. Whoever sets TMPDIR
decides otherwise.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

PLACE = Path("/dev/shm")
MEMORY = Path("/proc/meminfo")
ROOM = 6_000_000_000
"""Bytes: what the tests leave lying there while they run, and the programs beside them, fit often."""


def use() -> None:
    """From here on, temporary folders of this process and of its children are made there."""
    if "TMPDIR" not in os.environ and suits(PLACE):
        os.environ["TMPDIR"] = tempfile.tempdir = str(PLACE)


def suits(place: Path) -> bool:
    """Is it in memory that is free, and may programs be run from there?"""
    try:
        facts = os.statvfs(place)
        free = re.search(r"^MemAvailable:\s*(\d+) kB", MEMORY.read_text(), re.MULTILINE)
    except OSError:
        return False
    room = min(facts.f_bavail * facts.f_frsize, int(free[1]) * 1024 if free else 0)
    return room >= ROOM and not facts.f_flag & os.ST_NOEXEC and os.access(place, os.W_OK)
