"""Carried rules: those of earlier distillations, held against what the agent is given now.

Their messages were hidden long ago, so no score draws them; and a rule that finds no room any more must
not go unnoticed (R-16).
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.distilling.continuity import Item
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.gleaning.digest import EMPTY, Digest, Point, mark_of, read_digest
from everthread.domain.text.sayings import likeness_of
from everthread.ports import Records

from .swap import standing_digest, standing_receipts


def carried_rules(records: Records, scope: Scope, receipt: Receipt) -> list[Item]:
    """The rules that the summary before the receipt's held, and that nobody took back since."""
    before = _digest_before(records, scope, receipt)
    ruled = [point for point in before.points if _is_rule(point)]
    if not ruled:
        return []
    digest = standing_digest(records, scope, receipt.thread_ref)
    gone = frozenset(digest.gone)
    left = [point for point in ruled if mark_of(point) not in gone]
    return [_item(_present_wording(point, digest.points)) for point in left]


def rule_items(digest: Digest) -> list[Item]:
    """The user's rules that a digest carries, as the score looks for them."""
    return [_item(point) for point in digest.points if _is_rule(point)]


def _digest_before(records: Records, scope: Scope, receipt: Receipt) -> Digest:
    stand = standing_receipts(records, scope, receipt.thread_ref)
    earlier = [each for each in stand if (each.number or 0) < (receipt.number or 0)]
    row = records.summaries.newest_of(scope, earlier[-1].ref) if earlier else None
    text = "" if row is None else records.summaries.digest(scope, row)
    return read_digest(text) if text else EMPTY


def _is_rule(point: Point) -> bool:
    return point.kind == "rule" and point.by == "user" and point.pinned


def _present_wording(rule: Point, points: Sequence[Point]) -> Point:
    """The rule as it is carried now: said again in other words, it stands in those."""
    if any(point.text == rule.text for point in points):
        return rule
    same = (p for p in points if p.kind == "rule" and likeness_of(rule.text, p.text) is not None)
    return next(same, rule)


def _item(rule: Point) -> Item:
    key = rule.sources[0]
    return Item("rules", rule.text, rule.text, key, "", "", by="user", at_ms=rule.at_ms)
