"""When two memories are one: which may take the other's place, and what comes of both."""

from __future__ import annotations

from everthread.domain.text.sayings import Likeness
from everthread.domain.times import HOUR

from .memories import (
    CERTAIN,
    Memory,
    Origin,
    clean_tags,
    evidence_text,
    sources_text,
    surer,
    tags_text,
)

AUTHORITY: dict[Origin, int] = {"user": 2, "agent": 1, "imported": 0, "tool": 0}
"""Whose word counts more. What a tool read somewhere never overrules what a person said."""

CEILING: dict[Origin, float] = {"user": CERTAIN, "agent": 0.85, "imported": 0.7, "tool": 0.7}
"""How sure saying it again can make us. What is repeated by machines is not truer than a person's word."""

REPLAY = HOUR
"""The same text within that time is a repeated call, where nothing tells in which message it was said."""


def together(one: Memory, other: Memory) -> bool:
    """Are they for the same readers? Only then can one stand for the other."""
    same = one.reach == other.reach and one.principal == other.principal
    return same and (one.reach != "project" or one.project == other.project)


def may_replace(new: Memory, old: Memory, likeness: Likeness | None = None) -> bool:
    """May the new one take the place of the old, which it contradicts or says over again?

    Not what is true at another time, not by whose word counts less, and nothing pinned but by a
    person. What merely says the same must bring something: more words, more authority, a period.
    """
    if AUTHORITY[new.origin] < AUTHORITY[old.origin] or (old.pinned and new.origin != "user"):
        return False
    if likeness is None:
        return _overlap(new, old)
    if likeness == "narrower":
        return False
    dated = (new.valid_from_ms, new.valid_to_ms) not in (
        (None, None),
        (old.valid_from_ms, old.valid_to_ms),
    )
    return dated or likeness == "fuller" or AUTHORITY[new.origin] > AUTHORITY[old.origin]


def _overlap(new: Memory, old: Memory) -> bool:
    """Does the new one hold when it is said, or later while the old one still would?"""
    if new.valid_to_ms is not None and new.valid_to_ms <= new.created_ms:
        return False
    start = new.valid_from_ms
    return start is None or old.valid_to_ms is None or start < old.valid_to_ms


def begins_later(memory: Memory) -> bool:
    """Does it hold only from some time after it was said?"""
    return memory.valid_from_ms is not None and memory.valid_from_ms > memory.created_ms


def replayed(new: Memory, old: Memory) -> bool:
    """Is this the same call once more, with nothing new in it?"""
    if new.text != old.text:
        return False
    # What was said in the same messages was not said again, however much later it is drawn.
    if not new.sources and new.created_ms - old.updated_ms > REPLAY:
        return False
    same = set(new.sources) <= set(old.sources) and set(new.tags) <= set(old.tags)
    return same and (not new.pinned or bool(old.pinned))


def merged(new: Memory, old: Memory) -> Memory:
    """The old one, said once more: surer, newer, with all sources and tags of both."""
    return _both(new, old)._replace(
        **{name: getattr(old, name) for name in ("ref", "agent_ref", "key_id", "text", "kind")},
        origin=old.origin,
        receipt_ref=old.receipt_ref,
        session_ref=old.session_ref,
        valid_from_ms=old.valid_from_ms,
        valid_to_ms=old.valid_to_ms,
        created_ms=old.created_ms,
        entry=old.entry,
    )


def inheriting(new: Memory, old: Memory) -> Memory:
    """A new version of the old one, with all that the old one had gathered."""
    return _both(new, old)


def _both(new: Memory, old: Memory) -> Memory:
    told = max(new.origin, old.origin, key=AUTHORITY.__getitem__)
    sure = min(surer(new.confidence, old.confidence), CEILING[told])
    weighty = AUTHORITY[new.origin] >= AUTHORITY[old.origin]
    return new._replace(
        confidence=max(sure, old.confidence),
        # Whose word counts less cannot make it matter more.
        importance=max(new.importance, old.importance) if weighty else old.importance,
        pinned=max(int(new.pinned), int(old.pinned)),
        tags_json=tags_text(clean_tags([*old.tags, *new.tags])),
        sources_json=sources_text([*old.sources, *new.sources]),
        evidence_json=_evidence(new, old),
        said=old.said + new.said,
        updated_ms=max(new.updated_ms, old.updated_ms),
    )


def _evidence(new: Memory, old: Memory) -> str:
    """The files as they were when it was said; only a person's saying it again makes that newer.

    An agent may repeat what it was given: that tells nothing about the files.
    """
    first, second = (old, new) if new.origin == "user" else (new, old)
    return evidence_text({**first.files, **second.files}, [*old.commits, *new.commits])
