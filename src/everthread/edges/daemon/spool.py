"""The spool: events that hooks could not bring, replayed in the order in which they came."""

from __future__ import annotations

import logging
import os
import time
from typing import NamedTuple

from .events import STORE_TROUBLE, Event, Hooks
from .places import Places
from .trace import Trace, waiting

log = logging.getLogger("everthread.daemon")

STALE = 60.0
"""Seconds after which a half-written event has no writer any more."""
MOST_TORN = 100
"""Unreadable events that are kept for whoever wants to look; the oldest go."""


class Torn(Exception):
    """A spooled event that cannot be read."""


class Drained(NamedTuple):
    """What one look at the spool did."""

    replayed: int
    left: int
    """Events that wait for the store."""


def drain(places: Places, hooks: Hooks, trace: Trace) -> Drained:
    """Replay what is there. What cannot be read or fails for good is set aside and blocks nothing; at
    trouble of the store the rest waits. An event leaves the spool after the store has it."""
    _set_aside_halves(places, trace)
    names, replayed = waiting(places), 0
    for name in names:
        try:
            hooks.attend(read(places, name), spooled=True)
        except FileNotFoundError:
            continue
        except STORE_TROUBLE as error:
            log.warning("the spool waits: %s", error)
            return Drained(replayed, len(names) - replayed)
        except Exception as error:  # noqa: BLE001 - an event that fails for good must not block the others
            _set_aside(places, name, trace, error)
            continue
        (places.spool / name).unlink(missing_ok=True)
        trace.drained()
        replayed += 1
    return Drained(replayed, 0)


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
    return Event.of({"harness": path[2], "event": path[3]}, headers, body)


def keep(places: Places, event: Event) -> None:
    """Put an event back that was accepted and could not be stored."""
    environ = b"\0".join(os.fsencode(f"{name}={value}") for name, value in event.environ.items())
    lines = [
        f"POST /hook/{event.harness}/{event.name} HTTP/1.1",
        f"content-length: {len(event.body)}",
        f"x-everthread-ticket: {event.ticket}",
        f"x-everthread-ms: {event.ms}",
        f"x-everthread-environ: {environ.hex()}",
        f"x-everthread-cut: {event.cut}",
    ]
    record = "\r\n".join(lines).encode() + b"\r\n\r\n" + event.body
    ticket = event.ticket or f"{time.time_ns():020}-{os.getpid()}"
    made = places.spool / f".{ticket}"
    made.touch(0o600)
    made.write_bytes(record)
    made.replace(places.spool / f"{ticket}-{len(record)}")


def _set_aside_halves(places: Places, trace: Trace) -> None:
    """Files whose writer was killed before it could name them."""
    for path in places.spool.glob(".0*"):
        try:
            old = time.time() - path.stat().st_mtime > STALE
        except FileNotFoundError:
            continue
        if old:
            _set_aside(places, path.name, trace, Torn("its writer was killed"))


def _set_aside(places: Places, name: str, trace: Trace, error: Exception) -> None:
    log.warning("spooled event %s is set aside: %s: %s", name, type(error).__name__, error)
    trace.torn()
    places.torn.mkdir(mode=0o700, exist_ok=True)
    (places.spool / name).replace(places.torn / name.lstrip("."))
    kept = sorted(places.torn.iterdir())
    for path in kept[: max(0, len(kept) - MOST_TORN)]:
        path.unlink(missing_ok=True)
