"""Wordings: how a distillation reads on what comes before it, so that it reads so again where that is again.

Undoing an earlier one takes its ground away, and it is made anew on another. Redone in whatever order, all
read as they did: by what a model wrote, and what was mended, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from everthread.domain.agents import Scope
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text
from everthread.ports import Records

from .composed_summary import ComposedSummary
from .swap import stored_summary

Wording: TypeAlias = Mapping[str, Any]
"""The ground on which it stands, its summary, and what its receipt tells of that."""

WORDINGS = "wordings"
"""In a receipt that is undone or reads anew: how it read first, and how before it changed last."""

RECEIPT_FIELDS = (
    "distiller",
    "struck",
    "tokens_before",
    "tokens_after",
    "score_json",
    "errors_json",
)
"""What a receipt tells of its summary."""


def wordings_of(records: Records, scope: Scope, stand: Sequence[Receipt]) -> Mapping[int, Wording]:
    """How those that stand read today, by the row of each receipt."""
    before, found = EMPTY, dict[int, Wording]()
    for each in stand:
        row = records.summaries.newest_of(scope, each.ref)
        if row is None or row.text_hash is None:
            before = EMPTY
            continue
        told = {name: getattr(each, name) for name in RECEIPT_FIELDS}
        found[each.ref] = {
            "ground": _ground_of(before),
            "summary": row.key_id.hex(),
            "told": told,
        }
        before = stored_summary(records, scope, row).digest
    return found


def wording_on(
    records: Records, scope: Scope, receipt: Receipt, before: Digest
) -> tuple[ComposedSummary, Receipt] | None:
    """How it read on this, with its receipt of then; not where something in it was forgotten since."""
    ground = _ground_of(before)
    noted = {each["ground"]: each for each in receipt.detail.get(WORDINGS, ())}.get(ground)
    if noted is None:
        return None
    rows = records.summaries.all(scope, receipt.thread_ref)
    row = next((one for one in rows if one.key_id.hex() == noted["summary"]), None)
    if row is None or row.text_hash is None:
        return None
    stood = receipt._replace(**noted["told"])
    stored = stored_summary(records, scope, row)._replace(before=before)
    return stored._replace(struck=stood.struck, distiller=stood.distiller), stood


def note_wording(detail: Mapping[str, Any], wording: Wording | None) -> dict[str, Any]:
    """With how it reads, before that changes: the first such is how it was made."""
    if wording is None:
        return dict(detail)
    held = detail.get(WORDINGS, ())
    first = held[:1] if held and held[0]["ground"] != wording["ground"] else ()
    return {**detail, WORDINGS: [*first, wording]}


def settle_wording(detail: Mapping[str, Any], before: Digest) -> dict[str, Any]:
    """Once it stands again where it was made, nothing else need be known of it."""
    held = detail.get(WORDINGS, ())
    if not held or held[0]["ground"] != _ground_of(before):
        return dict(detail)
    return {name: value for name, value in detail.items() if name != WORDINGS}


def _ground_of(digest: Digest) -> str:
    return hashlib.sha256(digest_text(digest).encode()).hexdigest()
