"""Seed phrases: twelve plain words in a row, and more, that open a wallet.

Each of the words is common; it is the row that is known. Prose has a `the`, an `of` or a comma's pause long
before the twelfth word, and where none is, nothing round it speaks of a wallet or of its phrase.
"""

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.text.patterns import lazy_pattern

from .numbers import Span

KIND = "seed phrase"

BEFORE, AFTER = 400, 160
"""Characters round the row in which something must speak of it."""

CUES = (
    "seed", "mnemonic", "recovery phrase", "recovery words", "backup phrase", "secret phrase", "wallet",
    "metamask", "bip39", "bip-39", "private key", "private_key", "mnemonik", "wiederherstellung",
    "récupération", "recuperación", "recuperação", "semilla", "мнемо", "сид-фраз", "сид фраз", "助记词",
    "恢复短语", "ニーモニック", "니모닉", "시드",
)  # fmt: skip

# A number may stand before each, as on the paper that they are written down on.
_WORD = r"(?:[0-9]{1,2}[.):][^\S\n]?)?[a-z]{3,8}(?![\w'’-])"
_ROW = lazy_pattern(
    rf"(?<![\w'’-]){_WORD}(?:(?>(?:(?:,?[^\S\n]|[^\S\n]?[|·][^\S\n]?){_WORD}){{11,}})|(?>(?:\r?\n{_WORD}){{11,}}))"
)
"""In one line, or one a line."""

_PROSE = lazy_pattern(
    r"\b(?:the|and|for|with|from|have|has|had|was|were|are|been|but|not|your|our|his|her|its|their|them|these|"
    r"those|which|would|should|could|does|did|than|into|because|while|der|die|das|und|mit|les|des|"
    r"una|los|las|con|por|para|que)\b"
)
"""Words of which no such phrase has one, and every second sentence does."""


def seed_phrases(text: str, lower: str) -> Iterator[Span]:
    """The phrases of a text; `lower` is the same in small letters."""
    if not any(cue in lower for cue in CUES):
        return
    for row in _ROW.finditer(lower):
        start, end = row.span()
        near = lower[max(0, start - BEFORE) : start] + lower[start : end + AFTER]
        if _PROSE.search(lower, start, end) is None and any(cue in near for cue in CUES):
            yield start, end, KIND
