"""How large is the context? Computed from content, calibrated by what the provider reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.encodable import sendable_json
from everthread.domain.conversation.tokens import (
    Calibration,
    content_tokens,
    system_tokens,
    tools_tokens,
)

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Draft
    from everthread.domain.conversation.replies import Usage
    from everthread.ports import House, Records

UNNAMED = ""
"""The calibration of agents that name no model."""


def with_tokens(house: House, draft: Draft) -> Draft:
    """The draft with its tokens counted."""
    return draft._replace(tokens=content_tokens(house.tokenizer.count, draft.form, draft.content))


def prompt_of(
    records: Records, scope: Scope, system: bytes | None, tools: bytes | None
) -> tuple[Any, list[Any]]:
    """A system prompt and tools, as they were given; what no client can send is mended."""
    found = records.bodies.get(scope, [h for h in (system, tools) if h is not None])
    return (
        sendable_json(found[system]) if system is not None else "",
        sendable_json(found[tools]) if tools is not None else [],
    )


def fixed_tokens(house: House, system: Any, tools: list[Any]) -> int:
    """What every request of an agent holds: system prompt and tool definitions."""
    count = house.tokenizer.count
    return system_tokens(count, system) + tools_tokens(count, tools)


def calibration_of(records: Records, agent: AgentRow) -> Calibration:
    numbers = records.agents.calibration(Scope(agent.ref), agent.model or UNNAMED)
    return Calibration() if numbers is None else Calibration.from_row(json.loads(numbers))


def learn_usage(
    records: Records, scope: Scope, model: str | None, computed: int, usage: Usage, now: int
) -> None:
    """Let the provider's figure for the last call correct the next ones."""
    name = model or UNNAMED
    numbers = records.agents.calibration(scope, name)
    known = Calibration() if numbers is None else Calibration.from_row(json.loads(numbers))
    after = known.learn(computed, usage.context)
    records.agents.calibrate(scope, name, json.dumps(after.as_row()), now=now)
