"""Events of tasks: queued in the transaction that makes them true, delivered later, at least once.

Who is to be told stands in the settings of the home folder that an event comes from, so its own workers
bring it. Where several homes share a store, one that names the very same webhook may bring it, too.

A receiver gets the events of an agent in their order: what comes after one that it has not taken waits
until that one has arrived or was given up. Brought again, an event has the same id and the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from everthread.domain.agents import Scope
from everthread.domain.errors import EverthreadError
from everthread.domain.ids import id_text
from everthread.domain.policy import Policy
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.events import Target, ToCommand, ToFile, ToWebhook, cloud_event
from everthread.domain.tasks.incidents import incident
from everthread.domain.tasks.tasks import Event
from everthread.domain.times import HOUR, SECOND
from everthread.ports import HomeIdentity, House, Records
from everthread.ports.home_identity import ANYWHERE
from everthread.services.job_names import DELIVER, addressed_kind

from .desk import Desk

MOST_ATTEMPTS = 20
FIRST_WAIT = 5 * SECOND
LONGEST_WAIT = HOUR
AT_ONCE = 1_000
LONGEST_ERROR = 500

AT_A_STRETCH = 30 * SECOND
"""The worker has more to do than to wait for receivers; the rest is the next job's."""

EVERY = 2**62


def targets(policy: Policy, here: HomeIdentity = ANYWHERE) -> list[str]:
    """Who is to be told; nobody by default, and then an event is only kept."""
    named = {
        "file": policy.outbox_file,
        "webhook": policy.outbox_url,
        "command": policy.outbox_command,
    }
    home = f"@{here.home}" if here.home else ""
    marks = {"webhook": f"/{_url_hash(policy.outbox_url)}"} if home else {}
    return [f"{kind}{home}{marks.get(kind, '')}" for kind, value in named.items() if value]


def is_ours_to_deliver(house: House, event: Event) -> bool:
    """Is it for the workers of this home to bring?"""
    if event.home in ("", house.here.home):
        return True
    return bool(house.policy.outbox_url) and event.webhook == _url_hash(house.policy.outbox_url)


def _url_hash(url: str) -> str:
    # An address may hold a key, and the store is read by others.
    return hashlib.sha256(url.encode(errors="surrogatepass")).hexdigest()[:16]


def queue(
    records: Records, desk: Desk, kind: str, *, subject: str, data: Mapping[str, Any], now: int
) -> list[Event]:
    """Put an event into the outbox, once for each who is to be told; in the caller's transaction."""
    source = f"urn:everthread:{quote(desk.agent.name, safe='')}"
    key_id = desk.house.ids.new()
    body = cloud_event(
        id_text(key_id), type=kind, source=source, at=now, data=data, subject=subject
    )
    told = targets(desk.house.policy, desk.house.here)
    made = [
        records.outbox.add(
            desk.scope,
            Event(
                ref=0,
                agent_ref=desk.agent.ref,
                # The envelope's own id stays the same for all; a row of the store needs one of its own.
                key_id=key_id if n == 0 else desk.house.ids.new(),
                type=kind,
                body=body,
                target=target,
                state="pending" if target else "kept",
                attempts=0,
                due_ms=now,
                error=None,
                created_ms=now,
                delivered_ms=None,
                entry=0,
            ),
        )
        for n, target in enumerate(told or [""])
    ]
    if told:
        ask(records, desk.house.here.home, due_at=now, now=now)
    return made


def ask(records: Records, home: str, *, due_at: int, now: int) -> None:
    """Have a worker deliver; twice is once, but what waits for later keeps nothing new waiting."""
    once = "now" if due_at <= now else "later"
    records.jobs.add(addressed_kind(DELIVER, home), "{}", due_at=due_at, now=now, once=once)


def ask_due(house: House) -> None:
    """Have what is due delivered, each by the workers of its home."""
    now = house.clock.now()
    due = [event for event in _waiting_events(house) if event.due_ms <= now]
    homes = {house.here.home if is_ours_to_deliver(house, event) else event.home for event in due}
    kinds = [addressed_kind(DELIVER, home) for home in sorted(homes)]
    if not all(house.store.read(lambda r: [r.jobs.waits(kind, once="now") for kind in kinds])):
        house.store.write(lambda r: [ask(r, home, due_at=now, now=now) for home in homes])


def deliver_due(house: House, pause: Callable[[], None]) -> int:
    """Bring what is due to its receivers; how many arrived. What fails is tried again, ever later."""
    began = house.clock.now()
    arrived = 0
    for line in _by_receiver(
        [event for event in _waiting_events(house) if is_ours_to_deliver(house, event)]
    ):
        for event in line:
            pause()
            now = house.clock.now()
            if now - began >= AT_A_STRETCH:
                home = house.here.home
                house.store.write(lambda r, n=now, h=home: ask(r, h, due_at=n, now=n))
                return arrived
            if event.due_ms > now or not _deliver(house, event):
                break  # what is behind it waits with it
            arrived += 1
    return arrived


def _waiting_events(house: House) -> list[Event]:
    """What waits, of all agents and homes: those of one that is gone must not hide the others."""

    def work(records: Records) -> list[Event]:
        found: list[Event] = []
        while page := records.outbox.due(now=EVERY, limit=AT_ONCE, skip=len(found)):
            found += page
        return found

    return house.store.read(work)


def _by_receiver(events: Sequence[Event]) -> list[list[Event]]:
    """What waits, by agent and receiver, each in its order."""

    def receiver(event: Event) -> tuple[int, str]:
        # To one webhook, whichever home it comes from.
        return event.agent_ref, event.webhook or event.target

    ordered = sorted(events, key=lambda event: (receiver(event), event.ref))
    return [list(line) for _, line in groupby(ordered, receiver)]


def _deliver(house: House, event: Event) -> bool:
    # It may have waited a while behind others, and been erased or brought by another worker since.
    if not _is_waiting(
        house.store.read(lambda r: r.outbox.get(Scope(event.agent_ref), event.ref)), event
    ):
        return False
    ok, error = _send(house, event)
    return house.store.write(lambda r: _note_outcome(house, r, event, ok=ok, error=error))


def _send(house: House, event: Event) -> tuple[bool, str]:
    target = _target(house.policy, event.receiver)
    if target is None:
        return False, f"no {event.receiver} is named in the settings any more"
    if isinstance(target, ToFile) and not PurePath(target.path).is_absolute():
        return False, "outbox_file must be a whole path, since each program has its own folder"
    if house.deliver is None:
        return False, "this program delivers nothing"
    try:
        done = house.deliver.deliver(event.body, target)
    except EverthreadError as trouble:
        return False, strip_secrets(str(trouble))[:LONGEST_ERROR]
    return done.ok, strip_secrets(done.error or "it was not taken")[:LONGEST_ERROR]


def _target(policy: Policy, kind: str) -> Target | None:
    if kind == "file" and policy.outbox_file:
        return ToFile(policy.outbox_file)
    if kind == "webhook" and policy.outbox_url:
        return ToWebhook(policy.outbox_url, policy.outbox_secret)
    if kind == "command" and policy.outbox_command:
        return ToCommand(policy.outbox_command, "/")
    return None


def _is_waiting(present: Event | None, event: Event) -> bool:
    """Is it still the one that was to be brought, as nobody has touched it?"""
    return present is not None and present.state == "pending" and present.entry == event.entry


def _note_outcome(house: House, records: Records, event: Event, *, ok: bool, error: str) -> bool:
    """Put down what became of it; may what comes behind it be brought?"""
    scope, now = Scope(event.agent_ref), house.clock.now()
    if not _is_waiting(records.outbox.hold(scope, event.ref), event):
        return False
    attempts = event.attempts + 1
    if ok:
        done = event._replace(state="delivered", attempts=attempts, error=None, delivered_ms=now)
        records.outbox.change(scope, done, now=now)
        return True
    over = attempts >= MOST_ATTEMPTS
    due = now + min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT)
    failed = event._replace(
        state="failed" if over else "pending", attempts=attempts, due_ms=due, error=error
    )
    records.outbox.change(scope, failed, now=now)
    if over:
        summary = f"{event.type} could not be delivered to the {event.receiver}: {error}"
        details = {"event": event.id, "attempts": attempts}
        found = incident(house.ids.new(), "delivery", summary, details=details, at=now)
        records.incidents.add(scope, found)
    else:
        ask(records, house.here.home, due_at=due, now=now)
    return False
