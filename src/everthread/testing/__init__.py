"""For your own tests: a clock that stands still, and the contract that every store keeps.

A store in memory is `everthread.connect("memory://")`.
"""

from __future__ import annotations

from .clock import FrozenClock

__all__ = ["FrozenClock"]
