"""A conversation distilled once or often, by any method, into a context of one size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import baselines
from baselines import Distil, count
from steps import Step

RANDOM = 5
"""Seeds of random choice; figures are means over them."""


def parts(steps: Sequence[Step], number: int) -> list[list[Step]]:
    """The steps cut into so many stretches of about the same tokens."""
    sizes = [count(step.shown) for step in steps]
    whole, seen, cut = sum(sizes), 0, [list[Step]() for _ in range(number)]
    for step, size in zip(steps, sizes, strict=True):
        cut[min(number - 1, seen * number // max(whole, 1))].append(step)
        seen += size
    return [part for part in cut if part]


def rolled(distil: Distil, steps: Sequence[Step], number: int, budget: int) -> str:
    """The context after so many distillations: each is given what was kept and what came since."""
    kept = list[str]()
    for part in parts(steps, number):
        kept = distil([*kept, *(step.shown for step in part)], budget)
    return "\n".join(kept)


def methods(seeds: int = RANDOM) -> dict[str, list[Distil]]:
    """The baselines; each has as many variants as its mean is taken over."""
    return {
        "truncation": [baselines.truncated],
        "random": [baselines.chosen(seed) for seed in range(seeds)],
        "LexRank": [baselines.central],
    }


Context = Callable[[Sequence[Step], int, int], str]
"""What a method makes of the steps: their number of distillations and the tokens it may use."""
