"""When two memories are one: which may take the other's place, and what comes of both."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.ids import ms_of_id
from everthread.domain.text.sayings import Likeness
from everthread.domain.text.templates import Member, is_series, template
from everthread.domain.times import DAY, HOUR

from .memories import (
    CERTAIN,
    Memory,
    Origin,
    clean_tags,
    evidence_text,
    joint_confidence,
    sources_text,
    tags_text,
)

AUTHORITY: dict[Origin, int] = {"user": 2, "agent": 1, "imported": 0, "tool": 0}
"""Whose word counts more. What a tool read somewhere never overrules what a person said."""

CEILING: dict[Origin, float] = {"user": CERTAIN, "agent": 0.85, "imported": 0.7, "tool": 0.7}
"""How sure saying it again can make us. What is repeated by machines is not truer than a person's word."""

SERIAL = "fact"
"""The kind of memory of which the newest of a series stands for it."""

_SET_BY_PEOPLE = frozenset({"rule", "identity"})

NAMED = 10
"""Sources of a series; each that came before names its own."""

REPLAY = HOUR
"""The same text within that time is a repeated call, where nothing tells in which message it was said."""


def same_readers(one: Memory, other: Memory) -> bool:
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


def why_not_replaced(new: Memory, old: Memory) -> str | None:
    """Why the new one may not take the place of the old although somebody names it; None: it may.

    Whoever names it has read both, so neither words nor authority decide. But what a person set for the
    agent is theirs: a text that the agent read somewhere must not talk it out of a rule.
    """
    if not same_readers(new, old):
        return (
            f"it is for {_readers(old)}, the new one for {_readers(new)}; give both the same scope"
        )
    if new.origin == "user":
        return None
    if old.pinned:
        return "it is pinned; only a person can replace it (`everthread memories edit`)"
    if old.origin == "user" and old.kind in _SET_BY_PEOPLE:
        return (
            f"the user set this {old.kind}; only they can replace it (`everthread memories edit`)"
        )
    if AUTHORITY[new.origin] < min(AUTHORITY[old.origin], AUTHORITY["agent"]):
        return f"what is {new.origin} does not overrule what the {old.origin} said"
    return None


def _readers(memory: Memory) -> str:
    if memory.reach == "user":
        return "every agent of the user"
    readers = "this agent" if memory.reach == "agent" else f"the project {memory.project}"
    return readers if memory.principal is None else f"{readers} and {memory.principal}"


def _overlap(new: Memory, old: Memory) -> bool:
    """Does the new one hold when it is said, or later while the old one still would?"""
    if new.valid_to_ms is not None and new.valid_to_ms <= new.created_ms:
        return False
    start = new.valid_from_ms
    return start is None or old.valid_to_ms is None or start < old.valid_to_ms


def begins_later(memory: Memory) -> bool:
    """Does it hold only from some time after it was said?"""
    return memory.valid_from_ms is not None and memory.valid_from_ms > memory.created_ms


def is_replay(new: Memory, old: Memory) -> bool:
    """Is this the same call once more, with nothing new in it?"""
    if new.text != old.text:
        return False
    # What was said in the same messages was not said again, however much later it is drawn.
    if not new.sources and new.created_ms - old.updated_ms > REPLAY:
        return False
    same = set(new.sources) <= set(old.sources) and set(new.tags) <= set(old.tags)
    if new.origin == "user" and not new.files.items() <= old.files.items():
        return False  # the files that it names have changed since, and it is still so
    return same and (not new.pinned or bool(old.pinned))


def merge(new: Memory, old: Memory) -> Memory:
    """The old one, said once more: surer, newer, with all sources and tags of both."""
    return _combine(new, old)._replace(
        **{name: getattr(old, name) for name in ("ref", "agent_ref", "key_id", "text", "kind")},
        # Saying it again, in another project, does not change for whom it is.
        **{name: getattr(old, name) for name in ("reach", "project", "principal")},
        origin=old.origin,
        receipt_ref=old.receipt_ref,
        session_ref=old.session_ref,
        valid_from_ms=old.valid_from_ms,
        valid_to_ms=old.valid_to_ms,
        created_ms=old.created_ms,
        entry=old.entry,
    )


def make_version(new: Memory, old: Memory) -> Memory:
    """A new version of the old one, with all that the old one had gathered."""
    return _combine(new, old)


def is_serial(new: Memory, old: Memory) -> bool:
    """Were both drawn from reports that differ in their date and their figures alone?

    What somebody asked to be remembered names no message. Sessions of a harness are in their own
    folders, where the same words are of other things.
    """
    if new.kind != SERIAL or old.kind != SERIAL:
        return False
    if (new.origin, new.session_ref) != (old.origin, old.session_ref):
        return False
    plain = all(m.sources and not m.pinned and m.valid_to_ms is None for m in (new, old))
    key = template(new.text, said_ms(new)) if plain else ""
    return bool(key) and key == template(old.text, said_ms(old))


def said_ms(memory: Memory) -> int:
    """When the newest of what it was drawn from was said; of what names no message, when it was told last."""
    return max(map(ms_of_id, memory.sources), default=memory.updated_ms)


def earlier_reports(new: Memory, near: Sequence[Memory]) -> list[Memory]:
    """Those whose series the new one goes on with, oldest first; none where that is no series yet."""
    found = sorted((old for old in near if is_serial(new, old)), key=said_ms)
    members = [
        Member(
            m.origin == "agent",
            frozenset(m.sources),
            frozenset(ms_of_id(source) // DAY for source in m.sources),
        )
        for m in (*found, new)
    ]
    return found if found and is_series(members) else []


def continue_series(newest: Memory, others: Sequence[Memory]) -> Memory:
    """The newest of a series, for all of it: so often said, with the first source and the newest ones."""
    said = sorted({s for m in (*others, newest) for s in m.sources}, key=ms_of_id)
    kept = said if len(said) <= NAMED else [said[0], *said[1 - NAMED :]]
    return newest._replace(
        importance=max(m.importance for m in (*others, newest)),
        tags_json=tags_text(clean_tags([tag for m in (*others, newest) for tag in m.tags])),
        sources_json=sources_text(kept),
        said=sum(m.said for m in (*others, newest)),
        updated_ms=max(m.updated_ms for m in (*others, newest)),
    )


def _combine(new: Memory, old: Memory) -> Memory:
    told = max(new.origin, old.origin, key=AUTHORITY.__getitem__)
    sure = min(joint_confidence(new.confidence, old.confidence), CEILING[told])
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
