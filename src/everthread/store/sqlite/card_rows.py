"""How a card lies in the index: one row of numbers, so that many can be read at once."""

from __future__ import annotations

import struct

from everthread.domain.recall.cards import Card

FIELDS = (
    *((name, "<i8") for name in ("id", "place", "session", "at", "wording")),
    *((name, "<i4") for name in ("kind", "role", "speaker", "flags", "words", "passages")),
    *((name, "<i8") for name in ("row", "generation")),
)
"""What a row holds; the last three say where the card's vectors lie, and in which files."""

WORDING = "substr(card, 33, 8)"
"""The same field for a statement: after four others of eight bytes."""

READ = (
    "SELECT CAST(group_concat(card, '') AS BLOB) "
    "FROM json_each(?) AS wanted CROSS JOIN cards ON cards.id = wanted.value"
)
"""One after the other, as they are named: to fetch hundreds row by row takes longer than to find them."""

_CARD = struct.Struct("<5q5i")
_SPAN = struct.Struct("<i2q")
_NOWHERE = _SPAN.pack(0, 0, 0)
_MOST = 0x7FFF_FFFF


def card_row(card: Card, kind: int, role: int, speaker: int) -> bytes:
    """A card that has no vectors yet; its names as numbers."""
    told = (card.id, card.place, card.session, card.at, card.wording, kind, role, speaker)
    return _CARD.pack(*told, card.flags, min(card.words, _MOST)) + _NOWHERE


def embedded_row(row: bytes, passages: int, at: int, generation: int) -> bytes:
    """The same card with so many vectors, from there on, in the files of that generation."""
    return row[: _CARD.size] + _SPAN.pack(passages, at, generation)


def vectors_of(row: bytes, generation: int) -> range:
    """Where the vectors of a card lie in the files of that generation."""
    passages, at, made = _SPAN.unpack_from(row, _CARD.size)
    return range(at, at + passages) if made == generation else range(0)
