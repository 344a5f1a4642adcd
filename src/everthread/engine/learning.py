"""The verbs by which an agent learns which memories help, and tells what it learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow, Scope
    from everthread.ports import House
    from everthread.services.scorer.report import ScorerReport
    from everthread.services.scorer.train import Trained

    from .turn_hooks import TurnHooks


class Learning:
    """What every agent can do with its scorer."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope

    def learn(self) -> Trained:
        """Judge the sessions that are over and learn from them now; the worker does that by itself."""
        from everthread.services.scorer.train import train

        self._engine.flush(self._row.ref)
        return train(self._house, self._row)

    def scorer(self) -> ScorerReport:
        """Whether the learned ranking of memories is used, why, and what it is worth."""
        from everthread.services.scorer.report import scorer_report

        return scorer_report(self._house, self._scope)
