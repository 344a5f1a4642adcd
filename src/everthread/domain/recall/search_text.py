"""What a message is found by: its words, and what was asked of tools and answered by them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from everthread.domain.checks import is_storable, mend_text
from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import WORDS, Block, Form, Message
from everthread.domain.ids import place_at
from everthread.domain.memory.memories import Memory
from everthread.domain.memory.notes import Note

from .cards import Card, describe, wording_hash

HEAD, TAIL = 48_000, 16_000
"""Of a longer text both ends are shown: what a tool printed says most at its beginning and end."""

LONGEST_CALL = 4_000

INDEXED, INDEXED_CALL = 2_000_000, 64_000
"""Words are found in so much of a text; and of what a tool was called with, such as a file that it writes."""

AROUND = 2_000
"""Words this close to each other are told together."""


def search_text(message: Message) -> str:
    """The text by which a message is found; empty where it says nothing in words."""
    return _text_of(message, HEAD, LONGEST_CALL)


def indexed_text(message: Message) -> str:
    """As much of it as words are found in."""
    return _text_of(message, INDEXED, INDEXED_CALL)


def _text_of(message: Message, head: int, call: int) -> str:
    if message.kind != "said":
        return ""
    if message.form == Form.TEXT:
        return _both_ends(message.content, head)
    words = (_words(block, call) for block in message.blocks)
    text = _both_ends("\n".join(filter(None, words)), head)
    # Half of an emoji, where a stream was cut: kept as it came, and no index takes it.
    return text if is_storable(text) else mend_text(text)


def text_with_speaker(message: Message) -> str:
    """What the index takes in: with the speaker's name first, as people would quote it."""
    text = indexed_text(message)
    return f"{message.name}: {text}" if text and message.name else text


def text_around(message: Message, words: Sequence[str]) -> str:
    """As `search_text`; where that leaves out what was asked for, the part in which it stands."""
    shown, whole = search_text(message), indexed_text(message)
    if len(whole) <= len(shown):
        return shown
    low = whole.lower()
    places = [place for word in words if (place := low.find(word.lower())) >= 0]
    seen = shown.lower()
    if not places or all(word.lower() in seen for word in words if word.lower() in low):
        return shown
    best = max(places, key=lambda at: sum(at <= place <= at + AROUND for place in places))
    start = max(0, best - HEAD // 2)
    return f"…\n{whole[start : start + HEAD]}\n…"


def message_card(message: Message, text: str) -> Card:
    """The card of a message; `text` is what it is found by."""
    role = "tool" if message.origin == "tool" else message.role
    place = place_at(message.thread_ref, message.seq, archived=message.archived)
    flags, words = describe(text, role)
    session, speaker = message.session_ref or 0, message.name or ""
    # By place and not by name, which takes twice as long: it runs for every message.
    facts = flags, words, wording_hash(text)
    return Card(place, "message", place, session, role, speaker, message.at_ms, *facts)


def memory_card(memory: Memory, *, foreign: bool = False) -> Card:
    """The card of a memory. Its id is the memory's, far below every place of a message."""
    flags, words = describe(memory.text, "user")
    return Card(
        id=memory.ref,
        kind="memory",
        place=_memory_place(-memory.entry if foreign else memory.entry),
        session=0,
        role="memory",
        speaker="",
        at=memory.created_ms,
        flags=flags,
        words=words,
        wording=memory.ref,
    )


MESSAGES = 1 << 37
"""The places of messages, and so the ids of their cards, begin here (`domain.ids.place_at`)."""

NOTES = 1 << 36
"""Cards of notes have ids from here on: above those of memories, below every place of a message."""


def note_card(note: Note) -> Card:
    """The card of a note."""
    flags, words = describe(note.text, "user")
    return Card(
        id=NOTES + note.ref,
        kind="note",
        place=_memory_place(note.entry),
        session=0,
        role="note",
        speaker="",
        at=note.created_ms,
        flags=flags,
        words=words,
        wording=NOTES + note.ref,
    )


def _memory_place(entry: int) -> int:
    """Memories have no neighbours: places of theirs are never next to each other."""
    return entry << 4


def _both_ends(text: str, head: int) -> str:
    if len(text) <= head + TAIL:
        return text
    return f"{text[:head]}\n…\n{text[-TAIL:]}"


def _words(block: Block, call: int) -> str:
    kind = block.get("type")
    if kind in WORDS:
        return str(block.get("text", ""))
    if kind == "tool_use":
        return f"{block.get('name', '')} {_values(block.get('input'), call)}"
    if kind == "tool_result":
        return _result(block.get("content"))
    return ""


def _values(value: Any, most: int) -> str:
    """What a tool was called with: the values matter, and the names of what they are."""
    given = mapping(value)
    if given is None:
        return "" if value is None else json.dumps(value, ensure_ascii=False)[:most]
    parts = [f"{name}: {_as_text(part)}" for name, part in given.items()]
    return "\n".join(parts)[:most]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _result(content: Any) -> str:
    parts = listing(content)
    return str(content or "") if parts is None else "\n".join(_texts(parts))


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        block = mapping(part)
        if block is not None and block.get("type") in WORDS:
            yield str(block.get("text", ""))
