"""Signs that no index of words knows: who asks for an emoji alone finds the texts that have it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.recall.search_text import NOTES
from everthread.ports import Records

MOST = 100
"""Of each kind, the last ones."""

MOST_ASKED = 4_000
"""Characters of a question in which signs are looked for."""

SEVERAL = 8
"""A text must have all of the first so many signs: a family is one picture of several."""


def signs_of(text: str) -> list[str]:
    """The pictures in it, each once; what only joins or colours them is none."""
    found = dict.fromkeys(c for c in text[:MOST_ASKED] if unicodedata.category(c) == "So")
    return list(found)[:SEVERAL]


def cards_with_signs(records: Records, scope: Scope, signs: Sequence[str]) -> list[int]:
    """The cards of memories, notes and messages that have all of the signs. It reads every text."""
    if not signs:
        return []

    def has_all(text: str) -> bool:
        return all(sign in text for sign in signs)

    kept = records.memories.all(scope, state="kept", limit=1 << 62)
    memories = [memory.ref for memory in kept if has_all(memory.text)]
    noted = records.notes.all(scope, limit=1 << 62)
    notes = [NOTES + note.ref for note in noted if has_all(note.text)]
    return [*memories[:MOST], *notes[:MOST], *records.messages.holding(scope, signs, limit=MOST)]
