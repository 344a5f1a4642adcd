"""What the settings of the scorer change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import everthread
from everthread import Settings
from everthread.domain.scorer.scorer import UNLEARNT, Outcome, Scorer
from everthread.domain.scorer.scorer_row import row_of
from everthread.domain.scorer.traits import NAMES

HELPED = (Outcome(0.5, 0.9),) * 20


def favouring(name: str, *, history: Sequence[Outcome] = HELPED) -> Scorer:
    """One that has learnt to like one trait, and that this helps."""
    weights = tuple(0.5 * (each == name) for each in NAMES)
    return UNLEARNT._replace(trained=30, sessions=30, weights=weights, history=tuple(history))


def stands(**chosen: Any) -> tuple[str, float]:
    """How a scorer that helps is used: its mode and its influence."""
    settings = Settings(embedder="off", **chosen)
    with everthread.connect("memory://", settings=settings, background=False) as et:
        ada = et.agent("ada")
        row = row_of(favouring("pinned"), now=1)
        et.house.store.write(lambda r: r.scorers.keep(ada.scope, row))
        told = ada.scorer().standing
        return told.mode, told.influence


def withheld_some(**chosen: Any) -> bool:
    """Does the log say that some memories were withheld?"""
    settings = Settings(embedder="off", recall_seconds=30, **chosen)
    with everthread.connect("memory://", settings=settings, background=False) as et:
        ada = et.agent("ada")
        for n in range(12):
            ada.remember(f"The parser number {n} reads file_{n}.txt.")
        ada.turn("Which files do the parsers read?").done("Many.")
        [given] = ada.injections(limit=1)
        return "withheld" in given.injection.reason
