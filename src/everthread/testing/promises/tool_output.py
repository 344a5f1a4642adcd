"""What tools print, to try the disk budget with."""

from __future__ import annotations

import json

from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.messages import Draft
from everthread.domain.conversation.threads import Thread
from everthread.domain.distilling.shrinking import Output, Use, calls_of, outputs_of, shrunk_text
from everthread.ports import Records, Store

from .rows import NOON, a_draft, append, new_id


def tool_drafts(text: str, *, at: int = NOON, tool: str = "Bash") -> tuple[Draft, Draft]:
    """A call of a tool, and what it printed."""
    call = new_id().hex()
    asked = a_draft([{"type": "tool_use", "id": call, "name": tool, "input": {}}], at_ms=at)
    result = {"type": "tool_result", "tool_use_id": call, "content": text}
    return asked._replace(role="assistant", origin="agent"), a_draft([result], at_ms=at)


def weigh(store: Store, scope: Scope, thread: Thread) -> None:
    """Look through the thread for output of tools, as the disk budget does."""

    def work(records: Records) -> None:
        calls: dict[str, str] = {}
        uses: list[Use] = []
        after = records.outputs.weighed(scope, thread.ref)
        last = records.threads.get(scope, thread.ref).last_seq
        for found in records.outputs.written(scope, thread.ref, after + 1, last):
            uses += outputs_of(found, calls)
            calls.update(calls_of(found.form, found.content))
        assert records.outputs.weigh(scope, thread.ref, uses, after=after, until=last)

    store.write(work)


def output_in(
    store: Store, scope: Scope, thread: Thread, text: str, *, at: int = NOON, tool: str = "Bash"
) -> Output:
    """What a tool printed, looked through: a body that may shrink."""
    append(store, scope, thread, *tool_drafts(text, at=at, tool=tool))
    weigh(store, scope, thread)
    wanted = body_of(json.dumps(text, ensure_ascii=False)).hash
    found = store.read(lambda r: r.outputs.oldest(before=at + 1, limit=1_000))
    return next(output for output in found if output.hash == wanted)


def shrunk_in(store: Store, scope: Scope, thread: Thread, text: str) -> None:
    """The same, shrunk."""
    output = output_in(store, scope, thread, text)
    kept = shrunk_text(json.dumps(text, ensure_ascii=False))
    assert kept is not None
    assert store.write(lambda r: r.outputs.shrink(scope, output, kept, now=NOON)) is not None
