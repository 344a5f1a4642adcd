"""Is what a memory speaks of still as it was? Only looking again can say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .hits import Fresh


def freshness(files: Mapping[str, str], digest: Callable[[str], str | None]) -> Fresh:
    """`fresh` if every file still has its digest, `changed` if one has another or is gone.

    `unknown` where there is nothing to look at: no file, or a folder in which none of them can be
    read. That a memory was recalled or said again tells nothing about the files.
    """
    seen = {path: digest(path) for path in files}
    if all(now is None for now in seen.values()):
        return "unknown"
    return "fresh" if all(seen[path] == then for path, then in files.items()) else "changed"
