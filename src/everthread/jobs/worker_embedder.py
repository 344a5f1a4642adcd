"""Vectors by way of the worker process: the program that asks never loads the model."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from everthread.domain.errors import EmbedderFailed

from .line import Line, LineClosed

if TYPE_CHECKING:
    from everthread.ports import Embedder
    from everthread.ports.index import Vectors

log = logging.getLogger("everthread.worker")

LONGEST = 16_384
"""Characters of a text that are sent: a model of a few hundred pieces reads no further."""
AT_ONCE = 8
PATIENCE = 60.0
FAILED = b""


class Askable(Protocol):
    def ask(self, body: bytes, *, seconds: float, patient: bool = False) -> bytes | None: ...


class WorkerEmbedder:
    """Fills the port `Embedder` for a program whose worker is a process."""

    def __init__(self, worker: Askable, *, name: str, dimensions: int, wait_seconds: float) -> None:
        self.name = name
        self.dimensions = dimensions
        self._worker = worker
        self._wait = wait_seconds

    def ask(self, text: str) -> Vectors | None:
        """The vector of a question, if the worker has it in time. The first one calls the worker."""
        waits = self._wait >= PATIENCE
        answer = self._worker.ask(_pack_texts([text]), seconds=self._wait, patient=waits)
        return self._rows(answer)[0] if answer else None

    def patient(self) -> WorkerEmbedder:
        return WorkerEmbedder(
            self._worker, name=self.name, dimensions=self.dimensions, wait_seconds=PATIENCE
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        found = [self._rows(b"")]
        for first in range(0, len(texts), AT_ONCE):
            body = _pack_texts(texts[first : first + AT_ONCE])
            answer = self._worker.ask(body, seconds=PATIENCE, patient=True)
            if not answer:
                raise EmbedderFailed(
                    "the worker process gave no vectors; its log or `everthread embed status` says why"
                )
            found.append(self._rows(answer))
        return numpy.concatenate(found)

    def _rows(self, answer: bytes) -> Vectors:
        import numpy

        return numpy.frombuffer(answer, dtype=numpy.float32).reshape(-1, self.dimensions)


def _pack_texts(texts: Sequence[str]) -> bytes:
    return json.dumps([text[:LONGEST] for text in texts]).encode()


class EmbeddingServer:
    """The worker's side: a thread that answers until the program at the other end is gone.

    It is made before the process becomes nice, and stays as quick as the program: someone waits for
    what it does, unlike for the rest.
    """

    def __init__(self, end: socket.socket, embedder: Embedder, heard: Callable[[], None]) -> None:
        self._line = Line(end)
        self._embedder = embedder
        self._heard = heard
        threading.Thread(target=self._listen, name="everthread-answers", daemon=True).start()

    def _listen(self) -> None:
        try:
            while (frame := self._line.receive()) is not None:
                self._heard()
                self._line.send(frame.number, self._answer(frame.body))
        except LineClosed:
            return  # the program is gone, and the process ends with it

    def _answer(self, body: bytes) -> bytes:
        try:
            return self._embedder.embed(json.loads(body)).tobytes()
        except Exception:  # the outermost boundary of a question: the asker searches by text
            log.warning("no vector could be made", exc_info=True)
            return FAILED
