"""Numbered, forward-only migrations: files beside each engine, applied in order, never edited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from everthread.domain.errors import StoreTooNew

_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


class Migration(NamedTuple):
    number: int
    name: str
    script: str


def migrations(engine: str) -> Sequence[Migration]:
    """All migrations of an engine (`sqlite` or `postgres`), oldest first."""
    folder = files("everthread.store") / engine / "migrations"
    found = [(match, entry) for entry in folder.iterdir() if (match := _NAME.fullmatch(entry.name))]
    return sorted(Migration(int(m[1]), m[2], entry.read_text("utf-8")) for m, entry in found)


def pending(known: Sequence[Migration], applied: int, *, where: str) -> Sequence[Migration]:
    """What is still to do; a store from a newer version is refused, untouched."""
    newest = known[-1].number
    if applied > newest:
        raise StoreTooNew(
            f"{where} was written by a newer Everthread (schema {applied}; this one knows {newest}). "
            "Upgrade this installation; the store was left as it is."
        )
    return [m for m in known if m.number > applied]
