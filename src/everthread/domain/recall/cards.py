"""Cards: what the index knows of one thing that can be recalled, without its text."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

READ = 8_000
"""So many characters of a text are looked at; what a message is shows at its beginning."""


# Flags: what can be seen of a text when it is indexed, and helps to judge it later.

ASKS = 1
"""There is a question in it."""

ONLY_ASKS = 2
"""It ends with a question and says little else: the answer is elsewhere."""

TIME = 4
"""It says when: a weekday, a month, a year, "yesterday", "three weeks ago"."""

MACHINE = 8
"""A machine wrote it: the agent or one of its tools."""

RULE = 16
"""A person says how things are to be done from now on: "Always …", "Never …", "I prefer …"."""


class Card(NamedTuple):
    """Stands in the index for one message or memory."""

    id: int
    kind: str
    place: int
    session: int
    role: str
    speaker: str
    at: int
    flags: int
    words: int
    wording: int
    """A number of a message's text: what says the same, word for word, has the same; else the id."""


PEOPLE = frozenset({"user", "human", "person"})

_WHEN = """
yesterday today tomorrow tonight ago weekend last next
monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december
day days week weeks month months year years
2020 2021 2022 2023 2024 2025 2026 2027 2028 2029 2030
"""
_TIMES = frozenset(word + end for word in _WHEN.split() for end in ("", ".", ",", "!", "?"))
_RULES = frozenset(("always", "never", "from", "prefer", "don't"))
_RULE_WORDS = (
    "Always",
    "Never",
    "From now",
    "Please a",
    "Please n",
    "I prefer",
    "I'd pre",
    "Don't e",
)
_RULE = re.compile(
    r"(?:^|[.!?\n:] )(?:Always|Never|From now on|Please always|Please never|I prefer|I'd prefer|Don't ever)\b"
)
MOST_ASKED = 16
"""Words of a question that is known without its mark."""

_ASKED = re.compile(
    r"(?:(?:and|so|but|ok|hey|btw|also),? )?(?:"
    r"how (?:many|much|long|often|old|big|far|high|do|does|did|is|are|was|were|can|could|should|would)\b"
    r"|(?:what|who|where|when|why|which \w+|whose \w+|what \w+)"
    r"(?: (?:is|are|was|were|do|does|did|can|could|should|would|will|has|had)\b|'s\b)"
    r"|(?:is|are|was|were|does|did|has|can|could|should|would|will) "
    r"(?:i|we|you|he|she|it|they|the|this|that|there|our|my|these|those)\b"
    r"|(?:do|have) (?:i|we|you|they)\b)[^.!?;\n]*",
    re.IGNORECASE,
)
"""People who type fast leave the mark out: `how many orders did we lose`."""
_SENTENCES = re.compile(r"[^.!?\n]+[.!?\n]*")


def wording_hash(text: str) -> int:
    """What a card keeps of a text to know its repetitions by; nobody finds another text for it."""
    drawn = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(drawn.digest(), "little", signed=True)


def describe(text: str, role: str) -> tuple[int, int]:
    """The flags of a text and how many words it has, as the index keeps them.

    It runs for every message that is stored, so it looks for words in a set instead of reading
    the text with a grammar.
    """
    count = text.count(" ") + 1
    if "\n" in text:
        count += text.count("\n")
    text = text[:READ]
    flags = 0 if role in PEOPLE else MACHINE
    words = text.lower().split()
    if not _TIMES.isdisjoint(words):
        flags |= TIME
    if "?" in text:
        flags |= _question_flags(text)
    elif not flags & MACHINE and len(words) <= MOST_ASKED and _ASKED.fullmatch(text.strip()):
        flags |= ASKS | ONLY_ASKS
    if not flags & MACHINE and _sets_rule(text, words):
        flags |= RULE
    return flags, count


def _sets_rule(text: str, words: list[str]) -> bool:
    """Does it say how things are to be done? The pattern is slow, and most lack the words for it."""
    if _RULES.isdisjoint(words):
        return False
    return any(said in text for said in _RULE_WORDS) and _RULE.search(text) is not None


def _question_flags(text: str) -> int:
    """ASKS, and ONLY_ASKS where the questions are most of what is said."""
    if not text.rstrip().endswith("?"):
        return ASKS
    asked = sum(len(s) for s in _SENTENCES.findall(text) if s.rstrip().endswith("?"))
    most = asked * 2 >= len(text)
    return ASKS | ONLY_ASKS if most else ASKS
