"""Is a later statement told of less, of more, or of others than the earlier one, by a small word?

`At 10 on Fridays`, `in winter`, `20 euros more`, `each`, `the train back`, `my sons`: by the rest of their
words both seem to tell of one thing. What one of them adds so tells when, for whom or by how much alone it is
so: both stand. It is asked last, of the few that would end another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .small_words import GRAMMARS, language_of, word_set
from .told_values import Word, values_in, words_of

_UNIT = (
    r"(?: ?[£$€%]| (?:euros?|dollars?|pounds?|francs?|franken|cents?|per ?cent|prozent|points?|kilos?|kg|"
    r"hours?|minutes?|days?|weeks?|months?|stunden?|minuten?|tage?|wochen?|monate?)\b)"
)
_STEP = lazy_pattern(
    r"\d[\d.,]*+(?: ?[£$€%]| (?!any\b|no\b)[^\W\d_]++)? "
    r"(?:more|less|fewer|extra|higher|lower|cheaper|dearer|longer|"
    r"shorter|over|under|above|below|too|left|free|mehr|weniger|höher|niedriger|teurer|billiger|zu|übrig|frei|"
    r"de plus|de moins|más|menos|di più|di meno|in più|in meno|meer|minder|hoger|lager|duurder|te)\b"
    r"(?! than\b)"
    r"|\d[\d.,]*+(?: ?[£$€%]| (?!because\b|instead\b|out\b)[^\W\d_]++)? "
    r"(?:of (?:the|my|our)|von (?:der|dem)|del)\b|^von (?:der|dem)\b"
    rf"|\b(?:up|down) [£$€]?\d|\b(?:by|um) (?:[£$€]\d|\d[\d.,]*+{_UNIT})"
)
"""By how much it differs, or which part of it that is."""
_REACHED = lazy_pattern(r"\b(?:to|auf|à|hasta|a|naar) [£$€]?\d")
"""To what it came: `up by 20 to 120`."""
_SOMETIMES = word_set("""
    spring summer autumn winter summers winters morning mornings noon afternoon afternoons evening
    evenings night nights weekend weekends weekday weekdays holidays frühling frühjahr sommer herbst
    abends morgens mittags nachts vormittags nachmittags wochenende wochenenden werktags feiertags
    ferien hiver automne printemps soir midi nuit week-end vacances invierno verano otoño primavera
    noche noches tardes autunno inverno sera mattina notte zomer herfst lente avond ochtend
    weekeinde
""")
"""When alone it is so."""
_SHARED = word_set("""
    each apiece both together altogether jeweils zusammen chacun ensemble juntos insieme samen
""")
"""For each of several, or for all."""
_MEANT = word_set("""
    net gross netto brutto nett nette brut neto bruto neta bruta lordo lorda
""")
"""Which of two figures of one thing it is."""
_HEATED = word_set("cold warm kalt")
"""The same of a rent."""
_SINCE = word_set("last this since next past letzten seit dernier depuis pasado desde scorsa vorig")
"""Before a time since which it is so: `we pay 950 since last summer`."""
_UNITS = word_set("""
    hour day night week month year quarter stunde tag nacht woche monat jahr heure jour nuit semaine
    mois an hora día noche mes año ora giorno notte settimana mese anno uur dag maand jaar
""")
_HEADS = word_set("""
    person head seat user child kopf kind nase personne enfant persona niño bambino persoon
""")
_PER = word_set("a an per each every pro par im al por")
_MOVED = lazy_pattern(
    r"\b(?:mov|push|postpon|shift|reschedul|chang|switch|verleg|verschob|geänder|déplac|cambia|spost|verplaats)"
)
_GOES = word_set("""
    moved pushed put went gone go goes came come comes switched changed set brought taken is am are
    i'm we're was get got
""")
"""Before `back` where one is at the old place again, or something is later."""


class _Qualified(NamedTuple):
    """What bounds a statement, read once."""

    times: frozenset[str]
    rates: frozenset[str]
    days: frozenset[str]
    several: bool
    """Is a day of the week told as one that comes again: `on Fridays`?"""
    kinds: frozenset[str]
    """The kinds of its other values."""
    held: frozenset[str]
    """Whose or what those have who speak, as it is written: `my sons`."""


def is_told_narrower(new: str, old: str) -> bool:
    """Does the later tell by how much it differs, or bound itself where the earlier does not?"""
    lower = new.lower()
    if _STEP.search(lower) and not _REACHED.search(lower):
        return True
    return not _qualified(new).times <= _qualified(old).times


def is_told_apart(new: str, old: str) -> bool:
    """Does one of them tell of less, of more, or of others than the other?"""
    one, other = _qualified(new), _qualified(old)
    if is_told_narrower(new, old) or one.times != other.times:
        return True
    paid = one.rates and other.rates and one.rates != other.rates
    if paid or _are_one_and_several(one.held, other.held):
        return True
    if one.days and other.days:
        return one.days > other.days  # Mondays and Fridays: on Mondays still
    if one.kinds != other.kinds or not one.kinds:
        return False
    return bool(one.days and not _MOVED.search(new.lower())) or other.several


@lru_cache(maxsize=1_024)
def _qualified(text: str) -> _Qualified:
    words = words_of(text)
    bag = frozenset(word.lower for word in words)
    language = language_of(bag)
    values = values_in(words, language)
    days = [one for one in values if one.kind == "weekday"]
    own = GRAMMARS[language].own
    return _Qualified(
        times=frozenset(_times(words)),
        rates=frozenset(stem(b.lower) for a, b in pairwise(words) if _is_rate(a, b)),
        days=frozenset(key for one in days for key in one.key),
        several=any(words[one.end - 1].lower.endswith("s") for one in days),
        kinds=frozenset(one.kind for one in values) - {"weekday"},
        held=frozenset(
            b.lower for a, b in pairwise(words) if a.lower in own and not b.lower.endswith("'s")
        ),
    )


def _is_rate(before: Word, unit: Word) -> bool:
    return before.lower in _PER and unit.lower in _UNITS


def _times(words: tuple[Word, ...]) -> Iterator[str]:
    """What tells when, or for how many, it is so; and that it is the way back."""
    lower = [word.lower for word in words]
    for n, word in enumerate(lower):
        before = lower[max(n - 2, 0) : n]
        if word in _PER and not _UNITS.isdisjoint(lower[n + 1 : n + 2]):
            continue  # each month is every month
        if word in _SHARED or word in _MEANT or (word in _SOMETIMES and _SINCE.isdisjoint(before)):
            yield stem(word)
        if word in _HEATED and any(c.isdigit() for c in "".join(before)):
            yield word
        if word in _HEADS and not _PER.isdisjoint(before[-1:]):
            yield f"per {word}"
        if word == "back" and _GOES.isdisjoint(before[-1:]):
            yield word


def _are_one_and_several(ones: frozenset[str], others: frozenset[str]) -> bool:
    """`My son`, `my sons`."""
    return any(a != b and stem(a) == stem(b) for a in ones for b in others)
