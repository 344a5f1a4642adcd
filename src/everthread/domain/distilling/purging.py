"""Purging: what was distilled out of the view goes for good when its age is over.

The row of a purge says which messages went and how many; its hash is over what the timeline sealed of
them, so that `verify` can tell a lawful purge from a theft.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from everthread.domain.conversation.contents import mapping
from everthread.domain.conversation.threads import ThreadKind
from everthread.domain.conversation.views import Span
from everthread.domain.ids import message_id, place_of
from everthread.domain.times import DAY


class Purge(NamedTuple):
    """A run of a thread's messages that are gone, both ends included."""

    ref: int
    key_id: bytes
    thread_ref: int
    receipt_ref: int
    from_seq: int
    to_seq: int
    messages: int
    tokens: int
    hash: bytes
    at_ms: int
    entry: int


def purge_before(kind: ThreadKind, *, background: float, primary: float, now: int) -> int | None:
    """What was distilled before then may go; None where it stays for good (0 days)."""
    days = {"background": background, "primary": primary}.get(kind, 0.0)
    return now - int(days * DAY) if days else None


def purged_detail(known: object, purge: Purge) -> dict[str, object]:
    """What a receipt keeps of its messages that went: how many, how large, and one hash over all."""
    told = mapping(known) or {}
    before = bytes.fromhex(str(told.get("hash", "")))
    return {
        "messages": int(told.get("messages", 0)) + purge.messages,
        "tokens": int(told.get("tokens", 0)) + purge.tokens,
        "hash": sealed_hash([before, purge.hash]).hex(),
        "at_ms": purge.at_ms,
    }


def sealed_hash(digests: Iterable[bytes]) -> bytes:
    """One hash over what the timeline says of several messages, in their order."""
    whole = sha256()
    for digest in digests:
        whole.update(digest)
    return whole.digest()


def touching_purge(purges: Iterable[Purge], spans: Sequence[Span]) -> Purge | None:
    """A purge that took something out of one of these runs."""
    return next(
        (
            purge
            for purge in purges
            for span in spans
            if purge.messages and purge.from_seq <= span.last and span.first <= purge.to_seq
        ),
        None,
    )


class Account:
    """Holds what is missing against what purges say; for one look through the timeline."""

    def __init__(self, purges: Iterable[tuple[bytes, Purge]]) -> None:
        self._threads: dict[int, list[_PurgeCount]] = {}
        for thread, purge in purges:
            tag, _ = place_of(message_id(thread, 0, 0))
            self._threads.setdefault(tag, []).append(_PurgeCount(purge))
        for counted in self._threads.values():
            counted.sort(key=_first)

    def covers(self, subject: bytes) -> bool:
        """Did a purge take the message of this id, if it was live?"""
        return self._found(subject) is not None

    def takes(self, subject: bytes, digest: bytes) -> bool:
        """Does a purge answer for this message, which is gone?"""
        found = self._found(subject)
        if found is not None:
            found.add(digest)
        return found is not None

    def _found(self, subject: bytes) -> _PurgeCount | None:
        tag, seq = place_of(subject)
        counted = self._threads.get(tag, [])
        at = bisect_right(counted, seq, key=_first) - 1
        return counted[at] if at >= 0 and seq <= counted[at].purge.to_seq else None

    def wrong(self) -> list[Purge]:
        """Those that took other messages than they say."""
        every = (one for counted in self._threads.values() for one in counted)
        return [one.purge for one in every if not one.fits]


class _PurgeCount:
    def __init__(self, purge: Purge) -> None:
        self.purge = purge
        self._found = 0
        self._hash = sha256()

    def add(self, digest: bytes) -> None:
        self._found += 1
        self._hash.update(digest)

    @property
    def fits(self) -> bool:
        return self._found == self.purge.messages and self._hash.digest() == self.purge.hash


def _first(one: _PurgeCount) -> int:
    return one.purge.from_seq
