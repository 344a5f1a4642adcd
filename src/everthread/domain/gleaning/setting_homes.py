"""Where a setting is told to be: in which file, or where it is run. Two places may have it by one name."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern

_HOME = lazy_pattern(
    r"(?<![\w./-])(?P<home>(?=[\w./-]*[a-z])[\w./-]*\w[./][a-z]\w*|staging|production|prod|dev|development|"
    r"local|ci)(?![\w/])",
    re.IGNORECASE,
)
"""Where a setting is: a file, or what it is run as."""


@lru_cache(maxsize=4_096)
def homes_in(text: str) -> frozenset[str]:
    """The places that a text names."""
    return frozenset(found["home"].lower() for found in _HOME.finditer(text))


def are_apart(some: Collection[str], others: Collection[str]) -> bool:
    """Are these other places than those? A file may be named with less of its path."""
    pairs = [(f"/{a}", f"/{b}") for a in some for b in others]
    return bool(pairs) and not any(a.endswith(b) or b.endswith(a) for a, b in pairs)
