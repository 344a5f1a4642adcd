"""Messages for tests of what is read off them: said by somebody, and stored nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everthread.domain.conversation.messages import Message, Origin, Role, content_column
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.gleaner import Gleaner

ROLES: Mapping[Origin, Role] = {
    "user": "user",
    "agent": "assistant",
    "tool": "user",
    "system": "system",
}


def spoken(
    content: str | Sequence[Mapping[str, Any]],
    by: Origin = "user",
    *,
    n: int = 1,
    name: str | None = None,
    **fields: Any,
) -> Message:
    """A message of the thread, the n-th."""
    form, column = content_column(content)
    return Message(
        key=n.to_bytes(16, "big"),
        thread_ref=1,
        session_ref=1,
        turn_ref=None,
        seq=n,
        role=ROLES[by],
        kind="said",
        origin=by,
        source="record",
        external_id=None,
        name=name,
        principal=None,
        archived=False,
        form=form,
        content=column,
        tokens=len(column) // 4,
        at_ms=n * 1_000,
        created_ms=n * 1_000,
        entry=n,
    )._replace(**fields)


def called(name: str, n: int = 1, **given: Any) -> Message:
    """The agent calls a tool."""
    block = {"type": "tool_use", "id": f"call-{n}", "name": name, "input": given}
    return spoken([block], "agent", n=n)


def resulted(content: Any, n: int = 1, **fields: Any) -> Message:
    """The result of the n-th call."""
    block = {"type": "tool_result", "tool_use_id": f"call-{n}", "content": content, **fields}
    return spoken([block], "tool", n=n + 1)


def gleaned_in_turn(*texts: str, before: Digest = EMPTY, start: int = 1) -> Digest:
    """What a person and her agent say in turn, read and stored."""
    gleaner = Gleaner(before)
    for n, text in enumerate(texts):
        by = "agent" if n % 2 else "user"
        gleaner.read(spoken(text, by, n=start + n, turn_ref=start + n // 2))
    return read_digest(digest_text(gleaner.digest()))
