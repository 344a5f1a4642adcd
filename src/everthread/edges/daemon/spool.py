"""The spool: events that hooks could not bring, replayed in the order in which they came.

Within a session that order is kept whatever fails: where one of its events waits, those after it wait too.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, unquote

from everthread.domain.errors import StoreFailed, StoreFull
from everthread.domain.outages import OUTAGES

from .events import MAY_PASS, Event, EventLate, Hooks
from .places import Places
from .retries import TRIES, Retries
from .trace import Trace, waiting_events

log = logging.getLogger("everthread.daemon")

SPOOL_FILES = 2_000
SPOOL_BYTES = 64_000_000
"""What the spool may hold, as the client has it."""
STALE = 60.0
"""Seconds after which a half-written event has no writer any more."""
MOST_ASIDE = 100
"""Events set aside that are kept for whoever wants to look, in each folder; the oldest go."""
OF_ALL = (*OUTAGES, ImportError)
"""What the next event would meet too: it counts against none."""
OF_THE_MACHINE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO}


class Torn(Exception):
    """A spooled event that cannot be read."""


class Fatal(Exception):
    """A spooled event at which daemons end."""


class DrainResult(NamedTuple):
    """What one look at the spool did."""

    replayed: int
    left: int
    """Events that wait: for the store, for another try, or for whoever is at them."""


def drain(places: Places, hooks: Hooks, trace: Trace, tries: Retries | None = None) -> DrainResult:
    """Replay what is there. An event leaves the spool after the store has it. At trouble of the store
    the rest waits. What cannot be read or fails each time is set aside and blocks nothing but what came
    after it in its session, until then: `tries` counts from one look to the next."""
    tries = Retries() if tries is None else tries
    with tries.lock:
        return _drain_once(places, hooks, trace, tries)


def catch_up(places: Places, hooks: Hooks, trace: Trace, tries: Retries, event: Event) -> bool:
    """What came before in the session of a live event is replayed first. False: that waits for the store
    or takes too long, so this one has to wait behind it. What fails again and again is passed over."""
    if not waiting_events(places) or not (mine := _line(event)):
        return True
    tried: set[str] = set()
    until = time.monotonic() + event.left / 2
    while first := _first_ahead(places, tries, mine, event.ticket):
        if tries.often(first):
            break
        ended = hooks.ended(_ticket(first), _rest(until))
        if first in tried or not ended or not tries.lock.acquire(timeout=_rest(until)):
            return False
        try:
            tried.add(first)
            _drain_once(places, hooks, trace, tries)
        finally:
            tries.lock.release()
    return True


def _first_ahead(places: Places, tries: Retries, line: str, ticket: str) -> str | None:
    """The first of that line in the spool, if it came before this ticket."""
    find = partial(line_of, places)
    before = (name for name in waiting_events(places) if name < ticket)
    return next((name for name in before if tries.line(name, find) == line), None)


def _ticket(name: str) -> str:
    return name.rpartition("-")[0]


def _rest(until: float) -> float:
    return max(0.0, until - time.monotonic())


def _drain_once(places: Places, hooks: Hooks, trace: Trace, tries: Retries) -> DrainResult:
    _set_aside_halves(places, trace)
    if (name := tries.fatal(places)) and (places.spool / name).exists():
        _set_aside(places, name, trace, Fatal(f"{TRIES} daemons ended at it"))
    try:
        return _Look(places, hooks, trace, tries).through()
    finally:
        tries.leave(places)
        trace.stuck(*tries.stuck(waiting_events(places)))


class _Look:
    """One look at the spool."""

    def __init__(self, places: Places, hooks: Hooks, trace: Trace, tries: Retries) -> None:
        self._places, self._hooks, self._trace, self._tries = places, hooks, trace, tries
        self._held: set[str] = set()
        """Lines of which an event waits."""
        self._replayed = self._left = 0

    def through(self) -> DrainResult:
        names = self._ordered()
        for number, name in enumerate(names):
            if not self._replay_if_due(name):
                return DrainResult(self._replayed, self._left + len(names) - number)
        return DrainResult(self._replayed, self._left)

    def _ordered(self) -> list[str]:
        """As they came; but a session at whose event the store fails often comes after the others: if
        they succeed, it is not the store's fault."""
        names = waiting_events(self._places)
        self._tries.only(names)
        stuck = {self._line(name) for name in names if self._tries.often(name)}
        return sorted(names, key=lambda n: (self._line(n) in stuck, n)) if stuck else names

    def _line(self, name: str) -> str:
        return self._tries.line(name, partial(line_of, self._places))

    def _hold(self, name: str) -> None:
        self._held.add(self._line(name))
        self._left += 1

    def _store_takes(self, name: str) -> bool:
        """Did the store take others in this look, or since this one failed?"""
        return bool(self._replayed) or self._tries.alone(name, self._hooks.taken)

    def _replay_if_due(self, name: str) -> bool:
        """Replay it if its turn has come. False: the store takes nothing now."""
        behind = bool(self._held) and self._line(name) in self._held
        if behind or not (self._store_takes(name) or self._tries.due(name)):
            self._hold(name)
            return True
        try:
            self._replay(name)
        except EventLate:
            self._hold(name)
        except Exception as error:  # noqa: BLE001 - it must not block other sessions
            return self._failed(name, error)
        return True

    def _replay(self, name: str) -> None:
        try:
            event = read_event(self._places, name)
        except FileNotFoundError:
            return  # somebody tidied up
        self._tries.begin(self._places, name)
        self._hooks.attend(event, spooled=True)
        (self._places.spool / name).unlink(missing_ok=True)
        self._trace.drained()
        self._tries.over(name)
        self._tries.say("")
        self._replayed += 1

    def _failed(self, name: str, error: Exception) -> bool:
        """Count it, and set the event aside if it alone is to blame. False: others would fail too."""
        tries = self._tries
        if isinstance(error, MAY_PASS):
            well = self._store_takes(name)
            if not _concerns_all(error):
                tries.failed(name, error, self._hooks.taken)
            if _concerns_all(error) or (
                isinstance(error, StoreFailed) and not (well and tries.often(name))
            ):
                tries.say(f"the spool waits: {error}")
                return False
            if not tries.often(name):
                self._hold(name)
                return True
        _set_aside(self._places, name, self._trace, error)
        tries.over(name)
        return True


def line_of(places: Places, name: str) -> str:
    """What must be replayed in order: the events of one session. Who names none stands alone."""
    try:
        return _line(read_event(places, name)) or name
    except (OSError, Torn):
        return name


def _line(event: Event) -> str:
    from everthread.edges.harnesses.event_desk import session_in  # noqa: PLC0415 - after listening

    session = session_in(event.harness, event.name, event.body, event.environ)
    return f"{event.harness} {session}" if session else ""


def _concerns_all(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in OF_THE_MACHINE
    return isinstance(error, OF_ALL)


def tidy(places: Places, hooks: Hooks) -> None:
    """Remove what was done after all, when it had been spooled: the next daemon would do it again."""
    for name in waiting_events(places):
        if hooks.done(_ticket(name)):
            (places.spool / name).unlink(missing_ok=True)


def read_event(places: Places, name: str) -> Event:
    """A spooled event. It is kept as the request that could not be sent."""
    head, end, body = (places.spool / name).read_bytes().partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {
        key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)
    }
    words = first.split(" ")
    path = words[1].split("/") if len(words) == 3 else []  # noqa: PLR2004 - POST path HTTP/1.1
    if not end or path[:2] != ["", "hook"] or len(path) != 4:  # noqa: PLR2004 - /hook/HARNESS/EVENT
        raise Torn("it is no event")
    if headers.get("content-length") != str(len(body)):
        raise Torn(f"{len(body)} bytes are left of {headers.get('content-length')}")
    names = {"harness": unquote(path[2]), "event": unquote(path[3])}
    return Event.of(names, headers, body)


def spool_event(places: Places, event: Event) -> None:
    """Spool an event for somebody who cannot; `StoreFull` where there is no room for it."""
    environ = b"\0".join(os.fsencode(f"{name}={value}") for name, value in event.environ.items())
    lines = [
        f"POST /hook/{quote(event.harness, safe=':')}/{quote(event.name, safe=':')} HTTP/1.1",
        f"content-length: {len(event.body)}",
        f"x-everthread-ticket: {event.ticket}",
        f"x-everthread-ms: {event.ms}",
        f"x-everthread-environ: {environ.hex()}",
        f"x-everthread-cut: {event.cut}",
    ]
    record = "\r\n".join(lines).encode() + b"\r\n\r\n" + event.body
    names = waiting_events(places)
    held = sum(
        int(size) for _, _, size in (name.rpartition("-") for name in names) if size.isdigit()
    )
    if len(names) >= SPOOL_FILES or held + len(record) > SPOOL_BYTES:
        raise StoreFull(f"the spool is full: {len(names):,} events wait")
    made = places.spool / f".{event.ticket}"
    made.touch(0o600)
    made.write_bytes(record)
    made.replace(places.spool / f"{event.ticket}-{len(record)}")


def _set_aside_halves(places: Places, trace: Trace) -> None:
    """Files whose writer was killed before it could name them."""
    for path in places.spool.glob(".[0-9]*"):
        try:
            old = time.time() - path.stat().st_mtime > STALE
        except FileNotFoundError:
            continue
        if old:
            _set_aside(places, path.name, trace, Torn("its writer was killed"))


def _set_aside(places: Places, name: str, trace: Trace, error: Exception) -> None:
    log.warning("spooled event %s is set aside: %s: %s", name, type(error).__name__, error)
    torn = isinstance(error, Torn)
    folder = places.torn if torn else places.failed
    folder.mkdir(mode=0o700, exist_ok=True)
    (places.spool / name).replace(folder / name.lstrip("."))
    kept = sorted(folder.iterdir())
    for path in kept[: max(0, len(kept) - MOST_ASIDE)]:
        path.unlink(missing_ok=True)
    trace.set_aside(torn=torn)
