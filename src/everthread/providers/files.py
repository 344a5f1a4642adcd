"""The file system."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everthread.domain.outages import DiskRoom

LARGEST = 16_000_000
"""Bytes of a file that are read for its digest; a memory speaks of sources, not of archives."""

SMALL = 65_536
"""Bytes that are written to see whether anything can be: more than SQLite needs to open a store."""


class SystemFiles:
    def real(self, path: str) -> str:
        try:
            return str(Path(path).resolve())
        except (OSError, RuntimeError):
            return path

    def digest(self, path: str) -> str | None:
        place = Path(path)
        try:
            # What is no plain file (a pipe, a device) might never end.
            if not place.is_file() or place.stat().st_size > LARGEST:
                return None
            return hashlib.sha256(place.read_bytes()).hexdigest()
        except (OSError, ValueError):
            return None

    def modified(self, path: str) -> int | None:
        try:
            return Path(path).stat().st_mtime_ns // 1_000_000
        except (OSError, ValueError):
            return None

    def rooms(self, paths: Sequence[str]) -> list[DiskRoom | None]:
        tried: dict[int, DiskRoom] = {}
        return [_room(Path(path), tried) for path in paths]


def _room(place: Path, tried: dict[int, DiskRoom]) -> DiskRoom | None:
    from everthread.domain.outages import DiskRoom  # noqa: PLC0415 - only who looks for it

    folder = next((p for p in (place, *place.parents) if p.is_dir()), None)
    if folder is None:
        return None
    try:
        disk = folder.stat().st_dev
        if disk not in tried:
            seen = os.statvfs(folder)
            tried[disk] = DiskRoom(disk, seen.f_bavail * seen.f_frsize, full=_is_full(folder))
    except OSError:
        return None
    return tried[disk]


def _is_full(folder: Path) -> bool:
    """Is even a small file refused for want of space? It has no name, and is gone at once."""
    import tempfile  # noqa: PLC0415 - as above

    from everthread.domain.outages import FULL  # noqa: PLC0415 - as above

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(SMALL))
            file.flush()
            os.fsync(file.fileno())  # some file systems say so only then
    except OSError as refused:
        return refused.errno in FULL  # who may write there is another question
    return False
