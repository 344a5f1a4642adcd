"""How answers look: one framed block of data that fits its room, and can be told from what anyone said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from everthread.domain.given.packing import CLOSING, OPENING, pack
from everthread.domain.recall.excerpts import CUT
from everthread.domain.recall.hits import Hit
from everthread.domain.recall.shown_text import clean
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import neutralize, one_line
from everthread.domain.text.words import query_words

ROOM = 8_000
"""Characters of an answer at most."""

LONGEST_HEADING = 160
MORE = "there are more than these; a higher limit shows them"


class Item(NamedTuple):
    """Something from earlier: what it is and when, and what it says."""

    heading: str
    text: str
    longest: int = ROOM
    """Characters it may take."""


def of_hits(hits: Sequence[Hit], query: str, note: str = "") -> str:
    """What a search found, best first, as much as there is room for, then the note; "" where nothing fits."""
    # A model counts in tokens, a limit of a tool in characters: every character counts as one.
    room, words = ROOM - (LONGEST_HEADING if note else 0), query_words(query)
    packed = pack(hits, tokens=room, count=len, words=words, redact=strip_secrets)
    if packed is None or not note:
        return "" if packed is None else packed.text
    # As an item of the frame: what comes back with a prompt is known as ours as a whole.
    return f"{packed.text.removesuffix(CLOSING)}[{len(packed.items) + 1}] {note}\n{CLOSING}"


def of_items(items: Iterable[Item], *, more: bool = False) -> str:
    """The items in their order, as many as there is room for; "" for none. `more`: they are not all."""
    room = ROOM - len(OPENING) - len(CLOSING) - (LONGEST_HEADING if more else 0)
    chunks: list[str] = []
    for item in items:
        chunk = _chunk(len(chunks) + 1, item, min(item.longest, room))
        if not chunk or len(chunk) > room:
            break
        chunks.append(chunk)
        room -= len(chunk)
    left = f"[{len(chunks) + 1}] {MORE}\n" if more else ""
    return f"{OPENING}{''.join(chunks)}{left}{CLOSING}" if chunks else ""


def _chunk(number: int, item: Item, longest: int) -> str:
    """The item as it stands in the block: a heading, and its text quoted line by line."""
    heading = f"[{number}] {one_line_of(item.heading)}\n"
    # Secrets go before anything is cut: half of one is not known as one.
    lines = neutralize(clean(item.text, strip_secrets)).strip().split("\n")
    room = longest - len(heading) - len(CUT) - 3
    quoted: list[str] = []
    for line in lines:
        shown = f"| {line}".rstrip()
        if len(shown) + 1 > room:
            quoted += [shown[:room]] if room > LONGEST_HEADING else []
            quoted.append(f"| {CUT}")
            break
        quoted.append(shown)
        room -= len(shown) + 1
    return heading + "".join(f"{line}\n" for line in quoted)


def one_line_of(heading: str) -> str:
    """A heading, harmless, with its dots between the fields."""
    fields = [one_line(strip_secrets(field), LONGEST_HEADING) for field in heading.split(" · ")]
    return " · ".join(field for field in fields if field)
