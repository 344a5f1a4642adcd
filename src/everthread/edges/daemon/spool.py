"""The spool: events that hooks could not bring, replayed in the order in which they came."""

from __future__ import annotations

import errno
import logging
import os
import time
from collections import Counter
from typing import NamedTuple
from urllib.parse import quote, unquote

from everthread.domain.errors import StoreBusy, StoreClosed, StoreFailed, StoreFull

from .events import MAY_PASS, Event, Hooks, Late
from .places import Places
from .trace import Trace, waiting

log = logging.getLogger("everthread.daemon")

SPOOL_FILES = 2_000
SPOOL_BYTES = 64_000_000
"""What the spool may hold, as the client has it."""
STALE = 60.0
"""Seconds after which a half-written event has no writer any more."""
MOST_ASIDE = 100
"""Events set aside that are kept for whoever wants to look, in each folder; the oldest go."""
TRIES = 3
"""So often an event may fail before it is set aside."""

OF_ALL = (StoreBusy, StoreClosed, StoreFull, ImportError)
"""What the next event would meet too."""
OF_THE_MACHINE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO}


class Torn(Exception):
    """A spooled event that cannot be read."""


class Drained(NamedTuple):
    """What one look at the spool did."""

    replayed: int
    left: int
    """Events that wait: for the store, for another try, or for whoever is at them."""


def drain(places: Places, hooks: Hooks, trace: Trace, tries: Counter[str] | None = None) -> Drained:
    """Replay what is there. An event leaves the spool after the store has it. At trouble of the store
    the rest waits. What cannot be read or fails each time is set aside and blocks nothing: `tries`
    counts from one look to the next."""
    _set_aside_halves(places, trace)
    tries = Counter() if tries is None else tries
    # Who has failed often comes last: if the others succeed, it is not the store's fault.
    names = sorted(waiting(places), key=lambda name: (tries[name] >= TRIES, name))
    replayed = left = 0
    for number, name in enumerate(names):
        try:
            _replay(places, hooks, name)
        except Late:
            left += 1
            continue
        except MAY_PASS as error:
            tries[name] += not _of_all(error)
            if _waits(error, tries[name], replayed):
                log.warning("the spool waits: %s", error)
                return Drained(replayed, left + len(names) - number)
            if tries[name] < TRIES:
                left += 1
                continue
            _set_aside(places, name, trace, error)
        except Exception as error:  # noqa: BLE001 - it must not block the others
            _set_aside(places, name, trace, error)
        else:
            trace.drained()
            replayed += 1
        tries.pop(name, None)
    return Drained(replayed, left)


def _replay(places: Places, hooks: Hooks, name: str) -> None:
    try:
        event = read(places, name)
    except FileNotFoundError:
        return  # somebody tidied up
    hooks.attend(event, spooled=True)
    (places.spool / name).unlink(missing_ok=True)


def _waits(error: Exception, tries: int, replayed: int) -> bool:
    """Would the next event fail too? A store that fails may fail for all; it does not if others went
    through just now, and this one has failed before."""
    if isinstance(error, StoreFailed):
        return isinstance(error, OF_ALL) or tries < TRIES or not replayed
    return _of_all(error)


def _of_all(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in OF_THE_MACHINE
    return isinstance(error, OF_ALL)


def tidy(places: Places, hooks: Hooks) -> None:
    """Remove what was done after all, when it had been spooled: the next daemon would do it again."""
    for name in waiting(places):
        if hooks.done(name.rpartition("-")[0]):
            (places.spool / name).unlink(missing_ok=True)


def read(places: Places, name: str) -> Event:
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


def keep(places: Places, event: Event) -> None:
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
    names = waiting(places)
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
