"""Rebuild what was sent in a turn, byte for byte, from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.rendering import (
    anthropic_messages,
    anthropic_tools,
    openai_messages,
    openai_tools,
)
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.purging import touching_purge
from everthread.domain.errors import MessagesPurged, RequestUnknown, TurnUnknown
from everthread.domain.given.injections import block_message
from everthread.domain.times import text_of
from everthread.ports import House, Records

from .clear import as_sent
from .measure import prompt_of
from .view import View, view_at, view_messages


class Sent(NamedTuple):
    """One request of a turn."""

    turn: TurnRow
    call: int
    system: Any
    given_tools: list[Any]
    history: Sequence[Message]
    calls: int = 1
    """How many requests the turn made."""
    since_first: Sequence[Message] = ()
    """Of the history, what was said after the turn's first request."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return anthropic_messages(self.history)

    @property
    def tools(self) -> list[dict[str, Any]]:
        return anthropic_tools(self.given_tools, self.history)

    def openai(self) -> dict[str, Any]:
        request: dict[str, Any] = {"messages": openai_messages(self.system, self.history)}
        if tools := openai_tools(self.given_tools):
            request["tools"] = tools
        return request


def turn_numbered(records: Records, scope: Scope, thread: int, number: int) -> TurnRow:
    """That turn of the thread; `TurnUnknown` where there is none."""
    turn = records.turns.numbered(scope, thread, number)
    if turn is None:
        raise TurnUnknown(
            f"no turn {number} on this thread: `everthread threads` tells how many each one has"
        )
    return turn


def rebuild_request(house: House, scope: Scope, thread: int, number: int, call: int | None) -> Sent:
    """The request of that call (from 1); without one, the turn's last."""

    def work(records: Records) -> Sent:
        turn = turn_numbered(records, scope, thread, number)
        view = view_at(records, scope, thread, version=turn.view_version, last=turn.first_seq - 1)
        _must_be_there(records, scope, turn, view)
        history = view_messages(records, scope, thread, view)
        between = records.messages.between(scope, thread, turn.first_seq, turn.last_seq)
        own = [m for m in between if m.turn_ref == turn.ref]
        bounds = _call_bounds(own)
        which = len(bounds) if call is None else call
        if not 1 <= which <= len(bounds):
            calls = "1 call" if len(bounds) == 1 else f"{len(bounds)} calls"
            raise RequestUnknown(f"turn {number} made {calls}; there is no call {call}")
        ending = bounds[which - 1]
        system, tools = prompt_of(records, scope, turn.system_hash, turn.tools_hash)
        beside = _given_block(records, scope, turn)
        answered = own[ending].entry if ending < len(own) else None
        said = as_sent(records, scope, turn, own[:ending], answered)
        given = [*history, *beside, *said]
        return Sent(turn, which, system, tools, given, len(bounds), said[bounds[0] :])

    return house.store.read(work)


def _must_be_there(records: Records, scope: Scope, turn: TurnRow, view: View) -> None:
    """What was sent cannot be rebuilt once a part of it was purged."""
    spans = [*view.spans, Span(turn.first_seq, turn.last_seq)]
    gone = touching_purge(records.purges.of_thread(scope, turn.thread_ref), spans)
    if gone is not None:
        raise MessagesPurged(
            f"what turn {turn.number} was given cannot be shown any more: messages of it were purged "
            f"on {text_of(gone.at_ms)}, when their age was over (background_keep_days, "
            "primary_keep_days)"
        )


def _given_block(records: Records, scope: Scope, turn: TurnRow) -> list[Message]:
    """The block that the turn was given, before the user's own words."""
    if turn.block_hash is None:
        return []
    return [block_message(records.bodies.get(scope, [turn.block_hash])[turn.block_hash])]


def _call_bounds(own: Sequence[Message]) -> list[int]:
    """For each call, how many of the turn's messages had been said by then."""
    answers = [i for i, m in enumerate(own) if m.role == "assistant" and m.kind == "said"]
    if not answers or answers[-1] != len(own) - 1:
        answers.append(len(own))  # asked, and not answered
    return answers
