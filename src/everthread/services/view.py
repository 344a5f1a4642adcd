"""Build the view of a thread: one function for what the model is given."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.messages import Message
from everthread.domain.threads import Thread
from everthread.domain.tokens import scaled
from everthread.domain.views import Mark, Span, hidden_at, tail_length, visible
from everthread.ports import House, Records


def view_spans(
    records: Records, scope: Scope, thread: int, *, version: int, last: int
) -> Sequence[Span]:
    """The runs of seq that the view showed at that version, up to `last`."""
    return visible(hidden_at(records.marks.of(scope, thread), version), last)


def view_messages(
    records: Records, scope: Scope, thread: int, spans: Sequence[Span]
) -> list[Message]:
    return [m for span in spans for m in records.messages.between(scope, thread, *span)]


def view_tokens(records: Records, scope: Scope, thread: int, spans: Sequence[Span]) -> int:
    return sum(records.messages.weights(scope, thread, *span) for span in spans)


def trim_recorded(
    house: House, records: Records, scope: Scope, thread: Thread, *, window: int, now: int
) -> Thread:
    """Of what was recorded since the last turn, only the newest tail stays in the view."""
    policy = house.policy
    turns = records.turns.all(scope, thread.ref, limit=1)
    after = turns[0].last_seq if turns else 0
    newest = records.messages.tail(scope, thread.ref, after=after, limit=policy.tail_messages + 1)
    keep = tail_length(
        (tokens for _, tokens in newest),
        messages=policy.tail_messages,
        tokens=scaled(policy.tail_tokens, window),
    )
    if keep >= len(newest):
        return thread
    version = thread.view_version + 1
    mark = Mark(
        ref=0,
        key_id=house.ids.new(),
        thread_ref=thread.ref,
        receipt_ref=None,
        action="hide",
        from_seq=after + 1,
        to_seq=newest[keep][0],
        since_version=version,
        until_version=None,
        entry=0,
    )
    records.marks.add(scope, mark, now=now)
    records.threads.note(scope, thread.ref, view_version=version)
    return thread._replace(view_version=version)
