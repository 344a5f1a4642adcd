"""What models cost, as far as we know. A list of prices ages, so a setting overrides it.

Dollars for a million tokens, as public price lists told them in November 2026. A model that is not
here costs 0 in our books; then only the cap on tokens holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Price(NamedTuple):
    """Dollars for a million tokens, which is millionths of a dollar for one."""

    input: float
    output: float

    def micros(self, input_tokens: int, output_tokens: int) -> int:
        return round(self.input * input_tokens + self.output * output_tokens)


FREE = Price(0.0, 0.0)

PRICES: Mapping[str, Price] = {
    "claude-opus-4": Price(15.0, 75.0),
    "claude-opus-4-5": Price(5.0, 25.0),
    "claude-opus-4-6": Price(5.0, 25.0),
    "claude-opus-4-7": Price(5.0, 25.0),
    "claude-opus-4-8": Price(5.0, 25.0),
    "claude-opus-5": Price(5.0, 25.0),
    "claude-sonnet-4": Price(3.0, 15.0),
    "claude-sonnet-5": Price(2.0, 10.0),
    "claude-haiku-4": Price(1.0, 5.0),
    "gpt-4o": Price(2.5, 10.0),
    "gpt-4o-mini": Price(0.15, 0.6),
    "gpt-4.1": Price(2.0, 8.0),
    "gpt-4.1-mini": Price(0.4, 1.6),
    "gpt-4.1-nano": Price(0.1, 0.4),
    "gpt-5": Price(1.25, 10.0),
    "gpt-5-mini": Price(0.25, 2.0),
    "gpt-5-nano": Price(0.05, 0.4),
    "gpt-5-pro": Price(15.0, 120.0),
    "gpt-5.4": Price(2.5, 15.0),
    "gpt-5.4-mini": Price(0.75, 4.5),
    "gpt-5.4-nano": Price(0.2, 1.25),
    "gpt-5.4-pro": Price(30.0, 180.0),
}
"""By the beginning of a model's name; the longest that fits counts."""


def price_of(model: str, override: Price | None = None) -> Price:
    """The price of a model: what the user says, else what we know, else nothing."""
    if override is not None:
        return override
    fits = [name for name in PRICES if model == name or model.startswith(f"{name}-")]
    return PRICES[max(fits, key=len)] if fits else FREE
