"""Ids are UUIDv7: sixteen bytes in the store, the usual text for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_HEX = re.compile(r"[0-9a-f]{1,32}")


def id_text(raw: bytes) -> str:
    """`018f…` with the usual dashes."""
    h = raw.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def id_ending(text: str) -> str | None:
    """The hexadecimal digits by which an id may be named from its end; None if it has others."""
    digits = text.lower().replace("-", "")
    return digits if _HEX.fullmatch(digits) else None


SEQ_BITS = 36
LANE = 1 << SEQ_BITS


def place_at(thread: int, seq: int, *, archived: int | bool = 0) -> int:
    """Thread, lane and seq as the one number by which messages are stored; seq 0 is the lane's start."""
    return (thread * 2 + archived << SEQ_BITS) + seq


def lanes_of(thread: int) -> tuple[int, int]:
    """The first and the last place that messages of the thread can have, live and archived."""
    return place_at(thread, 0), place_at(thread + 1, 0) - 1


def message_id(thread: bytes, seq: int, at: int) -> bytes:
    """A UUIDv7 that tells its place: the time, the tail of its thread's id, the seq.

    So a message is found by its id without an index, in this store and in any it is carried to.
    """
    head = (at << 16 | 0x7000 | seq >> 24 & 0xFFF) & 0xFFFF_FFFF_FFFF_FFFF
    # `tag_of` without its call: every append makes one.
    tag = int.from_bytes(thread[-5:], "big") & 0x3F_FFFF_FFFF
    low = 0x8000_0000_0000_0000 | (tag << 24) | seq & 0xFF_FFFF
    return (head << 64 | low).to_bytes(16, "big")


def ms_of_id(raw: bytes) -> int:
    """When it was made; of a message, when it was said."""
    return int.from_bytes(raw[:6], "big")


def place_of(message: bytes) -> tuple[int, int]:
    """(tag of the thread, seq) behind a message's id."""
    head, low = int.from_bytes(message[:8], "big"), int.from_bytes(message[8:], "big")
    return low >> 24 & 0x3F_FFFF_FFFF, (head & 0xFFF) << 24 | low & 0xFF_FFFF


def tag_of(thread: bytes) -> int:
    """What the ids of its messages say of the thread."""
    return int.from_bytes(thread[-5:], "big") & 0x3F_FFFF_FFFF


def tail_of(tag: int) -> bytes:
    """The whole bytes of the tag: with these the ids of its threads end, and few others do."""
    return (tag & 0xFFFF_FFFF).to_bytes(4, "big")


def is_tagged(thread: bytes, tag: int) -> bool:
    """Can a message with that tag belong to the thread?"""
    return tag_of(thread) == tag


def short(raw: bytes) -> str:
    """The last eight digits: enough to name a row by hand."""
    return raw.hex()[-8:]


def with_ending(ids: Iterable[bytes], ending: str) -> Sequence[bytes]:
    """Those ids that end so."""
    return [raw for raw in ids if raw.hex().endswith(ending)]
