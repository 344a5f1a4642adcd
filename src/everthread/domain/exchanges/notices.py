"""Notices: what other agents sent, as items of a turn's block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everthread.domain.given.context import Part, part, when
from everthread.domain.ids import short

from .exchanges import Exchange, ExchangeKind

NOUNS: dict[ExchangeKind, str] = {"ask": "question", "send": "message", "spawn": "errand"}
"""What each kind is called, to those who are told of it."""

HEARD = "heard"
"""The section of the block, and the kind of its items."""

HEARD_TOKENS = 1_000
"""Its tokens in a window of 200,000. What finds no room waits for the next turn."""

LONGEST_ONE = 500


def notice_parts(
    exchanges: Sequence[Exchange], *, count: Callable[[str], int], most: int
) -> list[Part]:
    """Each with who sent it and the id by which it is answered; data, like all in the block."""
    made = (_notice_part(exchange, count, min(most, LONGEST_ONE)) for exchange in exchanges)
    return [one for one in made if one is not None]


def _notice_part(exchange: Exchange, count: Callable[[str], int], most: int) -> Part | None:
    noun = NOUNS[exchange.kind]
    what, named = f"{noun} from agent {exchange.caller}", f"{noun} {short(exchange.pair)}"
    fields = [when(exchange.created_ms), what, named]
    return part(exchange.content, fields, count=count, most=most, ref=exchange.key_id, kind=HEARD)
