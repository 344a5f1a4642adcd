"""Whose a memory is that was drawn from messages: hers who said them, or to whom they were said."""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.agents import Scope
from everthread.domain.memory.contradictions import is_personal
from everthread.domain.memory.memories import Memory, owner_of
from everthread.ports import Records
from everthread.services.archive.sources import messages_of

_OWN = frozenset({"rule", "preference", "identity", "correction"})
"""What each says for himself."""


def principal_of(records: Records, scope: Scope, sources: Iterable[bytes]) -> str | None:
    """The one principal of these messages, as far as they are there; None where there is none, or several."""
    return owner_of(message.principal for message in messages_of(records, scope, sources).values())


def said_by_two(records: Records, scope: Scope, one: Memory, other: Memory) -> bool:
    """Did two people say it, each for himself? Then neither is the other's, nor takes its place."""
    own = one.kind in _OWN and other.kind in _OWN
    if not own and not (is_personal(one.text) and is_personal(other.text)):
        return False
    named = _names(records, scope, one)
    return (
        bool(named) and bool(others := _names(records, scope, other)) and named.isdisjoint(others)
    )


def _names(records: Records, scope: Scope, memory: Memory) -> frozenset[str]:
    said = messages_of(records, scope, memory.sources).values()
    people = (message.name for message in said if message.role == "user")
    return frozenset(name.casefold() for name in people if name)
