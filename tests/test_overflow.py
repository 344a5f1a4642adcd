"""A history that overflows inside one session: compacted again and again, and never in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from everthread import Agent, Everthread
from everthread.domain.distilling.drafts import Cause, DraftResult, Material, ModelFailed
from support.distilling import house, talk
from support.legality import anthropic_problems
from support.sitting import work_off

BUDGET = 4_000
FULL = BUDGET * 80 // 100


def talked(et: Everthread, ada: Agent, turns: int, first: int = 0) -> None:
    """So many turns with a tool call each, and the worker at work after each."""
    for n in range(first, first + turns):
        turn = ada.turn(f"Please read src/part_{n}.py, it listens on port {8_000 + n}.")
        call = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": f"part_{n}"}}
        turn.add({"role": "assistant", "content": [call]})
        turn.tool_result(f"c{n}", f"PORT = {8_000 + n}\n" * 8)
        turn.done(f"part_{n}.py listens on port {8_000 + n}.")
        work_off(et)


@pytest.mark.slow
@pytest.mark.req("LD-2", "LD-3", "LD-4", "LD-5", "D-2", "D-21", "R-4", "X-31")
def test_an_overflow_twice_in_one_session_compacts_twice() -> None:
    """(4c.7): after each the history is within the budget and legal, and all messages are kept."""
    with house(history_budget=BUDGET) as (et, _ada, _clock):
        ada = et.agent("tess", tools=[{"name": "read", "input_schema": {"type": "object"}}])
        seen: list[int] = []
        for n in range(0, 90, 5):
            talked(et, ada, 5, first=n)
            standing = [r for r in ada.receipts(limit=100) if r.standing]
            if len(standing) > len(seen):
                seen.append(ada.context().tokens)
                assert standing[0].tokens_after <= FULL
                turn = ada.turn("Is that all?")
                request = {"model": "m", "max_tokens": 9, "messages": turn.messages}
                assert anthropic_problems({**request, "tools": turn.tools}) == []
                turn.done("Yes.")
        assert len(seen) >= 2
        assert len(ada.sessions()) == 1
        assert all(tokens <= BUDGET for tokens in seen)
        stored = json.dumps([m.content for m in ada.messages(limit=1_000)])
        assert all(f"port {8_000 + n}" in stored for n in range(90))
        # The newer summary takes the older one in, and says for how much it stands.
        summary = ada.context().summary or ""
        assert f"Record of {ada.primary.message_count - len(_shown(ada))}" in summary
        assert "(Distillation #" in summary


def _shown(ada: Agent) -> list[Any]:
    return [m for m in ada.context().history if m.kind != "summary"]


class Down:
    """A model that always fails."""

    name = "down:model"

    def __init__(self, cause: Cause) -> None:
        self.cause: Cause = cause

    def distill(self, material: Material, *, pause: Callable[[], None]) -> DraftResult:
        raise ModelFailed(self.cause, "not today")


@pytest.mark.req("LD-13", "D-2", "LD-2")
@pytest.mark.parametrize("cause", ["budget", "unreachable"])
def test_a_model_that_is_down_is_reported_in_receipt_log_and_context(
    caplog: pytest.LogCaptureFixture, cause: Cause
) -> None:
    """(4c.8): never silent."""
    with house(distill_messages=20) as (et, ada, _clock):
        et.house = replace(et.house, distiller=Down(cause))
        for n in range(24):
            talk(ada, 1, first=n)
            work_off(et)
        receipts = ada.receipts(limit=100)
        made = next(r for r in receipts if r.standing)
        assert (made.outcome, made.distiller) == ("degraded", "plain")
        assert any("the plain distiller took over" in error for error in made.errors)
        assert any("took over" in record.getMessage() for record in caplog.records)
        told = [f.says for f in et.diagnose() if f.check == "distillations" and not f.fine]
        assert any("were made without the model" in says for says in told), "counted, and shown"
        summary = ada.context().summary or ""
        assert "Record of" in summary and "earlier messages" in summary
        if cause == "unreachable":
            failed = [r for r in receipts if r.outcome == "failed"]
            assert len(failed) >= 3
            assert all("not today" in " ".join(r.errors) for r in failed)
