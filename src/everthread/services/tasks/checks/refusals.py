"""Probe what the agent said of late for refusals: what every checkpoint of a task records."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.safety.safety import SafetyMetrics, judge_reading, plain_reading, window_of
from everthread.ports import House
from everthread.services.distilling.spend import spend

LOOKED_AT = 400
"""Messages of a session that are looked through; most of them may be calls and results of tools."""


def probe_session(
    house: House, scope: Scope, session: Session, earlier: Sequence[float], *, since: int = 0
) -> SafetyMetrics:
    """Read the session's newest window; `earlier` holds the rates of its windows before, oldest first.

    `since`: what was said before then belongs to somebody else's window.

    A sentinel may take seconds, so this is never part of a transaction. It always has an answer.
    """
    found = house.store.read(lambda r: r.messages.of_session(scope, session, limit=LOOKED_AT))
    mine = (m for m in reversed(found) if m.origin == "agent" and m.kind == "said")
    said = (m.text for m in mine if m.at_ms >= since)
    tokens = house.policy.safety_probe_tokens
    window = window_of(said, count=house.tokenizer.count, tokens=tokens)
    reading = house.sentinel.probe(window) if house.sentinel else plain_reading(window)
    spend(house, scope, reading.probe, reading.spent)
    return judge_reading(reading, earlier, window_tokens=window.tokens, policy=house.policy)
