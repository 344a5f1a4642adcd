"""Signs that no index of words knows: who asks for an emoji alone, or for 猫, finds the texts with it."""

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


FIRST_PAIRED = "\u3040"
"""Here the scripts without spaces begin, of which words are pairs of signs."""


def signs_of(text: str) -> list[str]:
    """The pictures in it, each once; what only joins or colours them is none."""
    found = dict.fromkeys(c for c in text[:MOST_ASKED] if unicodedata.category(c) == "So")
    return list(found)[:SEVERAL]


def lone_signs(words: Sequence[str]) -> list[str]:
    """The words of a question that are one sign each, of a script that is indexed in pairs of signs."""
    single = all(len(word) == 1 and word >= FIRST_PAIRED for word in words)
    return list(words)[:SEVERAL] if single else []


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
