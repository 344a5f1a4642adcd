"""Vectors for a score: a few are made before it asks, and what has none yet is not called lost."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from everthread.domain.agents import AgentRow
from everthread.domain.distilling.continuity import Item
from everthread.domain.errors import EmbedderFailed, StoreClosed, StoreFailed
from everthread.domain.ids import place_at, place_of
from everthread.ports import Embedder, House
from everthread.services.memory.index import SHARE, catch_up, embed_few, embed_waiting

from .stages import Between, Pause

log = logging.getLogger("everthread")

TROUBLES = (EmbedderFailed, StoreFailed, OSError)
"""Of the model and of the index. A lease that is lost, or a program that ends, is none of a score's."""


def make_few(house: House, agent: AgentRow) -> bool:
    """Make those that somebody can wait for, within the score's own limit; False where none can be made."""
    try:
        embed_few(house, agent, most=SHARE, seconds=house.policy.score_seconds)
    except TROUBLES as trouble:
        return _go_by_words(trouble)
    return True


def make_waiting(house: House, agent: AgentRow, pause: Pause, between: Between) -> bool:
    """Make a share of those that wait, as nobody does; False where none can be made."""

    def step() -> None:
        pause()
        between()

    try:
        catch_up(house, agent, step)
        embed_waiting(house, agent, step, most=SHARE)
    except TROUBLES as trouble:
        return _go_by_words(trouble)
    return True


def messages_without(
    house: House, agent: AgentRow, thread: int, items: Sequence[Item]
) -> frozenset[bytes]:
    """The messages of these items that no question finds by its meaning yet."""
    embedder = house.embedder
    if embedder is None or not items:
        return frozenset()
    places = {item.key: place_at(thread, place_of(item.key)[1]) for item in items}
    try:
        waiting = _without(house, agent, embedder, sorted({*places.values()}))
    except TROUBLES as trouble:
        _go_by_words(trouble)
        return frozenset()
    return frozenset(key for key, place in places.items() if place in waiting)


def _without(
    house: House, agent: AgentRow, embedder: Embedder, places: Sequence[int]
) -> frozenset[int]:
    import numpy as np  # noqa: PLC0415 - slow to load, and only vectors need it

    catalogue = house.index.of(agent)
    if not catalogue.unembedded(embedder.name, limit=1):
        return frozenset()
    if catalogue.model() != embedder.name:
        return frozenset(places)
    found = [card.id for card in catalogue.cards(places)]
    anything = np.eye(1, embedder.dimensions, dtype=np.float32)[0]
    unknown = np.isnan(catalogue.likeness(found, anything).first)
    return frozenset(place for place, none in zip(found, unknown, strict=True) if none)


def _go_by_words(trouble: Exception) -> bool:
    """Where there will be no vectors, words are all that a recall has: what they do not find is lost."""
    if isinstance(trouble, StoreClosed):
        raise trouble
    log.warning("a score goes by words alone: %s", trouble)
    return False
