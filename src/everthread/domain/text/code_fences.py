"""Which lines of a text stand in fenced code, the fences themselves included.

Agents put a whole document into one block, with blocks of its own inside: those end within it. A fence of
code in which another one begins was never closed.
"""

from __future__ import annotations

from typing import NamedTuple

_DOCUMENTS = frozenset({"markdown", "md", "mdx", "rst", "text", "txt"})
_NAMES = """
    asm bash bat c c# c++ clojure cmake console cpp cs csharp css csv dart diff docker dockerfile elixir
    erlang fish go graphql groovy haskell hcl html http ini java javascript js json json5 jsonc jsonl jsx
    julia kotlin latex less lisp log lua make makefile markdown md mdx mermaid nginx nix objc ocaml patch perl
    php plantuml powershell prisma proto ps1 py python r rb rs rst ruby rust sass scala scss sh shell sql
    svelte svg swift terminal terraform tex tf toml ts tsx typescript vb vim vue xml yaml yml zig zsh
"""
_LANGUAGES = frozenset(_NAMES.split())
"""Behind a fence within code one of these begins the next code; other words stand behind its end."""
LEAST = 3
"""Signs of a fence."""


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
        fence = _fence_of(line)
        if fence is None:
            return self.inside
        within = self._open[-1] if self._open else None
        if within is None or (within.kind in _DOCUMENTS and fence.kind):
            self._open.append(fence)
        elif fence.mark[0] != within.mark[0]:
            pass  # it is what the code shows
        elif fence.kind in _LANGUAGES:
            self._open[-1] = fence
        elif len(fence.mark) >= len(within.mark):
            self._open.pop()
        return True


def _fence_of(line: str) -> _Open | None:
    """The fence that the line is, with the first word behind it."""
    bare = line.strip()
    sign = bare[:1]
    if sign not in ("`", "~") or not bare.startswith(sign * LEAST):
        return None
    rest = bare.lstrip(sign)
    if "`" in rest:
        return None  # code within a line
    kind, _, more = rest.strip().partition(" ")
    named = kind.lower() if not more or kind.lower() in _LANGUAGES else ""
    return _Open(sign * (len(bare) - len(rest)), named)
