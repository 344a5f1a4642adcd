"""What two statements say to each other is found out once for a whole run.

It hangs on their words alone, and hundreds of tests distill the same conversations, in which every new
point is held against those before it. Every program that a test starts finds it out itself.
"""

from __future__ import annotations

import functools

from everthread.domain.memory import contradictions

REAL = contradictions.contradicts
MOST = 100_000
"""Pairs, of half a kilobyte each."""

_remembered = functools.lru_cache(MOST)(REAL)
known = _remembered.cache_info


def use() -> None:
    """From now on, in this process; before others take it by its name from there."""
    contradictions.contradicts = _remembered
