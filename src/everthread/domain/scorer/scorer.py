"""The scorer: a small linear model that learns, on this machine, which memories help this user.

It is a fold over sessions: each is first predicted, then learnt from. So whether it helps is known
before it is ever used, and the same sessions always give the same model. It ranks memories among
themselves and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Literal, NamedTuple

from .traits import NAMES, NO_PAST, Past, Traits, key_of

Mode = Literal["off", "cold", "shadow", "live"]

SIZE = len(NAMES)
RIDGE = 4.0
"""Doubt about every weight, in rows: what few sessions show moves little."""

FADING = 0.99
"""Of what a session taught so much is left a session later: people change."""

DEPTH = 10
"""NDCG looks at so many."""

LATELY, ROLLING = 10, 20
"""Outcomes that end the cold start, and those by which it is judged ever after."""

LEAST_SESSIONS = 10
ENOUGH = 0.4
"""More than this share of sessions must be ranked no worse than without it."""

STAGES = ((10, 0.2), (20, 0.4))
"""Up to so many sessions its influence is capped at this."""

MOST_PAST = 2_000
MOST_HISTORY = 100
MIDDLE = 0.5
SAME = 1e-12
CONFIDENT = 1.28
"""Standard errors by which the gain must lie above zero: nine chances in ten, one-sided."""


class RatedMemory(NamedTuple):
    """One memory of one session: how it was ranked, what it was like, what it was worth."""

    ref: bytes
    plain: float
    traits: Traits
    label: float | None
    given: bool = False
    used: bool = False
    found: bool = False


class Outcome(NamedTuple):
    """How well a session's memories were ordered, without the scorer and with it (NDCG@10)."""

    plain: float
    learned: float

    @property
    def success(self) -> bool:
        return self.learned >= self.plain - SAME


class Scorer(NamedTuple):
    """All that was learnt of one agent. It holds numbers and ends of ids, and no text."""

    trained: int = 0
    sessions: int = 0
    weights: Traits = (0.0,) * SIZE
    products: tuple[Traits, ...] = ((0.0,) * SIZE,) * SIZE
    sums: Traits = (0.0,) * SIZE
    past: Mapping[str, Past] = {}
    history: tuple[Outcome, ...] = ()
    lift_high: float | None = None
    """The upper end of the hold-out's lift; below zero, what is given does harm."""


class Standing(NamedTuple):
    """Whether the scorer is used, how much, and why."""

    mode: Mode
    influence: float
    why: str


class LearnedScore(NamedTuple):
    """What the scorer made of one memory in a recall."""

    plain: float
    predicted: float
    final: float


UNLEARNT = Scorer()


# How well something is ordered


def ndcg(labels: Sequence[float], depth: int = DEPTH) -> float:
    """Of labels in the order shown: 1 is the best order there is. All worthless: any order is."""
    best = _gain(sorted(labels, reverse=True)[:depth])
    return _gain(labels[:depth]) / best if best > 0 else 1.0


def _gain(labels: Sequence[float]) -> float:
    return sum(value / math.log2(place + 2) for place, value in enumerate(labels))


def success_rate(outcomes: Sequence[Outcome]) -> float:
    """The share that was ranked no worse than without the scorer; 0 of none."""
    return sum(each.success for each in outcomes) / len(outcomes) if outcomes else 0.0


def gain(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Mean and standard error of what the scorer adds to NDCG@10."""
    gains = [each.learned - each.plain for each in outcomes]
    if not gains:
        return 0.0, 0.0
    mean = sum(gains) / len(gains)
    spread = sum((each - mean) ** 2 for each in gains) / max(len(gains) - 1, 1)
    return mean, math.sqrt(spread / len(gains))


# Whether it is used


def is_cold(trained: int, sessions: int, outcomes: Sequence[Outcome]) -> bool:
    """Is it still the cold start? It ends when three things are true, and may begin again."""
    lately = success_rate(outcomes[-LATELY:])
    return trained < 1 or sessions < LEAST_SESSIONS or lately <= ENOUGH


def influence_cap(sessions: int, most: float) -> float:
    """How much of a memory's final score the scorer may make up after so many sessions."""
    stage = next((cap for until, cap in STAGES if sessions <= until), most)
    return min(stage, most)


def standing(scorer: Scorer, *, wanted: str, most: float) -> Standing:
    """Is it used now? `wanted` is the setting: auto, shadow or off."""
    if wanted == "off":
        return Standing("off", 0.0, "switched off by the setting scorer")
    if is_cold(scorer.trained, scorer.sessions, scorer.history):
        return Standing("cold", 0.0, _why_cold(scorer))
    if wanted == "shadow":
        return Standing("shadow", 0.0, "the setting scorer says shadow: it predicts, nothing more")
    against = why_harmful(scorer)
    if against:
        return Standing("shadow", 0.0, against)
    return Standing("live", influence_cap(scorer.sessions, most), "it orders memories better")


def _why_cold(scorer: Scorer) -> str:
    if scorer.sessions < LEAST_SESSIONS:
        return f"learnt from {scorer.sessions} of {LEAST_SESSIONS} sessions that it needs"
    rate = success_rate(scorer.history[-LATELY:])
    needed = f"more than {ENOUGH:.0%} is needed"
    return f"its order was no worse in {rate:.0%} of the last {LATELY} sessions; {needed}"


def why_harmful(scorer: Scorer) -> str:
    """Why it is not to be used although it is past its cold start; empty where it helps."""
    lately = scorer.history[-ROLLING:]
    rate = success_rate(lately)
    if rate <= ENOUGH:
        return (
            f"switched itself off: its order was no worse in {rate:.0%} of {len(lately)} sessions"
        )
    if scorer.lift_high is not None and scorer.lift_high < 0:
        return (
            "switched itself off: by the hold-out, what is given is used less than what is withheld"
        )
    mean, error = gain(lately)
    if mean <= CONFIDENT * error:
        return f"not used: what it adds to NDCG@10, {mean:+.3f} ± {error:.3f}, may be chance"
    return ""


# What it says


def predict(weights: Traits, rows: Sequence[Traits]) -> list[float]:
    """What each memory is worth beside the others, from 0 to 1; the middle is as good as they are."""
    if not rows:
        return []
    worth = [sum(map(mul, weights, row)) for row in rows]
    middle = sum(worth) / len(worth)
    return [min(max(MIDDLE + value - middle, 0.0), 1.0) for value in worth]


def blend(plain: Sequence[float], learned: Sequence[float], influence: float) -> list[float]:
    """The final scores: so much of it is learned."""
    return [
        (1 - influence) * one + influence * other for one, other in zip(plain, learned, strict=True)
    ]


def order_of(final: Sequence[float], plain: Sequence[float]) -> list[int]:
    """Places by final score, best first; what ties stays as it was ranked without."""
    return sorted(range(len(final)), key=lambda n: (-final[n], -plain[n], n))


# How it learns


def learn(scorer: Scorer, rows: Sequence[RatedMemory], *, most: float) -> Scorer:
    """The scorer after one more session; it is measured on it first."""
    told = [row for row in rows if row.label is not None]
    outcome = _measure(scorer, told, most) if scorer.trained else None
    products, sums = _add_session(scorer, told)
    taught = bool(told)
    return scorer._replace(
        trained=scorer.trained + taught,
        sessions=scorer.sessions + 1,
        weights=_solve(products, sums) if taught else scorer.weights,
        products=products,
        sums=sums,
        past=_remember(scorer.past, rows),
        history=(*scorer.history, *([outcome] if outcome else []))[-MOST_HISTORY:],
    )


def _measure(scorer: Scorer, told: Sequence[RatedMemory], most: float) -> Outcome | None:
    """Where all are worth the same, no order is better, and nothing can be measured."""
    if len({row.label for row in told}) < 2:  # noqa: PLR2004 - two differ
        return None
    plain = [row.plain for row in told]
    final = blend(
        plain,
        predict(scorer.weights, [row.traits for row in told]),
        influence_cap(scorer.sessions, most),
    )
    labels = [row.label or 0.0 for row in told]
    before, after = order_of(plain, plain), order_of(final, plain)
    return Outcome(ndcg([labels[n] for n in before]), ndcg([labels[n] for n in after]))


def _add_session(scorer: Scorer, told: Sequence[RatedMemory]) -> tuple[tuple[Traits, ...], Traits]:
    """What is known of traits and worth, with the differences inside this session added.

    Only differences inside a session count: a good session says nothing of an order.
    """
    products = [[FADING * value for value in row] for row in scorer.products]
    sums = [FADING * value for value in scorer.sums]
    middle = _center_rows([row.traits for row in told]) if told else ()
    mean = sum(row.label or 0.0 for row in told) / max(len(told), 1)
    for row in told:
        apart = [x - m for x, m in zip(row.traits, middle, strict=True)]
        worth = (row.label or 0.0) - mean
        for i, x in enumerate(apart):
            if x:
                sums[i] += x * worth
                line = products[i]
                for j, y in enumerate(apart):
                    line[j] += x * y
    return tuple(map(tuple, products)), tuple(sums)


def _center_rows(rows: Sequence[Traits]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _solve(products: Sequence[Traits], sums: Traits) -> Traits:
    """The weights of a ridge regression, by elimination; the ridge makes it solvable always."""
    left = [[*row, total] for row, total in zip(products, sums, strict=True)]
    for i in range(SIZE):
        left[i][i] += RIDGE
    for i in range(SIZE):
        pivot = left[i][i]
        for below in left[i + 1 :]:
            factor = below[i] / pivot
            if factor:
                for k in range(i, SIZE + 1):
                    below[k] -= factor * left[i][k]
    weights = [0.0] * SIZE
    for i in reversed(range(SIZE)):
        rest = sum(left[i][k] * weights[k] for k in range(i + 1, SIZE))
        weights[i] = (left[i][SIZE] - rest) / left[i][i]
    return tuple(weights)


def _remember(past: Mapping[str, Past], rows: Sequence[RatedMemory]) -> dict[str, Past]:
    """What became of each memory, with this session; those not met for longest go first."""
    known = dict(past)
    for row in rows:
        key = key_of(row.ref)
        before = known.pop(key, NO_PAST)
        known[key] = before.plus(given=row.given, used=row.used, found=row.found)
    for key in list(known)[: max(len(known) - MOST_PAST, 0)]:
        del known[key]
    return known
