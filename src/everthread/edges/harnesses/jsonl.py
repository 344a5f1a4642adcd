"""Read on in a file of JSON lines: from where we were, to its last whole line, a bounded piece at a time.

A cursor knows the place by what stands before it. If that is no longer there, the file was cut off,
rotated or rewritten, and it is read from its beginning; what was read before is known by its ids.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec.json import decode

from everthread.domain.harness.happenings import Line, Reading

from .dialect import Record

MOST_BYTES = 8_000_000
MOST_LINES = 1_000
LONGEST_LINE = 64_000_000
"""No message is longer; what is would only fill the memory."""
SEEN = 512
"""So many bytes before the place, and at the file's beginning, must still be what they were."""
TRIES = 16
BRACE = b'{"'
SUFFIX = ".jsonl"
"""The path is what a payload says: nothing else is opened."""


class Piece(NamedTuple):
    """The records of one piece of a file."""

    records: list[Record]
    cursor: str
    whole: bool = True
    skipped: int = 0
    again: bool = False
    """It is not the file that it was, and is read from its beginning."""

    def reading(self, lines: Sequence[Line]) -> Reading:
        """What a dialect made of it."""
        return Reading(lines, self.cursor, self.whole, self.skipped, self.again)


class Place(NamedTuple):
    """How far a file was read, and by what to know that it is still that file."""

    offset: int = 0
    head: str = ""
    before: str = ""
    again: bool = False
    """It was another file before: what it says may have been read."""


def read_piece(path: str, cursor: str) -> Piece:
    """The next records of the file. One that is not there, or not ours to read, says nothing."""
    try:
        file_path = Path(path)
        if file_path.suffix != SUFFIX or not file_path.is_file():
            return Piece([], cursor)
        with file_path.open("rb") as file:
            return _read_records(file, _confirm_place(file, _place(cursor)))
    except (OSError, ValueError):
        return Piece([], cursor)


def _place(cursor: str) -> Place:
    try:
        offset, head, before, again = cast("list[Any]", json.loads(cursor))
        return Place(int(offset), str(head), str(before), again is True)
    except (ValueError, TypeError, OverflowError):
        return Place()  # at the beginning, or written by a version that we are not


def offset_in(cursor: str) -> int:
    """How many bytes were read; 0 if it does not say so."""
    return _place(cursor).offset


def _confirm_place(file: BinaryIO, place: Place) -> Place:
    """The place if the file is still the same up to there, else its beginning."""
    inside = 0 < place.offset <= os.fstat(file.fileno()).st_size
    same = inside and _marks(file, place.offset) == (place.head, place.before)
    return place if same else Place(again=place.again or place.offset > 0)


def _marks(file: BinaryIO, offset: int) -> tuple[str, str]:
    file.seek(0)
    head = file.read(min(SEEN, offset))
    start = max(0, offset - SEEN)
    file.seek(start)
    before = file.read(offset - start)
    return _digest(head), _digest(before)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _read_records(file: BinaryIO, place: Place) -> Piece:
    file.seek(place.offset)
    found: list[Record] = []
    offset = end = place.offset
    skipped, whole = 0, True
    for number, (line, size) in enumerate(_lines(file)):
        record = _record(line)
        if record is None and not line.endswith(b"\n"):
            break  # its writer has not finished it
        offset += size
        if record is not None:
            found.append(record)
        elif line.strip():
            skipped += 1
        if offset - end >= MOST_BYTES or number + 1 >= MOST_LINES:
            whole = not file.read(1)
            break
    if offset == 0 and not place.again:
        return Piece(found, "", whole, skipped)
    cursor = json.dumps([offset, *_marks(file, offset), place.again])
    return Piece(found, cursor, whole, skipped, place.again)


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Each line with its length in the file; of one that is too long only a word that is none."""
    while line := file.readline(LONGEST_LINE):
        size = len(line)
        if size < LONGEST_LINE or line.endswith(b"\n"):
            yield line, size
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
            size += len(line)
        yield (b"too long\n" if line else b"too long"), size


def _record(line: bytes) -> Record | None:
    """The object of a line. Where a crash left half of one before it, the whole one is taken."""
    value = _parse(line)
    start = 0
    for _ in range(TRIES if value is None and line.endswith(b"\n") else 0):
        start = line.find(BRACE, start + 1)
        if value is not None or start < 0:
            break
        value = _parse(line[start:].decode("utf-8", "replace"))
    return value


def _parse(text: str | bytes) -> Record | None:
    try:
        value: object = decode(text)
    except (ValueError, RecursionError):
        value = _parse_leniently(text)
    return cast("Record", value) if isinstance(value, dict) else None


def _parse_leniently(text: str | bytes) -> object:
    """By the reader that takes more: half a pair of surrogates, a number beyond all numbers."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
