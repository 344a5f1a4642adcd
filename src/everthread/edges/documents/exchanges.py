"""Exchanges as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.exchanges.exchanges import Exchange


def exchange_document(exchange: Exchange) -> dict[str, Any]:
    """One agent's side of an exchange, for programs."""
    return {
        "id": exchange.id,
        "kind": exchange.kind,
        "status": exchange.status,
        "side": exchange.side,
        "caller": exchange.caller,
        "target": exchange.target,
        "depth": exchange.depth,
        "content": strip_secrets(exchange.content),
        "answer": None if exchange.answer is None else strip_secrets(exchange.answer),
        "error": None if exchange.error is None else strip_secrets(exchange.error),
        "tokens": exchange.tokens,
        "turns": exchange.turns,
        "created_at": text_of(exchange.created_ms),
        "expires_at": _time(exchange.expires_ms),
        "surfaced_at": _time(exchange.surfaced_ms),
        "closed_at": _time(exchange.closed_ms),
    }


def _time(ms: int | None) -> str | None:
    return None if ms is None else text_of(ms)
