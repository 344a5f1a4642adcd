"""The digests of the ends of sessions that were read a moment ago: many ask for the same at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import Digest

MOST = 8


class EndDigests:
    """A few digests, each by all that it is made of: whatever is written or erased, none gets stale."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, Digest] = OrderedDict()

    @staticmethod
    def made_of(state: str, messages: Iterable[Message]) -> bytes:
        """What stands for the carried state and the messages that are read on top of it."""
        read = blake2b(state.encode("utf-8", "surrogatepass"), digest_size=32)
        for message in messages:
            read.update(b"\0")
            read.update(repr(message).encode("utf-8", "surrogatepass"))
        return read.digest()

    def get(self, made_of: bytes) -> Digest | None:
        return self._held.get(made_of)

    def keep(self, made_of: bytes, digest: Digest) -> Digest:
        with self._lock:
            self._held[made_of] = digest
            while len(self._held) > MOST:
                self._held.popitem(last=False)
        return digest
