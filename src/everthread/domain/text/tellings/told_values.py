"""Values in a statement by their kind: sums, times, days, measures, numbers, names.

Only values of one kind can take each other's place: a sum that of a sum, and so many kilos that of so many
kilos. What is counted is part of the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .small_words import GRAMMARS

NAME, FIGURE, VERSION = "name", "figure", "version"

_WORD = lazy_pattern(
    r"[£$€]?\d++(?>(?:[.,:/]\d++)*)%?|[^\W\d_]++(?>(?:['’.&-][^\W_]++)*)|[&£$€%,;:–—]"
)
_DIGITS = lazy_pattern(r"\d")
_CLOCK = lazy_pattern(r"\d{1,2}:\d\d")
_POINTED = lazy_pattern(r"\d{1,2}\.\d\d")
LONG_NUMBER = 7
"""Digits of a telephone number, and the like."""
HOURS = 24

_NUMBERS = """
    one two three four five six seven eight nine ten eleven twelve ein zwei drei vier fünf sechs
    sieben acht neun zehn elf zwölf
"""
_SPELT = {word: n % 12 + 1 for n, word in enumerate(_NUMBERS.split())}
_DAYS = (
    "monday montag lundi lunes lunedì maandag", "tuesday dienstag mardi martes martedì dinsdag",
    "wednesday mittwoch mercredi miércoles mercoledì woensdag",
    "thursday donnerstag jeudi jueves giovedì donderdag", "friday freitag vendredi viernes venerdì vrijdag",
    "saturday samstag samedi sábado sabato zaterdag", "sunday sonntag dimanche domingo domenica zondag",
)  # fmt: skip
_WEEKDAY = {word: n for n, names in enumerate(_DAYS) for word in names.split()}
_MONTHS = """
    january february march april may june july august september october november december januar
    februar märz april mai juni juli august september oktober november dezember
"""
_MONTH = {word: n % 12 for n, word in enumerate(_MONTHS.split())}
_MONEY = {
    "€": "euro", "euro": "euro", "euros": "euro", "eur": "euro", "$": "dollar", "dollar": "dollar",
    "dollars": "dollar", "£": "pound", "pound": "pound", "pounds": "pound", "francs": "franc",
    "franken": "franc", "chf": "franc",
}  # fmt: skip
_CLOCKS = frozenset(("am", "pm", "uhr", "o'clock", "heures", "uur"))
_AT = frozenset(("at", "from", "um", "before", "after", "alle", "om", "ab"))
_PASSING = frozenset(("degree", "degrees", "grad", "degrés", "grados", "gradi", "graden", "%"))
TITLES = frozenset(
    ("dr", "mr", "mrs", "ms", "prof", "frau", "herr", "herrn", "doctor", "doctora", "doktor",
     "señora", "señor", "signora", "signor", "madame", "monsieur", "mevrouw", "meneer")
)  # fmt: skip
_INTO = frozenset(("in", "nach", "aus", "heißt"))
"""Before the name of a place, or after what it is called."""


class Word(NamedTuple):
    """A word as it is written, and in small letters."""

    text: str
    lower: str


class ToldValue(NamedTuple):
    """A value, its kind, and which words tell it."""

    kind: str
    key: tuple[str, ...]
    start: int
    end: int


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a statement, and the signs between its parts."""
    return tuple(Word(w, w.lower().replace("’", "'")) for w in _WORD.findall(text))


def values_in(words: Sequence[Word], language: str) -> list[ToldValue]:
    """All values, in their order; none within another."""
    found: list[ToldValue] = []
    at = 0
    while at < len(words):
        one = _value_at(words, at, language)
        if one is not None:
            found.append(one)
        at = at + 1 if one is None else one.end
    return found


def is_thing(word: str) -> bool:
    """May it name a thing: neither a figure nor a month?"""
    return word[:1].isalpha() and word not in _MONTH


def _value_at(words: Sequence[Word], at: int, language: str) -> ToldValue | None:
    readers: tuple[Callable[[Sequence[Word], int], ToldValue | None], ...] = (
        _date, _clock, _weekdays, _long_number, _measured,
    )  # fmt: skip
    found = next((one for read in readers if (one := read(words, at))), None)
    return found or _name(words, at, language)


def _lower(words: Sequence[Word], at: int) -> str:
    return words[at].lower if 0 <= at < len(words) else ""


def _number(word: str) -> str:
    """The figure, however it is written; empty where it is none."""
    bare = word.strip("£$€%")
    if bare[:1].isdigit():
        return bare.replace(",", "").rstrip(".")
    return str(_SPELT[word]) if word in _SPELT else ""


def _date(words: Sequence[Word], at: int) -> ToldValue | None:
    first, then = _lower(words, at), _lower(words, at + 1)
    for day, month in ((first, then), (then, first)):
        if month in _MONTH and day[:1].isdigit():
            return ToldValue("date", (day, str(_MONTH[month])), at, at + 2)
    return None


def _clock(words: Sequence[Word], at: int) -> ToldValue | None:
    word, then = _lower(words, at), _lower(words, at + 1)
    if _CLOCK.fullmatch(word):
        return ToldValue("clock", (word,), at, at + 1 + (then in _CLOCKS))
    if word in ("quarter", "half") and then in ("past", "to") and _number(_lower(words, at + 2)):
        start = at - 1 if _lower(words, at - 1) == "a" else at
        return ToldValue("clock", (word, then, _number(_lower(words, at + 2))), start, at + 3)
    hour = _number(word)
    if not hour or ("." in hour and not _POINTED.fullmatch(hour)):
        return None
    if then in _CLOCKS:
        return ToldValue("clock", (hour, then), at, at + 2)
    ends = at + 1 == len(words) or not then[:1].isalpha() or then in GRAMMARS["en"].plain
    spelt = ends and _lower(words, at - 1) in _AT and hour.isdigit() and int(hour) <= HOURS
    return ToldValue("clock", (hour,), at, at + 1) if spelt else None


def _weekdays(words: Sequence[Word], at: int) -> ToldValue | None:
    days, end = set[int](), at
    while end < len(words):
        word = words[end].lower
        day = _WEEKDAY.get(word, _WEEKDAY.get(word.removesuffix("s")))
        if day is not None:
            days.add(day)
        elif not days or word not in ("and", "und", "et", "y", "e", "en", ","):
            break
        end += 1
    while end > at and _lower(words, end - 1) in ("and", "und", "et", "y", "e", "en", ","):
        end -= 1
    return ToldValue("weekday", tuple(map(str, sorted(days))), at, end) if days else None


def _long_number(words: Sequence[Word], at: int) -> ToldValue | None:
    end = at
    while end < len(words) and words[end].lower.isdigit():
        end += 1
    digits = "".join(word.lower for word in words[at:end])
    return ToldValue("number", (digits,), at, end) if len(digits) >= LONG_NUMBER else None


def _measured(words: Sequence[Word], at: int) -> ToldValue | None:
    """A sum, a share, or so many of something; spelt out only with what is counted."""
    word, then = words[at].lower, _lower(words, at + 1)
    figure = _number(word)
    if not figure:
        return None
    sign = word[:1] if word[:1] in _MONEY else then
    if sign in _MONEY:
        return ToldValue("money", (figure, _MONEY[sign]), at, at + 1 + (sign == then))
    if word.endswith("%") or then in ("percent", "prozent", "%"):
        return ToldValue("share", (figure,), at, at + 1 + (then != "" and not word.endswith("%")))
    if then in _PASSING:
        return None  # how warm it is, here or in a pot
    small = any(then in words for g in GRAMMARS.values() for words in g)
    if then.isalpha() and not small:
        return ToldValue(f"of {stem(then)}", (figure,), at, at + 2)
    return ToldValue(FIGURE, (figure,), at, at + 1) if word[:1].isdigit() else None


def _name(words: Sequence[Word], at: int, language: str) -> ToldValue | None:
    """A name: one or more words with a capital. In German every noun has one: there its title, or where it
    stands, tells."""
    if not _is_capital(words[at]) or (at == 0 and not _may_be_subject(words)):
        return None
    end = at + 1
    while end < len(words) and (_is_capital(words[end]) or _joins(words, end)):
        end += 1
    before = _lower(words, at - 1) in TITLES  # `el doctor Vega`
    titled = before or words[at].lower.rstrip(".") in TITLES
    if language == "de" and not titled and _lower(words, at - 1) not in _INTO:
        return None
    if not titled and _DIGITS.match(_lower(words, end)):
        key = tuple(word.lower for word in words[at:end])
        return ToldValue(f"{VERSION} {' '.join(key)}", (_lower(words, end),), at, end + 1)
    return ToldValue(NAME, tuple(word.lower for word in words[at:end]), at - before, end)


def _is_capital(word: Word) -> bool:
    lower = word.lower
    if not word.text[0].isupper() or lower in _WEEKDAY or lower.removesuffix("s") in _WEEKDAY:
        return False
    return lower not in _MONTH and lower.partition("'")[0] != "i"


def _joins(words: Sequence[Word], at: int) -> bool:
    return words[at].lower == "&" and at + 1 < len(words) and _is_capital(words[at + 1])


def _may_be_subject(words: Sequence[Word]) -> bool:
    """Is the first word a name, and no word that has its capital by its place?"""
    first = words[0].lower.rstrip(".")
    if first in BASE or any(first in small for g in GRAMMARS.values() for small in g):
        return False
    then = _lower(words, 1)
    if first in TITLES:
        return True
    return then in ("is", "has") or then.endswith(("s", "ed")) or then in ("took", "ist", "hat")
