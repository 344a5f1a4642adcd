"""Where events go: a file, a webhook, a command. Each brings one event, once; who calls tries again."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import assert_never

from everthread.domain.errors import EverthreadError
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.events import (
    CONTENT_TYPE,
    SIGNATURE,
    Target,
    ToCommand,
    ToFile,
    ToWebhook,
    faults,
    signature,
    why_no_address,
)
from everthread.ports import Clock
from everthread.ports.commands import Commands, Delivery, TrustList

from .durable_files import Trouble, make_folder, reason, sync

LOCK_SECONDS = 5.0
OK, REDIRECT, BAD = 200, 300, 400
DONE = Delivery(ok=True)


class SystemOutbox:
    """Fills `Deliver`."""

    def __init__(self, clock: Clock, commands: Commands, trusted: TrustList) -> None:
        self._clock = clock
        self._commands = commands
        self._trusted = trusted

    def deliver(self, event: str, target: Target) -> Delivery:
        line = _line(event)
        if line is None:
            return _failed_delivery("it is no event that anybody could read")
        match target:
            case ToFile():
                return _append_line(line, Path(target.path))
            case ToWebhook():
                return self._posted(line, target)
            case ToCommand():
                return self._ran(line, target)
            case _:
                assert_never(target)

    def _posted(self, line: str, target: ToWebhook) -> Delivery:
        if wrong := why_no_address(target.url):
            return _failed_delivery(wrong)
        if not target.secret:
            return _failed_delivery(
                "the webhook has no secret, so nobody could know that it is us; set one"
            )
        # Here, since it brings the HTTP client with it.
        from .models.calls import CallFailed  # noqa: PLC0415 - as said
        from .models.web import post_request  # noqa: PLC0415 - as said

        body = line.encode()
        signed = signature(target.secret, body, seconds=self._clock.now() // 1000)
        headers = {"content-type": CONTENT_TYPE, SIGNATURE: signed}
        try:
            with post_request(
                target.url, body, headers, seconds=target.seconds, pause=lambda: None
            ) as answer:
                return _delivery_of(answer.status)
        except CallFailed as wrong:
            return _failed_delivery(f"the webhook did not take it: {wrong.detail}")

    def _ran(self, line: str, target: ToCommand) -> Delivery:
        if target.named is not None and (wrong := self._distrust(target)):
            return _failed_delivery(wrong)
        try:
            ran = self._commands.run(
                target.command,
                folder=target.folder,
                seconds=target.seconds,
                stdin=line.encode() + b"\n",
            )
        except EverthreadError as wrong:
            return _failed_delivery(str(wrong))
        if ran.passed:
            return DONE
        last = ran.output.strip().rpartition("\n")[2][:200]
        return _failed_delivery(ran.error or f"the command ended with {ran.code}: {last}")

    def _distrust(self, target: ToCommand) -> str | None:
        if target.named is None or target.named.command != target.command:
            return "the command is not the one that its file names"
        return self._trusted.why_not(target.named)


def _line(event: str) -> str | None:
    """The event on one line and without secrets; None if it is none."""
    try:
        found: object = json.loads(event)
    except (ValueError, RecursionError):
        return None
    if faults(found):
        return None
    clean = Redactor().value(found, sealed=False)
    return json.dumps(clean, ensure_ascii=False, separators=(",", ":"))


def _delivery_of(status: int) -> Delivery:
    if OK <= status < REDIRECT:
        return DONE
    if REDIRECT <= status < BAD:
        return _failed_delivery(
            f"the webhook answered {status}: redirects are not followed; set its final address"
        )
    return _failed_delivery(f"the webhook answered {status}")


def _append_line(line: str, path: Path) -> Delivery:
    """Add the line to the file, whole and synced, or not at all."""
    try:
        make_folder(path.parent)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        handle = os.open(path, flags, 0o600)
    except OSError as wrong:
        return _failed_delivery(f"{path} cannot be opened: {reason(wrong)}")
    try:
        _add(handle, line.encode() + b"\n")
        sync(path.parent)
    except OSError as wrong:
        return _failed_delivery(f"{path} cannot be written: {reason(wrong)}")
    finally:
        os.close(handle)
    return DONE


def _add(handle: int, line: bytes) -> None:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise Trouble("it is not a plain file")
    _lock_file(handle)
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line  # a torn line of a process that was killed stays by itself
    try:
        written = 0
        while written < len(line):
            written += os.write(handle, line[written:])
        os.fsync(handle)
    except OSError:
        with suppress(OSError):  # half a line is worse than none
            os.ftruncate(handle, size)
        raise


def _lock_file(handle: int) -> None:
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise Trouble(f"another process has held it for over {LOCK_SECONDS:g} s") from None
            time.sleep(0.01)


def _failed_delivery(why: str) -> Delivery:
    return Delivery(ok=False, error=strip_secrets(why)[:500])
