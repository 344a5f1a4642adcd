"""How sure is a difference? Intervals of 95 % for shares and for means, the same on every run."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

Z = 1.959964
"""Of a normal distribution 95 % lie within so many standard deviations."""

DRAWS = 2_000
SEED = 7
LEAST = 2
"""Of fewer values no interval of a mean can be told."""


class Share(NamedTuple):
    """So many of so many."""

    hits: int
    of: int

    @property
    def rate(self) -> float:
        return self.hits / self.of if self.of else 0.0


class Difference(NamedTuple):
    """A difference, and between which values it lies with 95 % confidence."""

    value: float
    low: float
    high: float


def wilson(share: Share) -> tuple[float, float]:
    """Between which values a share lies; of nothing, anywhere."""
    if not share.of:
        return 0.0, 1.0
    p, n = share.rate, share.of
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def newcombe(one: Share, other: Share) -> Difference | None:
    """By how much the first share is larger; None where one of them is of nothing."""
    if not one.of or not other.of:
        return None
    (low1, high1), (low2, high2) = wilson(one), wilson(other)
    value = one.rate - other.rate
    below = math.hypot(one.rate - low1, high2 - other.rate)
    above = math.hypot(high1 - one.rate, other.rate - low2)
    return Difference(value, value - below, value + above)


def mean_difference(one: Sequence[float], other: Sequence[float]) -> Difference | None:
    """By how much the first mean is larger, by drawing again; None where there are too few."""
    if len(one) < LEAST or len(other) < LEAST:
        return None
    chance = random.Random(SEED)
    drawn = sorted(
        _mean(chance.choices(one, k=len(one))) - _mean(chance.choices(other, k=len(other)))
        for _ in range(DRAWS)
    )
    cut = DRAWS // 40
    return Difference(_mean(one) - _mean(other), drawn[cut], drawn[-1 - cut])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
