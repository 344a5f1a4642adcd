"""What is on offer: what a person may choose from, and what people put to one another.

It is carried in a digest, so that it does not matter where a range ended.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Item(NamedTuple):
    """One of the ways that the agent listed."""

    name: str
    """`option`, `step`; empty where a number or a letter stands alone."""
    label: str
    """In small letters; of what has none its place."""
    text: str


class Offer(NamedTuple):
    """A list of the agent's, by which a person's `2` or `the latter` is understood."""

    source: bytes
    at_ms: int
    labelled: bool
    """Else it is what stands in a plain list, or on both sides of an `or`."""
    figures: bool
    """May a number alone choose from it?"""
    others: bool
    """May a letter, or a place such as `the second`?"""
    lead: str
    """What introduces it; empty if nothing does."""
    items: tuple[Item, ...]


class EarlyOffers(NamedTuple):
    """What the agent offered in a turn of which the person's words are not read yet."""

    turn: int
    last: bytes
    asks: bool
    offers: tuple[Offer, ...] = ()


class LastChoice(NamedTuple):
    """The last choice from a list, which the person may take back."""

    source: bytes
    """The message with the list."""
    labels: tuple[str, ...]
    said: bytes
    """The message that chose."""
    just: bool
    """Has she not spoken since?"""


class ChoiceState(NamedTuple):
    """What a person may choose from, so that it does not matter where a range ended."""

    offers: tuple[Offer, ...] = ()
    """The newest first."""
    last: bytes = b""
    """What the agent said last before the person speaks."""
    chosen_from: bytes = b""
    made: LastChoice | None = None
    ahead: EarlyOffers | None = None


class PeerStatement(NamedTuple):
    """What one person said to the others, who may agree to it."""

    source: bytes
    at_ms: int
    name: str
    text: str
    proposes: bool
    """Else it counts only where somebody names it."""
    fresh: bool = True
    """Has nobody spoken since?"""


def choice_row(choosing: ChoiceState) -> list[Any]:
    """What is on offer, as it is stored."""
    offers, last, chosen_from, made, ahead = choosing
    return [
        [_offer_row(offer) for offer in offers],
        last.hex(),
        chosen_from.hex(),
        made and [made.source.hex(), made.labels, made.said.hex(), made.just],
        ahead and [ahead.turn, ahead.last.hex(), ahead.asks, [_offer_row(o) for o in ahead.offers]],
    ]


def read_choice(told: list[Any]) -> ChoiceState:
    offers, last, chosen_from, made, ahead = told
    return ChoiceState(
        tuple(map(_read_offer, offers)),
        bytes.fromhex(last),
        bytes.fromhex(chosen_from),
        made
        and LastChoice(bytes.fromhex(made[0]), tuple(made[1]), bytes.fromhex(made[2]), made[3]),
        ahead
        and EarlyOffers(
            ahead[0], bytes.fromhex(ahead[1]), ahead[2], tuple(map(_read_offer, ahead[3]))
        ),
    )


def _offer_row(offer: Offer) -> list[Any]:
    return [offer.source.hex(), *offer[1:]]


def _read_offer(told: list[Any]) -> Offer:
    items = tuple(map(Item._make, told[-1]))
    return Offer._make((bytes.fromhex(told[0]), *told[1:-1], items))


def peer_row(put: PeerStatement) -> list[Any]:
    """What one said to the others, as it is stored."""
    return [put.source.hex(), *put[1:]]


def read_peer(told: list[Any]) -> PeerStatement:
    return PeerStatement(bytes.fromhex(told[0]), *told[1:])
