"""The words that texts are made of: those of the embedder's vocabulary, which come by frequency."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpus import VOCABULARY

from everthread.domain.text.words import STOP
from everthread.providers.embedder import VOCABULARY as PIECES
from everthread.providers.embedder import place_of


def write(target: Path) -> Path:
    """One word a line; a dash before those that the product would not look up."""
    words = dict.fromkeys(_words())
    lines = [f"-{word}" if word in STOP else word for word in words][:VOCABULARY]
    target.write_text("\n".join(lines), "utf-8")
    return target


def _words() -> Iterator[str]:
    """Whole words first, then rarer forms of them, until there are enough."""
    pieces = place_of(PIECES).read_text("utf-8").split()
    whole = [word for word in pieces if word.isascii() and word.isalpha() and len(word) > 1]
    yield from whole
    for ending in ("s", "ly", "ing"):
        yield from (word + ending for word in reversed(whole))
