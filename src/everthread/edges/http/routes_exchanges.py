"""The routes of agents among each other."""

from __future__ import annotations

from . import exchange_shapes, inputs
from .route import AGENT, BOTH, Route
from .verbs import exchanges

AMONG: tuple[Route, ...] = (
    Route(
        "POST",
        AGENT + "/ask",
        BOTH,
        exchanges.ask,
        exchange_shapes.Ask,
        exchange_shapes.ExchangeTurn,
        slow=True,
    ),
    Route(
        "POST",
        AGENT + "/spawn",
        BOTH,
        exchanges.spawn,
        exchange_shapes.Spawn,
        exchange_shapes.ExchangeTurn,
        slow=True,
    ),
    Route(
        "POST",
        AGENT + "/send",
        "write",
        exchanges.send,
        exchange_shapes.Send,
        exchange_shapes.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/questions",
        "write",
        exchanges.question,
        exchange_shapes.Question,
        exchange_shapes.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/errands",
        "write",
        exchanges.errand,
        exchange_shapes.Errand,
        exchange_shapes.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/inbox",
        BOTH,
        exchanges.inbox,
        exchange_shapes.Inbox,
        exchange_shapes.InboxSeen,
    ),
    Route("GET", AGENT + "/peers", "read", exchanges.peers, inputs.Asked, exchange_shapes.PeerList),
    Route(
        "GET",
        AGENT + "/exchanges",
        "read",
        exchanges.list_exchanges,
        exchange_shapes.Limited,
        exchange_shapes.ExchangeList,
    ),
    Route(
        "GET",
        AGENT + "/exchanges/{exchange}",
        "read",
        exchanges.show_exchange,
        inputs.Asked,
        exchange_shapes.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/exchanges/{exchange}/reply",
        BOTH,
        exchanges.reply,
        exchange_shapes.Answered,
        exchange_shapes.ExchangeShown,
    ),
)
