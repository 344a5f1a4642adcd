"""How much is left where the store, its index and the files are, and whether anything can be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow
    from everthread.domain.outages import DiskRoom
    from everthread.ports import House

MB = 1_000_000
LITTLE = 100 * MB
"""With less than this a day's work may fill it."""


STORE = "the store"


class Room(NamedTuple):
    """A file system that holds something of ours."""

    fine: bool
    says: str
    advice: str = ""
    full: bool = False
    """Is no space left there for the store?"""


def rooms(house: House, agents: Sequence[AgentRow]) -> list[Room]:
    """Each file system once, with what of ours is on it. A server's disk is the server's to watch."""
    held: dict[int, tuple[DiskRoom, list[str], str]] = {}
    places = list(_places(house, agents))
    for (name, place), seen in zip(places, house.files.rooms([p for _, p in places]), strict=True):
        if seen is not None:
            held.setdefault(seen.disk, (seen, [], place))[1].append(name)
    return [
        _room(seen, _listed(names), place)._replace(full=seen.full and STORE in names)
        for seen, names, place in held.values()
    ]


def _room(seen: DiskRoom, what: str, place: str) -> Room:
    if seen.full:
        says = f"no space is left for {what} ({place}): what is new may be refused"
        advice = "free some space there; nothing that was kept is lost, and recall goes on"
        return Room(fine=False, says=says, advice=advice)
    free = f"{seen.free / MB:,.0f} MB are free for {what}"
    if seen.free < LITTLE:
        return Room(fine=False, says=f"only {free} ({place})", advice="free some space there")
    return Room(fine=True, says=free)


def _places(house: House, agents: Sequence[AgentRow]) -> Iterator[tuple[str, str]]:
    if place := _store_place(house):
        yield STORE, place
    if place := house.index.place():
        yield "the index", place
    if house.workspace is not None and agents:
        # Those of all agents lie side by side.
        yield "the files", house.workspace.path(agents[0].name)


def _store_place(house: House) -> str:
    place = house.store.location
    return "" if "://" in place else place


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
