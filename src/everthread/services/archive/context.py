"""What the agent is given: now, or at any turn before, exactly as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.rendering import anthropic_messages, anthropic_tools
from everthread.domain.conversation.tokens import content_tokens
from everthread.ports import House, Records

from .measure import calibration_of, fixed_tokens, prompt_of
from .rebuild import rebuild_request
from .view import view_at, view_messages, view_tokens


class Context(NamedTuple):
    """A request as the model is given it."""

    turn: int | None
    """The number of the turn; None for what a turn that begins now would find."""
    system: Any
    given_tools: list[Any]
    history: Sequence[Message]
    tokens: int
    """How large it is, calibrated."""
    window: int
    call: int | None = None
    """Which request of the turn, from 1; None for what a turn that begins now would find."""
    calls: int = 0
    """How many requests the turn made: one, and one more after each answer of its tools."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """For the Anthropic client; before a turn it may end with the assistant."""
        return anthropic_messages(self.history)

    @property
    def tools(self) -> list[dict[str, Any]]:
        return anthropic_tools(self.given_tools, self.history)

    @property
    def summary(self) -> str | None:
        """The summary that stands first, if there is one."""
        return next((m.content for m in self.history if m.kind == "summary"), None)

    @property
    def text(self) -> str:
        """All that is said in it, message by message, as a person would read it."""
        return "\n\n".join(
            f"{message['role']}: {_words(message['content'])}" for message in self.messages
        )


def context_now(house: House, agent: AgentRow, thread: int) -> Context:
    """What a turn that begins now would find, before its message and what is recalled for it."""
    scope = Scope(agent.ref)

    def work(records: Records) -> Context:
        row = records.threads.get(scope, thread)
        view = view_at(records, scope, thread, version=row.view_version, last=row.last_seq)
        history = view_messages(records, scope, thread, view)
        system, tools = prompt_of(records, scope, agent.system_hash, agent.tools_hash)
        size = fixed_tokens(house, system, tools) + view_tokens(records, scope, thread, view)
        tokens = calibration_of(records, agent).apply(size)
        return Context(None, system, tools, history, tokens, agent.window)

    return house.store.read(work)


def context_at(
    house: House, agent: AgentRow, thread: int, number: int, call: int | None = None
) -> Context:
    """What a request of that turn held, byte for byte: its last, which holds the others, or that call."""
    was = rebuild_request(house, Scope(agent.ref), thread, number, call)
    turn, count = was.turn, house.tokenizer.count
    more = sum(content_tokens(count, m.form, m.content) for m in was.since_first)
    factor = house.store.read(lambda r: calibration_of(r, agent)).factor
    return Context(
        number,
        was.system,
        was.given_tools,
        was.history,
        turn.context_tokens + round(factor * more),
        turn.window,
        was.call,
        was.calls,
    )


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(_block(block) for block in content)


def _block(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "tool_use":
        return f"[{block.get('name')} {block.get('input')}]"
    if kind == "tool_result":
        content = block.get("content", "")
        return _words(content) if isinstance(content, list) else str(content)
    return f"[{kind}]"
