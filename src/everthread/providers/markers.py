"""Marks as files of the home folder, one folder for each kind, which is there only while a mark is.

The first line of a mark is the project's path in hexadecimal: the hook client reads it, and a path may
hold any byte.
"""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from pathlib import Path

from everthread.domain.errors import StoreFailed
from everthread.ports.markers import Marker

OURS = 0o700


class MarkerFiles:
    """In `run/sandbox` and `run/tasks` of the home folder."""

    def __init__(self, home: Path) -> None:
        self._run = home / "run"

    def put(self, mark: Marker, project: str, agent: str, about: str) -> None:
        place = self._place(mark, project, agent)
        wanted = f"{os.fsencode(project).hex()}\n{agent}\n{about}\n"
        try:
            place.parent.mkdir(mode=OURS, parents=True, exist_ok=True)
            # Beside the folder: in it, it would count as a mark.
            fresh = self._run / f".{place.name}-{os.getpid()}-{threading.get_ident()}"
            fresh.write_text(wanted, "utf-8")
            fresh.replace(place)
        except OSError as trouble:
            raise StoreFailed(
                f"{place} cannot be written ({trouble.strerror}); hooks need it to hold tools back"
            ) from trouble

    def drop(self, mark: Marker, project: str, agent: str) -> None:
        place = self._place(mark, project, agent)
        try:
            place.unlink(missing_ok=True)
        except OSError as trouble:
            raise StoreFailed(f"{place} cannot be removed: {trouble.strerror}") from trouble
        with suppress(OSError):  # others' marks are in it, or it was never made
            place.parent.rmdir()

    def _place(self, mark: Marker, project: str, agent: str) -> Path:
        name = hashlib.sha256(os.fsencode(project) + b"\0" + agent.encode()).hexdigest()
        return self._run / mark / name[:32]
