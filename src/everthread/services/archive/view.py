"""Build the view of a thread: one function for what the model is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import (
    Draft,
    Form,
    Message,
    blocks_of,
    calls_in,
    results_in,
)
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.tokens import scale_budget
from everthread.domain.conversation.views import Mark, Piece, Span, tail_of, visible_spans
from everthread.domain.distilling.clearing import clear_message
from everthread.domain.distilling.receipts import SummaryRow, summary_message
from everthread.domain.distilling.shortening import SHORT, shorten_message
from everthread.ports import House, Records

LOOK_BACK = 200
"""How far before the tail the last human word, and the calls of its results, are looked for."""

WITHHELD = "Conversation Summary (withheld: something in it was forgotten or erased since)"
"""What stands in the place of a summary whose text is gone."""


class View(NamedTuple):
    """What a thread shows at one version: a summary, if there is one, and runs of messages."""

    spans: Sequence[Span]
    summary: SummaryRow | None = None
    short: Mapping[int, int] = {}
    """Which messages are shortened, by seq, and how many tokens that saves."""
    cleared: Mapping[int, int | None] = {}
    """Those of them that were cleared inside their turn, and how many characters stay where that is said."""


def view_at(records: Records, scope: Scope, thread: int, *, version: int, last: int) -> View:
    """What the view showed at that version, up to `last`."""
    if not version:
        return View(visible_spans((), last))  # never changed: nothing to look up
    spans = visible_spans(records.marks.hiding(scope, thread, version=version), last)
    summary = records.summaries.at(scope, thread, version)
    if not spans:
        return View(spans, summary)
    # Old marks are as many as there were old results: only those of what is shown are looked at.
    marks = records.marks.shortening(
        scope, thread, version=version, first=spans[0].first, last=spans[-1].last
    )
    short = {mark.from_seq: mark.saved or 0 for mark in marks}
    return View(spans, summary, short, {m.from_seq: m.kept for m in marks if m.clears})


def view_messages(records: Records, scope: Scope, thread: int, view: View) -> list[Message]:
    """The messages of a view, its summary first."""
    shown = [m for span in view.spans for m in records.messages.between(scope, thread, *span)]
    if view.short:
        shown = [_shorten(m, view) if m.seq in view.short else m for m in shown]
    if view.summary is None:
        return shown
    text = records.summaries.text(scope, view.summary) or WITHHELD
    return [summary_message(text, view.summary.tokens), *shown]


def _shorten(message: Message, view: View) -> Message:
    if message.seq in view.cleared:
        return clear_message(message, view.cleared[message.seq])
    return shorten_message(message, limit=SHORT)


def view_tokens(records: Records, scope: Scope, thread: int, view: View) -> int:
    """What its messages weigh, without reading them."""
    said = sum(records.messages.weights(scope, thread, *span) for span in view.spans)
    saved = sum(n for seq, n in view.short.items() if any(a <= seq <= b for a, b in view.spans))
    return said - saved + (0 if view.summary is None else view.summary.tokens)


def view_count(records: Records, scope: Scope, thread: int, view: View) -> int:
    """How many messages it shows; a summary is none."""
    return sum(records.messages.spoken(scope, thread, *span) for span in view.spans)


def trim_recorded(
    house: House, records: Records, scope: Scope, thread: Thread, *, window: int, now: int
) -> Thread:
    """Of what was recorded since the last turn, only the newest tail stays in the view."""
    turns = records.turns.all(scope, thread.ref, limit=1)
    after = turns[0].last_seq if turns else 0
    reach = house.policy.tail_messages + LOOK_BACK
    newest = records.messages.tail(scope, thread.ref, after=after, limit=reach)
    few = len(newest) <= house.policy.tail_messages
    if few and sum(tokens for _, tokens in newest) <= scale_budget(
        house.policy.tail_tokens, window
    ):
        return thread
    first = newest[-1][0]
    shown = records.messages.between(scope, thread.ref, first, thread.last_seq)
    hidden = _spans_left_out(shown, tail(house, shown, window=window))
    if len(newest) == reach and first > after + 1:
        hidden.append(Span(after + 1, first - 1))
    return _hide_spans(house, records, scope, thread, hidden, now) if hidden else thread


def tail(house: House, messages: Sequence[Message | Draft], *, window: int) -> set[int]:
    """Which of these, given oldest first, the view shows of what was said elsewhere."""
    return tail_of(
        [piece_of(message) for message in messages],
        messages=house.policy.tail_messages,
        tokens=scale_budget(house.policy.tail_tokens, window),
    )


def piece_of(message: Message | Draft) -> Piece:
    """What the tail must know of a message."""
    human = message.origin == "user"
    if message.form == Form.TEXT:
        return Piece(message.tokens, human)
    blocks = blocks_of(message.form, message.content)
    calls = [str(block.get("id")) for block in calls_in(blocks)]
    results = [str(block.get("tool_use_id")) for block in results_in(blocks)]
    return Piece(message.tokens, human, calls, results)


def _spans_left_out(shown: Sequence[Message], kept: set[int]) -> list[Span]:
    spans: list[Span] = []
    for left_out, run in groupby(range(len(shown)), key=lambda n: n not in kept):
        if left_out:
            places = [*run]
            spans.append(Span(shown[places[0]].seq, shown[places[-1]].seq))
    return spans


def _hide_spans(
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
            saved=None,
            entry=0,
        )
        records.marks.add(scope, mark, now=now)
    records.threads.note(scope, thread.ref, view_version=version)
    return thread._replace(view_version=version)
