"""Purge: messages that a distillation took out of the view go for good when their age is over.

What was distilled stays in the store, to be recalled, undone and audited, for `background_keep_days` on
background threads and `primary_keep_days` on the primary (0: for good), counted from the receipt. Then
a run of messages goes in one small transaction, which the timeline and the receipt tell of.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.views import Mark
from everthread.domain.distilling.purging import Purge, purge_before, purged_detail
from everthread.domain.errors import IndexDamaged, StoreFailed
from everthread.domain.ids import place_at
from everthread.domain.recall.search_text import message_card, text_with_speaker
from everthread.ports import Filing, House, Records
from everthread.services.forgetting.settle import settle_indexes
from everthread.services.job_names import ERASURE, SCRUB, SETTLE

log = logging.getLogger("everthread")

BATCH = 100
"""Messages that go in one transaction: nobody waits long for it."""

MARKS = 20
"""Runs of messages that are looked up at once."""

KINDS: tuple[Literal["background"], Literal["primary"]] = ("background", "primary")
"""Ephemeral threads are never distilled; they go as a whole."""

Pause = Callable[[], None]


class _Step(NamedTuple):
    """A run of messages that may go, as far as it was seen."""

    scope: Scope
    mark: Mark
    first: int
    last: int
    before: int


def purge(house: House, pause: Pause) -> int:
    """Purge what is old enough, of all agents; how many messages went."""
    gone = 0
    for kind in KINDS:
        before = _cutoff(house, kind)
        if before is not None:
            gone += _purge_kind(house, kind, before, pause)
    if gone:
        log.info("%s distilled messages were purged: their age was over", f"{gone:,}")
    return gone


def _purge_kind(
    house: House, kind: Literal["background", "primary"], before: int, pause: Pause
) -> int:
    gone, limit = 0, MARKS
    failing: set[int] = set()
    while True:
        due = house.store.read(lambda r, n=limit: r.purges.due(kind, before=before, limit=n))
        left = [(scope, mark, first) for scope, mark, first in due if scope.agent not in failing]
        if not left:
            if len(due) < limit:
                return gone
            limit *= 2  # all of these wait for an index: look past them
        for scope, mark, first in left:
            if scope.agent in failing:
                continue
            taken = _purge_mark(house, scope, mark, first, before, pause)
            gone += taken or 0
            if taken is None:
                failing.add(scope.agent)


def _cutoff(house: House, kind: Literal["background", "primary"]) -> int | None:
    policy = house.policy
    return purge_before(
        kind,
        background=policy.background_keep_days,
        primary=policy.primary_keep_days,
        now=house.clock.now(),
    )


def _purge_mark(
    house: House, scope: Scope, mark: Mark, first: int, before: int, pause: Pause
) -> int | None:
    """Purge what one mark hides, batch by batch; None where its index cannot be written now."""
    gone = 0
    while first <= mark.to_seq:
        step = _Step(scope, mark, first, min(first + BATCH - 1, mark.to_seq), before)
        try:
            filed = _withdraw_step(house, step)
        except StoreFailed as trouble:
            log.warning("what is old enough to be purged waits: %s", trouble)
            return None
        taken = house.store.write(lambda r, s=step: _purge_step(house, r, s))
        if taken is None:
            # It was undone meanwhile: its messages are in the view again, and to be found.
            _refile(house, scope, filed)
            return gone
        gone += taken.messages
        first = step.last + 1
        pause()
    return gone


def _withdraw_step(house: House, step: _Step) -> list[Filing]:
    """Before the messages themselves: what a crash leaves between is taken out again, and harmless."""

    def work(records: Records) -> tuple[list[Message], frozenset[int]]:
        at = step.mark.thread_ref, step.first, step.last
        said = list(records.messages.between(step.scope, *at))
        return said, records.purges.uncertain(step.scope, *at)

    said, uncertain = house.store.read(work)
    texts = [(message, text_with_speaker(message)) for message in said]
    unsure = {place_at(step.mark.thread_ref, seq) for seq in uncertain}
    filed = [Filing(message_card(message, text), text) for message, text in texts if text]
    agent = house.store.read(lambda r: r.agents.get(step.scope))
    # An index that finds itself damaged is empty then, and filed again without them.
    with suppress(IndexDamaged):
        house.index.of(agent).withdraw(
            [f._replace(text="") if f.card.id in unsure else f for f in filed]
        )
    return filed


def _refile(house: House, scope: Scope, filed: Sequence[Filing]) -> None:
    agent = house.store.read(lambda r: r.agents.get(scope))
    with suppress(IndexDamaged):
        house.index.of(agent).file(filed, threads={})


def _purge_step(house: House, records: Records, step: _Step) -> Purge | None:
    scope, mark, now = step.scope, step.mark, house.clock.now()
    assert mark.receipt_ref is not None, "only what a receipt hides is looked up"
    records.memories.hold(scope)
    thread = records.threads.hold(scope, mark.thread_ref)
    receipt = records.receipts.get(scope, mark.receipt_ref)
    hides = any(
        each.ref == mark.ref and each.until_version is None
        for each in records.marks.by(scope, receipt.ref)
    )
    # Someone may have undone it, or redone it just now, between the look and the lock.
    if not (hides and receipt.standing and (receipt.closed_ms or now) < step.before):
        return None
    wanted = Purge(
        0, house.ids.new(), thread.ref, receipt.ref, step.first, step.last, 0, 0, b"", now, 0
    )
    known = records.purges.of_receipt(scope, receipt.ref)
    if any(each.from_seq <= step.last and step.first <= each.to_seq for each in known):
        return wanted  # another worker was quicker
    taken = records.purges.take(scope, wanted)
    detail = {**receipt.detail, "purged": purged_detail(receipt.detail.get("purged"), taken)}
    changed = receipt._replace(detail_json=json.dumps(detail))
    records.receipts.change(scope, changed, "receipt.purged", now=now)
    # What went must not linger in a log either, also where the purge is left off or killed now.
    records.jobs.add(SETTLE, "{}", due_at=now, now=now, once=ERASURE)
    told = json.dumps({"agent": scope.agent})
    records.jobs.add(SCRUB, told, due_at=now, now=now, once=f"{scope.agent}")
    return taken


def scrub(house: House, agent: int, pause: Pause) -> None:
    """Take what was deleted from an index out of its files. StoreBusy while somebody reads its log."""
    rows = house.store.read(lambda r: r.agents.all())
    for row in rows:
        if row.ref == agent:  # it may be gone by now, and its index with it
            with suppress(IndexDamaged):
                house.index.of(row).scrub(pause)
                settle_indexes(house, [row])
