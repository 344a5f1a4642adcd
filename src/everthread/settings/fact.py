"""A setting as a field that documents itself."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    among: tuple[str, ...] = (),
    also: str | None = None,
) -> Any:
    """What it means, what it may be, which variables set it."""
    facts = {"about": about, "low": low, "high": high, "among": among, "also": also}
    return field(default=default, metadata=facts)
