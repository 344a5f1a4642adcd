"""The size of a thread's context as it is now; light to load, for whoever only tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.domain.agents import AgentRow, Scope

from .measure import calibration_of, fixed_tokens, prompt_of

if TYPE_CHECKING:
    from everthread.domain.conversation.threads import Thread
    from everthread.ports import House, Records


def with_size_now(house: House, records: Records, agent: AgentRow, thread: Thread) -> Thread:
    """The thread with the size of its context as it is, also where more was recorded since its last turn."""
    scope, turns = Scope(agent.ref), records.turns.all(Scope(agent.ref), thread.ref, limit=1)
    after = turns[0].last_seq if turns else 0
    if not records.messages.weights(scope, thread.ref, after + 1, thread.last_seq):
        return thread
    fixed = fixed_tokens(house, *prompt_of(records, scope, agent.system_hash, agent.tools_hash))
    size = calibration_of(records, agent).apply(fixed + _view_weight(records, scope, thread))
    return thread._replace(computed_context_tokens=size)


def _view_weight(records: Records, scope: Scope, thread: Thread) -> int:
    """What its messages weigh."""
    ref, version, last = thread.ref, thread.view_version, thread.last_seq
    if not version:
        return records.messages.weights(scope, ref, 1, last)  # nothing was ever taken out
    from .view import view_at, view_tokens  # noqa: PLC0415 - slow to load for who only looks

    return view_tokens(
        records, scope, ref, view_at(records, scope, ref, version=version, last=last)
    )
