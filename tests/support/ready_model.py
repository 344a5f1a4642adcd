"""The vector of a text is computed once on a machine, and not by each worker of each run.

It is the same model with the same answers, and hundreds of tests have the same conversations read. What was
computed lies beside pytest's own cache, in a file for this model and what runs it; without that file it is
computed again. The tests of the model itself do without; every program that a test starts loads its own.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from everthread.providers import embedder

LOAD = embedder.load
MOST = 20_000
"""Vectors in memory, of 1.5 kB each."""

PLACE = Path(__file__).resolve().parents[2] / ".pytest_cache" / "d" / "vectors"
TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
)


class KnownVectors:
    """As the loaded model, which is loaded where a text was never met."""

    def __init__(self) -> None:
        self._loaded: embedder.LoadedModel | None = None
        self._file = _opened()
        self._process, self._lock = os.getpid(), Lock()

    def empty(self, rows: int) -> Any:
        return _numpy().zeros((rows, embedder.DIMENSIONS), dtype=_numpy().float32)

    @functools.lru_cache(MOST)  # noqa: B019 - there is one of these in a process
    def vector(self, text: str) -> Any:
        if self._process != os.getpid():  # a fork: it has no part in the file
            return self._computed(text)
        key = sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock, contextlib.suppress(sqlite3.Error):
            row = self._file.execute("SELECT vector FROM vectors WHERE text = ?", (key,)).fetchone()
            if row is not None:
                return _numpy().frombuffer(row[0], dtype=_numpy().float32)
        made = self._computed(text)
        with self._lock, contextlib.suppress(sqlite3.Error):  # held too long, or the disk is full
            self._file.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, made.tobytes()))
        return made

    def _computed(self, text: str) -> Any:
        with self._lock:
            self._loaded = self._loaded or LOAD()
        return self._loaded.vector(text)


def _opened() -> sqlite3.Connection:
    try:
        PLACE.mkdir(parents=True, exist_ok=True)
        name = f"{embedder.MODEL.sha256[:16]}-{version('onnxruntime')}.db"
        return _set_up(str(PLACE / name))
    except (OSError, sqlite3.Error):  # a checkout that cannot be written, or a broken file
        return _set_up(":memory:")


def _set_up(place: str) -> sqlite3.Connection:
    file = sqlite3.connect(place, timeout=1, isolation_level=None, check_same_thread=False)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = OFF")
    file.execute(TABLE)
    return file


def _numpy() -> Any:
    return importlib.import_module("numpy")


@functools.cache
def _model() -> Any:
    return KnownVectors()


def shared(place: Path | None = None) -> embedder.LoadedModel:
    """In the place of `load`: another file than the packaged one is loaded indeed."""
    return _model() if place is None else LOAD(place)


def use() -> None:
    """From now on, in this process."""
    embedder.load = shared


@pytest.fixture(scope="module")
def own_model() -> Iterator[None]:
    """For the tests of the model: it is loaded and let go of as in use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedder, "load", LOAD)
        yield
