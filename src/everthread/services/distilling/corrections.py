"""Corrections: what a person put by hand in the place of what was said, and the view that follows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from everthread.domain.agents import Scope
from everthread.domain.distilling.corrected_points import Corrected, Correction, tells
from everthread.domain.gleaning.digest import Digest, Point
from everthread.domain.memory.memories import Memory, is_valid
from everthread.domain.memory.merging import same_readers
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import flatten, neutralize
from everthread.ports import Records

LOOKED_THROUGH = 2_000
"""Memories among which that of a point is looked for that is kept in other words, the newest."""


def corrected_points(
    records: Records, scope: Scope, digest: Digest, *, now: int | None = None
) -> Corrected:
    """Which points of the digest read otherwise by now; without a time, also what has ended since."""
    found = corrections(records, scope, digest.points, now=now)
    return {
        point: Correction(
            old.text, _shown(new.text), new.created_ms, frozenset((*old.sources, *point.sources))
        )
        for point, (old, new) in found.items()
    }


def corrections(
    records: Records,
    scope: Scope,
    told: Sequence[Point],
    gone: Collection[Point] = (),
    *,
    now: int | None,
) -> dict[Point, tuple[Memory, Memory]]:
    """What a person put by hand in the place of what was told: no message says it, or not in these words.

    With what it took the place of.
    """
    texts = {point.text for point in told}
    replaced = [*records.memories.saying(scope, texts, state="superseded")]
    if gone:
        replaced += records.memories.all(scope, state="superseded", limit=LOOKED_THROUGH)
    said = points_by_source(told)
    found: dict[Point, tuple[Memory, Memory]] = {}
    for old in {memory.key_id: memory for memory in replaced}.values():
        keys = frozenset(old.sources)
        near = dict.fromkeys(point for key in keys for point in said.get(key, ()))
        # Said once more since, a point stands as it is.
        near = [point for point in near if point in gone or keys.issuperset(point.sources)]
        points = [point for point in near if tells(old.text, point.text)]
        newest = records.memories.lineage(scope, old)[-1] if points else old
        at = newest.created_ms if now is None else now
        if is_valid(newest, at=at) and _is_correction(newest, old):
            found |= dict.fromkeys(points, (old, newest))
    return found


def points_by_source(points: Sequence[Point]) -> dict[bytes, list[Point]]:
    found: dict[bytes, list[Point]] = {}
    for point in points:
        for key in point.sources:
            found.setdefault(key, []).append(point)
    return found


def _is_correction(newest: Memory, old: Memory) -> bool:
    """By hand, and for whom the old one was: then it is as much to be listed."""
    by_hand = newest.receipt_ref is None and newest.session_ref is None
    return by_hand and newest.project == old.project and same_readers(newest, old)


def _shown(text: str) -> str:
    return neutralize(strip_secrets(flatten(text)))
