"""Clear old tool results of an open turn, and put down which: what was sent can be rebuilt."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.tokens import Calibration, content_tokens
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.clearing import cleared, to_clear
from everthread.domain.times import SECOND
from everthread.ports import House, Records

log = logging.getLogger("everthread")


def clear(
    house: House,
    turn: TurnRow,
    own: Sequence[Message],
    known: frozenset[int],
    *,
    computed: int,
    calibration: Calibration,
) -> Mapping[int, int]:
    """Clear what has to be before the turn's next request: by seq, with the tokens that are saved."""
    limit = house.policy.guard(turn.window)
    count = house.tokenizer.count
    # What is saved is counted by us, so the guard is put in our counts too, not in the provider's.
    room = max(0, int((limit - calibration.overhead) / calibration.factor))
    found = to_clear(
        own,
        known,
        lambda message: content_tokens(count, message.form, message.content),
        size=computed,
        limit=room,
    )
    if found:
        house.store.write(lambda r: _put_down(house, r, turn, found))
    left = calibration.apply(computed - sum(found.values()))
    if left > limit:
        log.warning(
            "turn %s holds %s tokens, above the guard of %s, and no old tool result is left to clear",
            turn.number,
            f"{left:,}",
            f"{limit:,}",
        )
    return found


def _put_down(house: House, records: Records, turn: TurnRow, found: Mapping[int, int]) -> None:
    """Marks on the messages: later turns show them so too."""
    scope, now = Scope(turn.agent_ref), house.clock.now()
    thread = records.threads.hold(scope, turn.thread_ref)
    # Refused if the turn is no longer ours.
    until = now + int(house.policy.turn_lease_seconds * SECOND)
    records.turns.extend(scope, turn, last_seq=turn.last_seq, until=until)
    version = thread.view_version + 1
    for seq, saved in found.items():
        mark = Mark(
            0, house.ids.new(), thread.ref, None, "shorten", seq, seq, version, None, saved, 0
        )
        records.marks.add(scope, mark, now=now)
    records.threads.note(scope, thread.ref, view_version=version)


def as_sent(
    records: Records, scope: Scope, turn: TurnRow, own: Sequence[Message], before: int | None
) -> list[Message]:
    """The turn's messages as a request showed them: those cleared by then, cleared.

    `before`: the entry of the answer to that request; None where there is none yet.
    """
    marks = [
        mark
        for mark in records.marks.of(scope, turn.thread_ref)
        if mark.clears and turn.first_seq <= mark.from_seq <= turn.last_seq
    ]
    gone = {
        mark.from_seq
        for mark in marks
        if before is None or records.timeline.about(scope, mark.key_id)[0].n < before
    }
    return [cleared(message) if message.seq in gone else message for message in own]
