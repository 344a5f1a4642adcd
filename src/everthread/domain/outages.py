"""Trouble of the store or its disk: it says nothing against whoever met it, and passes."""

from __future__ import annotations

import errno
from typing import NamedTuple

from .errors import (
    NotAStore,
    StoreAway,
    StoreBusy,
    StoreClosed,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)

OUTAGES = (StoreAway, StoreBusy, StoreClosed, StoreFull, StoreReadOnly, StoreTooNew, NotAStore)
"""Whatever comes next would meet them too."""

FULL = {errno.ENOSPC, errno.EDQUOT}


class DiskRoom(NamedTuple):
    """What is left of the file system that holds a path."""

    disk: int
    """Which file system it is."""
    free: int
    """Bytes that we may still use."""
    full: bool
    """Was a small file refused just now? A quota may be used up where bytes are free."""


def is_outage(error: Exception) -> bool:
    """Would the same have gone well on another day? A full disk may strike in a file beside the store."""
    if isinstance(error, OSError):
        return error.errno in FULL
    return isinstance(error, OUTAGES)
