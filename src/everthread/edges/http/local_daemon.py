"""The daemon of this home folder, asked over its Unix socket by a command in place of the store.

Only what it answers well is taken from it. Whatever it has certainly not done the command does itself,
so that the same is said, in the same words, as if there were no daemon. A write that it may have begun
is never done again.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from everthread.domain.conversation.contents import mapping
from everthread.domain.errors import AgentUnknown, OutcomeUnknown

from .client import DaemonClient, error_class_of

HELLO = "/near"
MEETS = 1.0
"""Seconds that the daemon has to say who it is: one that hangs costs a command no more."""
READS = 5.0
"""Seconds that it has to answer a question."""
WRITES = 60.0
LARGEST = 64_000_000
FAILED, FAULT = 400, 500
OTHERS = 0o022
"""By these others could put a socket of theirs there."""


class NotTaken(Exception):
    """The daemon has certainly not done it: the command does it itself."""


class LocalDaemon(DaemonClient):
    """One connection to the daemon: what it promised at its beginning holds until its end."""

    def __init__(self, place: Path) -> None:
        _must_be_ours(place)
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._line.settimeout(MEETS)
            self._line.connect(str(place))
        except OSError:
            self._line.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._line.close()

    def meet(self, said: Mapping[str, object]) -> dict[str, Any]:
        """Is it of our version, with our settings, on our store? Then what it knows of our agent."""
        return self._request("POST", HELLO, said, seconds=MEETS, writes=False)

    def ask(self, method: str, target: str, body: object, *, writes: bool) -> dict[str, Any]:
        seconds = WRITES if writes else READS
        return self._request(method, target, body, seconds=seconds, writes=writes)

    def _request(
        self, method: str, target: str, body: object, *, seconds: float, writes: bool
    ) -> dict[str, Any]:
        try:
            status, text = self._exchange(method, target, body, time.monotonic() + seconds)
            answer = mapping(json.loads(text))
            if answer is None:
                raise ValueError("it is no document")
        except (OSError, ValueError) as wrong:
            self.close()
            if not writes:
                raise NotTaken from wrong
            raise OutcomeUnknown(
                "the daemon was told and did not answer "
                f"({wrong or type(wrong).__name__}): whether it was done is not known"
            ) from wrong
        if status < FAILED:
            return dict(answer)
        return _raise_refusal(status, answer, writes=writes)

    def _exchange(self, method: str, target: str, body: object, until: float) -> tuple[int, bytes]:
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {target} HTTP/1.1\r\nhost: localhost\r\nx-everthread-command: 1\r\n"
            f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        )
        try:
            self._line.settimeout(until - time.monotonic())
            self._line.sendall(head.encode("ascii") + data)
        except OSError as wrong:
            self.close()
            raise NotTaken from wrong  # of half a request nothing is done
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more(until)
        top, _, text = got.partition(b"\r\n\r\n")
        first, *lines = top.split(b"\r\n")
        told = dict(_field(line) for line in lines)
        size = int(told[b"content-length"]) if b"content-length" in told else -1
        if not 0 <= size <= LARGEST:
            raise ValueError("its answer cannot be read")
        parts, left = [text], size - len(text)
        while left > 0:
            parts.append(self._more(until))
            left -= len(parts[-1])
        return int(first.split(b" ")[1]), b"".join(parts)

    def _more(self, until: float) -> bytes:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("in time")
        self._line.settimeout(left)
        part = self._line.recv(65_536)
        if not part:
            raise ConnectionError("it went away")
        return part


def _raise_refusal(status: int, answer: Mapping[str, object], *, writes: bool) -> dict[str, Any]:
    """What it did not do: a question is asked of the store itself; of a write, its own error is told."""
    kind = error_class_of(answer) if writes else None
    # Of an agent that it does not know nothing was done, and the store tells which ones there are.
    if kind is not None and kind is not AgentUnknown:
        raise kind(str(answer.get("detail", "")))
    if writes and status == FAULT:
        raise OutcomeUnknown("the daemon failed at it: whether it was done is not known")
    raise NotTaken


def _must_be_ours(place: Path) -> None:
    """In a folder that others may write to, the socket could be somebody else's."""
    folder, door = place.parent.stat(), place.lstat()
    ours = folder.st_uid == door.st_uid == os.getuid() and not folder.st_mode & OTHERS
    if not ours or not stat.S_ISSOCK(door.st_mode):
        raise PermissionError(f"{place} is not yours alone")


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()
