"""The product: its plain distiller alone (pure), and the whole of it through its public library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from baselines import count
from rolling import parts
from steps import Step

from everthread.domain.conversation.messages import Message, content_column
from everthread.domain.gleaning.digest import EMPTY

TAIL_SHARE = 0.3
"""Of a context, what its newest messages may take at most; the rest is the summary."""

TAIL_MESSAGES = 10


def blocks_of(step: Step, number: int) -> list[tuple[str, str, object]]:
    """Role, origin and content of the messages that a step is in a thread."""
    if step.role == "user":
        return [("user", "user", step.text)]
    if step.role == "assistant":
        return [("assistant", "agent", step.text)]
    name = f"call_{number}"
    call = {"type": "tool_use", "id": name, "name": step.tool, "input": dict(step.call)}
    result = {"type": "tool_result", "tool_use_id": name, "content": step.text or "(no output)"}
    return [("assistant", "agent", [call]), ("user", "tool", [result])]


def messages_of(steps: Sequence[Step]) -> list[Message]:
    """The steps as stored messages, for the domain alone."""
    found = list[Message]()
    for number, step in enumerate(steps):
        for role, origin, content in blocks_of(step, number):
            found.append(_message(len(found) + 1, role, origin, content, step))
    return found


def _message(seq: int, role: str, origin: str, content: object, step: Step) -> Message:
    form, column = content_column(content)  # pyright: ignore[reportArgumentType]
    at = int(step.at.astimezone(UTC).timestamp() * 1000)
    return Message(
        key=seq.to_bytes(16, "big"),
        thread_ref=1,
        session_ref=1,
        turn_ref=None,
        seq=seq,
        role=role,  # pyright: ignore[reportArgumentType]
        kind="said",
        origin=origin,  # pyright: ignore[reportArgumentType]
        source="turn",
        external_id=None,
        name=None,
        principal=None,
        archived=False,
        form=form,
        content=column,
        tokens=count(column),
        at_ms=at,
        created_ms=at,
        entry=seq,
    )


def pure_summary(steps: Sequence[Step], number: int, budget: int) -> str:
    """The summary text alone, after so many distillations."""
    from everthread.domain.distilling.summaries import render
    from everthread.domain.gleaning.gleaner import Gleaner

    digest, read = EMPTY, 0
    messages = messages_of(steps)
    for part in parts(steps, number):
        size = sum(len(blocks_of(step, 0)) for step in part)
        gleaner = Gleaner(digest)
        for message in messages[read : read + size]:
            gleaner.read(message)
        digest, read = gleaner.digest(), read + size
    return render(digest, number=number, tokens=budget, count=count).text


def pure_context(steps: Sequence[Step], number: int, budget: int) -> str:
    """Head and tail: the summary of what is not in the tail, then the newest steps."""
    tail, left = list[Step](), int(budget * TAIL_SHARE)
    for step in reversed(steps[-TAIL_MESSAGES:]):
        size = count(step.shown) + 1
        if size > left:
            break
        tail.insert(0, step)
        left -= size
    words = "\n".join(step.shown for step in tail)
    head = pure_summary(steps[: len(steps) - len(tail)], number, budget - count(words) - 1)
    return f"{head}\n{words}"


def has_pure() -> bool:
    """Is the plain distiller there?"""
    from importlib.util import find_spec

    return all(
        find_spec(f"everthread.domain.{name}")
        for name in ("gleaning.gleaner", "distilling.summaries")
    )
