"""The routes of agents among each other."""

from __future__ import annotations

from . import among, asked
from .route import AGENT, BOTH, Route
from .verbs import exchanges

AMONG: tuple[Route, ...] = (
    Route(
        "POST",
        AGENT + "/ask",
        BOTH,
        exchanges.ask,
        among.Ask,
        among.ExchangeTurn,
        slow=True,
    ),
    Route(
        "POST",
        AGENT + "/spawn",
        BOTH,
        exchanges.spawn,
        among.Spawn,
        among.ExchangeTurn,
        slow=True,
    ),
    Route("POST", AGENT + "/send", "write", exchanges.send, among.Send, among.ExchangeShown),
    Route(
        "POST",
        AGENT + "/questions",
        "write",
        exchanges.question,
        among.Question,
        among.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/errands",
        "write",
        exchanges.errand,
        among.Errand,
        among.ExchangeShown,
    ),
    Route("POST", AGENT + "/inbox", BOTH, exchanges.inbox, among.Inbox, among.InboxSeen),
    Route("GET", AGENT + "/peers", "read", exchanges.peers, asked.Asked, among.PeerList),
    Route(
        "GET",
        AGENT + "/exchanges",
        "read",
        exchanges.list_exchanges,
        among.Limited,
        among.ExchangeList,
    ),
    Route(
        "GET",
        AGENT + "/exchanges/{exchange}",
        "read",
        exchanges.show_exchange,
        asked.Asked,
        among.ExchangeShown,
    ),
    Route(
        "POST",
        AGENT + "/exchanges/{exchange}/reply",
        BOTH,
        exchanges.reply,
        among.Answered,
        among.ExchangeShown,
    ),
)
