"""Priming: what was just learnt is part of the next turn, whatever is asked there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from everthread.domain.agents import Scope
from everthread.domain.conversation.turns import TurnRow
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.given.context import PRIMED
from everthread.domain.memory.memories import Memory, is_valid
from everthread.ports import Records

MOST: Mapping[str, int] = {"decision": 10, "open_item": 10}
MOST_OTHERS = 20
"""How many of a kind are primed at once: what is too much is not read."""


def prime(
    records: Records,
    scope: Scope,
    thread: int,
    memories: Sequence[Memory],
    *,
    now: int,
    receipt: int | None = None,
) -> Sequence[Memory]:
    """Have the next turns of the thread given these, until one has completed; those that are."""
    chosen = _cap_by_kind([memory for memory in memories if memory.state == "kept"])
    records.memories.prime(scope, thread, chosen, now=now, receipt=receipt)
    return chosen


WAITING = "waiting"
"""In the receipt of an undone distillation: the memories that no completed turn had been given yet."""


def note_waiting(records: Records, scope: Scope, receipt: Receipt) -> Receipt:
    """The receipt with what waits to be given: undoing it takes that away, and redoing brings it back."""
    waiting = [memory.key_id.hex() for memory in records.memories.primed(scope, receipt.thread_ref)]
    return receipt._replace(detail_json=json.dumps({**receipt.detail, WAITING: waiting}))


def prime_again(
    records: Records, scope: Scope, receipt: Receipt, learnt: Sequence[Memory], *, now: int
) -> None:
    """Prime what a redone distillation drew, as far as it is news, and holds.

    What it had drawn before is news only where no completed turn had been given it by then.
    """
    given = {effect["memory"] for effect in receipt.detail.get("effects", ())}
    given -= set(receipt.detail.get(WAITING, ()))
    present = [records.memories.get(scope, memory.ref) for memory in learnt]
    news = [m for m in present if m.key_id.hex() not in given and is_valid(m, at=now)]
    prime(records, scope, receipt.thread_ref, news, now=now, receipt=receipt.ref)


def consume(records: Records, scope: Scope, turn: TurnRow) -> int:
    """A turn completed: what it was given as primed is so no more. One that failed consumes nothing.

    What was primed meanwhile it cannot have been given as that, whatever the clock says.
    """
    if turn.state != "done" or turn.block_hash is None:
        return 0
    given = {
        item.ref
        for injection in records.injections.of_turn(scope, turn)
        if injection.body_hash == turn.block_hash
        for item in records.injections.items(scope, injection.ref)
        if item.why == PRIMED
    }
    return records.memories.consume(scope, turn, given)


def _cap_by_kind(memories: Sequence[Memory]) -> list[Memory]:
    """The most important of each kind, in the order given."""
    room: Counter[str] = Counter()
    chosen: set[int] = set()
    for memory in sorted(memories, key=lambda m: (-int(m.pinned), -m.importance)):
        shelf = memory.kind if memory.kind in MOST else ""
        if room[shelf] < MOST.get(shelf, MOST_OTHERS):
            room[shelf] += 1
            chosen.add(memory.ref)
    return [memory for memory in memories if memory.ref in chosen]
