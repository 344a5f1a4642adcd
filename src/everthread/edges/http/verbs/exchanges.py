"""Agents among each other: the path names the caller; the token must speak for the target too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.edges.documents.exchanges import exchange_document
from everthread.edges.http import exchange_shapes, inputs

from .turns import open_turn_document

if TYPE_CHECKING:
    from everthread.domain.exchanges.exchanges import Exchange
    from everthread.edges.http.call import Call
    from everthread.engine import Agent
    from everthread.engine.turn import Turn

Document = dict[str, Any]


def ask(call: Call, wanted: exchange_shapes.Ask) -> Document:
    """Ask another agent: an open turn on its thread, for the caller to complete."""
    agent, target = call.agent, call.named(wanted.target)
    call.desk.must_have_room()
    turn = agent.ask(target, wanted.content, seconds=wanted.seconds, within=wanted.within)
    return _hold_turn(call, turn, target.name, wanted.style)


def spawn(call: Call, wanted: exchange_shapes.Spawn) -> Document:
    """Give an errand to another agent or to itself: an open turn on a thread of its own."""
    agent = call.agent
    name = agent.name if wanted.target is None else wanted.target
    if wanted.errand is not None:
        name = agent.exchange(wanted.errand).target
    target = call.named(name)
    call.desk.must_have_room()
    turn = agent.spawn(
        wanted.content,
        target,
        seconds=wanted.seconds,
        within=wanted.within,
        errand=wanted.errand,
    )
    return _hold_turn(call, turn, target.name, wanted.style)


def send(call: Call, wanted: exchange_shapes.Send) -> Document:
    """Tell another agent something; it is told once, in its next human turn."""
    agent, target = call.agent, call.named(wanted.target)
    return _one_document(agent, agent.send(target, wanted.content, within=wanted.within))


def question(call: Call, wanted: exchange_shapes.Question) -> Document:
    """Ask without a turn: the target answers when it is at work."""
    agent, target = call.agent, call.named(wanted.target)
    made = agent.question(target, wanted.content, seconds=wanted.seconds, within=wanted.within)
    return _one_document(agent, made)


def errand(call: Call, wanted: exchange_shapes.Errand) -> Document:
    """Give an errand without a turn: the target says what came of it when it is done."""
    agent, target = call.agent, call.named(wanted.target)
    made = agent.errand(target, wanted.content, seconds=wanted.seconds, within=wanted.within)
    return _one_document(agent, made)


def reply(call: Call, wanted: exchange_shapes.Answered) -> Document:
    """Answer a question that came without a turn."""
    agent = call.agent
    return _one_document(agent, agent.reply(call.path["exchange"], wanted.content))


def inbox(call: Call, wanted: exchange_shapes.Inbox) -> Document:
    """What other agents sent and this one was not told of yet; told by this."""
    agent = call.agent
    return {"agent": agent.name, "exchanges": _documents(agent.inbox(limit=wanted.limit))}


def list_exchanges(call: Call, wanted: exchange_shapes.Limited) -> Document:
    """The audit: what the agent began and what was meant for it, newest first."""
    agent, limit = call.agent, wanted.limit
    found = agent.exchanges(limit=limit + 1)
    return {"agent": agent.name, "exchanges": _documents(found[:limit]), "more": len(found) > limit}


def show_exchange(call: Call, _asked: inputs.Asked) -> Document:
    """One exchange, as it stands now."""
    agent = call.agent
    return _one_document(agent, agent.exchange(call.path["exchange"]))


def peers(call: Call, _asked: inputs.Asked) -> Document:
    """The agents that this one can turn to, of those that the token speaks for."""
    agent = call.agent
    return {"agent": agent.name, "peers": agent.peers()}


def _hold_turn(call: Call, turn: Turn, target: str, style: exchange_shapes.Style) -> Document:
    call.desk.hold(turn, target)
    return {"exchange": turn.exchange, **open_turn_document(call.desk.find(turn.id, target), style)}


def _one_document(agent: Agent, exchange: Exchange) -> Document:
    return {"agent": agent.name, **exchange_document(exchange)}


def _documents(found: list[Exchange]) -> list[Document]:
    return [exchange_document(each) for each in found]
