"""Pressure: how soon a turn has to wait for the distillation of its thread."""

from __future__ import annotations

import time

from everthread.domain.agents import Scope
from everthread.domain.conversation.tokens import scale_budget
from everthread.domain.distilling.triggers import triggers_of
from everthread.domain.errors import AgentUnknown, ThreadUnknown
from everthread.ports import House, Records
from everthread.services.archive.measure import calibration_of

LOOK = 0.02
"""Seconds between two looks at how full the thread is."""


class Pressure:
    """Of one thread: 0 where a distillation becomes due, 1 at the guard, where turns wait for it."""

    def __init__(self, house: House, agent: int, thread: int) -> None:
        self._house = house
        self._scope = Scope(agent)
        self._thread = thread
        self._looked = float("-inf")
        self._found = 0.0

    def __call__(self) -> float:
        """What was so a moment ago; it is asked for at every pause."""
        now = time.perf_counter()
        if now - self._looked >= LOOK:
            self._looked = now
            try:
                self._found = self._house.store.read(self._share)
            except (ThreadUnknown, AgentUnknown):
                self._found = 0.0  # erased meanwhile, as the work itself will see
        return self._found

    def _share(self, records: Records) -> float:
        agent = records.agents.get(self._scope)
        thread = records.threads.get(self._scope, self._thread)
        policy = self._house.policy
        size = calibration_of(records, agent).apply(thread.computed_context_tokens)
        due = scale_budget(triggers_of(thread.kind, policy).context, agent.window)
        return min(1.0, max(0.0, (size - due) / max(1, policy.guard(agent.window) - due)))
