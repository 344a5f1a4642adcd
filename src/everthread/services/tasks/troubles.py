"""Troubles: what of an agent's tasks waits for a person, for `doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.agents import Scope
from everthread.domain.tasks.tasks import Event
from everthread.domain.times import DAY
from everthread.ports import Records

MOST = 1_000
LATE = DAY
"""How long an event may wait without having been tried once."""


def troubles(records: Records, scope: Scope, *, now: int) -> list[tuple[str, str]]:
    """Each with what to do about it."""
    return [
        *_incidents(records, scope),
        *_stopped_tasks(records, scope),
        *_sandboxed_tasks(records, scope),
        *_undelivered_events(records, scope),
        *_unfetched_events(records, scope, now),
    ]


def _incidents(records: Records, scope: Scope) -> Iterator[tuple[str, str]]:
    found = records.incidents.all(scope, unresolved=True, limit=MOST)
    if found:
        many = "1 incident is" if len(found) == 1 else f"{len(found)} incidents are"
        says = f"{many} unresolved; the newest, {found[0].kind}: {found[0].summary}"
        yield says, "everthread incidents shows them; everthread incidents resolve ID --note …"


def _stopped_tasks(records: Records, scope: Scope) -> Iterator[tuple[str, str]]:
    for task in records.tasks.all(scope, limit=MOST):
        if task.stopped_ms is not None:
            says = f"{task.slug} in {task.project} was stopped in an emergency"
            yield says, f"look at it, then: everthread task allow --task {task.slug} --note …"


def _sandboxed_tasks(records: Records, scope: Scope) -> Iterator[tuple[str, str]]:
    """Whose sessions may only read, or whose next one may: everything else there is refused."""
    for task in records.tasks.all(scope, limit=MOST):
        sat = records.sittings.of_task(scope, task.ref, limit=1)
        reads = bool(sat and sat[0].sandboxed and sat[0].outcome is None)
        if task.sandbox_json is None and not reads:
            continue
        why = str((task.sandbox or {}).get("reason") or "it refused more than it did before")
        says = f"{task.project} is in a sandbox because of {task.slug}, so only reading is allowed: {why}"
        how = f"everthread task allow --task {task.slug} --note …"
        yield says, f"look at tasks/{task.slug}/logs/long-context, then leave it by: {how}"


def _undelivered_events(records: Records, scope: Scope) -> Iterator[tuple[str, str]]:
    """Those that were tried in vain; one that was given up has left an incident."""
    late: dict[str, list[Event]] = {}
    for event in records.outbox.all(scope, limit=MOST):
        if event.state == "pending" and event.error is not None:
            late.setdefault(event.receiver, []).append(event)
    for target, events in late.items():
        many = "1 event waits" if len(events) == 1 else f"{len(events)} events wait"
        says = f"{many} for the {target}: {events[0].error}"
        yield says, "see that it can be reached; it is tried again by itself (everthread outbox)"


def _unfetched_events(records: Records, scope: Scope, now: int) -> Iterator[tuple[str, str]]:
    """Those that nobody has tried: the machine that they come from has the settings for it."""
    waits = [e for e in records.outbox.all(scope, limit=MOST) if e.state == "pending"]
    late = [e for e in waits if e.error is None and now - e.created_ms >= LATE]
    if late:
        many = "1 event waits" if len(late) == 1 else f"{len(late)} events wait"
        says = f"{many} to be brought to the {late[-1].receiver} from where the session ran"
        yield says, "run Everthread there: its settings name who is to be told (everthread outbox)"
