"""The tools by which agents turn to each other. The caller's key must speak for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from everthread.domain.exchanges.notices import NOUNS
from everthread.domain.ids import short
from everthread.domain.redaction.secrets import strip_secrets

from .blocks import Item, of_items
from .caller import Desk

if TYPE_CHECKING:
    from everthread.domain.exchanges.exchanges import Exchange

Arguments = Mapping[str, Any]

LONGEST = 2_500


def agent_peers(desk: Desk, _given: Arguments) -> str:
    desk.reading()
    names = [a.name for a in desk.engine.agents() if desk.caller.key.speaks_for(a.name)]
    names = [name for name in names if name != desk.agent_name]
    return f"Other agents here: {', '.join(names)}." if names else "There are no other agents."


def agent_send(desk: Desk, given: Arguments) -> str:
    # Over a model's hand nothing goes out in clear, not even to a neighbour.
    made = desk.writing().send(
        given["agent"], strip_secrets(given["text"]), within=_exchange_at_work(desk, given)
    )
    return f"Message {made.id} waits for {made.target}, which is told of it with its next prompt."


def agent_ask(desk: Desk, given: Arguments) -> str:
    made = desk.writing().question(
        given["agent"],
        strip_secrets(given["text"]),
        seconds=given["seconds"],
        within=_exchange_at_work(desk, given),
    )
    return f"Question {made.id} waits for {made.target}; agent_answer shows the answer."


def agent_spawn(desk: Desk, given: Arguments) -> str:
    made = desk.writing().errand(
        given["agent"],
        strip_secrets(given["text"]),
        seconds=given["seconds"],
        within=_exchange_at_work(desk, given),
    )
    return f"Errand {made.id} waits for {made.target}; agent_answer shows what came of it."


def _exchange_at_work(desk: Desk, given: Arguments) -> str | None:
    """The question or errand at which the agent is at work: named, or the newest that waits for its answer.

    A model that does not name it must not make a chain of agents look one deep.
    """
    if given.get("within"):
        return str(given["within"])
    return next((each.id for each in desk.writing().unanswered()), None)


def agent_answer(desk: Desk, given: Arguments) -> str:
    agent = desk.reading()
    if agent is None:
        return "There are no exchanges."
    found = agent.exchange(given["id"])
    said = f"{found.kind} {short(found.pair)} to {found.target} is {found.status}."
    if not found.answer:
        return said
    return f"{said}\n{of_items([Item(_heading(found, found.target), found.answer, LONGEST)])}"


def agent_inbox(desk: Desk, given: Arguments) -> str:
    desk.reading()
    found = desk.writing().inbox(limit=given["limit"])
    items = (Item(_heading(each, each.caller), each.content, LONGEST) for each in found)
    return of_items(items) or "Nothing new came in."


def agent_reply(desk: Desk, given: Arguments) -> str:
    found = desk.writing().reply(given["id"], strip_secrets(given["text"]))
    noun = NOUNS[found.kind].capitalize()
    return f"{noun} {short(found.pair)} of {found.caller} is answered."


def _heading(exchange: Exchange, who: str) -> str:
    kind = NOUNS[exchange.kind]
    at = f"{exchange.created_at:%Y-%m-%d %H:%M} UTC"
    return f"{at} · agent {who} · {kind} {short(exchange.pair)}"


AGENT_ACTIONS: Mapping[str, Callable[[Desk, Arguments], str]] = {
    "agent_peers": agent_peers,
    "agent_send": agent_send,
    "agent_ask": agent_ask,
    "agent_spawn": agent_spawn,
    "agent_answer": agent_answer,
    "agent_inbox": agent_inbox,
    "agent_reply": agent_reply,
}
