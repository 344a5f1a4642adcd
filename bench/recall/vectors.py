"""The product's own vectors, computed once: they take minutes, and every run needs the same ones."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everthread import Settings, wiring

Floats = NDArray[np.float32]


class KeptEmbedder:
    """The product's embedder with a memory on disk. Floors and ours use it alike."""

    def __init__(self, path: Path) -> None:
        inner = wiring.open_embedder(Settings())
        if inner is None:
            raise SystemExit("the bench needs the embedder: pip install 'everthread[embed]'")
        self._inner: Any = inner
        self.name: str = inner.name
        self.dimensions: int = inner.dimensions
        # A turn asks in a thread of its own, and waits for it: nobody asks at the same time.
        self._kept = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._kept.execute("CREATE TABLE IF NOT EXISTS kept (text BLOB PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str]) -> Floats:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def ask(self, text: str) -> Floats:
        return self._vector(text)

    def _vector(self, text: str) -> Floats:
        key = hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "replace")).digest()
        found = self._kept.execute("SELECT vector FROM kept WHERE text = ?", (key,)).fetchone()
        if found is None:
            vector = np.asarray(self._inner.embed([text])[0], dtype=np.float32)
            self._kept.execute("INSERT OR IGNORE INTO kept VALUES (?, ?)", (key, vector.tobytes()))
            return vector
        return np.frombuffer(found[0], dtype=np.float32)


def keep(folder: Path) -> KeptEmbedder:
    """From here on, whoever opens a store that embeds does so with memory."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = KeptEmbedder(folder / "vectors.db")

    def opened(settings: Settings, *_: object) -> KeptEmbedder | None:
        return None if settings.embedder == "off" else kept

    wiring.open_embedder = opened  # pyright: ignore[reportAttributeAccessIssue]
    return kept
