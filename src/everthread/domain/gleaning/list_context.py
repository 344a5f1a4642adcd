"""What a list stands under: an item says little by itself, and under `Options:` nothing that holds.

Every sentence is looked at with what is above it: the headings, the sentence that introduces its list,
the items within which it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.patterns import lazy_pattern

from .headings import is_heading
from .utterances import Utterance

BOLD = 7
"""The level of a heading that is only bold: below those with marks."""

DEEP = 2
"""Blanks by which a paragraph belongs to the item above it."""

_ITEM = lazy_pattern(r"([^\S\n]*)(?:[-*+•]|(\d{1,3})[.)])\s+(?:\[[ xX]\]\s+)?(?:\*\*|__)?\s*")
_MARKED = lazy_pattern(r"\s*(#{1,6})\s*(?:\d+[.)]\s*)?")
_HEADING = lazy_pattern(
    r"[^\S\n]*(?:(?P<marks>#{1,6})\s+(?P<title>\S.*)|(?:\*\*|__)(?P<bold>[^*_].*?)(?:\*\*|__)[\s:\uff1a]*)"
)
_FENCED = lazy_pattern(r"```.*?(?:```|\Z)", re.DOTALL)
_SUPPOSED = phrase_pattern(r"""
    (?:options?|alternatives?|approach(?:es)?|choices?|possibilit\w+|trade-?offs?|pros|cons|considerations?|ideas?)
    ways? (?:to|of)
    (?:recommend\w*|suggest\w*|propos\w+|roadmap|milestones?|strategy|phases?|steps?|instructions|checklist)
    (?:plan|plans|planned|planning)
    (?:to-?dos?|next|future|later|optional\w*|troubleshoot\w*|usage|how to|examples?|for instance|imagine)
    (?:analog(?:y|ies)|think of|picture (?:it|this))
    (?:could|would|might|may|should|shall|will|going to|needs? to|i'll|we'll|you'll|it'll|you'd|i'd|we'd)
    (?:if|unless|suppos\w+|assuming|in case|likely|possibl[ey]|probably|perhaps|maybe|potential\w*|hypothe\w+)
    (?:you|one) (?:can|could|may)(?! now\s*:)
    (?:can|could) you
    when(?:ever)? you
    ^\W*(?:now |first |next |then )*(?:let me|let's|let us|(?:i|we) (?:need|want|have) to)\b.*[:\uff1a]$
    (?:(?:changes?|work|is|are) (?:needed|required)|scenarios?)
    ^\W*(?:try|test|check|follow|make sure|ensure|verify|run|go to|open|please|consider)
    ^\W*to (?!it\b|the\b|an?\b|this\b|that\b|me\b|be\b|sum)\w+
    ^\W*(?:for|when|before|after) (?:test|try|verif|run|us|deploy|fix|do|get|start|set|check|reproduc|install|implement|creat|mak|add|develop|debug)\w*
    (?:optionen|möglichkeiten|vorschl[aä]g\w*|schritte|könnt\w*|würd\w+|wenn|falls|empfehl\w+|geplant)
    (?:étapes|propositions?|pourr\w+|recommand\w+|s'il|prévu\w*)
    (?:opciones|pasos|propuestas?|podr[ií]\w+|recomend\w+|planead\w+)
""")  # noqa: E501 - a phrase is one line
_ASKS = ("?", "\uff1f", "\u061f")
"""`How it works` asks nothing, as a heading."""
_OPTION = lazy_pattern(
    r"\W*(?:option|approach|alternative|variant|variante|choice|opción|opcion|möglichkeit|scenario)"
    r"\s+(?:[a-z]|\d{1,2}|one|two|three)\b"
)
_LABELLED = lazy_pattern(rf"\(?[a-h]\)\s|{_OPTION.pattern}\s?[:–—-]")
"""An item with a letter, or a name, in place of a sign."""
_SIGNS = lazy_pattern(
    "方案|选项|選項|计划|計劃|計画|建议|建議|步骤|步驟|如果|可以|选择|選択肢|手順|提案|もし|"
    "옵션|계획|제안|단계|만약"
)
"""What such a sentence introduces is offered, planned, supposed, or to be done by who reads it."""


class ListPlace(NamedTuple):
    """Where a sentence stands."""

    item: bool
    """Is it an item of a list, or part of one?"""
    lead: ParsedSentence | None
    """What introduces its list: a sentence, or a heading."""
    over: tuple[ParsedSentence, ...]
    """The headings above it, what introduces its list, and the items within which it stands."""
    near: int | None = None
    """The place of the lead, where it is a sentence."""


class _Walk:
    """Goes through the sentences of a text from first to last."""

    def __init__(self, said: Utterance) -> None:
        self._said = said
        self._heads: list[tuple[ParsedSentence, int]] = []
        self._items: list[tuple[ParsedSentence, int]] = []
        self._lead: tuple[ParsedSentence, int | None] | None = None
        self._numbered: tuple[int, tuple[ParsedSentence, int | None] | None] = (0, None)

    def at(self, n: int) -> ListPlace:
        said, place, here = self._said, self._said.places[n], self._said.sentences[n]
        before = said.text[: place.start].rpartition("\n")[2]
        self._between(n)
        if (level := self._level(n, before)) is not None:
            found = self._above(item=False, within=())
            self._headed(here, level, n)
            return found
        mark = _ITEM.fullmatch(before) if place.opens else None
        if mark is not None:
            return self._item(here, mark[1], mark[2])
        if place.opens and not before.strip() and _LABELLED.match(here.lower):
            return self._item(here, before, None)
        if self._items and (not place.opens or _is_indented(before)):
            return self._above(item=True, within=self._items[:-1])
        self._items, self._lead = [], (here, n)
        return self._above(item=False, within=())

    def _between(self, n: int) -> None:
        """Headings and items that are no sentences: `### Options:` has more marks than letters."""
        start = self._said.places[n - 1].end if n else 0
        text = self._said.text[start : self._said.places[n].start]
        if len(text.strip()) <= DEEP:
            return
        for line in _FENCED.sub("", text).splitlines():
            if (mark := _ITEM.match(line)) and any(map(str.isalnum, line[mark.end() :])):
                self._item(parse_sentence(flatten(line[mark.end() :])), mark[1], mark[2])
            elif found := _HEADING.fullmatch(line):
                level = len(found["marks"] or "") or BOLD
                self._headed(parse_sentence(flatten(found["title"] or found["bold"])), level, None)

    def _level(self, n: int, before: str) -> int | None:
        """How deep a heading it is; None where it is none. A bold item is an item."""
        marked = _MARKED.fullmatch(before)
        if marked is not None:
            return len(marked[1])
        said = self._said
        if before.strip(" *_") or not is_heading(said.text, said.places[n], said.sentences[n].text):
            return None
        return BOLD

    def _headed(self, title: ParsedSentence, level: int, n: int | None) -> None:
        self._heads = [(head, deep) for head, deep in self._heads if deep < level]
        self._heads.append((title, level))
        self._items, self._lead, self._numbered = [], (title, n), (0, None)

    def _item(self, here: ParsedSentence, indent: str, mark: str | None) -> ListPlace:
        deep, number = len(indent.expandtabs(4)), int(mark or 0)
        if not self._items and number == self._numbered[0] + 1 > 1:
            self._lead = self._numbered[1]  # the list goes on after what stood between
        self._items = [(item, was) for item, was in self._items if was < deep]
        found = self._above(item=True, within=self._items)
        self._items.append((here, deep))
        if number and len(self._items) == 1:
            self._numbered = (number, self._lead)
        return found

    def _above(self, *, item: bool, within: Sequence[tuple[ParsedSentence, int]]) -> ListPlace:
        lead, near = self._lead if item and self._lead else (None, None)
        named = [head for head, _ in (*self._heads, *within)]
        over = tuple(dict.fromkeys(named if lead is None else [*named, lead]))
        return ListPlace(item, lead, over, near)


def _is_indented(before: str) -> bool:
    return not before.strip() and len(before) >= DEEP


def places_of(said: Utterance) -> list[ListPlace]:
    """Where each sentence of the text stands."""
    walk = _Walk(said)
    return [walk.at(n) for n in range(len(said.places))]


def is_supposed(above: ListPlace, each: ParsedSentence) -> bool:
    """Does what is above it introduce options, a plan, steps to take, what would be if?

    Or is it one of several options itself?
    """
    return any(map(_supposes, above.over)) or (above.item and _OPTION.match(each.lower) is not None)


@lru_cache(maxsize=256)
def _supposes(each: ParsedSentence) -> bool:
    if each.text.rstrip("*_ ").endswith(_ASKS) or _SUPPOSED.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None


def runs_of(above: Sequence[ListPlace]) -> Iterator[tuple[int, int]]:
    """The lists: first and last sentence of each."""
    first: int | None = None
    for n, each in enumerate(above):
        if first is not None and (not each.item or each.lead != above[first].lead):
            yield first, n - 1
            first = None
        if first is None and each.item:
            first = n
    if first is not None:
        yield first, len(above) - 1
