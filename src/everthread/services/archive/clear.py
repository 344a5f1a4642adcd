"""Clear tool results of an open turn, and put down which and how: what was sent can be rebuilt."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.tokens import Calibration, content_tokens
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.clearing import Cut, clear_message, messages_to_clear
from everthread.domain.times import SECOND
from everthread.ports import House, Records

log = logging.getLogger("everthread")


def clear(
    house: House,
    turn: TurnRow,
    own: Sequence[Message],
    known: Mapping[int, Cut],
    *,
    computed: int,
    calibration: Calibration,
) -> Mapping[int, Cut]:
    """Clear what has to be before the turn's next request: by seq, how each is shown then."""
    limit = house.policy.guard(turn.window)
    count = house.tokenizer.count
    # What is saved is counted by us, so the guard is put in our counts too, not in the provider's.
    room = max(0, int((limit - calibration.overhead) / calibration.factor))
    found = messages_to_clear(
        own,
        known,
        lambda message: content_tokens(count, message.form, message.content),
        size=computed,
        limit=room,
    )
    if found:
        house.store.write(lambda r: _add_marks(house, r, turn, found))
    saved = sum(cut.saved - known.get(seq, Cut(0)).saved for seq, cut in found.items())
    left = calibration.apply(computed - saved)
    if left > limit:
        log.warning(
            "turn %s holds %s tokens, above the guard of %s, and no tool result is left to cut",
            turn.number,
            f"{left:,}",
            f"{limit:,}",
        )
    return found


def _add_marks(house: House, records: Records, turn: TurnRow, found: Mapping[int, Cut]) -> None:
    """Marks on the messages: later turns show them so too."""
    scope, now = Scope(turn.agent_ref), house.clock.now()
    thread = records.threads.hold(scope, turn.thread_ref)
    # Refused if the turn is no longer ours.
    until = now + int(house.policy.turn_lease_seconds * SECOND)
    records.turns.extend(scope, turn, last_seq=turn.last_seq, until=until)
    version = thread.view_version + 1
    for seq, (saved, kept) in found.items():
        key = house.ids.new()
        mark = Mark(0, key, thread.ref, None, "shorten", seq, seq, version, None, saved, 0, kept)
        records.marks.add(scope, mark, now=now)
    records.threads.note(scope, thread.ref, view_version=version)


def as_sent(
    records: Records, scope: Scope, turn: TurnRow, own: Sequence[Message], before: int | None
) -> list[Message]:
    """The turn's messages as a request showed them: those cleared by then, cleared.

    `before`: the entry of the answer to that request; None where there is none yet.
    """
    version = records.threads.get(scope, turn.thread_ref).view_version
    made = records.marks.shortening(
        scope, turn.thread_ref, version=version, first=turn.first_seq, last=turn.last_seq
    )
    marks = [mark for mark in made if mark.clears]  # such marks never end
    # Of two on one message the later counts: what was cut to fit was cleared later.
    gone = {
        mark.from_seq: mark.kept
        for mark in marks
        if before is None or records.timeline.about(scope, mark.key_id)[0].n < before
    }
    return [clear_message(m, gone[m.seq]) if m.seq in gone else m for m in own]
