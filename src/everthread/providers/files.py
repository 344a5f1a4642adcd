"""The file system."""

from __future__ import annotations

from pathlib import Path


class SystemFiles:
    def real(self, path: str) -> str:
        try:
            return str(Path(path).resolve())
        except (OSError, RuntimeError):
            return path
