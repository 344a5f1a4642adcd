"""Events on their way to the desk: each once, in the pool, in time, with a trace of what failed."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from everthread.domain.errors import EverthreadError, StoreFailed

from .trace import Trace

if TYPE_CHECKING:
    from everthread.engine import Everthread
    from everthread.settings import Settings

    from .core import DaemonCore

log = logging.getLogger("everthread.daemon")

USUAL_MS = 2_000
SHARE = 0.9
"""Of the time that the client waits we take this much: the answer has to reach it."""
REMEMBERED = 10_000
"""Tickets of events that were answered; the spool may bring them again."""

LONG_AGO = 60.0
"""Seconds after which a client that still waits has a clock of its own."""

MAY_PASS = (StoreFailed, OSError, ImportError)
"""After these the event is kept and tried again: the store is away, a file cannot be read, another
version is being installed. Everything else would fail again."""

TICKET = re.compile(r"[0-9]{20}-[0-9]{1,20}")
"""When it was met, and by which process. It names a file in the spool, so nothing else will do."""


class EventLate(Exception):
    """It is not done in time. Whoever brought it keeps it, and it comes again."""


class AnswerEvent(Protocol):
    """The desk: `edges.harnesses.desk.answer`."""

    def __call__(  # noqa: PLR0913 - an event, with all that it came with
        self,
        engine: Everthread,
        settings: Settings,
        harness: str,
        event: str,
        payload: bytes,
        environ: Mapping[str, str],
        at: datetime | None = None,
        /,
        *,
        seconds: float | None = None,
    ) -> bytes: ...


class Event(NamedTuple):
    """One event as the client sent it."""

    harness: str
    name: str
    body: bytes
    environ: Mapping[str, str]
    ticket: str = ""
    ms: int = USUAL_MS
    cut: int = 0
    """How large it was, if only its beginning was carried."""
    near: bool = True
    """It comes from this machine, whose clock is ours."""

    @classmethod
    def of(
        cls, path: Mapping[str, str], headers: Mapping[str, str], body: bytes, *, near: bool = True
    ) -> Self:
        """What path, headers and body say; of what cannot be read, the usual."""
        return cls(
            harness=path["harness"],
            name=path["event"],
            body=body,
            environ=_environ(headers),
            ticket=_ticket(headers.get("x-everthread-ticket", "")),
            ms=_number_or(headers.get("x-everthread-ms"), USUAL_MS),
            cut=_number_or(headers.get("x-everthread-cut"), 0),
            near=near,
        )

    @property
    def private(self) -> bool:
        """Is nothing of it to be kept anywhere?"""
        return self.environ.get("EVERTHREAD_PRIVATE", "0") != "0"

    @property
    def at(self) -> datetime | None:
        """When the client met it, where its ticket says so."""
        ns = self.ticket.partition("-")[0]
        try:
            return datetime.fromtimestamp(int(ns) / 1e9, UTC)
        except (ValueError, OverflowError, OSError):
            return None

    @property
    def met(self) -> datetime | None:
        """When it happened, if a clock that we trust says so: should the daemon die before it answers,
        the spool brings the event again, and by this moment it is known to be the same."""
        age = self.ms / 1_000 - self.left
        return self.at if self.near and 0 < age < LONG_AGO else None

    @property
    def left(self) -> float:
        """Seconds until its client goes. It may have waited for us to start, or in our socket."""
        met = self.ticket[:20] if self.near else ""
        waited = max(0.0, time.time() - int(met) / 1e9) if met.isdecimal() else 0.0
        return self.ms / 1_000 - waited


def _ticket(given: str) -> str:
    """The client's, or one made here."""
    return given if TICKET.fullmatch(given) else f"{time.time_ns():020}-{os.getpid()}"


def _number_or(text: str | None, usual: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 12 else usual  # noqa: PLR2004 - any size


def _environ(headers: Mapping[str, str]) -> dict[str, str]:
    """What the client told about its surroundings."""
    found: dict[str, str] = {}
    try:
        told = bytes.fromhex(headers.get("x-everthread-environ", "")).split(b"\0")
    except ValueError:
        told = []
    for each in told:
        name, equals, value = each.decode("utf-8", "surrogateescape").partition("=")
        if equals:
            found[name] = value
    if headers.get("x-everthread-private"):
        found["EVERTHREAD_PRIVATE"] = headers["x-everthread-private"]
    if folder := headers.get("x-everthread-folder"):
        found["PWD"] = folder
    return found


class Hooks:
    """The way of an event through the daemon."""

    def __init__(
        self,
        served: DaemonCore,
        trace: Trace,
        keep: Callable[[Event], None],
        desk: AnswerEvent | None = None,
    ) -> None:
        self._served = served
        self._keep = keep
        self._trace = trace
        self._desk = desk
        self._seen: OrderedDict[str, threading.Event | None] = OrderedDict()
        """By ticket: set when the work on it ends; None from then on."""
        self._lock = threading.Lock()
        self._expected = self._rehearsed = False
        self.last = time.monotonic()
        """When something last happened."""
        self.ready = threading.Event()
        """Set when what was spooled before us is in the store."""
        self.taken = 0
        """How many events were seen to, live and spooled: as long as it grows, the store is well."""
        self.caught_up: Callable[[Event], bool] = lambda _: True
        """Is nothing left in the spool that has to come before this event?"""

    async def answer(self, event: Event) -> bytes:
        """What the harness is given, in time or not at all. The work goes on after the time is up, but
        nobody knows whether it will end: a client of this machine is told so (`Late`) and spools the
        event, and for one from elsewhere we do that. Its ticket tells us if it was done by then."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        limit = loop.call_later(max(0.0, event.left * SHARE), _wake, woken)
        try:
            work = self._served.urgent.submit(self.attend, event)
            work.add_done_callback(partial(_tell, loop, woken))
            await woken
        finally:
            limit.cancel()
        with suppress(EventLate):
            if work.done():
                return work.result()
        self._trace.late(event.harness, event.name)
        if event.near:
            raise EventLate
        if not event.private:
            await asyncio.to_thread(self._keep, event)
        return b""

    def attend(self, event: Event, *, spooled: bool = False) -> bytes:
        """Have the desk see to it, unless it has before. What may pass is raised, and the event comes
        again; any other fault is logged and counted, and the harness hears nothing. If the fault is ours,
        the event is tried once more and then set aside."""
        self.last = time.monotonic()
        if not spooled:
            # What came before comes first, as far as there is time: a recovery reads it.
            self.ready.wait(max(0.0, event.left / 2))
            if not event.private and not self.caught_up(event):
                raise EventLate
        mine = self._claim(event.ticket, 0.0 if spooled else max(0.0, event.left))
        if mine is None:
            return b""
        try:
            answer = self._answered(event, spooled=spooled)
        except MAY_PASS as error:
            self._forget(event.ticket)
            self._trace.failed(event.harness, event.name, error)
            raise
        except Exception as error:
            log.exception("%s %s failed", event.harness, event.name)
            self._trace.failed(event.harness, event.name, error)
            if spooled:
                raise
            if not isinstance(error, EverthreadError):
                self._once_more(event)
            return b""
        finally:
            self._over(event.ticket, mine)
        self._trace.answered(event.harness, event.name)
        self._note_cut(event)
        self.taken += 1
        self._expect()
        return answer

    def _note_cut(self, event: Event) -> None:
        """What was too large to come whole is told of: nobody else knows."""
        if event.cut > len(event.body):
            said = (event.harness, event.name, f"{len(event.body):,}", f"{event.cut:,}")
            log.warning("%s %s was too large: %s of %s bytes were carried", *said)
            self._trace.cut()

    def _once_more(self, event: Event) -> None:
        if event.private:
            return
        try:
            self._keep(event)
        except (OSError, StoreFailed):
            log.exception("%s %s is not kept", event.harness, event.name)
        else:
            self._forget(event.ticket)

    def done(self, ticket: str) -> bool:
        """Was an event with this ticket seen to?"""
        with self._lock:
            return self._seen.get(ticket, self) is None

    def ended(self, ticket: str, seconds: float) -> bool:
        """Is nobody at the event with this ticket any more? Who is, is waited for so long."""
        with self._lock:
            other = self._seen.get(ticket)
        return other is None or other.wait(seconds)

    def warm(self) -> None:
        """Load what the first event will need; it would wait for that."""
        if self._desk is None:
            from everthread.edges.harnesses.event_desk import answer  # noqa: PLC0415 - after listening
            from everthread.engine.attending import prepare  # noqa: PLC0415 - as above

            prepare()
            self._desk = answer

    def rehearse(self) -> None:
        """Have ready what was loaded. Nobody waits for this: who comes meanwhile makes what he needs."""
        if not self._rehearsed:
            from everthread.engine.attending import prepare_patterns  # noqa: PLC0415 - after listening

            self._rehearsed = True
            prepare_patterns()

    def _expect(self) -> None:
        """After the first event a prompt will follow: what a recall needs is loaded behind its back."""
        if self._expected:
            return
        self._expected = True
        from everthread.engine.attending import prepare_recall  # noqa: PLC0415 - after listening

        with suppress(RuntimeError):  # we are stopping
            self._served.pool.submit(prepare_recall)

    def _answered(self, event: Event, *, spooled: bool) -> bytes:
        # Whom nobody waits for is given nothing now; what a start missed comes with a prompt.
        spooled = spooled or event.left <= 0
        self.warm()
        assert self._desk is not None
        return self._desk(
            self._served.engine(),
            self._served.settings,
            event.harness,
            event.name,
            event.body,
            event.environ,
            event.at if spooled else event.met,
            seconds=None if spooled else event.left * SHARE,
        )

    def _claim(self, ticket: str, seconds: float) -> threading.Event | None:
        """The right to work on it; None if somebody has done so. Who is at it is waited for so long."""
        mine = threading.Event()
        while ticket:
            with self._lock:
                other = self._seen.setdefault(ticket, mine)
                while len(self._seen) > REMEMBERED:
                    self._seen.popitem(last=False)
            if other is mine or other is None:
                return other
            if not other.wait(seconds):
                raise EventLate
        return mine

    def _forget(self, ticket: str) -> None:
        with self._lock:
            self._seen.pop(ticket, None)

    def _over(self, ticket: str, mine: threading.Event) -> None:
        with self._lock:
            if self._seen.get(ticket) is mine:
                self._seen[ticket] = None
        mine.set()


def _tell(loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None], _work: object) -> None:
    """The work is done: wake who waits for it. A loop that is closed has nobody who waits."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_wake, woken)


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
