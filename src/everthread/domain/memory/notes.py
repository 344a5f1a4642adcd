"""Notes: what an agent or a person jots down, as it was written, under a category."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from everthread.domain.ids import id_text
from everthread.domain.times import moment_of

from .memories import Origin

LONGEST_NOTE = 8_000
LONGEST_CATEGORY = 60


class Note(NamedTuple):
    """One note as it is stored; a deleted one has no text any more."""

    ref: int
    agent_ref: int
    key_id: bytes
    thread_ref: int | None
    category: str
    text: str
    origin: Origin
    created_ms: int
    deleted_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)
