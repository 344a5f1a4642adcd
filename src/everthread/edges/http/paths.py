"""Which route a path means. Each part is decoded by itself, so that none can pass for two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

R = TypeVar("R")


class Pattern(NamedTuple, Generic[R]):
    parts: tuple[str, ...]
    names: tuple[str | None, ...]
    route: R


class RouteMatch(NamedTuple, Generic[R]):
    """A route that the path fits, with the values in it."""

    route: R
    values: dict[str, str]


class Paths(Generic[R]):
    """The paths of the API; a fixed word goes before a value."""

    def __init__(self, routes: Sequence[tuple[str, R]]) -> None:
        self._patterns: dict[int, list[Pattern[R]]] = {}
        for path, route in routes:
            parts = tuple(path.strip("/").split("/"))
            names = tuple(p[1:-1] if p.startswith("{") else None for p in parts)
            self._patterns.setdefault(len(parts), []).append(Pattern(parts, names, route))
        for patterns in self._patterns.values():
            patterns.sort(key=lambda p: [name is not None for name in p.names])

    def matching(self, raw: bytes) -> Iterator[RouteMatch[R]]:
        """Every route whose path this is."""
        parts = _parts(raw)
        for pattern in self._patterns.get(len(parts), ()):
            fits = all(
                part and (name is not None or part == own)
                for part, own, name in zip(parts, pattern.parts, pattern.names, strict=True)
            )
            if fits:
                pairs = zip(pattern.names, parts, strict=True)
                yield RouteMatch(pattern.route, {name: part for name, part in pairs if name})


def _parts(raw: bytes) -> list[str]:
    try:
        return [unquote_to_bytes(part).decode() for part in raw.removeprefix(b"/").split(b"/")]
    except UnicodeDecodeError:
        return []  # no text: it names nothing
