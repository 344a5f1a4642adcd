"""Which items a score counts as lost or recoverable, without their words.

A receipt names each by its kind, its message and a short mark. The words are read from the message when
somebody asks, so that what was forgotten, purged or erased since is in no receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from everthread.domain.ids import id_text

from .continuity_items import Item

MARK = 2
"""Bytes of a mark: enough to tell the items of one message apart, and too few to guess a word by."""


class ItemRef(NamedTuple):
    """One item of a score: what kind of thing, in which message."""

    kind: str
    message: str
    """The id of its message, as sixteen bytes in hexadecimal."""
    mark: str

    @property
    def key(self) -> bytes:
        return bytes.fromhex(self.message)

    @property
    def source(self) -> str:
        """The id of its message as people read it."""
        return id_text(self.key)


def ref_of(item: Item) -> ItemRef:
    return ItemRef(item.kind, item.key.hex(), mark_of(item))


def mark_of(item: Item) -> str:
    said = f"{item.kind}\0{item.text}".encode(errors="replace")
    return blake2b(said, key=item.key, digest_size=MARK).hexdigest()


def read_refs(told: Iterable[Sequence[str]]) -> tuple[ItemRef, ...]:
    """Items as they are stored."""
    return tuple(ItemRef(*one) for one in told)


def item_of(drawn: ItemRef, items: Iterable[Item]) -> Item | None:
    """The item that is meant; None where it is not among these."""
    return next((item for item in items if ref_of(item) == drawn), None)
