"""Vectors of passages in flat files that are mapped, not read: one row each, only ever appended.

A row is its card's id, one bit for the sign of each dimension, and eight bits for its value: 440
bytes. Bits are compared first, all of them; the best are then compared by value. How many rows
count stands in the catalogue, written after them: what a crash left behind that is written over.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .card_rows import FIELDS

DIMENSIONS = 384
WORDS = DIMENSIONS // 64
BLOCK = 1_024
"""Rows that share a checksum."""

STRIDE = 32_768
"""Rows compared at once: what is compared then stays in the processor's cache."""

EXACT = 2_048
"""Of so few all are compared by value."""

AT_ONCE = 512
"""Rows compared by value at once: as floats they fit into the cache."""

DEPTHS = ((20_000, 8), (80_000, 16))
DEEPEST = 32
"""So many times more rows than wanted are compared by value, for bits alone order them roughly: 8 of
less than 20,000 and so on. Where there are more, they lie closer to each other."""

PARTS = (("ids", np.dtype(np.int64), 1), ("bits", np.dtype(np.uint64), WORDS),
         ("codes", np.dtype(np.int8), DIMENSIONS))  # fmt: skip

Array = NDArray[Any]
Floats = NDArray[np.float32]
Read = NDArray[Any]
"""Rows of cards, in the order of their ids."""

ROW = np.dtype([*FIELDS])


def read_rows(rows: bytes | None) -> Read:
    """Rows that lie one behind the other; None: there are none."""
    return np.frombuffer(rows or b"", dtype=ROW)


def holds(known: Read, ids: Array) -> bool:
    """Are these the cards that were read?"""
    return np.array_equal(known["id"], ids)


def covers(known: Read, ids: Array) -> bool:
    """Are these cards among those that were read?"""
    if not len(known):
        return not len(ids)
    return holds(known, ids) or bool((known["id"][_positions(known, ids)] == ids).all())


def spans(known: Read, ids: Array, generation: int) -> tuple[Array, Array, Array]:
    """Which of the ids have vectors, the first row of each, and how many there are."""
    if not len(known):
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    found = known if holds(known, ids) else known[_positions(known, ids)]
    there = (found["id"] == ids) & (found["generation"] == generation) & (found["passages"] > 0)
    at = np.flatnonzero(there)
    return at, found["row"][at], found["passages"][at].astype(np.int64)


def _positions(known: Read, ids: Array) -> Array:
    return np.minimum(np.searchsorted(known["id"], ids), len(known) - 1)


def pack_vectors(vectors: Floats) -> tuple[Array, Array]:
    """Bits and codes of unit vectors."""
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    codes = np.rint(vectors * (127 / np.maximum(peaks, 1e-9))).astype(np.int8)
    bits = np.packbits(vectors > 0, axis=1).view(np.uint64)
    return bits, codes


class Vectors:
    """The rows of one agent, on disk (`stem` names the files) or in memory (None)."""

    def __init__(self, stem: Path | None) -> None:
        self._stem = stem
        self._files = {
            name: stem.with_name(f"{stem.name}.{name}") for name, _, _ in PARTS if stem is not None
        }
        self._rows = 0
        self._parts: dict[str, Array] = {}
        self._lengths: Floats = np.zeros(0, dtype=np.float32)
        """Of the rows in view; 0 for those that nobody has compared yet."""
        self._kept: dict[str, list[Array]] = {name: [] for name, _, _ in PARTS}

    def _file(self, name: str) -> Path:
        return self._files[name]

    def append(self, rows: int, ids: Sequence[int], vectors: Floats) -> dict[int, int]:
        """Write after the first `rows`; checksums of the blocks that changed."""
        bits, codes = pack_vectors(np.ascontiguousarray(vectors, dtype=np.float32))
        parts = {"ids": np.asarray(ids, dtype=np.int64), "bits": bits, "codes": codes}
        total = rows + len(ids)
        if self._stem is None:
            for name, part in parts.items():
                self._kept[name] = [*self._first(name, rows), part]
            return {}
        for name, kind, width in PARTS:
            _write(self._file(name), rows * kind.itemsize * width, parts[name].tobytes())
        changed = range(rows // BLOCK, (total - 1) // BLOCK + 1)
        return {block: self._checksum(block, total) for block in changed}

    def _first(self, name: str, rows: int) -> list[Array]:
        """What is kept of the first `rows`: more is there after a transaction was rolled back."""
        kept = self._kept[name]
        if sum(map(len, kept)) == rows:
            return kept
        return [self._joined(name)[:rows]]

    def blank(self, rows: Sequence[int], total: int) -> dict[int, int]:
        """Overwrite some of the `total` rows for good; the checksums of their blocks."""
        if self._stem is None:
            for name in self._kept:
                joined = self._joined(name)
                joined[list(rows)] = 0
                self._kept[name] = [joined]
            return {}
        for row in rows:
            for name, kind, width in PARTS:
                size = kind.itemsize * width
                _write(self._file(name), row * size, bytes(size))
        changed = sorted({row // BLOCK for row in rows})
        return {block: self._checksum(block, total) for block in changed}

    def _checksum(self, block: int, total: int) -> int:
        """Of the block's rows among the first `total`: what comes after them does not count."""
        count = min(BLOCK, total - block * BLOCK)
        told = 0
        for name, kind, width in PARTS:
            size = kind.itemsize * width
            with self._file(name).open("rb") as file:
                file.seek(block * BLOCK * size)
                told = zlib.crc32(file.read(count * size), told)
        return told

    def sound(self, rows: int, checksums: dict[int, int]) -> bool:
        """Is all there that should be, and as it was written?"""
        if self._stem is None:
            return True
        blocks = range((rows - 1) // BLOCK + 1)
        return self._whole(rows) and all(
            self._checksum(block, rows) == checksums.get(block) for block in blocks
        )

    def _whole(self, rows: int) -> bool:
        """Are the files there, and long enough? To read a mapped file where it was cut is fatal."""
        if self._stem is None:
            return True
        for name, kind, width in PARTS:
            try:
                seen = os.stat(self._file(name))  # noqa: PTH116 - for every question, so without more
            except OSError:
                return False
            if seen.st_size < rows * kind.itemsize * width:
                return False
        return True

    def remove(self) -> None:
        """Unlinked, never cut: another process may have them mapped."""
        self._parts = {}
        self._rows = 0
        self._kept = {name: [] for name, _, _ in PARTS}
        if self._stem is not None:
            for name, _, _ in PARTS:
                self._file(name).unlink(missing_ok=True)

    def look(self, rows: int) -> bool:
        """Make the first `rows` visible; False if they are not there."""
        if not self._whole(rows):
            return False
        if rows == self._rows and self._parts:
            return True
        try:
            self._parts = {
                name: self._mapped(name, kind, width, rows) for name, kind, width in PARTS
            }
        except (OSError, ValueError):
            return False
        self._rows = rows
        self._lengths = np.zeros(rows, dtype=np.float32)
        return True

    def _mapped(self, name: str, kind: np.dtype[Any], width: int, rows: int) -> Array:
        shape = (rows, width) if width > 1 else (rows,)
        if self._stem is None:
            if sum(map(len, self._kept[name])) < rows:
                raise ValueError("they went with a transaction that was rolled back")
            return self._joined(name)[:rows]
        # A plain array over the mapping: numpy's own memmap class slows every small operation.
        return np.asarray(np.memmap(self._file(name), dtype=kind, mode="r", shape=shape))

    def _joined(self, name: str) -> Array:
        if len(self._kept[name]) > 1:
            self._kept[name] = [np.concatenate(self._kept[name])]
        return self._kept[name][0]

    def alike(self, starts: Array, sizes: Array, vector: Floats) -> tuple[Floats, Floats]:
        """Of each run of rows the cosine of its first one, and the best."""
        if int(sizes.max()) == 1:
            values = self.values(starts, vector)
            return values, values
        offsets = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()))
        values = self.values(rows, vector)
        return values[offsets], np.maximum.reduceat(values, offsets)

    def values(self, rows: Array, vector: Floats) -> Floats:
        """The cosine of each of these rows and the vector."""
        codes, out = self._parts["codes"], np.empty(len(rows), dtype=np.float32)
        floats = np.empty((min(AT_ONCE, len(rows)), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            part = floats[: len(some)]
            np.copyto(part, codes.take(some, axis=0))
            out[start : start + AT_ONCE] = (part @ vector) / self._lengths_of(some, part)
        return out

    def directions(self, rows: Array) -> Floats:
        """These rows, each as long as one."""
        values = self._parts["codes"].take(rows, axis=0).astype(np.float32)
        return values / self._lengths_of(rows, values)[:, np.newaxis]

    def _lengths_of(self, rows: Array, values: Floats) -> Floats:
        """How long these rows are: measured when they are first compared, as long as they are in view."""
        lengths = self._lengths[rows]
        if not lengths.all():
            lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", values, values)), 1e-6)
            self._lengths[rows] = lengths
        return lengths

    def nearest(self, vector: Floats, limit: int) -> tuple[Array, Floats]:
        """Card ids and cosines of the rows most alike, best first."""
        depth = next((depth for most, depth in DEPTHS if self._rows < most), DEEPEST)
        rows = self._close(vector, limit * depth)
        values = self.values(rows, vector)
        order = np.argsort(-values)[: limit * 2]
        return self._parts["ids"][rows[order]], values[order]

    def _close(self, vector: Floats, wanted: int) -> Array:
        """Rows whose signs differ least: all there are, if they are few."""
        if self._rows <= max(EXACT, wanted):
            return np.arange(self._rows)
        distances = self._distances(np.packbits(vector > 0).view(np.uint64))
        reached = np.cumsum(np.bincount(distances, minlength=DIMENSIONS + 1))
        most = int(np.searchsorted(reached, wanted))
        # Of those that differ just as much, so many as are wanted: they may be thousands.
        edge = np.flatnonzero(distances == most)[:wanted]
        return np.concatenate([np.flatnonzero(distances < most), edge])

    def _distances(self, signs: Array) -> Array:
        bits = self._parts["bits"]
        out = np.empty(self._rows, dtype=np.uint16)
        most = min(STRIDE, self._rows)
        mixed = np.empty((most, WORDS), dtype=np.uint64)
        counts = np.empty((most, WORDS), dtype=np.uint8)
        for start in range(0, self._rows, STRIDE):
            size = min(STRIDE, self._rows - start)
            np.bitwise_xor(bits[start : start + size], signs, out=mixed[:size])
            np.bitwise_count(mixed[:size], out=counts[:size])
            # Two counts at a time: of three pairs, each at most 64, no sum runs over into the next.
            pairs = counts[:size].view(np.uint16)
            both = pairs[:, 0] + pairs[:, 1] + pairs[:, 2]
            np.add(both >> 8, both & 0xFF, out=out[start : start + size])
        return out


def _write(path: Path, at: int, data: bytes) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            # A disk that fills up takes a part, and complains the next time.
            taken = os.pwrite(handle, rest, at)
            rest, at = rest[taken:], at + taken
        os.fsync(handle)
    finally:
        os.close(handle)
