"""Bodies: each once by its hash, large ones packed where the engine does not do so by itself."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import Body
from everthread.domain.errors import BodyDamaged

from .link import Link, Row
from .sql import bodies as sql
from .sql import outputs
from .timeline import TimelineTable

LEVEL = 1
"""zlib's own choice takes four times as long at large texts, for a twelfth fewer bytes."""

LEAST = 1_000
"""Bytes from which a body is packed. Each of them becomes smaller: no text uses every byte there is."""

MOST, LONGEST = 256, 16_384
"""So many unpacked texts of so many characters at most are remembered: a view is read again and again."""

NOTHING = hashlib.sha256(b"").digest()


class StoredBody(NamedTuple):
    """A content as it is stored: plain, or packed with no plain text beside it."""

    content: str
    data: bytes | None


def pack_body(content: str, *, packs: bool) -> StoredBody:
    if packs and _is_large(content):
        return StoredBody("", zlib.compress(content.encode(), LEVEL))
    return StoredBody(content, None)


def _is_large(content: str) -> bool:
    size = len(content)
    return size >= LEAST or (size * 4 >= LEAST and len(content.encode()) >= LEAST)


def content_of(key: bytes, content: str, data: bytes | None) -> str:
    """The content that was put under that hash, or what the disk budget left of it."""
    if content or key == NOTHING:
        return content
    try:
        return _unpack(data or b"")
    except (zlib.error, UnicodeDecodeError) as error:
        raise BodyDamaged(
            f"a stored text is damaged (body {key.hex()[:16]}). Restore a backup; "
            "`everthread verify` names all that are"
        ) from error


_known: dict[bytes, str] = {}


def _unpack(data: bytes) -> str:
    known = _known.get(data)
    if known is not None:
        return known
    text = zlib.decompress(data).decode()
    if len(text) <= LONGEST:
        if len(_known) >= MOST:
            _known.clear()
        _known[data] = text
    return text


class BodyTable:
    """Whoever changes bodies holds their agent first.

    So two who need the same ones, each in an order of its own, do not wait for each other for ever, and
    no use is lost between looking and adding.
    """

    def __init__(self, db: Link, timeline: TimelineTable) -> None:
        self._db = db
        self._timeline = timeline

    def put(self, scope: Scope, bodies: Iterable[Body]) -> None:
        self._timeline.lock(scope)
        for key, content in bodies:
            # Packed only once it is known to be new: much of what is large comes again.
            packs = self._db.packs and _is_large(content)
            row = self._db.one(sql.BODY_PUT, scope, hash=key, content="" if packs else content)
            assert row is not None, "an insert returns its row"
            if row[0] > 1:
                self._restore(scope, key, content)
            elif packs:
                self.repack(scope, key, pack_body(content, packs=True))

    def _restore(self, scope: Scope, key: bytes, content: str) -> None:
        """What comes again in full is kept in full: an agent that reads a page once more sees all of it."""
        if self._db.run(outputs.SHRUNK_RESTORED, scope, hash=key):
            again = pack_body(content, packs=self._db.packs)
            self._db.run(sql.BODY_FILL, scope, hash=key, content=again.content)
            self.repack(scope, key, again)

    def repack(self, scope: Scope, key: bytes, now: StoredBody) -> None:
        """The packed part of a body whose content has just changed."""
        if now.data is not None:
            self._db.run(sql.PACKED_PUT, scope, hash=key, data=now.data)
        elif self._db.packs:
            self._db.run(sql.PACKED_DROP, scope, hash=key)

    def get(self, scope: Scope, hashes: Iterable[bytes]) -> Mapping[bytes, str]:
        wanted = list(set(hashes))
        if len(wanted) == 1:
            rows = self._db.all(sql.BODY_GET, scope, hash=wanted[0])
        else:
            rows = [row for asked in _in_parts(wanted) for row in self._several(scope, asked)]
        return {row[0]: content_of(*row) for row in rows}

    def _several(self, scope: Scope, hashes: list[bytes]) -> list[Row]:
        asked = [*hashes, *[None] * (sql.AT_ONCE - len(hashes))]
        values = {f"hash{n}": key for n, key in enumerate(asked)}
        return self._db.all(sql.BODIES_GET, scope, **values)

    def release(self, scope: Scope, hashes: Iterable[bytes]) -> None:
        rows = [{"agent": scope.agent, "hash": h} for h in hashes]
        if rows:
            self._timeline.lock(scope)
            self._db.many(sql.BODY_RELEASE, rows)
            self._db.many(sql.BODY_SWEEP, rows)
            self._db.many(outputs.SHRUNK_UNSALT, rows)
            self._db.many(outputs.SHRUNK_SWEEP, rows)


def _in_parts(hashes: list[bytes]) -> list[list[bytes]]:
    return [hashes[n : n + sql.AT_ONCE] for n in range(0, len(hashes), sql.AT_ONCE)]
