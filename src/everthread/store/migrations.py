"""Numbered, forward-only migrations: files beside each engine, applied in order, never edited."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from everthread.domain.errors import StoreTooNew

_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


class Migration(NamedTuple):
    number: int
    name: str
    script: str


@functools.cache
def migrations(engine: str) -> Sequence[Migration]:
    """All migrations of an engine (`sqlite` or `postgres`), oldest first. Read once: they stay."""
    folder = Path(__file__).parent / engine / "migrations"
    found = [(match, entry) for entry in folder.iterdir() if (match := _NAME.fullmatch(entry.name))]
    return sorted(Migration(int(m[1]), m[2], entry.read_text("utf-8")) for m, entry in found)


def refuse_newer(newest: int, applied: int, *, where: str) -> None:
    """Another program may bring the schema further while this one has the store open.

    What this one does not know it would read as empty, and send on so.
    """
    if applied > newest:
        raise StoreTooNew(
            f"{where} was upgraded by a newer Everthread while it was open (schema {applied}; this "
            f"program knows {newest}). End this program and start it again with the newer one; "
            "nothing was changed."
        )


def pending_migrations(
    known: Sequence[Migration], applied: int, *, where: str
) -> Sequence[Migration]:
    """What is still to do; a store from a newer version is refused, untouched."""
    newest = known[-1].number
    if applied > newest:
        raise StoreTooNew(
            f"{where} was written by a newer Everthread (schema {applied}; this one knows {newest}). "
            "Upgrade this installation; the store was left as it is."
        )
    return [m for m in known if m.number > applied]
