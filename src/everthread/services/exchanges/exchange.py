"""Exchange: one agent asks, tells or sends another. Recorded, routed, timed out; no model is run.

What is asked with a turn is answered by whoever holds the turn. What is sent, or asked without one,
waits until the target is told of it: once, in its next human turn, in a harness, or by its inbox.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Draft, content_column
from everthread.domain.conversation.replies import Usage
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.errors import ExchangeRefused, ExchangeUnknown
from everthread.domain.exchanges.exchanges import (
    SPAWN_TURNS,
    Exchange,
    ExchangeKind,
    audit_text,
    base36,
    deadline,
    is_overdue,
    must_be_another,
    must_have_room,
    must_not_be_deeper,
    thread_key,
)
from everthread.domain.exchanges.notices import NOUNS
from everthread.domain.given.packing import strip_content
from everthread.domain.lookup import Lookup
from everthread.domain.times import text_of
from everthread.ports import House, Records
from everthread.services.archive.enrol import primary_of
from everthread.services.archive.measure import with_tokens
from everthread.services.archive.record import JUST_NOW, store_drafts
from everthread.services.archive.sessions import ANYWHERE
from everthread.services.giving.surface import surface

from .answer import Outcome, close_exchange
from .deadlock import must_be_free

log = logging.getLogger("everthread")

SOUGHT = Lookup("exchange", "exchanges", "everthread exchanges list", ExchangeUnknown)
BATCH = 50


class Wish(NamedTuple):
    """What one agent wants of another."""

    kind: ExchangeKind
    caller: AgentRow
    target: AgentRow
    text: str
    seconds: float | None = None
    """How long it may take; None: as long as it likes."""
    within: str | None = None
    """The exchange that the caller is at work on, by its id."""
    errand: str | None = None
    """The errand that this goes on with, by its id."""


def check_wish(house: House, wish: Wish) -> None:
    """Refuse what can be refused before anything is stored."""
    must_be_another(wish.kind, wish.caller.name, wish.target.name)
    house.store.read(lambda r: _depth(house, r, wish))


def _outer(records: Records, wish: Wish) -> Exchange | None:
    """The exchange at which the caller is at work, as its target."""
    if wish.within is None:
        return None
    scope = Scope(wish.caller.ref)
    pair = find(records, scope, wish.within).pair
    mine = [e for e in records.exchanges.sides(pair) if e.agent_ref == scope.agent]
    return next((e for e in mine if e.side == "target"), mine[0])


def _depth(house: House, records: Records, wish: Wish) -> int:
    outer = _outer(records, wish)
    depth = 1 if outer is None else outer.depth + 1
    must_not_be_deeper(depth, most=house.policy.exchange_depth)
    return depth


# Opening


def target_thread(house: House, wish: Wish) -> Thread:
    """The target's ephemeral thread for it, opened if it is not there."""

    def work(records: Records) -> Thread:
        _hold_both(records, wish)
        if wish.kind == "spawn":
            _must_have_room(house, records, wish)
        thread = _thread(house, records, wish)
        must_be_free(records, _outer(records, wish), thread)
        return thread

    return house.store.write(work)


def _hold_both(records: Records, wish: Wish) -> None:
    """In one order, or two who turn to each other at once would wait for each other."""
    for agent in sorted({wish.caller.ref, wish.target.ref}):
        records.memories.hold(Scope(agent))


def _must_have_room(house: House, records: Records, wish: Wish) -> None:
    scope, now = Scope(wish.caller.ref), house.clock.now()
    to = None if wish.kind == "spawn" else wish.target.name
    pending = records.exchanges.pending(scope, wish.kind, target=to, now=now)
    must_have_room(wish.kind, pending, wish.target.name)


def _thread(house: House, records: Records, wish: Wish) -> Thread:
    scope, now = Scope(wish.target.ref), house.clock.now()
    key = wanted = thread_key(wish.kind, wish.caller.name, now=now)
    more = now
    while (known := records.threads.find(scope, key)) is not None:
        # An errand has a thread of its own; a closed thread takes nothing more.
        if wish.kind != "spawn" and known.closed_ms is None:
            return known
        more += 1
        key = f"{wanted}:{base36(more)}"
    return records.threads.add(scope, key=key, kind="ephemeral", now=now)


def open_exchange(
    house: House, records: Records, wish: Wish, thread: int, turn: TurnRow | None
) -> Exchange:
    """Both sides of it, in this very transaction; the caller's is returned."""
    _hold_both(records, wish)
    if wish.kind != "ask" or turn is None:  # of those with a turn a thread has one
        _must_have_room(house, records, wish)
    now, outer = house.clock.now(), _outer(records, wish)
    said_on = None if outer is None else outer.thread_ref
    if said_on is None:
        said_on = primary_of(records, wish.caller).ref
    blank = Exchange(
        ref=0,
        agent_ref=0,
        key_id=b"",
        pair=house.ids.new(),
        side="caller",
        kind=wish.kind,
        status="pending",
        caller=wish.caller.name,
        target=wish.target.name,
        depth=_depth(house, records, wish),
        thread_ref=said_on,
        turn_ref=None,
        given_turn=None,
        content=audit_text(wish.text),
        answer=None,
        error=None,
        tokens=0,
        turns=0 if turn is None else 1,
        created_ms=now,
        expires_ms=None if wish.seconds is None else deadline(wish.seconds, now=now),
        # Who holds a turn is told by it.
        surfaced_ms=None if turn is None else now,
        closed_ms=None,
        entry=0,
    )
    theirs = blank._replace(
        side="target", thread_ref=thread, turn_ref=None if turn is None else turn.ref
    )
    made = {
        side.side: records.exchanges.add(Scope(agent), side._replace(key_id=house.ids.new()))
        for agent, side in sorted([(wish.caller.ref, blank), (wish.target.ref, theirs)])
    }
    return made["caller"]


def leave(house: House, wish: Wish) -> Exchange:
    """Put a message down on the target's thread; the target is told of it in its next turn."""
    if wish.caller.ref == wish.target.ref:
        raise ExchangeRefused(
            "what is left waits for another agent; spawn() gives oneself an errand"
        )
    text = strip_content(wish.text)
    form, content = content_column(text if isinstance(text, str) else wish.text)
    blank = Draft("user", "agent", form, content, source="record", name=wish.caller.name)
    draft = with_tokens(house, blank._replace(at_ms=JUST_NOW))

    def work(records: Records) -> Exchange:
        thread = _thread(house, records, wish)
        # As a turn does: the thread first, then the agents.
        records.threads.hold(Scope(wish.target.ref), thread.ref)
        made = open_exchange(house, records, wish, thread.ref, None)
        store_drafts(house, records, wish.target, thread.ref, [draft], ANYWHERE)
        return made

    return house.store.write(work)


# Going on with an errand


def find_errand(house: House, wish: Wish) -> tuple[Exchange, Thread]:
    """The errand to go on with, and its thread, if it has turns and time left."""

    def work(records: Records) -> tuple[Exchange, Thread]:
        scope = Scope(wish.caller.ref)
        found = find(records, scope, wish.errand or "")
        theirs = _target_side(records, found)
        if found.kind != "spawn" or found.side != "caller" or theirs.thread_ref is None:
            raise ExchangeUnknown(f"no errand {wish.errand!r} of this agent that could go on")
        _must_go_on(found, house.clock.now())
        thread = records.threads.get(Scope(theirs.agent_ref), theirs.thread_ref)
        must_be_free(records, _outer(records, wish), thread)
        return found, thread

    return house.store.read(work)


def _must_go_on(found: Exchange, now: int) -> None:
    if found.turns >= SPAWN_TURNS:
        raise ExchangeRefused(f"this errand has had its {SPAWN_TURNS} turns; spawn another")
    if found.status == "timeout" or (found.expires_ms is not None and now >= found.expires_ms):
        raise ExchangeRefused("the time of this errand is over; spawn another")


def continue_errand(house: House, records: Records, pair: bytes, turn: TurnRow) -> None:
    """One more turn of an errand begins, in this very transaction."""
    now = house.clock.now()
    for side in records.exchanges.hold([pair]):
        _must_go_on(side, now)
        if side.side == "caller" and side.status != "pending":
            others = records.exchanges.pending(Scope(side.agent_ref), "spawn", now=now)
            must_have_room("spawn", others, side.target)
        more = side._replace(status="pending", turns=side.turns + 1, closed_ms=None)
        if side.side == "target":
            more = more._replace(turn_ref=turn.ref)
        records.exchanges.change(Scope(side.agent_ref), more, now=now)


# Ending


After = Callable[[Records, TurnRow], None]
"""What else is written in the transaction that ends a turn."""


def closing_step(house: House, pair: bytes, answer: str, usage: Usage | None) -> After:
    """Closes the exchange together with its turn."""
    tokens = 0 if usage is None else usage.context + usage.output

    def after(records: Records, turn: TurnRow) -> None:
        if turn.error is None:
            outcome = Outcome("responded", answer=answer, tokens=tokens)
        else:
            outcome = Outcome("error", error=turn.error, tokens=tokens)
        if not close_exchange(records, pair, outcome, house.clock.now()):
            log.info("an answer came too late for its exchange; it is on the thread")
        _close_used_up(house, records, pair, turn)

    return after


def _close_used_up(house: House, records: Records, pair: bytes, turn: TurnRow) -> None:
    """An errand that has had all its turns is done: its thread takes nothing more."""
    scope = Scope(turn.agent_ref)
    mine = [e for e in records.exchanges.sides(pair) if e.thread_ref == turn.thread_ref]
    if any(e.kind == "spawn" and e.turns >= SPAWN_TURNS for e in mine):
        thread = records.threads.hold(scope, turn.thread_ref)
        if thread.kind == "ephemeral" and thread.closed_ms is None:
            records.threads.close(scope, thread, now=house.clock.now())


def reply(house: House, agent: AgentRow, name: str, text: str) -> Exchange:
    """The target answers a question or an errand that came without a turn."""
    sweep(house)
    form, content = content_column(text)
    draft = with_tokens(house, Draft("assistant", "agent", form, content, source="record"))
    said = draft._replace(at_ms=JUST_NOW)

    def work(records: Records) -> Exchange:
        scope, now = Scope(agent.ref), house.clock.now()
        found = find(records, scope, name)
        _must_take_reply(found)
        if found.thread_ref is not None:
            records.threads.hold(scope, found.thread_ref)
        # Somebody may have answered between the look and the lock.
        records.exchanges.hold([found.pair])
        _must_take_reply(find(records, scope, name))
        if found.thread_ref is not None:
            store_drafts(house, records, agent, found.thread_ref, [said], ANYWHERE)
        close_exchange(records, found.pair, Outcome("responded", answer=text), now)
        return find(records, Scope(agent.ref), name)

    return house.store.write(work)


def _must_take_reply(found: Exchange) -> None:
    if found.side != "target" or found.kind == "send":
        raise ExchangeRefused(
            f"{found.id} is no question or errand to this agent; only those are answered"
        )
    noun = NOUNS[found.kind]
    if found.turns:
        raise ExchangeRefused(f"this {noun} is answered by ending its turn")
    if found.status != "pending":
        since = "" if found.closed_ms is None else f" since {text_of(found.closed_ms)}"
        raise ExchangeRefused(f"the {noun} is closed{since} ({found.status}); send a message")


def sweep(house: House, pause: Callable[[], None] = lambda: None) -> int:
    """Close what nobody answered in time; how many there were. A look first: it disturbs nobody."""
    swept = 0
    while house.store.read(lambda r: r.exchanges.due(now=house.clock.now(), limit=1)):
        some = house.store.write(lambda r: _sweep_some(house, r))
        if not some:
            break  # somebody else was at it
        swept += some
        pause()
    return swept


def _sweep_some(house: House, records: Records) -> int:
    now = house.clock.now()
    late = [e for e in records.exchanges.due(now=now, limit=BATCH) if is_overdue(e, now=now)]
    for exchange in late:
        close_exchange(
            records, exchange.pair, Outcome("timeout", error="nobody answered in time"), now
        )
    return len(late)


# Telling the target


def inbox(house: House, agent: AgentRow, limit: int) -> list[Exchange]:
    """What waits for the agent, oldest first; told by this."""
    sweep(house)

    def work(records: Records) -> list[Exchange]:
        found = records.exchanges.waiting(Scope(agent.ref), limit=limit)
        told = surface(records, found, turn=None, now=house.clock.now())
        return [exchange for exchange in found if exchange.pair in told]

    return house.store.write(work)


# Looking


def find(records: Records, scope: Scope, name: str) -> Exchange:
    """An exchange of this agent by its id, or any unique ending of it."""
    return SOUGHT.found(name, lambda digits: records.exchanges.ending(scope, digits))


def _target_side(records: Records, exchange: Exchange) -> Exchange:
    sides = records.exchanges.sides(exchange.pair)
    return next((side for side in sides if side.side == "target"), exchange)


def list_exchanges(house: House, agent: AgentRow, limit: int) -> list[Exchange]:
    """An agent's exchanges, newest first, as they stand now."""
    sweep(house)
    return list(house.store.read(lambda r: r.exchanges.newest(Scope(agent.ref), limit=limit)))
