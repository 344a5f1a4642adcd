"""Unsay among agents: an exchange that says what was forgotten loses its words, on both sides."""

from __future__ import annotations

import re

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.exchanges import Exchange
from everthread.domain.unsaid import Unsaid
from everthread.ports import House, Records

ALL = 1 << 62
FEWEST_WORDS = 4

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


def clear_exchanges(house: House, records: Records, agent: AgentRow, gone: Unsaid) -> None:
    """Prose that nobody can sort: where one sentence says it, all of it goes."""
    scope, now = Scope(agent.ref), house.clock.now()
    for exchange in records.exchanges.newest(scope, limit=ALL):
        if _tells(exchange, gone):
            records.exchanges.withhold(scope, exchange, now=now)


def _tells(exchange: Exchange, gone: Unsaid) -> bool:
    texts = filter(None, (exchange.content, exchange.answer, exchange.error))
    parts = (part for text in texts for part in (text, *_SENTENCE.split(text)))
    return any(gone.tells(part) or _taken(part, gone) for part in parts)


def _taken(part: str, gone: Unsaid) -> bool:
    """Is it a piece of those messages? A word or two, such as a yes, is a piece of anything."""
    return len(part.split()) >= FEWEST_WORDS and gone.came_from(part)
