"""Missing: what of rules, decisions and open requests was lost by distillations and is not back yet.

All of it is computed from receipts, messages and what the agent is given now: what is found again, taken
back, answered, remembered by hand, dismissed or forgotten is missing no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.threads import Thread
from everthread.domain.conversation.views import Span
from everthread.domain.distilling.continuity import Item, items_kept
from everthread.domain.distilling.continuity_refs import ItemRef, ref_of
from everthread.domain.distilling.continuity_rules import waits_for_answer
from everthread.domain.distilling.corrected_points import without_corrected
from everthread.domain.distilling.losses import (
    IMPORTANT,
    dismissed_items,
    importance_of,
    lost_items,
    scored_receipts,
    telling_receipts,
)
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.revocations import still_holding
from everthread.domain.gleaning.digest import Digest
from everthread.domain.ids import place_of
from everthread.domain.memory.memories import Memory
from everthread.domain.text.sayings import likeness_of
from everthread.ports import House, Records
from everthread.services.archive.view import view_at, view_messages

from .carried_rules import rule_items
from .corrections import corrected_points
from .itemize import ItemReading, harmless_line
from .plan import tellable_messages
from .score import in_force
from .shown_text import given_text
from .stages import Pause
from .swap import standing_digest

LOOKED_AT = 50
"""So many of the newest receipts of a thread are looked through."""

MOST_OTHERS = 40
"""Decisions and requests whose messages are read, those lost last."""

MOST_MEMORIES = 1_000
ANSWERED_WITHIN = 12
"""Messages after a request among which its answer is looked for."""


class MissingItem(NamedTuple):
    """Something that matters, that was lost and that nothing gives to the agent now."""

    kind: str
    text: str
    ref: ItemRef
    receipt: Receipt
    """The one that hides its message."""


def missing_items(records: Records, scope: Scope, thread: Thread) -> list[MissingItem]:
    """What is missing on a thread, what matters most first."""
    receipts = records.receipts.newest(scope, thread=thread.ref, limit=LOOKED_AT)
    wanted = _lost(receipts)
    if not wanted:
        return []
    hiding = _Hiding(records, scope, thread.ref, wanted)
    found = hiding.not_dismissed(_in_words(records, scope, wanted))
    left = _not_remembered(records, scope, _unanswered(records, scope, thread, found))
    if left:  # what follows reads all that the agent is given: the more it is, the longer it takes
        left = _not_given(records, scope, thread, left)
    told = [MissingItem(i.kind, harmless_line(i.text), ref_of(i), hiding.receipt(i)) for i in left]
    return sorted(told, key=lambda one: importance_of(one.kind))


def _not_given(records: Records, scope: Scope, thread: Thread, items: Sequence[Item]) -> list[Item]:
    """Those that still hold, and that neither the summary nor a message in the view tells."""
    digest = standing_digest(records, scope, thread.ref)
    corrected = corrected_points(records, scope, digest)
    standing = without_corrected(in_force(items, digest), corrected)
    if not standing:
        return []
    view = view_at(records, scope, thread.ref, version=thread.view_version, last=thread.last_seq)
    shown = view_messages(records, scope, thread.ref, view)
    return still_holding(_not_shown(standing, shown, digest), shown)


def rules_lost_before(house: House, scope: Scope, receipt: Receipt, pause: Pause) -> Sequence[Item]:
    """The rules that earlier distillations lost, and that nobody took back in what this one hides.

    The summary that lost them carries them no more, so that no later one would miss them.
    """

    def read(records: Records) -> tuple[list[Item], list[Span]]:
        known = records.receipts.newest(scope, thread=receipt.thread_ref, limit=LOOKED_AT)
        earlier = [each for each in known if (each.number or 0) < (receipt.number or 0)]
        wanted = _lost(earlier, ("rules",), known)
        if not wanted:
            return [], []
        spans = [
            Span(mark.from_seq, mark.to_seq)
            for mark in records.marks.by(scope, receipt.ref)
            if mark.action == "hide"
        ]
        digest = standing_digest(records, scope, receipt.thread_ref)
        found = in_force(_in_words(records, scope, wanted), digest)
        hiding = _Hiding(records, scope, receipt.thread_ref, wanted)
        return hiding.not_dismissed(_not_remembered(records, scope, found)), spans

    found, spans = house.store.read(read)
    if not found:
        return found
    said = tellable_messages(house, scope, receipt.thread_ref, spans, pause)
    return still_holding(found, said, pause)


def _lost(
    receipts: Sequence[Receipt],
    kinds: Sequence[str] = IMPORTANT,
    known: Sequence[Receipt] | None = None,
) -> dict[ItemRef, Receipt]:
    """What was lost and not dismissed, with the receipt that tells of it; `known` are all receipts."""
    scored, found = scored_receipts(receipts), dict[ItemRef, Receipt]()
    dismissed = dismissed_items(receipts if known is None else known)
    for receipt in telling_receipts(scored):
        rules = lost_items(receipt, ("rules",))
        found |= {ref: receipt for ref in rules if ref not in dismissed}
    most = len(found) + MOST_OTHERS
    others = [kind for kind in kinds if kind != "rules"]
    for receipt in reversed(scored):
        lost = [ref for ref in lost_items(receipt, others) if ref not in dismissed]
        found |= {ref: receipt for ref in lost[: most - len(found)]}
    return found


def _in_words(records: Records, scope: Scope, wanted: dict[ItemRef, Receipt]) -> list[Item]:
    """The items whose words can still be read."""
    readings: dict[int, ItemReading] = {}
    found: list[Item] = []
    for ref, receipt in wanted.items():
        if receipt.ref not in readings:
            readings[receipt.ref] = ItemReading(records, scope, receipt)
        item = readings[receipt.ref].find(ref)
        if not isinstance(item, str):
            found.append(item)
    return found


def _not_shown(items: Sequence[Item], shown: Sequence[Message], digest: Digest) -> list[Item]:
    """Those that the agent is not given. The rules that it is given stand beside: one rule's line must
    not be taken for another."""
    known = {item.text for item in items}
    beside = [item for item in rule_items(digest) if item.text not in known]
    there = items_kept([*items, *beside], given_text(shown))
    return [item for n, item in enumerate(items) if n not in there]


def _unanswered(
    records: Records, scope: Scope, thread: Thread, items: Iterable[Item]
) -> list[Item]:
    """Without what nobody waits for: a question of the agent, and a request that got its answer."""

    def waits(item: Item) -> bool:
        if item.kind != "questions":
            return True
        if item.by != "user" or not waits_for_answer(item.text, item.by):
            return item.by == "user"
        seq = place_of(item.key)[1]
        after = records.messages.between(scope, thread.ref, seq + 1, seq + ANSWERED_WITHIN)
        return not any(m.origin == "agent" and m.kind == "said" for m in after)

    return [item for item in items if waits(item)]


def _not_remembered(records: Records, scope: Scope, items: Sequence[Item]) -> list[Item]:
    """Without what a person pinned, or told to be remembered. What was drawn from the conversation is
    there for every rule: it is recalled when it bears on a message, and not before."""
    if not items:
        return []
    memories = records.memories.all(scope, state="kept", limit=MOST_MEMORIES)
    by_hand = [memory.text for memory in memories if _is_by_hand(memory)]
    return [
        item
        for item in items
        if not any(likeness_of(text, item.text) is not None for text in by_hand)
    ]


def _is_by_hand(memory: Memory) -> bool:
    return bool(memory.pinned) or (memory.origin == "user" and not memory.sources)


class _Hiding:
    """Which receipt hides a message: undoing that one brings it back."""

    def __init__(
        self, records: Records, scope: Scope, thread: int, told: dict[ItemRef, Receipt]
    ) -> None:
        self._records, self._scope, self._told = records, scope, told
        every = records.marks.of(scope, thread)
        self._marks = [m for m in every if m.action == "hide" and m.until_version is None]

    def receipt(self, item: Item) -> Receipt:
        seq = place_of(item.key)[1]
        ref = next((m.receipt_ref for m in self._marks if m.from_seq <= seq <= m.to_seq), None)
        if ref is None:
            return self._told[ref_of(item)]
        return self._records.receipts.get(self._scope, ref)

    def not_dismissed(self, items: Iterable[Item]) -> list[Item]:
        """Without what was dismissed on the receipt that hides it: that may be older than those looked at."""
        return [i for i in items if ref_of(i) not in dismissed_items([self.receipt(i)])]
