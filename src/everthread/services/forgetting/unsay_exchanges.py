"""Unsay among agents: an exchange that says what was forgotten loses its words, on both sides."""

from __future__ import annotations

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.exchanges.exchanges import Exchange
from everthread.domain.forgetting.forgotten_tasks import prose_tells
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts
from everthread.ports import House, Records

ALL = 1 << 62


def clear_exchanges(house: House, records: Records, agent: AgentRow, gone: ForgottenTexts) -> None:
    """Prose that nobody can sort: where one sentence says it, all of it goes."""
    scope, now = Scope(agent.ref), house.clock.now()
    for exchange in records.exchanges.newest(scope, limit=ALL):
        if _tells(exchange, gone):
            records.exchanges.withhold(scope, exchange, now=now)


def _tells(exchange: Exchange, gone: ForgottenTexts) -> bool:
    texts = filter(None, (exchange.content, exchange.answer, exchange.error))
    return any(prose_tells(text, gone) for text in texts)
