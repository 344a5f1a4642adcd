"""The figures: how much of the evidence is among the first messages of an answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

BUDGET = 1_000
"""Tokens of the answer that is packed."""


def recall(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the evidence among the first k messages."""
    return len(set(found[:k]) & set(gold)) / len(gold)


def ndcg(found: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    """Discounted gain over the best possible order; every piece of evidence is worth the same."""
    gain = sum(1 / math.log2(n + 2) for n, one in enumerate(found[:k]) if one in gold)
    best = sum(1 / math.log2(n + 2) for n in range(min(k, len(gold))))
    return gain / best


def within(
    found: Sequence[str], gold: Collection[str], tokens: Mapping[str, int], *, skip: bool
) -> float:
    """The share of the evidence in whole messages, best first, as far as `BUDGET` tokens go.

    With `skip`, a message that does not fit any more is passed over and the next one is tried;
    without it the first that does not fit ends the answer.
    """
    left, held = BUDGET, 0
    for one in found:
        if tokens[one] > left:
            if skip:
                continue
            break
        left -= tokens[one]
        held += one in gold
    return held / len(gold)


def stale(found: Sequence[str], gold: Collection[str], outdated: Collection[str]) -> bool:
    """Does what no longer holds stand before all that does? Nothing after the first twenty counts."""
    return next((one in outdated for one in found[:20] if one in outdated or one in gold), False)


def figures(
    found: Sequence[str], gold: Collection[str], tokens: Mapping[str, int]
) -> dict[str, float]:
    """Everything that is reported of one question."""
    return {
        "first": float(bool(found) and found[0] in gold),
        "R@5": recall(found, gold, 5),
        "R@10": recall(found, gold, 10),
        "R@20": recall(found, gold, 20),
        "NDCG@10": ndcg(found, gold),
        "1000t": within(found, gold, tokens, skip=False),
        "1000t skip": within(found, gold, tokens, skip=True),
    }
