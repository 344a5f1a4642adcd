"""What a distillation is asked for."""

from __future__ import annotations

from typing import Literal, NamedTuple

from everthread.domain.agents import AgentRow

By = Literal["signals", "hand", "guard"]


class Order(NamedTuple):
    """What is to be distilled, because of what, and how long it may take."""

    agent: AgentRow
    thread: int
    by: By = "signals"
    fixed: int = 0
    """Tokens of the next request beside the view: system prompt, tools, the message that comes."""
    seconds: float | None = None
    whole: bool = False
    """The tail too: a task's session goes on from the summary alone."""
    fork: bool = False
    """However little there is, and no raw line of it: another session goes on from the summary."""
    plain: bool = False
    """By the plain distiller, also where there is a model."""
