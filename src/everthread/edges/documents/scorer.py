"""What the scorer learnt, as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.scorer.lift import Difference, Share
    from everthread.services.scorer.report import Lift, ScorerReport

DIGITS = 4


def scorer_document(told: ScorerReport) -> dict[str, Any]:
    """A report for programs."""
    ranking, recovery = told.ranking, told.recovery
    return {
        "mode": told.standing.mode,
        "why": told.standing.why,
        "influence": told.standing.influence,
        "cap": told.cap,
        "sessions": {"judged": told.judged, "unsure": told.unsure, "learnt": told.sessions},
        "trained": told.trained,
        "ranking": {
            "sessions": ranking.sessions,
            "success_rate": round(ranking.success, DIGITS),
            "ndcg_plain": round(ranking.plain, DIGITS),
            "ndcg_learned": round(ranking.learned, DIGITS),
            "gain": round(ranking.gain, DIGITS),
            "standard_error": round(ranking.error, DIGITS),
        },
        "weights": {name: round(value, DIGITS) for name, value in told.weights},
        "holdout": {
            "percent": told.holdout_percent,
            "lift": [_lift(lift) for lift in told.lifts],
        },
        "recovery": {
            "recovered": recovery.recovered,
            "cold": recovery.cold,
            "novel_context_recovered": recovery.recovered_mean,
            "novel_context_cold": recovery.cold_mean,
            "difference": _difference(recovery.difference),
        },
        "updated_at": None if told.updated_ms is None else text_of(told.updated_ms),
    }


def _lift(lift: Lift) -> dict[str, Any]:
    return {
        "what": lift.what,
        "given": _share(lift.given),
        "withheld": _share(lift.withheld),
        "difference": _difference(lift.difference),
    }


def _share(share: Share) -> dict[str, int]:
    return {"hits": share.hits, "of": share.of}


def _difference(told: Difference | None) -> dict[str, float] | None:
    if told is None:
        return None
    return {
        "value": round(told.value, DIGITS),
        "low": round(told.low, DIGITS),
        "high": round(told.high, DIGITS),
    }
