"""Look at the files that a memory speaks of: what they are now, and whether they still are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from everthread.domain.memory.memories import Memory
from everthread.domain.recall import freshness as rule
from everthread.domain.recall.hits import Fresh
from everthread.domain.text.evidence import paths_in
from everthread.ports import House

MOST_LOOKED_AT = 8
"""So many files version control is asked about in one recall."""
LONGEST_LOOK = 0.3
"""And so many seconds."""

Said: TypeAlias = tuple[str, int, str | None]
"""A text, when it was said, and the folder of the project in which it was."""


def digests(house: House, text: str, root: str | None) -> dict[str, str]:
    """The files below the folder that the text names, each with its digest."""
    if root is None:
        return {}
    look = _digest_below(house, root)
    found = {path: look(path) for path in paths_in(text)}
    return {path: digest for path, digest in found.items() if digest is not None}


def freshness(house: House, memory: Memory, root: str | None = None) -> Fresh:
    """Are the files that the memory speaks of as they were when it was said? Looks, changes nothing."""
    folder = memory.project if root is None else house.files.real(root)
    if folder is None or not memory.files:
        return "unknown"
    found = rule.freshness(memory.files, _digest_below(house, folder))
    return "changed" if found == "unknown" and _are_gone(house, folder, memory.files) else found


def _are_gone(house: House, root: str, paths: Iterable[str]) -> bool:
    """Is the folder here, and none of the files? Then they were removed, and are not out of reach."""
    inside = house.files.real(root).rstrip("/") + "/"
    if house.files.modified(inside) is None:
        return False
    return all(house.files.modified(inside + path) is None for path in paths)


def freshness_by_time(house: House, said: Sequence[Said]) -> list[Fresh]:
    """Were files that messages name changed after they were said? By their times: it kept no digests.

    A clone, or another branch, gives a file a new time; where it is as it was committed by then, it is as
    it was. That is asked for few files at once, and not for long.
    """
    newer = [_newer_files(house, *each) for each in said]
    same = _unchanged_files(house, said, newer)
    told: list[Fresh] = []
    for n, paths in enumerate(newer):
        changed = paths is not None and any((n, path) not in same for path in paths)
        told.append("unknown" if paths is None else "changed" if changed else "fresh")
    return told


def _newer_files(house: House, text: str, at: int, root: str | None) -> list[str] | None:
    """Those that the text names which have a later time; None where there is none to look at."""
    if root is None:
        return None
    inside = house.files.real(root).rstrip("/") + "/"
    places = {path: house.files.real(inside + path) for path in paths_in(text)}
    times = {p: house.files.modified(to) for p, to in places.items() if to.startswith(inside)}
    known = {path: then for path, then in times.items() if then is not None}
    return [path for path, then in known.items() if then > at] if known else None


def _unchanged_files(
    house: House, said: Sequence[Said], newer: Sequence[Sequence[str] | None]
) -> set[tuple[int, str]]:
    """Those that are as they were when that was said, as version control tells; by its place."""
    asked: dict[str, list[tuple[int, str, int]]] = {}
    left = MOST_LOOKED_AT
    for n, ((_, at, root), paths) in enumerate(zip(said, newer, strict=True)):
        if root is None or not paths or len(paths) > left:
            continue
        left -= len(paths)
        asked.setdefault(root, []).extend((n, path, at) for path in paths)
    versions, found = house.versions, set[tuple[int, str]]()
    until = time.monotonic() + LONGEST_LOOK
    for root, some in asked.items():
        seconds = until - time.monotonic()
        if versions is None or seconds <= 0:
            break
        same = versions.unchanged(root, [(path, at) for _, path, at in some], seconds)
        found |= {(n, path) for n, path, at in some if (path, at) in same}
    return found


def _digest_below(house: House, root: str) -> Callable[[str], str | None]:
    """The digest of a file of that folder; a link that leads out of it is not followed."""
    inside = house.files.real(root).rstrip("/") + "/"

    def look(path: str) -> str | None:
        place = house.files.real(inside + path)
        return house.files.digest(place) if place.startswith(inside) else None

    return look
