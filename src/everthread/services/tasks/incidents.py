"""Incidents: what a person should look at; listed, and resolved with a word."""

from __future__ import annotations

from everthread.domain.agents import Scope
from everthread.domain.checks import checked_text
from everthread.domain.errors import IncidentUnknown
from everthread.domain.lookup import Lookup
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.tasks import LONGEST_TEXT, Incident
from everthread.ports import House, Records

SOUGHT = Lookup("incident", "incidents", "everthread incidents", IncidentUnknown)


def find_incident(records: Records, scope: Scope, name: str) -> Incident:
    """An incident by its id or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.incidents.ending(scope, digits))


def resolve(house: House, scope: Scope, name: str, resolution: str) -> Incident:
    said = strip_secrets(checked_text("resolution", resolution, longest=LONGEST_TEXT))
    now = house.clock.now()
    return house.store.write(
        lambda r: r.incidents.resolve(scope, find_incident(r, scope, name), said, now=now)
    )
