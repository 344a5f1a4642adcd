"""The daemon's life: claim, listen, open the store, serve, finish."""

from __future__ import annotations

import asyncio
import importlib
import logging
import logging.handlers
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import everthread
from everthread.domain.errors import SettingInvalid, StoreFailed
from everthread.domain.redaction.secrets import strip_secrets

from . import running_daemon
from .claim import Claim, HomeTaken, local_token
from .places import Places
from .retries import Retries
from .trace import Trace

if TYPE_CHECKING:
    from uvicorn import Server

    from everthread.settings import Settings

    from .app import Hooks
    from .core import DaemonCore
    from .events import Event

log = logging.getLogger("everthread.daemon")

M_ARENA_MAX = -8
"""By this number glibc knows the setting."""
LOG_BYTES, LOG_FILES = 1_000_000, 3
MINUTELY, HOURLY = 60.0, 3_600.0
ROUND = 2.0
"""Seconds between two looks at the spool and at ourselves."""
MOMENT = 0.005
"""Seconds that what waits in the queue is given before the first of them."""
GRACE = 5
LAST_MINUTE = 20.0
"""Seconds after which a daemon that cannot finish goes all the same."""
TAKE_OVER = 15.0


def serve(settings: Settings, *, say: bool = False) -> str:
    """Serve this home folder until told to stop; returns why it ended, in words."""
    places = Places(settings.home)
    _must_be_absolute(settings.store_target)
    try:
        claim = _claim(places)
    except HomeTaken as taken:
        return str(taken)
    with claim:
        _log_to(places, say=say)
        try:
            claim.listen()
            _few_arenas()
            return _serve_claim(settings, claim)
        except Exception:
            log.exception("the daemon failed")
            raise


def _few_arenas() -> None:
    """Let all threads share two heaps: with one for each, glibc gives hardly anything back."""
    import ctypes  # noqa: PLC0415 - nobody else needs it

    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def _must_be_absolute(target: str) -> None:
    if "://" not in target and not Path(target).expanduser().is_absolute():
        raise SettingInvalid(
            f"store = {target!r} is somewhere else in every folder, and the daemon serves them all; "
            "give the whole path: everthread config set store /…"
        )


def _claim(places: Places) -> Claim:
    """The claim; an older daemon is asked to finish, once."""
    try:
        return Claim(places, seconds=0.2)
    except HomeTaken:
        other = running_daemon.find(places)
        if other is None or not other.older:
            raise
    running_daemon.talk(places, "POST", "/control/stop")
    return Claim(places, seconds=TAKE_OVER)


def _serve_claim(settings: Settings, claim: Claim) -> str:
    from .app import Doors, Hooks  # noqa: PLC0415 - after listening: hooks wait in the queue
    from .core import DaemonCore  # noqa: PLC0415 - as above
    from .spool import spool_event  # noqa: PLC0415 - as above

    served = DaemonCore(settings, port=claim.port, token=local_token(claim.places))
    trace = Trace(claim.places)
    hooks = Hooks(served, trace, partial(spool_event, claim.places))
    server = _server()
    life = Life(claim, served, hooks, trace, server)
    doors = Doors(served, hooks, life.end)
    server.config.app = doors.app()
    log.info(
        "version %s listens on %s and port %d",
        everthread.__version__,
        claim.places.socket,
        claim.port,
    )
    try:
        asyncio.run(life.run())
    finally:
        _finish(served, claim, hooks, trace)
    log.info("stopped: %s", life.why)
    return f"stopped: {life.why}"


def _server() -> Server:
    import uvicorn  # noqa: PLC0415 - after listening

    from .connections import AT_ONCE, Connection, raise_file_limit  # noqa: PLC0415 - as above

    raise_file_limit()

    class Plain(uvicorn.Server):
        """Signals are ours to hear."""

        @contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    config = uvicorn.Config(
        "",
        loop="asyncio",
        http=Connection,
        backlog=AT_ONCE,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # who asks is whoever the socket says, whatever a header claims
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    return Plain(config)


class Life:
    """What goes on beside the serving: signals, the spool, the trace, and a look at ourselves."""

    def __init__(
        self, claim: Claim, served: DaemonCore, hooks: Hooks, trace: Trace, server: Server
    ) -> None:
        self._claim = claim
        self._served = served
        self._hooks = hooks
        self._trace = trace
        self._server = server
        self._version = _version_on_disk() or everthread.__version__
        self._tries = Retries()
        hooks.caught_up = self._caught_up
        self._looked = False
        self._tended, self._stirred = float("-inf"), time.monotonic()
        self.why = "asked to"

    def end(self, why: str = "asked to") -> None:
        self.why = why
        self._server.should_exit = True

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end, signal.Signals(number).name)
        rounds = asyncio.ensure_future(self._rounds())
        await self._server.serve(sockets=self._claim.sockets)
        rounds.cancel()
        with suppress(asyncio.CancelledError):
            await rounds

    async def _rounds(self) -> None:
        # What waits in the queue is taken first: to open the store loads much, and holds the rest up.
        while not self._server.started:
            await asyncio.sleep(MOMENT)
        await asyncio.sleep(MOMENT)
        while True:
            if reason := self._done():
                self.end(reason)
                return
            try:
                await self._served.run(self._look)
                self._trace.trouble("")
            except Exception as error:
                if self._trace.trouble(f"{type(error).__name__}: {error}"):
                    # A store that says itself what is the matter is no fault of ours.
                    log.error(
                        "the daemon's round failed; it is tried again: %s",
                        error,
                        exc_info=not isinstance(error, StoreFailed),
                    )
            with suppress(OSError):
                self._trace.write()
            await asyncio.sleep(ROUND)

    def _done(self) -> str:
        """Why the daemon has to leave, if it has to."""
        if not self._claim.present():
            return "the socket is gone"
        # What is imported from now on would be of that one. What cannot be read says nothing.
        if (_version_on_disk() or self._version) != self._version:
            return "another version was installed"
        if is_idle(self._served.settings, time.monotonic() - self._hooks.last):
            return "idle"
        return ""

    def _look(self) -> None:
        """Open the store if it is not, and replay what hooks had to spool."""
        from .spool import drain  # noqa: PLC0415 - after listening

        try:
            self._served.engine()
            drain(self._claim.places, self._hooks, self._trace, self._tries)
        finally:
            self._hooks.ready.set()
        self._hooks.warm()
        if self._looked:  # at the start the first events want the processor, and whoever started us
            self._hooks.rehearse()
        self._looked = True
        self._tend()
        _settle_gate(self._served.settings)

    def _caught_up(self, event: Event) -> bool:
        from .spool import catch_up  # noqa: PLC0415 - after listening

        return catch_up(self._claim.places, self._hooks, self._trace, self._tries, event)

    def _tend(self) -> None:
        """What happens by itself needs the worker, though no hook calls it: each hour it looks at all."""
        now, engine = time.monotonic(), self._served.engine()
        if now - self._tended >= MINUTELY:
            self._tended = now
            engine.tend()
        if now - self._stirred >= HOURLY:
            self._stirred = now
            engine.stir()


def _settle_gate(settings: Settings) -> None:
    """A task was begun or is over, by whatever door: harnesses ask about tools, or no more."""
    run = Places(settings.home).run
    if (run / "tasks").is_dir() != (run / "gate").exists():
        # By name: what installs knows the daemon, so the daemon may not know it.
        importlib.import_module("everthread.edges.install.tool_gate").settle(settings)


def is_idle(settings: Settings, seconds: float) -> bool:
    """Is the daemon to leave after so long without an event?"""
    return 0 < 60 * settings.daemon_idle_minutes < seconds


def _finish(served: DaemonCore, claim: Claim, hooks: Hooks, trace: Trace) -> None:
    """Write and close everything; but not for ever."""
    from .spool import tidy  # noqa: PLC0415 - after listening

    limit = threading.Timer(LAST_MINUTE, os._exit, (1,))
    limit.daemon = True
    limit.start()
    served.close()
    with suppress(OSError):
        if claim.holds():
            tidy(claim.places, hooks)
            trace.write(now=True)
    limit.cancel()


def _version_on_disk() -> str:
    """The version that is installed now, which may not be the one that runs."""
    try:
        text = Path(everthread.__file__).read_text("utf-8")
    except OSError:
        return ""
    found = re.search(r'^__version__[^=\n]*= "([^"]+)"', text, re.MULTILINE)
    return found[1] if found else ""


class _RedactingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return strip_secrets(super().format(record))


def _log_to(places: Places, *, say: bool) -> None:
    """The log: bounded, redacted, for nobody but us; in the foreground on stderr too."""
    form = _RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    form.converter = time.gmtime
    handlers: list[logging.Handler] = [
        logging.handlers.RotatingFileHandler(
            places.log,
            maxBytes=LOG_BYTES,
            backupCount=LOG_FILES,
            encoding="utf-8",
            errors="replace",
        )
    ]
    places.log.chmod(0o600)
    if say:
        handlers.append(logging.StreamHandler(sys.stderr))
    # All of it, also of libraries: what goes to stderr goes to a file that nobody bounds.
    logging.raiseExceptions = False
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread
    logging.getLogger("everthread").setLevel(logging.INFO)
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    for handler in handlers:
        handler.setFormatter(form)
        root.addHandler(handler)


def _log_thread(args: threading.ExceptHookArgs) -> None:
    error = args.exc_value or args.exc_type()
    log.error("a thread failed", exc_info=(args.exc_type, error, args.exc_traceback))
