"""Rank memories anew by what was learnt of them. Where nothing was, everything stays as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.policy import Policy
from everthread.domain.recall.final_scores import RankedCard
from everthread.domain.scorer.scorer import (
    LearnedScore,
    Scorer,
    Standing,
    blend,
    order_of,
    predict,
    standing,
)
from everthread.domain.scorer.scorer_row import read_scorer
from everthread.domain.scorer.traits import Traits, past_of, traits
from everthread.ports import Records

WHOLE = 10_000


def rerank(
    records: Records,
    scope: Scope,
    policy: Policy,
    found: list[RankedCard],
    now: int,
    sure: float = 1.0,
) -> list[RankedCard]:
    """The memories of a recall, in the order that the scorer gives them, if it is live.

    They change places among themselves: the first has the score that the first had before, and so
    on. So no memory passes a message that none of them would have passed. It learnt by scores as they
    are told, which are less where what was found may be no answer (`sure`).
    """
    if policy.scorer == "off" or not found:
        return found
    scorer = read_scorer(records.scorers.get(scope))
    if not scorer.trained:
        return found
    stand = standing(scorer, wanted=policy.scorer, most=policy.scorer_cap)
    ranked = sorted(found, key=lambda each: each.score, reverse=True)
    plain = [min(each.score, 1.0) * sure for each in ranked]
    told = [_traits(scorer, scope, *each, now) for each in zip(ranked, plain, strict=True)]
    return _reorder(ranked, *_learned_order(scorer, stand, plain, told))


def _learned_order(
    scorer: Scorer, stand: Standing, plain: Sequence[float], told: Sequence[Traits]
) -> tuple[list[LearnedScore], list[int]]:
    """What the scorer makes of each, and the places in its order."""
    guess = predict(scorer.weights, told)
    final = blend(plain, guess, stand.influence)
    learned = [LearnedScore(*numbers) for numbers in zip(plain, guess, final, strict=True)]
    places = order_of(final, plain) if stand.influence else list(range(len(plain)))
    return learned, places


def _traits(scorer: Scorer, scope: Scope, found: RankedCard, plain: float, now: int) -> Traits:
    memory = found.memory
    assert memory is not None, "only memories are ranked anew"
    past = past_of(scorer.past, memory.key_id)
    return traits(memory, plain=plain, past=past, project=scope.project, now=now)


def _reorder(
    ranked: Sequence[RankedCard], learned: Sequence[LearnedScore], places: Sequence[int]
) -> list[RankedCard]:
    moved: list[RankedCard] = []
    for place, n in enumerate(places):
        found, score = ranked[n], ranked[place].score
        parts = found.parts
        if score != found.score:
            parts = {**parts, "learned": score - found.score}
        moved.append(found._replace(score=score, parts=parts, learned=learned[n]))
    return moved


def is_held_out(session: bytes, memory: bytes, percent: float) -> bool:
    """Is it held out there? By chance, and the same each time it is asked."""
    if not percent:
        return False
    drawn = int.from_bytes(hashlib.sha256(session + memory).digest()[:4], "big")
    return drawn % WHOLE < percent * (WHOLE / 100)
