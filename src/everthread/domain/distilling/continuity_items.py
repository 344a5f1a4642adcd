"""The items of a score, and whether a text holds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.gleaning.rule_parts import each_rule
from everthread.domain.pauses import step_aside
from everthread.domain.support.sentence_parts import stem
from everthread.domain.text.fences import flatten, neutralize
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import likeness_of
from everthread.domain.text.sentences import stretches
from everthread.domain.text.words import STOP

from .summaries_lines import QUOTES

KINDS: tuple[str, ...] = (
    "decisions",
    "files",
    "commands",
    "numbers",
    "errors",
    "questions",
    "rules",
    "names",
)
SENTENCES = frozenset(("decisions", "questions", "rules"))
"""Kinds whose item is a whole sentence: it is there where a line holds most of its words."""

SHARE = 0.7
"""Of the telling words of a sentence, so many must be on one line."""

RULE_SHARE = 0.8
"""Of a rule more: with one word less it may be another one."""

FEWEST = 3
"""A sentence of fewer telling words must be there word for word."""

LONG_LINE = 60
"""Words; a longer line is looked at sentence by sentence, for in many words much is met by chance."""

SHORT = 3
"""Digits of a number that is met by chance."""

_BINDS = lazy_pattern(
    r"n['’]t\b|\b(?:never|not|no|none|cannot|nothing|nobody|without|avoid|always|must|only|every|each|all|any"
    r"|should|may|prefer|rather|keep|stop|from now on|rule|nie|niemals|immer|nicht|kein\w*|nur|nunca|siempre"
    r"|jamais|toujours|pas|ne)\b",
    re.IGNORECASE,
)
"""By such words a sentence binds; the same without them tells only what is spoken of."""

_NAME = lazy_pattern(r"[^\W\d_][^\W\d_A-Z]*(?:[ .'’-]+[^\W\d_][^\W\d_A-Z]*)*")
WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")


class Item(NamedTuple):
    """Something that was said, and that should be there or come back when it is asked for."""

    kind: str
    """One of `KINDS`."""
    text: str
    sentence: str
    """The sentence or line in which it stood."""
    key: bytes
    """The id of its message."""
    request: str
    """What the user had asked for when it came up."""
    before: str
    """The line before its own."""
    specific: str = ""
    """For the ledger: which kind of trace it is. Empty for a sentence."""
    note: str = ""
    by: Origin = "agent"
    at_ms: int = 0

    @property
    def binding(self) -> bool:
        """A rule, or what a person still waits for: nobody asks for it, so it is in view or it is lost."""
        return self.kind == "rules" or (self.kind == "questions" and self.by == "user")


def items_kept(
    items: Sequence[Item], context_text: str, pause: Callable[[], None] = lambda: None
) -> set[int]:
    """Which of the items are in the text: the numbers of those that are, by line."""
    context = Lines(context_text)
    ruled = {item.text: telling_stems(item.text) for item in items if item.kind == "rules"}
    found: set[int] = set()
    for n, item in enumerate(items):
        pause()
        if context.holds_rules(item, ruled) if item.kind == "rules" else context.holds(item):
            found.add(n)
    return found


class Lines:
    """A text, line by line, in which items are looked for."""

    def __init__(self, text: str) -> None:
        self._text = "\n".join(_plain(line) for line in text.splitlines())
        self._bags: list[tuple[str, frozenset[str]]] | None = None

    def holds(self, item: Item) -> bool:
        """Is the item on one of its lines?"""
        if _may_be_chance(item):
            return self._counts(item)
        if item.kind not in SENTENCES:
            return self._has(item.text)
        words = telling_stems(item.text)
        if len(words) < FEWEST:
            return self._has(item.text)
        need = SHARE * len(words)
        return any(len(words & bag) >= need for _, bag in self._lines())

    def holds_rules(self, item: Item, ruled: Mapping[str, frozenset[str]]) -> bool:
        """Is it there, in one piece or rule by rule? Two in one sentence are kept as two."""
        if self.holds_rule(item, ruled):
            return True
        parts = each_rule(item.text)
        others = {text: words for text, words in ruled.items() if text != item.text}
        return len(parts) > 1 and all(
            self.holds_rule(item._replace(text=part), others) for part in parts
        )

    def holds_rule(self, item: Item, ruled: Mapping[str, frozenset[str]]) -> bool:
        """Is the rule there, word for word, or by most of its words and by some that tell it from others?

        A line that has no more of it than of another of the rules may be that one's alone.
        """
        if self._has(item.text):
            return True
        words = telling_stems(item.text)
        if len(words) < FEWEST:
            return False
        need, binds = RULE_SHARE * len(words), _BINDS.search(item.text) is not None
        return any(
            len(shared := words & bag) >= need
            and (not binds or _BINDS.search(line) is not None)
            and not any(
                shared <= other and _is_another(item.text, text, words, other)
                for text, other in ruled.items()
            )
            for line, bag in self._lines()
        )

    def _counts(self, item: Item) -> bool:
        """It may be on many lines; it is this one where a word stands by it as it did."""
        beside, thing = telling_stems(item.sentence.replace(item.text, " ")), _plain(item.text)
        lines = (line for line in self._text.splitlines() if holds(line, thing))
        return any(not beside or beside & telling_stems(line) for line in lines)

    def _has(self, text: str) -> bool:
        return holds(self._text, _plain(text)) or holds(self._text, _plain(neutralize(text)))

    def _lines(self) -> list[tuple[str, frozenset[str]]]:
        if self._bags is None:
            parts = (part for line in self._text.splitlines() for part in _parts(line))
            self._bags = [(part, telling_stems(part)) for part in parts]
        return self._bags


def _plain(text: str) -> str:
    """On one line, with one kind of quotes: a summary turns those inside a quote."""
    step_aside()
    return flatten(text).translate(QUOTES)


def _may_be_chance(item: Item) -> bool:
    """Does it say nothing alone: a short number, or a name in plain letters?"""
    if item.kind == "numbers":
        return item.text.isdigit() and len(item.text) <= SHORT
    return item.kind == "names" and _NAME.fullmatch(item.text) is not None


def _is_another(rule: str, text: str, words: frozenset[str], other: frozenset[str]) -> bool:
    """Are these two rules, and not one said twice?"""
    return text != rule and words != other and likeness_of(rule, text) is None


def _parts(line: str) -> Iterable[str]:
    if line.count(" ") < LONG_LINE:
        return (line,)
    if found := stretches(line):
        return [line[each.start : each.end] for each in found]
    # Data without sentences: piece by piece, each piece together with half of the one before.
    words = line.split(" ")
    half = LONG_LINE // 2
    starts = range(0, len(words), half)
    return [" ".join(words[start : start + LONG_LINE]) for start in starts]


def holds(text: str, thing: str) -> bool:
    """Does the text hold the thing itself, and not as a part of another: 80 is not in 8080?"""
    at = text.find(thing)
    while at >= 0:
        if _stands_alone(text, at, at + len(thing)):
            return True
        at = text.find(thing, at + 1)
    return False


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, first = text[start - 1 : start] if start else "", text[start]
    last, after, further = text[end - 1], text[end : end + 1], text[end + 1 : end + 2]
    if _joins(first) and _joins(before):
        return False
    if first.isdigit() and before and before in ".,:" and text[start - 2 : start - 1].isdigit():
        return False
    if not _joins(last):
        return True
    if _joins(after) or (last.isdigit() and after == "%"):
        return False
    return not (after and after in ".-,:" and _goes_on(last, after, further))


def _goes_on(last: str, after: str, further: str) -> bool:
    """Does what looks like an end go on behind the sign: 3.5, config.go.bak, well-known?"""
    if after in ",:":
        return last.isdigit() and further.isdigit()
    if after == "-" and last.isdigit():
        return False
    return further.isalnum()


def _joins(sign: str) -> bool:
    return sign == "_" or (sign.isalnum() and sign.isascii())


@lru_cache(maxsize=2_048)  # each line is held against all others
def telling_stems(text: str) -> frozenset[str]:
    """The stems of the words by which a line is known."""
    words = (word.lower() for word in WORD.findall(text))
    return frozenset(stem(word) for word in words if word not in STOP and len(word) > 1)
