"""Places: folders with the files of agents. Machines that share a store have one each.

What a distillation wrote lies where it ran. Each place notes in the store whose files it holds, before
it writes one. Whoever takes something away asks every other place to follow; only the workers of that
place take that job. One that was not seen for a month is struck off: should it come back, it is new
here, and looks through all it has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.times import DAY
from everthread.ports import House, Records

from .job_names import FOLLOW_FILES, addressed_kind

NOTE_PREFIX = "files "
"""How the notes of places begin."""

UNSEEN = 30 * DAY


class Place(NamedTuple):
    """Where files of an agent lie."""

    id: str
    agent: int
    told: str
    seen_ms: int


class PlaceBehind(NamedTuple):
    """A place whose files may still tell what was taken away."""

    agent: int
    told: str
    since_ms: int


def places(records: Records) -> Iterator[Place]:
    """All that are known."""
    for name, seen in records.jobs.noted(NOTE_PREFIX):
        place, agent, told = name.removeprefix(NOTE_PREFIX).split(" ", 2)
        yield Place(place, int(agent), told, seen)


def enlist(house: House, records: Records, scope: Scope) -> None:
    """Note that files of the agent are about to lie here."""
    if house.workspace is not None and house.here.files:
        records.jobs.note(_name(house, scope.agent), now=house.clock.now())


def other_places(house: House, records: Records, scope: Scope) -> list[Place]:
    """The other places that hold files of the agent."""
    found = (place for place in places(records) if place.agent == scope.agent)
    return [place for place in found if place.id != house.here.files]


def ask_others(house: House, records: Records, scope: Scope) -> list[str]:
    """Have the files in other places follow what is changed in this transaction; where they are."""
    found = other_places(house, records, scope)
    for place in found:
        _ask(house, records, place.id, scope.agent)
    return [place.told for place in found]


def ask_here(house: House, records: Records, scope: Scope) -> None:
    """Have the files in this place follow the store."""
    _ask(house, records, house.here.files, scope.agent)


def ask_for_files(house: House, records: Records, scope: Scope, *, here: bool) -> None:
    """Have the files follow in all places; `here`: the agent has some in this one."""
    if here:
        ask_here(house, records, scope)
    ask_others(house, records, scope)


def places_behind(house: House) -> list[PlaceBehind]:
    """Which other places have not followed yet, the longest waiting first."""
    return house.store.read(lambda r: _places_behind(house, r))


def _places_behind(house: House, records: Records) -> list[PlaceBehind]:
    named = {(place.id, place.agent): place.told for place in places(records)}
    found: dict[tuple[str, int], PlaceBehind] = {}
    for job in records.jobs.all():
        kind, _, place = job.kind.partition("@")
        if kind == FOLLOW_FILES:
            key = place, int(json.loads(job.payload)["agent"])
            if key in named and place != house.here.files:
                found.setdefault(key, PlaceBehind(key[1], named[key], job.created_at))
    return sorted(found.values(), key=lambda one: one.since_ms)


def report_place(house: House) -> None:
    """Say that this place is there. Files that the store did not know to lie here are looked through."""
    workspace, here = house.workspace, house.here.files
    if workspace is None or not here:
        return
    now = house.clock.now()
    agents, noted = house.store.read(lambda r: (r.agents.all(), list(places(r))))
    seen = {place.agent: place.seen_ms for place in noted if place.id == here}
    found = [agent for agent in agents if agent.ref in seen or workspace.there(agent.name)]
    late = [agent for agent in found if now - seen.get(agent.ref, 0) >= DAY]
    gone = [place for place in noted if now - place.seen_ms > UNSEEN and _is_other(house, place)]
    if late or gone:
        house.store.write(lambda r: _note_places(house, r, late, set(seen), gone))


def _note_places(
    house: House,
    records: Records,
    late: Sequence[AgentRow],
    known: set[int],
    gone: Sequence[Place],
) -> None:
    for agent in late:
        records.jobs.note(_name(house, agent.ref), now=house.clock.now())
        if agent.ref not in known:
            ask_here(house, records, Scope(agent.ref))
    for place in gone:
        records.jobs.unnote(f"{NOTE_PREFIX}{place.id} {place.agent} {place.told}")
        records.jobs.cancel(addressed_kind(FOLLOW_FILES, place.id), once=str(place.agent))


def _is_other(house: House, place: Place) -> bool:
    return (place.id, place.told) != (house.here.files, house.here.told)


def _name(house: House, agent: int) -> str:
    return f"{NOTE_PREFIX}{house.here.files} {agent} {house.here.told}"


def _ask(house: House, records: Records, place: str, agent: int) -> None:
    now = house.clock.now()
    records.jobs.add(
        addressed_kind(FOLLOW_FILES, place),
        json.dumps({"agent": agent}),
        due_at=now,
        now=now,
        agent=agent,
        once=str(agent),
    )
