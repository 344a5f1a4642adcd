"""Report what the scorer learnt, whether it helps, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.given.injections import SessionScore, Use
from everthread.domain.scorer.labels import SURE
from everthread.domain.scorer.lift import Difference, Share, mean_difference, newcombe
from everthread.domain.scorer.scorer import (
    ROLLING,
    Scorer,
    Standing,
    gain,
    influence_cap,
    standing,
    success_rate,
)
from everthread.domain.scorer.scorer_row import read_scorer
from everthread.domain.scorer.traits import NAMES
from everthread.ports import House, Records

from .train import LIFTED, split_by_holdout

LOOKED_AT = 1_000
"""Judged sessions of which figures are made, the newest."""

TELLING = 0.005
"""A smaller weight is not worth telling."""


class Ranking(NamedTuple):
    """How well the last sessions' memories were ordered, measured before they were learnt from."""

    sessions: int
    success: float
    plain: float
    learned: float
    gain: float
    error: float
    """The standard error of the gain."""


class Lift(NamedTuple):
    """How often something happened to memories that were given, and to those withheld."""

    what: str
    given: Share
    withheld: Share
    difference: Difference | None


class Recovery(NamedTuple):
    """How often people told things again in sessions that began with recovery, and in cold ones."""

    recovered: int
    cold: int
    recovered_mean: float | None
    cold_mean: float | None
    difference: Difference | None


class ScorerReport(NamedTuple):
    standing: Standing
    cap: float
    judged: int
    unsure: int
    """Judged and not learnt from: too little was seen in them."""
    sessions: int
    trained: int
    ranking: Ranking
    weights: Sequence[tuple[str, float]]
    holdout_percent: float
    lifts: Sequence[Lift]
    recovery: Recovery
    updated_ms: int | None


def scorer_report(house: House, scope: Scope) -> ScorerReport:
    """All figures of one agent, on one consistent state."""
    return house.store.read(lambda r: _report(house, r, scope))


def _report(house: House, records: Records, scope: Scope) -> ScorerReport:
    policy, row = house.policy, records.scorers.get(scope)
    scorer = read_scorer(row)
    judged = records.scorers.judged(scope, limit=LOOKED_AT)
    return ScorerReport(
        standing(scorer, wanted=policy.scorer, most=policy.scorer_cap),
        influence_cap(scorer.sessions, policy.scorer_cap),
        len(judged),
        sum((score.confidence or 0.0) < SURE for score in judged),
        scorer.sessions,
        scorer.trained,
        ranking_of(scorer),
        weights_of(scorer),
        policy.scorer_holdout_percent,
        lifts_of(records.scorers.withholding(scope, limit=LIFTED)),
        recovery_of(judged),
        None if row is None else row.updated_ms,
    )


def ranking_of(scorer: Scorer) -> Ranking:
    """Over the outcomes by which it is judged."""
    lately = scorer.history[-ROLLING:]
    count = max(len(lately), 1)
    mean, error = gain(lately)
    return Ranking(
        len(lately),
        success_rate(lately),
        sum(each.plain for each in lately) / count,
        sum(each.learned for each in lately) / count,
        mean,
        error,
    )


def weights_of(scorer: Scorer) -> list[tuple[str, float]]:
    """What counts for a memory and what against it, most first."""
    named = zip(NAMES, scorer.weights, strict=True)
    telling = [(name, value) for name, value in named if abs(value) >= TELLING]
    return sorted(telling, key=lambda pair: -abs(pair[1]))


_SIGNS: tuple[tuple[str, Callable[[Use], bool]], ...] = (
    ("mentioned in a reply", lambda use: use.mentioned > 0),
    ("found when looked for", lambda use: use.hits > 0),
    ("told again by the person", lambda use: use.retold > 0),
)


def lifts_of(uses: Sequence[Use]) -> list[Lift]:
    """Given against withheld, in the sessions in which something was withheld."""
    given, held = split_by_holdout(uses)
    told: list[Lift] = []
    for what, sign in _SIGNS:
        one = Share(sum(map(sign, given)), len(given))
        other = Share(sum(map(sign, held)), len(held))
        told.append(Lift(what, one, other, newcombe(one, other)))
    return told


def recovery_of(judged: Sequence[SessionScore]) -> Recovery:
    """Recovered against cold starts, by how often things had to be told again."""
    recovered = [float(s.novel_context_count) for s in judged if s.recovered]
    cold = [float(s.novel_context_count) for s in judged if not s.recovered]
    return Recovery(
        len(recovered),
        len(cold),
        sum(recovered) / len(recovered) if recovered else None,
        sum(cold) / len(cold) if cold else None,
        mean_difference(recovered, cold),
    )
