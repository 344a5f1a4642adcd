"""Vectors of points, by which those are known that say the same."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from everthread.domain.errors import EverthreadError
from everthread.domain.gleaning.point_repeats import Embed
from everthread.ports import House

from .stages import Pause

if TYPE_CHECKING:
    from everthread.ports.index import Vectors

log = logging.getLogger("everthread")

AT_ONCE = 8
"""Points whose vectors are made between two looks at whether somebody waits."""


Made = dict[str, "Vectors"]
"""Vectors that were made, by their texts: summaries that follow one another have most points in common."""


def embed_function(
    house: House, late: Callable[[], bool], pause: Pause, made: Made | None = None
) -> Embed | None:
    """Vectors of points, where there is an embedder; one that fails is done without, and told.

    So it is where somebody waits: of many points they take longer than all the rest.
    """
    embedder = house.embedder
    if embedder is None:
        return None
    known = {} if made is None else made

    def embed(texts: Sequence[str]) -> Vectors | None:
        import numpy as np  # noqa: PLC0415 - slow to load, and only vectors need it

        wanted = [text for text in dict.fromkeys(texts) if text not in known]
        try:
            for first in range(0, len(wanted), AT_ONCE):
                if late():
                    return None
                some = wanted[first : first + AT_ONCE]
                known.update(zip(some, embedder.embed(some), strict=True))
                pause()
        except EverthreadError as trouble:
            log.warning("points are compared by their words alone: %s", trouble)
            return None
        return np.array([known[text] for text in texts], dtype=np.float32)

    return embed
