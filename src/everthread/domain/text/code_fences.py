"""Which lines of a text stand in fenced code, the fences themselves included.

Agents put a whole document into one block, with blocks of its own inside: those end within it. A fence of
code in which another one begins was never closed.
"""

from __future__ import annotations

from typing import NamedTuple

from .patterns import lazy_pattern

_FENCE = lazy_pattern(r"\s*(?P<mark>`{3,}|~{3,})[ \t]*(?P<kind>[^\s`]*)[^`\n]*\s*$")
_DOCUMENTS = frozenset({"markdown", "md", "mdx", "rst", "text", "txt"})


class _Open(NamedTuple):
    mark: str
    kind: str


class CodeFences:
    """Read line by line, from the top of a text."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    @property
    def inside(self) -> bool:
        """Does the next line stand in code, unless it closes that?"""
        return bool(self._open)

    def hold(self, line: str) -> bool:
        """Is this line in code, or a fence?"""
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence is None:
            return self.inside
        mark, kind = fence["mark"], fence["kind"].lower()
        within = self._open[-1] if self._open else None
        if within is None or (kind and within.kind in _DOCUMENTS):
            self._open.append(_Open(mark, kind))
        elif kind:
            self._open[-1] = _Open(mark, kind)
        elif mark.startswith(within.mark):
            self._open.pop()
        return True
