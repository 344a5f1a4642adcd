"""Whether the lines of an export are those that were written.

The timeline proves what was said. Counts, places and times of activity it does not, nor what was
withheld; and a file in which one of these was changed is not that agent either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from everthread.domain.conversation.contents import mapping

SEAL = "sha256"
"""What the last line says of those before it."""

VERSION = "everthread"
"""What the first line and the last one say, and no row does."""

END = "end"

_MARKED = f'"{VERSION}"'


def seal_bytes(line: str) -> bytes:
    """What of a line goes into the seal: not how its file ends lines."""
    return f"{line.strip()}\n".encode(errors="surrogatepass")


class SealCheck:
    """Passes the lines on; at their end it knows whether they are what was written.

    One export may follow another, each from its header to its end.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._exports = self._proved = 0
        self.changed = False

    @property
    def whole(self) -> bool:
        """Are they surely what was written? A file of an older version does not tell."""
        return 0 < self._exports == self._proved

    def __iter__(self) -> Iterator[str]:
        seal = sha256()
        for line in self._lines:
            if (mark := _mark_in(line)) is not None:
                if mark.get("kind") == END:
                    self._check(mark.get(SEAL), seal.hexdigest())
                else:
                    self._exports += 1
                    seal = sha256()
            if line.strip():
                seal.update(seal_bytes(line))
            yield line

    def _check(self, told: object, found: str) -> None:
        if told == found:
            self._proved += 1
        elif isinstance(told, str):
            self.changed = True


def _mark_in(line: str) -> Mapping[str, Any] | None:
    """What a first or a last line says; None for a row."""
    if _MARKED not in line:
        return None
    try:
        row = mapping(json.loads(line))
    except (ValueError, RecursionError):
        return None  # whoever reads the lines says so
    return row if row is not None and VERSION in row else None
