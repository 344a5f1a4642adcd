"""One loaded model for a whole run, which computes the vector of a text once.

It is the same model with the same answers, and hundreds of tests have the same conversations read. The
tests of the model itself do without; every program that a test starts loads its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.providers import embedder

LOAD = embedder.load
MOST = 20_000
"""Vectors, of 1.5 kB each."""


@functools.cache
def _model() -> embedder.LoadedModel:
    made: Any = LOAD()
    made.vector = functools.lru_cache(MOST)(made.vector)
    return made


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
