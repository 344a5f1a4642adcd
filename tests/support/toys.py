"""An embedder that understands nothing, but is quick and always says the same."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

DIMENSIONS = 384


class ToyEmbedder:
    """The same text has the same vector, and no two texts have anything in common."""

    def __init__(self, name: str = "toy") -> None:
        self.name = name
        self.dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Any:
        rows = [self.ask(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def patient(self) -> Any:
        return self

    def ask(self, text: str) -> Any:
        drawn = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS)
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)
