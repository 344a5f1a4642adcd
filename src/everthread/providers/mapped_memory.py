"""Give memory back that only loading needed: read-only data of a library, still in its file."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

log = logging.getLogger("everthread")

SMAPS = Path("/proc/self/smaps")
LARGE = 1_000_000
"""Bytes of a mapping that is worth the call."""

DONTNEED = 4


class Mapping(NamedTuple):
    """A stretch of memory that shows a file."""

    start: int
    size: int
    mode: str
    path: str
    dirty: int
    """Kilobytes that differ from the file: these are in no file any more."""


def release_constants(path: str) -> int:
    """Have the system drop what is resident of a library's constants; how many bytes were asked for.

    They are read again from the file, should anyone want them. Nothing that was ever written to is
    touched. Where the system has no such call, nothing happens.
    """
    if sys.platform != "linux":
        return 0
    try:
        import ctypes  # noqa: PLC0415 - only where it is of use

        libc = ctypes.CDLL(None, use_errno=True)
        found = [m for m in mappings(SMAPS.read_text()) if _is_constant(m, path)]
        for m in found:
            libc.madvise(ctypes.c_void_p(m.start), ctypes.c_size_t(m.size), DONTNEED)
    except (OSError, AttributeError, ValueError) as trouble:
        log.debug("memory could not be given back: %s", trouble)
        return 0
    return sum(m.size for m in found)


def _is_constant(m: Mapping, path: str) -> bool:
    return m.path == path and m.mode == "r--p" and not m.dirty and m.size >= LARGE


def mappings(smaps: str) -> Iterator[Mapping]:
    """What /proc/…/smaps lists, of files only."""
    head: list[str] = []
    dirty = 0
    for line in smaps.splitlines():
        name, colon, value = line.partition(":")
        if colon and value.endswith(" kB"):
            if name.endswith("_Dirty"):
                dirty += int(value.split()[0])
            continue
        if not line or "-" not in line.split(" ", 1)[0]:
            continue
        if head:
            yield _mapping(head, dirty)
        fields = line.split(maxsplit=5)
        head, dirty = (fields if len(fields) == 6 else []), 0  # noqa: PLR2004 - the sixth is the file
    if head:
        yield _mapping(head, dirty)


def _mapping(fields: list[str], dirty: int) -> Mapping:
    start, end = (int(number, 16) for number in fields[0].split("-"))
    return Mapping(start, end - start, fields[1], fields[5], dirty)
