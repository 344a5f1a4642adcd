"""A turn: begin it, work in it, end it. What was sent can be rebuilt byte for byte."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.bodies import body_of
from everthread.domain.conversation.messages import Draft, Message
from everthread.domain.conversation.replies import Usage
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.threads import Thread, must_be_open
from everthread.domain.conversation.tokens import Calibration
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.errors import ContextFull, DistillationBusy, LeaseLost, ThreadBusy
from everthread.domain.times import SECOND, settle_clock, text_of
from everthread.ports import House, Records
from everthread.services.archive.measure import calibration_of, learn_usage
from everthread.services.archive.sessions import Seat, check_quota, seat
from everthread.services.archive.view import (
    View,
    trim_recorded,
    view_at,
    view_messages,
    view_tokens,
)
from everthread.services.distilling.notice import ask_distillation as ask_for
from everthread.services.distilling.prime import consume
from everthread.services.foreground import awaiting_worker
from everthread.services.giving.inject import GUARD, Offer, log_offer, recheck_offer
from everthread.services.giving.surface import take_back
from everthread.services.giving.tally import SessionCounts, keep

from .abandon import Living, close_abandoned, why_abandoned
from .guard import check_guard, is_too_long_alone

log = logging.getLogger("everthread")

RELIEFS = 8
"""How often room is made for one turn: by a summary, by shorter tool output, by whoever is at it."""

GUARD_SECONDS = 2.0
FIRST_WAIT = 0.01
LONGEST_WAIT = 0.25
ROOM_WAIT = 0.05
"""Seconds between two looks whether somebody else has made room."""

Also = After = Callable[[Records, TurnRow], None]
"""What else is written in the transaction that opens a turn, or ends it."""


class OpenTurn(NamedTuple):
    """An open turn and everything its first request is made of."""

    turn: TurnRow
    session: Session
    view: View
    said: Message
    calibration: Calibration
    history: list[Message]
    offer: Offer | None = None
    """What the turn is given beside the message, as far as it fitted."""
    fixed: int = 0
    """What the next request will hold beside messages: system prompt, tools, what is injected."""
    state: str | None = None
    """What the agent was at before this turn."""


class TurnRequest(NamedTuple):
    """What a turn begins with: where, the message, who sits where, what every request holds, its key.

    `offer` is what was recalled for it.
    """

    thread: int
    draft: Draft
    seat: Seat
    fixed_tokens: int
    turn: bytes
    offer: Offer | None = None
    also: Also | None = None


def begin(house: House, agent: AgentRow, asked: TurnRequest, living: Living) -> OpenTurn:
    """Append the message and open a turn; waits while another turn is open on the thread."""
    deadline = house.clock.now() + house.policy.turn_wait_seconds * SECOND
    wait = FIRST_WAIT
    scope = Scope(agent.ref)
    begun = _open_with_room(house, agent, asked, living)
    while begun is None:
        if house.clock.now() >= deadline:
            raise ThreadBusy(_busy(house, scope, asked.thread))
        house.clock.sleep(wait)
        wait = min(wait * 1.5, LONGEST_WAIT)
        begun = _try_again(house, agent, asked, living)
    # After the commit: no one else has to wait for what is only read.
    history = house.store.read(lambda r: view_messages(r, scope, asked.thread, begun.view))
    return begun._replace(history=history)


def _open_with_room(
    house: House, agent: AgentRow, asked: TurnRequest, living: Living
) -> OpenTurn | None:
    """Open the turn; where the request would pass the guard, make room first, and only then wait."""
    began = house.clock.now()
    deadline = began + house.policy.turn_wait_seconds * SECOND
    reliefs = 0
    while True:
        try:
            return house.store.write(lambda r: _open(house, r, agent, asked, living))
        except ContextFull:
            if _ephemeral(house, agent, asked) or is_too_long_alone(
                house, agent, asked.fixed_tokens + asked.draft.tokens
            ):
                raise
            # On a machine so busy that it came to nothing, it has twice the time the next time.
            seconds = GUARD_SECONDS + (house.clock.now() - began) / SECOND
            made = _make_room(house, agent, asked, seconds)
            reliefs += made is True
            late = made is None and house.clock.now() >= deadline
            if made is False or late or reliefs > RELIEFS:
                break
    try:
        # Once more: there may be nothing to distil because the worker was done with it just then.
        return house.store.write(lambda r: _open(house, r, agent, asked, living))
    except ContextFull:
        # What was too much for a moment may be done by the worker, for the next turn.
        ask_for(house, Scope(agent.ref), asked.thread)
        raise


def _ephemeral(house: House, agent: AgentRow, asked: TurnRequest) -> bool:
    scope = Scope(agent.ref)
    return house.store.read(lambda r: r.threads.get(scope, asked.thread)).kind == "ephemeral"


def _make_room(house: House, agent: AgentRow, asked: TurnRequest, seconds: float) -> bool | None:
    """The plain distiller, for a moment, inline: the one time that someone waits for it.

    None where there may be room yet: someone else is at it already, and what they make room for is room
    for us; or it only lacked time.
    """
    from everthread.services.distilling.distill import distill  # noqa: PLC0415 - slow to load; most programs never need it
    from everthread.services.distilling.order import Order  # noqa: PLC0415 - with it
    from everthread.services.distilling.stages import lacked_time  # noqa: PLC0415 - with it

    fixed = asked.fixed_tokens + asked.draft.tokens
    order = Order(agent, asked.thread, by="guard", fixed=fixed, seconds=seconds)
    try:
        receipt = distill(house, order)
    except (DistillationBusy, LeaseLost):
        with awaiting_worker(house.store, asked.thread):
            house.clock.sleep(ROOM_WAIT)
        return None
    if receipt is not None and not receipt.standing and lacked_time(receipt.errors):
        return None
    return receipt is not None and receipt.standing


def _busy(house: House, scope: Scope, thread: int) -> str:
    held = house.store.read(lambda r: r.turns.open_on(scope, thread))
    text = (
        "another turn is open on this thread, and this one waited for it for "
        f"{house.policy.turn_wait_seconds:g} s (turn_wait_seconds); "
        "end it with done() or failed(), or open a thread of its own for parallel work"
    )
    if held is None:
        return text
    whose = "this program" if held.owner == house.owner else "another program"
    return (
        f"{text}. It belongs to {whose}, and its lease runs out at {text_of(held.lease_until)} "
        "unless that program renews it"
    )


def _try_again(
    house: House, agent: AgentRow, asked: TurnRequest, living: Living
) -> OpenTurn | None:
    """Another try; a look first, because looking disturbs nobody."""
    held = house.store.read(lambda r: r.turns.open_on(Scope(agent.ref), asked.thread))
    if (
        held is not None
        and why_abandoned(house, held, now=house.clock.now(), living=living) is None
    ):
        return None
    return _open_with_room(house, agent, asked, living)


def _open(
    house: House, records: Records, agent: AgentRow, asked: TurnRequest, living: Living
) -> OpenTurn | None:
    scope = Scope(agent.ref)
    thread = records.threads.hold(scope, asked.thread)
    must_be_open(thread)
    now = house.clock.now()
    held = records.turns.open_on(scope, thread.ref)
    if held is not None:
        why = why_abandoned(house, held, now=now, living=living)
        if why is None:
            return None
        close_abandoned(records, scope, held, why, now)
    thread = trim_recorded(house, records, scope, thread, window=agent.window, now=now)
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    shown = view_tokens(records, scope, thread.ref, view)
    computed = asked.fixed_tokens + shown + asked.draft.tokens
    calibration = calibration_of(records, agent)
    alone = calibration.apply(asked.fixed_tokens + asked.draft.tokens)
    check_guard(house, agent, thread, calibration.apply(computed), alone)
    offer = None if asked.offer is None else recheck_offer(records, asked.offer, now)
    offer = _fit_offer(house, agent, offer, computed, calibration)
    computed += 0 if offer is None else offer.tokens
    size = calibration.apply(computed)
    at = settle_clock(now, thread.view_at)
    human = asked.draft.origin == "user"
    session, new = seat(house, records, agent, thread, asked.seat, at, human=human)
    if new and human and thread.kind == "primary":
        check_quota(house, records, agent, asked.seat, at)
    blank = _turn(house, agent, thread, session, asked.turn, (computed, size), now)
    number = records.threads.count_turn(scope, thread.ref)
    turn = _store_turn(house, records, blank._replace(number=number), offer)
    if asked.also is not None:
        asked.also(records, turn)
    draft = asked.draft._replace(at_ms=at)
    said = records.messages.append(
        scope, thread, [draft], session=session.ref, turn=turn.ref, now=now
    )[0]
    seqs = (said.seq, said.seq)
    records.sessions.touch(
        scope, session.ref, at=at, human=human, messages=1, seqs=seqs, context=size
    )
    records.threads.note(scope, thread.ref, computed=computed)
    fixed = asked.fixed_tokens + (0 if offer is None else offer.tokens)
    state = thread.working_state
    return OpenTurn(turn, session, view, said, calibration, [], offer, fixed, state)


def _fit_offer(
    house: House, agent: AgentRow, offer: Offer | None, computed: int, calibration: Calibration
) -> Offer | None:
    """The offer, emptied if the request would pass the guard with it: what was recalled may be missing."""
    if offer is None or calibration.apply(computed + offer.tokens) <= house.policy.guard(
        agent.window
    ):
        return offer
    log.info("a turn of %s begins without what was recalled: no room below the guard", agent.name)
    return offer._replace(block=None, reason=GUARD)


def _store_turn(house: House, records: Records, turn: TurnRow, offer: Offer | None) -> TurnRow:
    """The turn stored, with what it is given."""
    scope = Scope(turn.agent_ref)
    text = None if offer is None else offer.text
    if text is not None:
        block = body_of(text)
        records.bodies.put(scope, [block])
        turn = turn._replace(block_hash=block.hash)
    stored = records.turns.add(scope, turn)
    if offer is not None:
        log_offer(house, records, stored, offer, stored.opened_ms)
    return stored


def _turn(
    house: House,
    agent: AgentRow,
    thread: Thread,
    session: Session,
    key: bytes,
    sizes: tuple[int, int],
    now: int,
) -> TurnRow:
    first = thread.last_seq + 1
    lease = int(house.policy.turn_lease_seconds * SECOND)
    return TurnRow(
        ref=0,
        agent_ref=agent.ref,
        key_id=key,
        thread_ref=thread.ref,
        session_ref=session.ref,
        number=0,
        state="open",
        owner=house.owner,
        lease_until=now + lease,
        model=agent.model,
        window=agent.window,
        view_version=thread.view_version,
        first_seq=first,
        last_seq=first,
        system_hash=agent.system_hash,
        tools_hash=agent.tools_hash,
        block_hash=None,
        computed_tokens=sizes[0],
        context_tokens=sizes[1],
        reported=None,
        error=None,
        opened_ms=now,
        closed_ms=None,
        entry=0,
    )


def extend(
    house: House, turn: TurnRow, drafts: Sequence[Draft]
) -> tuple[TurnRow, Sequence[Message]]:
    """Append to an open turn: the model's answer, or a tool's."""

    def work(records: Records) -> tuple[TurnRow, Sequence[Message]]:
        return _append(house, records, turn, drafts)

    return house.store.write(work)


def _append(
    house: House, records: Records, turn: TurnRow, drafts: Sequence[Draft]
) -> tuple[TurnRow, Sequence[Message]]:
    scope = Scope(turn.agent_ref)
    thread = records.threads.hold(scope, turn.thread_ref)
    now = house.clock.now()
    at = settle_clock(now, thread.view_at)
    placed = [draft._replace(at_ms=at) for draft in drafts]
    stored = records.messages.append(
        scope, thread, placed, session=turn.session_ref, turn=turn.ref, now=now
    )
    lease = now + int(house.policy.turn_lease_seconds * SECOND)
    last = stored[-1].seq if stored else turn.last_seq
    turn = records.turns.extend(scope, turn, last_seq=last, until=lease)
    if stored:
        seqs = (stored[0].seq, stored[-1].seq)
        records.sessions.touch(
            scope, turn.session_ref, at=at, human=False, messages=len(stored), seqs=seqs
        )
    return turn, stored


class Ending(NamedTuple):
    """How a turn ends."""

    drafts: Sequence[Draft]
    usage: Usage | None = None
    model: str | None = None
    human: bool = True
    computed: int | None = None
    error: str | None = None
    counted: SessionCounts | None = None
    """What helped, as far as it is not written yet."""
    state: str | None = None
    """What the agent is at now, where that is known."""
    after: After | None = None


def finish(house: House, turn: TurnRow, ending: Ending) -> tuple[TurnRow, Sequence[Message]]:
    """Append the reply and close the turn; what the provider reported calibrates the next."""

    def work(records: Records) -> tuple[TurnRow, Sequence[Message]]:
        scope = Scope(turn.agent_ref)
        grown, stored = _append(house, records, turn, ending.drafts)
        now = house.clock.now()
        closed = grown._replace(
            state="done" if ending.error is None else "failed",
            model=ending.model or grown.model,
            reported=None if ending.usage is None else json.dumps(ending.usage._asdict()),
            error=ending.error,
            closed_ms=now,
        )
        closed = records.turns.close(scope, closed)
        if ending.error is None and ending.human:
            # The reply to a human keeps the session alive as the human's own words do.
            records.sessions.touch(
                scope, closed.session_ref, at=max(now, grown.opened_ms), human=True
            )
        consume(records, scope, closed)
        if ending.error is not None:
            take_back(records, scope, closed.ref, now=now)
        if ending.after is not None:
            ending.after(records, closed)
        if ending.state is not None:
            records.threads.works_on(scope, closed.thread_ref, ending.state)
        if ending.counted is not None:
            keep(records, scope, ending.counted, now=now)
        _learn(records, scope, turn, ending, now)
        return closed, stored

    return house.store.write(work)


def _learn(records: Records, scope: Scope, turn: TurnRow, ending: Ending, now: int) -> None:
    if ending.usage is None:
        return
    if records.threads.get(scope, turn.thread_ref).view_version == turn.view_version:
        # A report on a view that was distilled meanwhile says nothing about the one there is.
        records.threads.note(scope, turn.thread_ref, reported=ending.usage.context)
    # Under the name the agent goes by: the provider may answer with a dated one.
    learn_usage(
        records, scope, turn.model, ending.computed or turn.computed_tokens, ending.usage, now
    )
