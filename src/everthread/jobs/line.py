"""The line between a program and its worker process: questions one way, answers the other."""

from __future__ import annotations

import socket
import struct
import time
from typing import NamedTuple

HEAD = struct.Struct("!II")  # its number, how many bytes follow
CHUNK = 65_536
SOON = 0.005
"""A question fits into the buffers of the system; sending it never takes so many seconds."""


class Frame(NamedTuple):
    number: int
    body: bytes


class LineClosed(Exception):
    """There is nobody at the other end any more."""


class Line:
    """One end. What has come in stays when time runs out, so that a late frame is not half lost."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._come = bytearray()

    def send(self, number: int, body: bytes, *, seconds: float | None = None) -> None:
        try:
            self._end.settimeout(seconds)
            self._end.sendall(HEAD.pack(number, len(body)) + body)
        except OSError as wrong:
            # Half a frame may be on its way: nothing that is sent after it could be understood.
            raise LineClosed from wrong

    def receive(self, *, seconds: float | None = None) -> Frame | None:
        """The next frame; None if it is not here in time."""
        until = None if seconds is None else time.monotonic() + seconds
        while (frame := self._whole()) is None:
            left = None if until is None else max(0.0, until - time.monotonic())
            if not self._receive_more(left):
                return None
        return frame

    def close(self) -> None:
        self._end.close()

    def _whole(self) -> Frame | None:
        if len(self._come) < HEAD.size:
            return None
        number, size = HEAD.unpack_from(self._come)
        end = HEAD.size + size
        if len(self._come) < end:
            return None
        body = bytes(self._come[HEAD.size : end])
        del self._come[:end]
        return Frame(number, body)

    def _receive_more(self, seconds: float | None) -> bool:
        try:
            self._end.settimeout(seconds)
            come = self._end.recv(CHUNK)
        except (TimeoutError, BlockingIOError):
            return False
        except OSError as wrong:
            raise LineClosed from wrong
        if not come:
            raise LineClosed
        self._come += come
        return True


class AskingEnd:
    """The end that asks. A worker that still owes an answer is not asked again: it is loading, or busy."""

    def __init__(self, end: socket.socket) -> None:
        self._line = Line(end)
        self._asked = self._answered = 0

    def ask(self, body: bytes, *, seconds: float, patient: bool = False) -> bytes | None:
        """The answer; None if it is not here in time. Who is patient waits for old answers too."""
        until = time.monotonic() + seconds
        while self._answered < self._asked:
            if self._heard(until - time.monotonic() if patient else 0.0) is None:
                return None
        self._asked += 1
        self._line.send(self._asked, body, seconds=max(SOON, seconds))
        return self._heard(until - time.monotonic())

    def close(self) -> None:
        self._line.close()

    def _heard(self, seconds: float) -> bytes | None:
        frame = self._line.receive(seconds=seconds)
        if frame is None:
            return None
        self._answered = frame.number
        return frame.body
