"""Patterns that are compiled when they are first used.

To compile one takes as long as to match it a thousand times, and there are hundreds: a program that
starts pays only for those it needs.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """Looks like the pattern that it becomes."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever copies or inspects it means this object
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self.flags), name)
        # From now on it is found here at once, without this way round.
        setattr(self, name, found)
        return found


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`, later; a faulty pattern is found then, so each needs a test."""
    return cast("re.Pattern[str]", _Late(pattern, flags))
