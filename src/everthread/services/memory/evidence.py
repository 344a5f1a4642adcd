"""Look at the files that a memory speaks of: what they are now, and whether they still are."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everthread.domain.memory.memories import Memory
from everthread.domain.recall import freshness as rule
from everthread.domain.recall.hits import Fresh
from everthread.domain.text.evidence import paths_in
from everthread.ports import House


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


def freshness_by_time(house: House, text: str, at: int, root: str | None) -> Fresh:
    """Were files that a message names changed after it was said? By their times: it kept no digests."""
    if root is None:
        return "unknown"
    inside = house.files.real(root).rstrip("/") + "/"
    places = [house.files.real(inside + path) for path in paths_in(text)]
    times = [house.files.modified(place) for place in places if place.startswith(inside)]
    known = [time for time in times if time is not None]
    if not known:
        return "unknown"
    return "changed" if max(known) > at else "fresh"


def _digest_below(house: House, root: str) -> Callable[[str], str | None]:
    """The digest of a file of that folder; a link that leads out of it is not followed."""
    inside = house.files.real(root).rstrip("/") + "/"

    def look(path: str) -> str | None:
        place = house.files.real(inside + path)
        return house.files.digest(place) if place.startswith(inside) else None

    return look
