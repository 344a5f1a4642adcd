"""UUIDv7 ids: ordered by time, unique in this process without asking anyone."""

from __future__ import annotations

import os
import threading

from everthread.ports import Clock

LARGEST_COUNT = 0xFFF
SALT, SALTS = 16, 256


class SystemIds:
    """A millisecond, a counter inside it, 62 random bits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = 0
        self._count = 0
        self._salts: list[bytes] = []
        self._owner = os.getpid()

    def new(self) -> bytes:
        with self._lock:
            now = self._clock.now()
            if now > self._last:
                self._last, self._count = now, 0
            else:
                # The same millisecond, or a clock that stepped back: count on.
                self._count += 1
                if self._count > LARGEST_COUNT:
                    self._last, self._count = self._last + 1, 0
            stamp, count = self._last, self._count
        tail = os.urandom(8)
        head = (stamp << 16 | 0x7000 | count) & 0xFFFFFFFFFFFFFFFF
        return head.to_bytes(8, "big") + bytes([tail[0] & 0x3F | 0x80]) + tail[1:]

    def salt(self) -> bytes:
        try:
            # A forked child must not repeat its parent's.
            if self._owner == os.getpid():
                return self._salts.pop()
        except IndexError:
            pass
        # One system call for many.
        drawn = os.urandom(SALTS * SALT)
        fresh = [drawn[n : n + SALT] for n in range(0, len(drawn), SALT)]
        taken = fresh.pop()
        self._owner, self._salts = os.getpid(), fresh
        return taken
