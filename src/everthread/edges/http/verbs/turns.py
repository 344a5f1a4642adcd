"""Turns: begun here, taken on by the caller's model, ended here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from everthread.edges.documents.rows import turn_document
from everthread.edges.http import inputs

if TYPE_CHECKING:
    from everthread.edges.http.call import Call
    from everthread.edges.http.open_turns import HeldTurn

Document = dict[str, Any]
Style = Literal["anthropic", "openai"]


def list_turns(call: Call, wanted: inputs.OnThread) -> Document:
    """The newest turns of a thread, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.turns(limit=limit + 1, thread=wanted.thread)
    told = [turn_document(turn) for turn in found[:limit]]
    return {"agent": agent.name, "turns": told, "more": len(found) > limit}


def begin(call: Call, wanted: inputs.Begin) -> Document:
    """Append the message, recall what fits, and open a turn: what to send to the model."""
    agent = call.agent
    call.desk.must_have_room()
    turn = agent.turn(
        wanted.content,
        channel=wanted.channel,
        thread=wanted.thread,
        session=wanted.session,
        principal=wanted.principal,
        name=wanted.name,
        origin=wanted.origin,
    )
    call.desk.hold(turn, agent.name)
    return open_turn_document(call.desk.find(turn.id, agent.name), wanted.style)


def show(call: Call, wanted: inputs.Style) -> Document:
    """An open turn: what to send to the model now."""
    return open_turn_document(_held_turn(call), wanted.style)


def add(call: Call, wanted: inputs.Reply) -> Document:
    """Take the model's answer in the middle of a tool loop."""
    held = _held_turn(call)
    with held.lock:
        held.turn.add(wanted.response)
        return open_turn_document(held, wanted.style)


def tool_result(call: Call, wanted: inputs.Result) -> Document:
    """Take a tool's answer to one of the calls that the model made."""
    held = _held_turn(call)
    with held.lock:
        held.turn.tool_result(wanted.call_id, wanted.output, is_error=wanted.is_error)
        return open_turn_document(held, wanted.style)


def done(call: Call, wanted: inputs.Done) -> Document:
    """End the turn with the reply."""
    held = _held_turn(call)
    with held.lock:
        held.turn.done(wanted.reply, usage=wanted.usage, state=wanted.state)
    call.desk.settle(held)
    return _turn_facts(held)


def failed(call: Call, wanted: inputs.Failed) -> Document:
    """End the turn without a reply. What was said in it stays."""
    held = _held_turn(call)
    try:
        with held.lock:
            held.turn.failed(wanted.error)
    finally:
        call.desk.settle(held)
    return _turn_facts(held)


def _held_turn(call: Call) -> HeldTurn:
    return call.desk.find(call.path["turn"], call.agent.name)


def open_turn_document(held: HeldTurn, style: Style) -> Document:
    """An open turn and what to send to the model."""
    turn = held.turn
    if style == "openai":
        request = turn.openai()
        system, messages, tools = None, request["messages"], request.get("tools", [])
    else:
        system, messages, tools = turn.system, turn.messages, turn.tools
    return {**_turn_facts(held), "system": system, "messages": messages, "tools": tools}


def _turn_facts(held: HeldTurn) -> Document:
    turn = held.turn
    return {
        "agent": held.agent,
        "id": turn.id,
        "number": turn.number,
        "state": turn.state,
        "session": turn.session.alias,
        "context_tokens": turn.context_tokens,
        "open_calls": turn.open_calls if turn.state == "open" else [],
        "system": None,
        "messages": [],
        "tools": [],
    }
