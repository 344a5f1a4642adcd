"""A statement read as what it tells: whose it is, of what things, in which respect, and which value.

`We can spend 15,000 on the kitchen now` and `The budget for the kitchen is 12,000 dollars` tell a sum of the
kitchen. By which verb that is told does not matter where the kind of value says it: one pays, spends or
budgets a sum. Every other word is a thing, and has to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .small_words import ENGLISH, GRAMMARS, NEW, Grammar, language_of, word_set
from .told_values import (
    FIGURE,
    NAME,
    TITLES,
    VERSION,
    ToldValue,
    Word,
    is_thing,
    values_in,
    words_of,
)

LONGEST = 160
"""Characters of what is read; a longer statement is a story."""

LINKED = frozenset(("in", "against", "auf"))
"""Small words that name a value which has no kind but them."""

SHORT_END = 3
"""Words of what stands after a small word at the end: `in francs`, `against the develop branch`."""

_FRESH = lazy_pattern(
    r"\b(?:had to (?:move|push|change|raise|lower|postpone|reschedule)|no longer|any ?more|"
    r"from (?:now|here|today) on|these days|as of (?:now|today)|by now|(?:up|down) to|nicht mehr|"
    r"ab (?:jetzt|sofort|heute)|ya no|niet meer|vanaf nu)\b"
)
_APART = lazy_pattern(
    r"[?\"“”„«»]|://|\bthis (?:week|month|year|time|once|morning|evening|afternoon|weekend|\w+day)\b|"
    r"\bfor (?:once|the moment|now)\b|\bhad (?!to\b)|\bback (?:in|then|when)\b|"
    r"n't\b|\bnicht (?!mehr\b)|\b(?:kein\w*|pas|geen)\b|\bniet (?!meer\b)|\b(?:no|non) (?:es|è)\b|\b(?:as a|"
    r"(?:in|dans|en|nel) (?:my|our|meine[mr]|unsere[mr]|mon|ma|mi|mio|mia|mijn) "
    r"(?:novel|story|book|film|movie|game|dream|poem|roman|geschichte|buch|spiel|traum|novela|romanzo|verhaal))\b"
)
_SEVERAL = lazy_pattern(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?…]\s+\S|\n")
_SPLIT = frozenset(",;:–—")
_OWNER = lazy_pattern(r"(?!(?:it|that|this|what|there|here|let|who|how|where)'s)[^\W\d_]++'s")
_MONEY = (
    "pay pays paying paid spend cost costs costing price budget rent fee charge rate zahlen kosten"
)
_RESPECTS: Mapping[str, frozenset[str]] = {
    "money": word_set(_MONEY),
    "clock": word_set("meet meets meeting begin begins start starts time hour"),
    "weekday": word_set("day days"),
    "date": word_set("date day"),
    "number": word_set("number phone reach mobile"),
}
"""Words that say no more than the kind of value does."""
_HOME = "live lives living home wohne wohnen gezogen umgezogen habite habitons vivo viviamo abito woon wonen"
_WORK = "work works working employer employed arbeite arbeiten arbeitgeber travaille trabajo lavoro werk"
_PLACES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "home": (word_set(_HOME), word_set("in at is now nach ist à en a ad")),
    "work": (word_set(_WORK), word_set("at for is bei ist chez")),
}
"""Where somebody is at home, and for whom she works: by which words, and which stand before the name."""
_WISHES = word_set("should must shall please bitte want like rather i'd")
_BEFORE_VERBS = word_set("i we you they to please should must shall can let's and also always")
_A = word_set("a an ein eine einen un une una een")
_WHERE = frozenset(("in", "at", "im", "beim"))
_SINCE = word_set("by since seit depuis desde sinds")
_MORE = word_set("more less over under left mehr weniger übrig")


class Telling(NamedTuple):
    """What is told of something."""

    value: ToldValue
    things: frozenset[str]
    """Of what it is told, by the roots of the words."""
    respects: frozenset[str]
    """The words among its clause that tell no more than the kind of value."""
    beside: frozenset[str]
    """What its other clauses speak of."""
    link: str
    """The word before it."""
    owner: str
    """Whose it is; empty for those who speak, and for what has nobody named."""
    own: bool
    """Is it said to be theirs who speak, or of a certain thing?"""
    where: frozenset[str] = frozenset()
    """What is said behind the value of where that is."""
    renewed: bool = False
    """Is that by which it is told said to be new: `my new number`?"""
    spoken: bool = False
    """Is its clause told of those who speak: `we pay 1010`?"""
    definite: bool = True
    """Is nothing in it one of several: `a coach`?"""
    first: bool = False
    """Does the value begin its clause?"""
    titled: bool = False
    others: frozenset[str] = frozenset()
    """The kinds of the other values of its clause, and the figures by which a thing is named: `table 3`."""
    whole: bool = True
    """Is it named by nothing more: no Lund train?"""
    english: bool = True
    step: bool = False
    """Is it by how much something changed, or since when it is so: `by 50 euros`, `20 euros more`?"""


class Reading(NamedTuple):
    """A statement, read once: it is compared with many."""

    tellings: tuple[Telling, ...]
    fresh: bool
    """Is it said to be so only now, or to have changed?"""
    now: bool
    """Is it said to be so now? Who switched to Helix is who he was."""
    bounded: bool
    """Is it so under a condition, for once, at another time, or besides?"""
    wishes: bool
    """Is it an order or a wish?"""
    words: tuple[str, ...]
    language: str = ENGLISH


_NOTHING = Reading((), fresh=False, now=False, bounded=True, wishes=False, words=())


@lru_cache(maxsize=8_192)
def read_statement(text: str) -> Reading:
    """Read it; of what has several sentences, or a long one, nothing is told."""
    if len(text) > LONGEST or _SEVERAL.search(text.strip()):
        return _NOTHING
    words = words_of(text)
    bag = frozenset(word.lower for word in words)
    language = language_of(bag)
    grammar = GRAMMARS[language]
    lower = text.lower().replace("’", "'")
    bounds = not bag.isdisjoint(grammar.bounds - _free(words))
    now = not bag.isdisjoint(grammar.now) or _FRESH.search(lower) is not None
    told = tuple(_tellings(words, language, grammar))
    return Reading(
        tellings=told,
        fresh=now or not bag.isdisjoint(grammar.fresh),
        now=now,
        bounded=bounds or _APART.search(lower) is not None,
        wishes=not bag.isdisjoint(_WISHES) or (bool(words) and words[0].lower in BASE),
        words=tuple(word.lower for word in words),
        language=language,
    )


def _free(words: Sequence[Word]) -> frozenset[str]:
    """Words that bound nothing here: `May` is a month."""
    return frozenset(("may",)) if any(w.text == "May" for w in words[1:]) else frozenset()


def _tellings(words: Sequence[Word], language: str, grammar: Grammar) -> Iterator[Telling]:
    parts = _parts(words)
    for n, part in enumerate(parts):
        beside = [word for m, other in enumerate(parts) if m != n for word in other]
        values = values_in(part, language)
        for value in (*values, *_last_value(part, grammar)):
            others = frozenset(_named_by(other) for other in values if other is not value)
            yield _telling(part, value, beside, grammar)._replace(others=others)


def _named_by(other: ToldValue) -> str:
    """What another value of the clause tells of the thing: its kind, or which of several it is."""
    is_figure = other.kind == FIGURE or other.kind.startswith(VERSION)
    return f"{other.kind} {' '.join(other.key)}" if is_figure or other.kind == NAME else other.kind


def _parts(words: Sequence[Word]) -> list[list[Word]]:
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.lower in _SPLIT:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _last_value(part: Sequence[Word], grammar: Grammar) -> Iterator[ToldValue]:
    """What a small word names at the end: `in francs`. It has no kind but that word."""
    end = len(part)
    while end and (part[end - 1].lower in grammar.now or part[end - 1].lower in ("on", "from")):
        end -= 1
    for at in range(end - 1, max(end - SHORT_END - 2, 0), -1):
        if part[at].lower in LINKED:
            named = [w.lower for w in part[at + 1 : end] if w.lower not in grammar.articles]
            if 0 < len(named) < SHORT_END and not any(w[:1].isdigit() for w in named):
                yield ToldValue(part[at].lower, tuple(named), at + 1, end)
            return


def _telling(
    part: Sequence[Word], value: ToldValue, beside: Sequence[Word], grammar: Grammar
) -> Telling:
    start = _begin_of(part, value)
    before, after = part[:start], part[value.end :]
    at = next((n for n, word in enumerate(after) if word.lower in _WHERE and start), len(after))
    rest = [*before, *after[:at]]
    respects = _respects(rest, part[start - 1].lower if start else "is", value)
    own = grammar.own | grammar.articles
    english = grammar is GRAMMARS[ENGLISH]
    # `Seit Mai wohne ich`: elsewhere who speaks may stand behind the verb.
    spoken = any(word.lower in grammar.selves for word in (part[:1] if english else part))
    return Telling(
        value=value,
        things=_roots(rest, grammar, respects),
        respects=frozenset(word.lower for word in rest) & respects,
        beside=_roots(beside, grammar, frozenset()),
        link=part[start - 1].lower if start else "",
        owner=_owner(rest, part, value),
        own=spoken or any(word.lower in own for word in rest),
        where=_roots(after[at:], grammar, frozenset()),
        renewed=_is_renewed([*rest, *beside], respects, value),
        spoken=spoken,
        definite=not any(word.lower in _A for word in rest),
        first=value.start == 0,
        titled=part[value.start].lower.rstrip(".") in TITLES,
        whole=value.end == len(part) or not _goes_on(part, value),
        english=english,
        step=_is_step(part, value),
    )


def _is_step(part: Sequence[Word], value: ToldValue) -> bool:
    link = part[value.start - 1].lower if value.start else ""
    behind = {word.lower for word in part[value.end : value.end + 1]}
    return link in _SINCE or (link == "um" and value.kind != "clock") or bool(behind & _MORE)


def _goes_on(part: Sequence[Word], value: ToldValue) -> bool:
    """Does a noun follow that the name only tells of: `the Lund train`?"""
    then = part[value.end].lower
    small = GRAMMARS[ENGLISH]
    return then not in small.plain and then not in small.now and then not in ("instead", "when")


def _respects(rest: Sequence[Word], link: str, value: ToldValue) -> frozenset[str]:
    """The words of its clause that would tell no more than the kind of value."""
    if value.kind != NAME:
        return _RESPECTS.get("money" if value.kind == FIGURE else value.kind, frozenset[str]())
    said = {word.lower for word in rest}
    fit = (known for known, links in _PLACES.values() if link in links and said & known)
    return next(fit, frozenset[str]())


def _is_renewed(rest: Sequence[Word], respects: frozenset[str], value: ToldValue) -> bool:
    """Of a name also where the one who has it is new: `our new coach`."""
    pairs = pairwise(word.lower for word in rest)
    return any(a in NEW and (value.kind == NAME or b in respects) for a, b in pairs)


def _begin_of(part: Sequence[Word], value: ToldValue) -> int:
    """Where what has a name begins: `a red Fiat`."""
    if value.kind != NAME:
        return value.start
    for at in range(value.start - 1, max(value.start - SHORT_END, -1), -1):
        if part[at].lower in _A:
            return at
    return value.start


def _roots(words: Sequence[Word], grammar: Grammar, without: frozenset[str]) -> frozenset[str]:
    small = grammar.plain | grammar.now | grammar.fresh | without | NEW
    return frozenset(
        # The train from Lund is not that to Lund.
        f"{'from ' if n and words[n - 1].lower == 'from' else ''}{root_of(word.lower)}"
        for n, word in enumerate(words)
        if word.lower not in small and is_thing(word.lower) and not _is_verb(words, n)
    )


def _is_verb(words: Sequence[Word], at: int) -> bool:
    """Is it a verb that people order by, where a verb stands? In doubt it is a thing: `my work number`."""
    lower = words[at].lower
    if lower not in BASE and stem(lower) not in BASE:
        return False
    return at == 0 or words[at - 1].lower in _BEFORE_VERBS


def root_of(word: str) -> str:
    """What its forms have in common: without the s of a plural and the ending of a deed."""
    bare = stem(word.removesuffix("'s"))
    for ending in ("ing", "ed", "ion"):
        if bare.endswith(ending) and len(bare) > len(ending) + SHORT_END:
            return bare.removesuffix(ending).rstrip("e")
    return bare.rstrip("e") if len(bare) > SHORT_END else bare


def _owner(rest: Sequence[Word], part: Sequence[Word], value: ToldValue) -> str:
    """Who else has it: `Tom's rent`; or does it: `Lena goes`."""
    for word in rest:
        if _OWNER.fullmatch(word.lower):
            return word.lower.removesuffix("'s")
    named = value.kind != NAME or value.start > 0
    first = values_in(part[:2], ENGLISH)[:1] if named else []
    if first and first[0].kind == NAME and first[0].start == 0:
        return " ".join(first[0].key)
    return ""


def respect_of(one: Telling) -> str:
    """In which respect a name is told: where somebody lives, or for whom she works."""
    return next((name for name, (known, _) in _PLACES.items() if one.respects & known), "")


def links_of(one: Telling) -> frozenset[str]:
    """The words that stand before the name of such a place."""
    return next(
        (links for known, links in _PLACES.values() if one.respects & known), frozenset[str]()
    )
