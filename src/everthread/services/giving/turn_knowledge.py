"""What did the agent know at turn N? What it was given there, where that came from, what the view held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.given.injections import GivenItem, Injection
from everthread.domain.given.packing import read_block
from everthread.ports import House, Records
from everthread.services.archive.rebuild import turn_numbered
from everthread.services.archive.view import view_at, view_messages


class Piece(NamedTuple):
    """One item of an injection: what it was, and its heading and text as they were shown."""

    given: GivenItem
    heading: str
    text: str


class Injected(NamedTuple):
    """An injection with all that belongs to it."""

    injection: Injection
    session: Session
    turn: int | None
    """The number of the turn it was first logged for."""
    text: str | None
    """What was injected; None where nothing was, or where it had to be withheld later."""
    pieces: Sequence[Piece]


class TurnKnowledge(NamedTuple):
    """What a turn was given beside the user's words, and what its view held before them."""

    turn: TurnRow
    text: str | None
    pieces: Sequence[Piece]
    injections: Sequence[Injected]
    """As they were logged; also why nothing was injected."""
    view_messages: int
    view_tokens: int


def list_injections(
    house: House,
    scope: Scope,
    *,
    thread: int | None = None,
    turn: int | None = None,
    session: Session | None = None,
    limit: int,
) -> list[Injected]:
    """Newest first: of a thread, or of one of its turns, or of a session."""

    def work(records: Records) -> list[Injected]:
        if thread is not None and turn is not None:
            own = records.injections.of_turn(scope, turn_numbered(records, scope, thread, turn))
            found: Sequence[Injection] = [*reversed(own)][:limit]
        else:
            ref = None if session is None else session.ref
            found = records.injections.all(scope, thread=thread, session=ref, limit=limit)
        return [_whole_injection(records, scope, each) for each in found]

    return house.store.read(work)


def knowledge_at(house: House, scope: Scope, thread: int, number: int) -> TurnKnowledge:
    """All that the turn of that number was given and shown before its message."""

    def work(records: Records) -> TurnKnowledge:
        turn = turn_numbered(records, scope, thread, number)
        view = view_at(records, scope, thread, version=turn.view_version, last=turn.first_seq - 1)
        shown = view_messages(records, scope, thread, view)
        logged = [
            _whole_injection(records, scope, i) for i in records.injections.of_turn(scope, turn)
        ]
        block = next((i for i in logged if i.injection.body_hash == turn.block_hash), None)
        given = None if block is None or turn.block_hash is None else block
        return TurnKnowledge(
            turn=turn,
            text=None if given is None else given.text,
            pieces=() if given is None else given.pieces,
            injections=logged,
            view_messages=len(shown),
            view_tokens=sum(message.tokens for message in shown),
        )

    return house.store.read(work)


def _whole_injection(records: Records, scope: Scope, injection: Injection) -> Injected:
    text = None
    if injection.body_hash is not None:
        text = records.bodies.get(scope, [injection.body_hash]).get(injection.body_hash)
    quoted = {item.number: item for item in read_block(text or "") or ()}
    pieces = [
        Piece(given, found.heading if found else "", found.text if found else "")
        for given in records.injections.items(scope, injection.ref)
        for found in [quoted.get(given.rank)]
    ]
    ref = injection.turn_ref
    number = None if ref is None else records.turns.get(scope, ref).number
    session = records.sessions.get(scope, injection.session_ref)
    return Injected(injection, session, number, text, pieces)
