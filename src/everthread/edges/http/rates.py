"""How often a token may ask: a bucket of requests for each, filled as time goes by."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

BURST = 4
"""Seconds' worth of requests that may come at once."""

MOST_BUCKETS = 10_000


class Bucket(NamedTuple):
    left: float
    at: float


class Rates:
    """Buckets in memory, one a token; the longest unused is forgotten first."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._most = max(per_second * BURST, 1.0)
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait(self, name: str, now: float) -> float:
        """Take one request; 0, or how many seconds to wait before the next would be taken."""
        last = self._buckets.pop(name, None) or Bucket(self._most, now)
        left = min(self._most, last.left + max(0.0, now - last.at) * self._rate)
        taken = left >= 1
        self._buckets[name] = Bucket(left - 1 if taken else left, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate
