"""How often chance is tried: a few times in every run, as often as is asked for in `make soak`.

A usual run draws the same examples each time, so a red one tells of the change and not of luck;
`make soak` draws new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))

USUAL, LONG = 10, 200


def few(asked: int) -> int:
    """So many examples, of those that a test asks for."""
    return asked if SOAK else max(USUAL, asked // 4)


def use() -> None:
    """For the tests that do not say. No deadlines: on a busy machine they tell nothing."""
    settings.register_profile("usual", max_examples=USUAL, deadline=None, derandomize=True)
    settings.register_profile("long", max_examples=LONG, deadline=None, derandomize=False)
    settings.load_profile("long" if SOAK else "usual")
