"""Patterns that are compiled when they are first used, and between which work steps aside.

To compile one takes as long as to match it a thousand times, and there are hundreds: a program that
starts pays only for those it needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from everthread.domain.aside import step_aside

USED = frozenset({"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"})


class _Late:
    """Looks like the pattern that it becomes."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever copies or inspects it means this object
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self.flags), name)
        if name in USED:
            found = _polite(found)
        # From now on it is found here at once, without this way round.
        setattr(self, name, found)
        return found


def _polite(use: Callable[..., Any]) -> Callable[..., Any]:
    def used(*args: Any, **more: Any) -> Any:
        step_aside()
        return use(*args, **more)

    return used


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`, later; a faulty pattern is found then, so each needs a test."""
    return cast("re.Pattern[str]", _Late(pattern, flags))
