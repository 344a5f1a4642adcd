"""What else says what is forgotten: notes, which go too; what may say it in other words, which is named."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.forgetting.marks import MarkedTexts
from everthread.domain.memory.memories import Memory
from everthread.domain.memory.notes import Note
from everthread.domain.recall.hits import Hit
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import likeness_of
from everthread.domain.text.words import query_words
from everthread.ports import House, Records
from everthread.services.memory.recall import recall, recall_request

log = logging.getLogger("everthread")

ALL = 1 << 62

LOOKED_AT = 20
MOST = 5
"""What recall finds for the words is looked at so far down; so many of it are told."""

VERSIONS = 3
"""The newest so many are looked for: an older one hardly differs in more than its value."""

SHARE = 0.5
"""Who has more of the words than this may say it."""

ALIKE = 0.6
"""The same for the cosine of both."""

_JOINED = lazy_pattern(r"[^\W\d_]++\w*+(?>(?:-\w++)+)")
CODE = 3
"""Signs of a word with a figure that tell it all alone: a port, a code, a date."""


def delete_notes(records: Records, scope: Scope, gone: Sequence[Memory], *, now: int) -> int:
    """Delete the notes that are the same statement; how many they were."""
    notes = _notes_saying(records, scope, gone)
    for note in notes:
        records.notes.delete(scope, note, now=now)
    return len(notes)


def _notes_saying(records: Records, scope: Scope, gone: Sequence[Memory]) -> list[Note]:
    """The agent's notes that are the same statement. One that says more than that stays, and is told of.

    So does what a person wrote down, where only an agent's or a tool's word is forgotten.
    """
    texts = [memory.text for memory in gone if memory.text]
    if not texts:
        return []
    marked, told = MarkedTexts(texts), any(memory.origin == "user" for memory in gone)
    return [
        note
        for note in records.notes.all(scope, limit=ALL)
        if (told or note.origin != "user")
        and any(_is_same(note.text, texts[n]) for n in marked.echoed_by(note.text))
    ]


def _is_same(one: str, other: str) -> bool:
    return likeness_of(one, other, cased=False) == "same"


def what_remains(
    house: House, agent: AgentRow, texts: Sequence[str], owners: frozenset[int] | None
) -> list[Hit]:
    """What is still found and may say one of the texts, which are forgotten by now, in other words."""
    found: dict[str, Hit] = {}
    for text in [text for text in dict.fromkeys(texts) if text.strip()][-VERSIONS:]:
        wanted = recall_request(text, Scope(agent.ref), LOOKED_AT)._replace(owners=owners)
        said, codes = frozenset(query_words(text)), _codes(text)
        try:
            hits = recall(house, agent, wanted)
        except Exception as trouble:  # noqa: BLE001 - it is forgotten, whatever the index says
            log.warning("the index cannot tell what may still say it: %s", trouble)
            break
        found |= {hit.id: hit for hit in hits if _may_say(hit, said) or codes & _codes(hit.text)}
    return sorted(found.values(), key=lambda hit: -hit.score)[:MOST]


def _may_say(hit: Hit, said: frozenset[str]) -> bool:
    if hit.alike is not None and hit.alike >= ALIKE:
        return True
    shared = said.intersection(query_words(hit.text, limit=len(hit.text)))
    return len(shared) > SHARE * len(said)


def _codes(text: str) -> frozenset[str]:
    """Its words with a figure, and such as are joined of several: `b-12` is told neither by b nor by 12."""
    joined = (found.lower() for found in _JOINED.findall(text))
    words = {*query_words(text, limit=len(text)), *joined}
    return frozenset(word for word in words if len(word) >= CODE and any(c.isdigit() for c in word))
