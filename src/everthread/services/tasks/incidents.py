"""Incidents: what a person should look at; listed, and resolved with a word."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_text
from everthread.domain.errors import IncidentUnknown
from everthread.domain.ids import id_ending
from everthread.domain.redaction.secrets import redacted
from everthread.domain.tasks.tasks import LONGEST_TEXT, Incident
from everthread.ports import House, Records


def find_incident(records: Records, scope: Scope, name: str) -> Incident:
    """An incident by its id or any unique ending of it."""
    digits = id_ending(name)
    found: Sequence[Incident] = [] if digits is None else records.incidents.ending(scope, digits)
    if len(found) == 1:
        return found[0]
    if found:
        raise IncidentUnknown(f"{name!r} fits {len(found)} incidents; give more of the id")
    raise IncidentUnknown(f"no incident {name!r:.60}; `everthread incidents` shows what there is")


def resolve(house: House, scope: Scope, name: str, resolution: str) -> Incident:
    said = redacted(checked_text("resolution", resolution, longest=LONGEST_TEXT))
    now = house.clock.now()
    return house.store.write(
        lambda r: r.incidents.resolve(scope, find_incident(r, scope, name), said, now=now)
    )
