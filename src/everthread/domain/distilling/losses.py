"""What stays lost: which receipts tell of it, what of it matters most to a person, what was dismissed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .continuity_refs import ItemRef, read_refs
from .receipts import Receipt

IMPORTANCE: tuple[str, ...] = (
    "rules",
    "decisions",
    "questions",
    "errors",
    "files",
    "commands",
    "names",
    "numbers",
)
"""The kinds of items in the order in which a person wants to know of their loss."""

IMPORTANT = IMPORTANCE[:3]
"""What is named for as long as it is missing."""

DISMISSED = "dismissed"
"""Under this a receipt keeps what a person does not miss."""


def importance_of(kind: str) -> int:
    return IMPORTANCE.index(kind) if kind in IMPORTANCE else len(IMPORTANCE)


def dismissed_items(receipts: Iterable[Receipt]) -> frozenset[ItemRef]:
    """What a person said of these receipts' losses not to miss."""
    return frozenset(
        item for receipt in receipts for item in read_refs(receipt.detail.get(DISMISSED, ()))
    )


def is_dismissed(receipt: Receipt) -> bool:
    """Is all that it lost dismissed? What was lost since is not."""
    score = receipt.score
    lost = () if score is None else score.lost_items
    return DISMISSED in receipt.detail and dismissed_items([receipt]).issuperset(lost)


def telling_receipts(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Those whose lost rules are lost still, as far as receipts can tell; in order.

    A score looks again for the rules that were lost before it. So the newest one tells of all of them,
    and an earlier one only where it was scored after those that follow it.
    """
    scored = scored_receipts(receipts)
    return [
        one
        for one in scored
        if not any(_number(later) > _number(one) and later.entry > one.entry for later in scored)
    ]


def scored_receipts(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Those in force that have a score, in order."""
    scored = (one for one in receipts if one.standing and one.score_json is not None)
    return sorted(scored, key=_number)


def lost_items(receipt: Receipt, kinds: Sequence[str]) -> list[ItemRef]:
    """What it lost of these kinds."""
    score = receipt.score
    return [] if score is None else [item for item in score.lost_items if item.kind in kinds]


def _number(receipt: Receipt) -> int:
    return receipt.number or 0
