"""The file system."""

from __future__ import annotations

import hashlib
from pathlib import Path

LARGEST = 16_000_000
"""Bytes of a file that are read for its digest; a memory speaks of sources, not of archives."""


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
