"""Agents among each other: what requests may say, and what answers look like."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .answers import OpenTurn, Time
from .inputs import Asked, Few, Word

Said = Annotated[str, Meta(min_length=1, max_length=100_000)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Style = Literal["anthropic", "openai"]


class Send(Asked):
    target: Word
    content: Said
    within: Word | None = None


class Question(Send):
    seconds: Seconds = 120


class Errand(Send):
    seconds: Seconds = 600


class Ask(Question):
    style: Style = "anthropic"


class Spawn(Asked):
    content: Said
    target: Word | None = None
    seconds: Seconds = 600
    within: Word | None = None
    errand: Word | None = None
    style: Style = "anthropic"


class Answered(Asked):
    content: Said


class Limited(Asked):
    limit: Few = 50


class Inbox(Asked):
    limit: Few = 20


class ExchangeSeen(Struct):
    id: str
    kind: Literal["ask", "send", "spawn"]
    status: Literal["pending", "responded", "delivered", "timeout", "error"]
    side: Literal["caller", "target"]
    caller: str
    target: str
    depth: int
    content: str
    answer: str | None
    error: str | None
    tokens: int
    turns: int
    created_at: Time
    expires_at: Time | None
    surfaced_at: Time | None
    closed_at: Time | None


class ExchangeShown(ExchangeSeen):
    agent: str


class ExchangeList(Struct):
    agent: str
    exchanges: list[ExchangeSeen]
    more: bool


class InboxSeen(Struct):
    agent: str
    exchanges: list[ExchangeSeen]


class PeerList(Struct):
    agent: str
    peers: list[str]


class ExchangeTurn(OpenTurn):
    """An open turn of the target, which its own path takes on."""

    exchange: str
