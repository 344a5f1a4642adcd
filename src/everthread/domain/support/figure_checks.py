"""Does a sentence give its figures as its sources do: of what, in which unit, how often, at most or at least?

A number alone says little. What stands beside it must stand beside it in the sources too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .sentence_parts import SentenceParts, sentence_parts

_UNITS = {
    "ms": "ms millisecond milliseconds",
    "second": "s sec secs second seconds sekunde sekunden",
    "minute": "min mins minute minutes minuten",
    "hour": "h hr hrs hour hours stunde stunden heure heures",
    "day": "day days tag tage tagen jour jours",
    "night": "night nights nacht",
    "week": "week weeks woche wochen semaine semaines",
    "month": "month months monat monate monaten mois",
    "quarter": "quarter quarters quartal",
    "year": "year years yr yrs jahr jahre jahren an ans",
    "euro": "€ eur euro euros",
    "dollar": "$ usd dollar dollars",
    "sterling": "£ gbp",
    "franc": "chf franken",
    "percent": "% percent prozent",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "metre": "metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mile miles mi",
    "gram": "g gram grams",
    "kg": "kg kilo kilos kilogram kilograms",
    "lb": "lb lbs",
    "KB": "kb kib",
    "MB": "mb mib",
    "GB": "gb gib",
    "TB": "tb tib",
    "am": "am",
    "pm": "pm",
    "thousand": "k thousand tausend",
    "million": "million mio millionen",
    "billion": "billion milliarden",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_OFTEN = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
}
_TIMES = "minute hour day night week month quarter year stunde tag nacht woche monat jahr"
_PERIOD = lazy_pattern(
    rf"(?:\b(?:a|an|per|each|every|pro|im|in der|jeden|jede)\s+|/\s?)(?P<time>{'|'.join(_TIMES.split())})\b"
    # `A second` may be one of two.
    r"|(?:\b(?:per|pro)\s+|/\s?)(?P<short>second|sekunde|s|sec|min|h)\b"
    rf"|\b(?P<often>{'|'.join(_OFTEN)})\b",
    re.IGNORECASE,
)
_FIGURE = lazy_pattern(
    r"(?P<sign>[$€£]|\b(?:EUR|USD|CHF|GBP)\s)?(?<![\w.-])(?P<n>\d[\d,_]*(?:\.\d+)*)\s?"
    r"(?P<unit>[%€$£]|[^\W\d_]{1,14}\b)?",
    re.IGNORECASE,
)
_NEAR = 24
"""Characters beside a number in which its bound stands."""
_MOST = (
    r"at most|up to|no more than|not more than|max(?:imum)?(?: of)?|less than|fewer than|under|below|"
    r"höchstens|maximal|weniger als|bis zu|au plus|moins de|como máximo|al massimo|[<≤]=?"
)
_LEAST = (
    r"at least|no less than|no fewer than|min(?:imum)?(?: of)?|more than|over|above|"
    r"mindestens|mehr als|au moins|plus de|al menos|almeno|[>≥]=?"
)
_BOUNDS = (
    ("most", lazy_pattern(rf"(?:{_MOST})\s*(?:[$€£]\s?)?$", re.IGNORECASE)),
    ("least", lazy_pattern(rf"(?:{_LEAST})\s*(?:[$€£]\s?)?$", re.IGNORECASE)),
)
_BEHIND = (
    ("most", lazy_pattern(r"\s*(?:\w+ )?(?:or (?:less|fewer)|at most|max(?:imum)?\b|tops)", re.I)),
    ("least", lazy_pattern(r"(?:\+|\s*(?:\w+ )?(?:or more|at least|minimum\b))", re.I)),
)
_CUTS = lazy_pattern(r"[,;:()–—]|\b(?:and|but|while|whereas|und|aber|et|mais|y|e)\b")


class Figure(NamedTuple):
    """A number with what stands beside it."""

    number: str
    unit: str
    """Its unit, by one name; empty for a word that is none."""
    bound: str
    """`most` or `least`, where it is one."""


def why_other_figures(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Why the figures of the sentence are not those of its sources; empty if they are."""
    if not sentence.numbers:
        return _why_other_period(sentence, ground)
    given = [figure for each in ground for figure in _figures(each.text)]
    known = {token for each in ground for token in each.tokens}
    for figure in _figures(sentence.text):
        same = [each for each in given if each.number == figure.number]
        if why := _why_other_unit(figure, same, known) or _why_other_bound(figure, same):
            return why
    return _why_other_period(sentence, ground) or _why_of_another(sentence, ground)


def _figures(text: str) -> Iterator[Figure]:
    for found in _FIGURE.finditer(text):
        number = found["n"].replace(",", "").replace("_", "").rstrip(".")
        unit = _UNIT_OF.get((found["unit"] or "").lower(), "")
        sign = _UNIT_OF.get((found["sign"] or "").strip().lower(), "")
        yield Figure(number, sign or unit, _bound(text, found.start(), found.end("n")))


def _bound(text: str, start: int, end: int) -> str:
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    for name, rule in _BOUNDS:
        if rule.search(before):
            return name
    return next((name for name, rule in _BEHIND if rule.match(behind)), "")


def _why_other_unit(figure: Figure, same: Sequence[Figure], known: set[str]) -> str:
    units = {each.unit for each in same}
    if not figure.unit or figure.unit in units:
        return ""
    elsewhere = any(word in known for word in _UNITS[figure.unit].split())
    if units - {""} or not elsewhere:
        return f"it gives {figure.number} in another unit than its sources"
    return ""


def _why_other_bound(figure: Figure, same: Sequence[Figure]) -> str:
    if same and figure.bound not in {each.bound for each in same}:
        return f"it bounds {figure.number} otherwise than its sources"
    return ""


def _why_other_period(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it say another `a month`, or leave out that a sum is for one?"""
    mine, theirs = _periods(sentence.text), {p for each in ground for p in _periods(each.text)}
    known = {token for each in ground for token in each.tokens}
    for period in mine - theirs:
        if theirs or period not in known:
            return f"it says how often otherwise than its sources ({period})"
    if theirs and not mine and any(_is_sum(each.text) for each in ground) and sentence.numbers:
        return "it leaves out for which time a figure of its sources is"
    return ""


def _periods(text: str) -> set[str]:
    return {
        _UNIT_OF.get(word, word)
        for found in _PERIOD.finditer(text)
        for word in ((found["time"] or found["short"] or _OFTEN[found["often"].lower()]).lower(),)
    }


def _is_sum(text: str) -> bool:
    """Does a time stand right behind a figure: `300 EUR a month`?"""
    return any(
        _PERIOD.match(text[found.end() :].lstrip()) is not None for found in _FIGURE.finditer(text)
    )


def _why_of_another(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does a number stand with the words that stand with another number in the sources?"""
    theirs = [each for source in ground for each in _numbered_parts(source.text)]
    if len({number for each in theirs for number in each.numbers}) < 2:  # noqa: PLR2004 - there is no other
        return ""
    for part in _numbered_parts(sentence.text):
        for number in part.numbers:
            if _is_of_another(number, {*part.words}, theirs):
                return f"it gives {number} for what has another figure in its sources"
    return ""


def _is_of_another(number: str, words: set[str], theirs: Sequence[SentenceParts]) -> bool:
    own = {word for each in theirs if number in each.numbers for word in each.words}
    others = {word for each in theirs if number not in each.numbers for word in each.words}
    figures = {n for each in theirs for n in each.numbers}
    mine, not_mine = own - others - figures, others - own - figures
    return bool(mine) and words.isdisjoint(mine) and not words.isdisjoint(not_mine)


def _numbered_parts(text: str) -> list[SentenceParts]:
    """The parts of a sentence in which a number stands.

    One that begins with its number goes on with what stood before the last: `rent is 8 in A, 9 in B`.
    """
    bare = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    found, head = list[SentenceParts](), ""
    for part in map(str.strip, _CUTS.split(bare)):
        digit = next((at for at, sign in enumerate(part) if sign.isdecimal()), None)
        if digit is None:
            continue
        begins = any(map(str.isalpha, part[:digit]))
        head = part[:digit] if begins else head
        found.append(sentence_parts(part if begins else f"{head} {part}"))
    return found
