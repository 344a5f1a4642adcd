"""Build the view of a thread: one function for what the model is given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from everthread.domain.agents import Scope
from everthread.domain.messages import Draft, Form, Message, blocks_of, calls_in, results_in
from everthread.domain.threads import Thread
from everthread.domain.tokens import scaled
from everthread.domain.views import Mark, Piece, Span, hidden_at, tail_of, visible
from everthread.ports import House, Records

LOOK_BACK = 200
"""How far before the tail the last human word, and the calls of its results, are looked for."""


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
    turns = records.turns.all(scope, thread.ref, limit=1)
    after = turns[0].last_seq if turns else 0
    reach = house.policy.tail_messages + LOOK_BACK
    newest = records.messages.tail(scope, thread.ref, after=after, limit=reach)
    few = len(newest) <= house.policy.tail_messages
    if few and sum(tokens for _, tokens in newest) <= scaled(house.policy.tail_tokens, window):
        return thread
    first = newest[-1][0]
    shown = records.messages.between(scope, thread.ref, first, thread.last_seq)
    hidden = _left_out(shown, tail(house, shown, window=window))
    if len(newest) == reach and first > after + 1:
        hidden.append(Span(after + 1, first - 1))
    return _hidden(house, records, scope, thread, hidden, now) if hidden else thread


def tail(house: House, messages: Sequence[Message | Draft], *, window: int) -> set[int]:
    """Which of these, given oldest first, the view shows of what was said elsewhere."""
    return tail_of(
        [_piece(message) for message in messages],
        messages=house.policy.tail_messages,
        tokens=scaled(house.policy.tail_tokens, window),
    )


def _piece(message: Message | Draft) -> Piece:
    human = message.origin == "user"
    if message.form == Form.TEXT:
        return Piece(message.tokens, human)
    blocks = blocks_of(message.form, message.content)
    calls = [str(block.get("id")) for block in calls_in(blocks)]
    results = [str(block.get("tool_use_id")) for block in results_in(blocks)]
    return Piece(message.tokens, human, calls, results)


def _left_out(shown: Sequence[Message], kept: set[int]) -> list[Span]:
    spans: list[Span] = []
    for left_out, run in groupby(range(len(shown)), key=lambda n: n not in kept):
        if left_out:
            places = [*run]
            spans.append(Span(shown[places[0]].seq, shown[places[-1]].seq))
    return spans


def _hidden(
    house: House,
    records: Records,
    scope: Scope,
    thread: Thread,
    spans: Sequence[Span],
    now: int,
) -> Thread:
    version = thread.view_version + 1
    for span in spans:
        mark = Mark(
            ref=0,
            key_id=house.ids.new(),
            thread_ref=thread.ref,
            receipt_ref=None,
            action="hide",
            from_seq=span.first,
            to_seq=span.last,
            since_version=version,
            until_version=None,
            entry=0,
        )
        records.marks.add(scope, mark, now=now)
    records.threads.note(scope, thread.ref, view_version=version)
    return thread._replace(view_version=version)
