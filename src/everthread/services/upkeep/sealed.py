"""Whether the lines of an export are those that were written.

The timeline proves what was said. Counts, places and times of activity it does not, nor what was
withheld; and a file in which one of these was changed is not that agent either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256

SEAL = "sha256"
"""What the last line says of those before it."""

MARKED = '{"everthread"'
"""So begin the first line and the last."""


def hashed(line: str) -> bytes:
    """What of a line goes into the seal: not how its file ends lines."""
    return f"{line.strip()}\n".encode(errors="surrogatepass")


class Sealed:
    """Passes the lines on; at their end it knows whether they are what was written."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.whole = False
        """Are they surely? A file of an older version does not tell."""
        self.changed = False

    def __iter__(self) -> Iterator[str]:
        seal = sha256()
        for line in self._lines:
            if line.startswith(MARKED):
                told = _seal_in(line)
                if told is None:
                    seal = sha256()  # a header: one file may follow another
                else:
                    self.changed |= told != seal.hexdigest()
                    self.whole = not self.changed
            if line.strip():
                seal.update(hashed(line))
            yield line


def _seal_in(line: str) -> str | None:
    try:
        told: object = json.loads(line).get(SEAL)
    except (ValueError, RecursionError):
        return None  # whoever reads the lines says so
    return told if isinstance(told, str) else None
