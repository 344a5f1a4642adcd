"""For your own tests: a clock that stands still, and the contract that every store keeps.

A store in memory is `everthread.connect("memory://")`. The contract needs pytest; the rest does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .clock import FrozenClock

if TYPE_CHECKING:
    from .contract import StoreContract

__all__ = ["FrozenClock", "StoreContract"]


def __getattr__(name: str) -> object:
    if name == "StoreContract":
        from .contract import StoreContract  # noqa: PLC0415 - it needs pytest

        return StoreContract
    raise AttributeError(f"module 'everthread.testing' has no attribute {name!r}")
