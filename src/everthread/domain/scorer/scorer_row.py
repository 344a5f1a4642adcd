"""What was learnt, as it is stored and read again: numbers and ends of ids as JSON, no text."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from .scorer import SIZE, UNLEARNT, Outcome, Scorer
from .traits import NAMES, Past

DIGITS = 9


class ScorerRow(NamedTuple):
    """One agent's scorer as it is stored."""

    trained: int
    sessions: int
    learnt_json: str
    """Names, weights and sums; which names tells whether this version can read them."""
    past_json: str
    history_json: str
    updated_ms: int


def row_of(scorer: Scorer, *, now: int) -> ScorerRow:
    learnt: dict[str, Any] = {
        "names": NAMES,
        "weights": _round(scorer.weights),
        "sums": _round(scorer.sums),
        "products": [_round(row) for row in scorer.products],
        "lift_high": scorer.lift_high,
    }
    return ScorerRow(
        scorer.trained,
        scorer.sessions,
        json.dumps(learnt, separators=(",", ":")),
        json.dumps(scorer.past, separators=(",", ":")),
        json.dumps([_round(each) for each in scorer.history], separators=(",", ":")),
        now,
    )


def _round(values: tuple[float, ...]) -> list[float]:
    """Few enough digits to be short, more than enough to matter."""
    return [round(value, DIGITS) for value in values]


def read_scorer(row: ScorerRow | None) -> Scorer:
    """The scorer as it was stored; one of another version has to be learnt anew."""
    return UNLEARNT if row is None else _read_row(row)


def is_readable(row: ScorerRow) -> bool:
    """Does it look at the same traits as this version?"""
    return tuple(json.loads(row.learnt_json)["names"]) == NAMES


# Each recall needs it, and it changes once a session: read from the same text it is the same.
@lru_cache(maxsize=16)
def _read_row(row: ScorerRow) -> Scorer:
    learnt = json.loads(row.learnt_json)
    if tuple(learnt["names"]) != NAMES or len(learnt["weights"]) != SIZE:
        return UNLEARNT
    return Scorer(
        row.trained,
        row.sessions,
        tuple(learnt["weights"]),
        tuple(tuple(map(float, each)) for each in learnt["products"]),
        tuple(learnt["sums"]),
        {key: Past(*counts) for key, counts in json.loads(row.past_json).items()},
        tuple(Outcome(*each) for each in json.loads(row.history_json)),
        learnt["lift_high"],
    )
