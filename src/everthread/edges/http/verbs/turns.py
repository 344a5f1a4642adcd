"""Turns: begun here, taken on by the caller's model, ended here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from everthread.edges.documents.rows import turn_document
from everthread.edges.http import asked

if TYPE_CHECKING:
    from everthread.edges.http.call import Call
    from everthread.edges.http.desk import Held

Document = dict[str, Any]
Style = Literal["anthropic", "openai"]


def list_turns(call: Call, wanted: asked.OnThread) -> Document:
    """The newest turns of a thread, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.turns(limit=limit + 1, thread=wanted.thread)
    told = [turn_document(turn) for turn in found[:limit]]
    return {"agent": agent.name, "turns": told, "more": len(found) > limit}


def begin(call: Call, wanted: asked.Begin) -> Document:
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
    return shown(call.desk.find(turn.id, agent.name), wanted.style)


def show(call: Call, wanted: asked.Style) -> Document:
    """An open turn: what to send to the model now."""
    return shown(_held(call), wanted.style)


def add(call: Call, wanted: asked.Reply) -> Document:
    """Take the model's answer in the middle of a tool loop."""
    held = _held(call)
    with held.lock:
        held.turn.add(wanted.response)
        return shown(held, wanted.style)


def tool_result(call: Call, wanted: asked.Result) -> Document:
    """Take a tool's answer to one of the calls that the model made."""
    held = _held(call)
    with held.lock:
        held.turn.tool_result(wanted.call_id, wanted.output, is_error=wanted.is_error)
        return shown(held, wanted.style)


def done(call: Call, wanted: asked.Done) -> Document:
    """End the turn with the reply."""
    held = _held(call)
    with held.lock:
        held.turn.done(wanted.reply, usage=wanted.usage, state=wanted.state)
    call.desk.settle(held)
    return _ended(held)


def failed(call: Call, wanted: asked.Failed) -> Document:
    """End the turn without a reply. What was said in it stays."""
    held = _held(call)
    try:
        with held.lock:
            held.turn.failed(wanted.error)
    finally:
        call.desk.settle(held)
    return _ended(held)


def _held(call: Call) -> Held:
    return call.desk.find(call.path["turn"], call.agent.name)


def shown(held: Held, style: Style) -> Document:
    """An open turn and what to send to the model."""
    turn = held.turn
    if style == "openai":
        request = turn.openai()
        system, messages, tools = None, request["messages"], request.get("tools", [])
    else:
        system, messages, tools = turn.system, turn.messages, turn.tools
    return {**_ended(held), "system": system, "messages": messages, "tools": tools}


def _ended(held: Held) -> Document:
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
