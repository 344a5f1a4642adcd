"""Patterns that are compiled when they are first used, and between which work steps aside.

To compile one takes as long as to match it a thousand times, and there are hundreds: a program that
starts pays only for those it needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from everthread.domain.pauses import way_aside

USED = frozenset({"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"})


class _LazyPattern:
    """Looks like the pattern that it becomes."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags
        self.made: re.Pattern[str] | None = None

    def make(self) -> re.Pattern[str]:
        if self.made is None:
            self.made = re.compile(self.pattern, self.flags)
        return self.made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever copies or inspects it means this object
            raise AttributeError(name)
        found = getattr(self.make(), name)
        if name in USED:
            found = _pause_between(found)
        # From now on it is found here at once, without this way round.
        setattr(self, name, found)
        return found


_all: list[_LazyPattern] = []


def _pause_between(use: Callable[..., Any]) -> Callable[..., Any]:
    def used(*args: Any, **more: Any) -> Any:
        way_aside()()
        return use(*args, **more)

    return used


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`, later; a faulty pattern is found then, so each needs a test."""
    made = _LazyPattern(pattern, flags)
    _all.append(made)
    return cast("re.Pattern[str]", made)


def compile_all() -> None:
    """Compile what is loaded: a server does so before anybody waits for it."""
    for each in _all:
        each.make()
