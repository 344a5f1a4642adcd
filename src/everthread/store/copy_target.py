"""Where a copy may go: to a new file, in a folder that is there."""

from __future__ import annotations

from pathlib import Path

from everthread.domain.errors import BadInput


def must_be_new(place: Path) -> None:
    """A folder is not made for it: a mistyped one, or a disk that is not there, should be heard of."""
    if place.exists():
        raise BadInput(f"{place} exists already; name a new file")
    if not place.parent.is_dir():
        raise BadInput(f"there is no folder {place.parent}; make it first, or name another file")
