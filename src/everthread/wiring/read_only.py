"""The file of an embedded store that is only looked at, as on a disk that cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from everthread.domain.errors import BadInput, NotAStore
from everthread.store.sqlite import read_uri
from everthread.store.sqlite.read_only import ReadOnlyStore

if TYPE_CHECKING:
    from everthread.ports import Ids, Store
    from everthread.settings import Settings


def open_read_only(place: str, ids: Ids, *, body_bytes: int) -> Store:
    """The store in that file; none is made."""
    if "://" in place:
        raise BadInput("read_only is for the file of an embedded store; name its path")
    path = Path(place).expanduser().absolute()
    if not path.is_file():
        raise NotAStore(f"there is no store at {path}")
    return ReadOnlyStore(path, ids, body_bytes=body_bytes)


def is_unwritable(settings: Settings) -> bool:
    """Is the store a file that is there and cannot be written?"""
    target = settings.store_target
    return "://" not in target and read_uri.is_unwritable(Path(target).expanduser().absolute())
