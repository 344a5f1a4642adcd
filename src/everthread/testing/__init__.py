"""For your own tests: a clock that stands still, and the contracts that every store and index keeps.

A store in memory is `everthread.connect("memory://")`. The contract needs pytest; the rest does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .clock import FrozenClock

if TYPE_CHECKING:
    from .contract import IndexContract, StoreContract

__all__ = ["FrozenClock", "IndexContract", "StoreContract"]


def __getattr__(name: str) -> object:
    if name in {"IndexContract", "StoreContract"}:
        from . import contract  # noqa: PLC0415 - it needs pytest

        return getattr(contract, name)
    raise AttributeError(f"module 'everthread.testing' has no attribute {name!r}")
