"""Learn again: the memories of a distillation that is redone, and the ends that it gave to those of others.

A later distillation may be redone first: then what it ended is not there, for an earlier one drew that.
It keeps what it has still to end, and does so when the earlier one is redone, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.memory.memories import Memory
from everthread.ports import Records
from everthread.services.archive.sources import forgotten_keys, heads_of
from everthread.services.memory.remember import replace

from .effects import BECAUSE, SUCCESSOR, TO_END, Effect, effect_of, has_ended
from .learn import learn
from .prime import prime_again
from .reversal import ReversalPlan


def learn_again(
    records: Records, scope: Scope, plan: ReversalPlan, receipt: Receipt, *, now: int
) -> Receipt:
    """Draw its memories once more; what is in the receipt is what undoing it has to take back."""
    learnt = learn(records, scope, plan.drawn)
    told = _end_again(records, scope, receipt, learnt.effects, now=now)
    for link in plan.links:
        if link.receipt.ref == receipt.ref:
            continue
        later = records.receipts.get(scope, link.receipt.ref)
        if TO_END in later.detail:
            ended = _end_again(records, scope, later, later.detail.get("effects", ()), now=now)
            if ended.detail_json != later.detail_json:
                records.receipts.change(scope, ended, "receipt.remade", now=now)
    prime_again(records, scope, receipt, learnt.memories, now=now)
    return told


def _end_again(
    records: Records, scope: Scope, receipt: Receipt, effects: Sequence[Effect], *, now: int
) -> Receipt:
    """The receipt with these effects, and with the ends that it can give by now."""
    held = {effect["memory"] for effect in effects}
    before = [*receipt.detail.get("effects", ()), *receipt.detail.get(TO_END, ())]
    done, left = [*effects], dict[str, Effect]()
    for effect in before:
        name = effect["memory"]
        if name in held or not has_ended(effect):
            continue
        memory = records.memories.find(scope, bytes.fromhex(name))
        if memory is None or _has_its_place(records, scope, memory):
            continue
        if _is_forgotten_end(records, scope, receipt, effect):
            continue
        ended = _end(records, scope, receipt, memory, effect, now=now)
        if ended is None:
            left[name] = effect
        else:
            done.append(ended)
            held.add(name)
    detail = {name: value for name, value in receipt.detail.items() if name != TO_END}
    detail |= {"effects": done} | ({TO_END: [*left.values()]} if left else {})
    return receipt._replace(detail_json=json.dumps(detail))


def _has_its_place(records: Records, scope: Scope, memory: Memory) -> bool:
    """Is it over already, for whatever reason but that a distillation was undone?"""
    if memory.state != "superseded" or memory.successor is None:
        return memory.state != "kept" or memory.valid_to_ms is not None
    return records.memories.find(scope, memory.successor) is not None


def _is_forgotten_end(records: Records, scope: Scope, receipt: Receipt, effect: Effect) -> bool:
    """Were the words forgotten that ended it? Where nobody knows which did, any that it read may have."""
    gone = forgotten_keys(records, scope)
    if BECAUSE in effect:
        return bytes.fromhex(effect[BECAUSE]) in gone
    if not gone:
        return False
    spans = [(m.from_seq, m.to_seq) for m in records.marks.by(scope, receipt.ref)]
    read = heads_of(records, scope, gone).values()
    return any(
        m.thread_ref == receipt.thread_ref and first <= m.seq <= last
        for m in read
        for first, last in spans
    )


def _end(
    records: Records, scope: Scope, receipt: Receipt, memory: Memory, effect: Effect, *, now: int
) -> Effect | None:
    """What became of it; None where it is not there, or was said again since."""
    made = receipt.closed_ms or receipt.opened_ms
    if memory.state != "kept" or memory.pinned or memory.updated_ms > made:
        return None
    if effect["after"]["state"] == "kept":
        until = effect["after"]["valid_to_ms"]
        after = records.memories.bound(scope, memory, until=until, now=now)
    else:
        heir = records.memories.find(scope, bytes.fromhex(effect.get(SUCCESSOR, "")))
        if heir is None or heir.state != "kept":
            return None
        (after,) = replace(records, scope, heir, [memory], now=now)
    told = effect_of(after, memory)
    return {**told, BECAUSE: effect[BECAUSE]} if BECAUSE in effect else told
