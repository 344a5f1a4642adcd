"""The figures of a text: what it counts, measures, or puts on a day, and what of.

Two figures can be compared only where they are of one kind: a time of the day does not take the place of
a day, nor do five weeks that of five chairs. A number that names something, such as `chapter 4` or a year,
and both ends of a span are no figures here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.digest import LOST
from everthread.domain.gleaning.roots import root, roots
from everthread.domain.pauses import step_aside
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

MONEY, LASTS = "money", "lasts"
"""Units that have many names."""

LARGEST_WORD = 12
"""A smaller number that is written as a word, and of nothing, mostly stands for things named before."""

CLOSE, WIDE, FAR = 2.1, 3.0, 10.0
"""So much larger one figure may be than another of the same thing; where a change is told; and where
the agent named both in one sentence."""

LONG_NUMBER = 3
"""Digits of a number that hardly comes up twice by chance."""

_NUMBER_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)\b"
)
_NTH = r"(?:st|nd|rd|th)\b"
_FIGURE = lazy_pattern(
    rf"(?P<clock>(?<![\w:.,])\d{{1,2}}(?:[:.]\d\d)? ?(?:[ap]m|uhr)\b|(?<![\w:.,])\d{{1,2}}:\d\d\b(?!:))"
    rf"|(?P<date>(?<![\w:.,/-])\d{{1,2}}(?:{_NTH}(?: of)?|\.)? {_MONTH}|\b{_MONTH} \d{{1,2}}(?:{_NTH}|\b)"
    rf"|(?<![\w:.,/-])\d{{1,2}}{_NTH}|\b(?:19|20)\d\d-\d\d-\d\d\b"
    r"|(?<![\w:.,/-])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:(?:19|20)?\d\d)?(?![\w]))"
    r"|(?P<day>\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)"
    r"|(?P<count>(?<![\w.,/:#@-])(?:[€$£] ?)?\d++(?>(?:[.,]\d++)*)(?P<tail> ?[%€]"
    r"|[a-z²]{0,3})(?![\w@]|[/:-]\d)"
    rf"|\b(?:{'|'.join(_NUMBER_WORDS)})\b)"
)
_AFTER = lazy_pattern(r"[ -]?(?P<one>[^\W\d_]++)(?: (?P<two>[^\W\d_]{3,}s)\b)?")
_RATE = lazy_pattern(r"(?: for)? (?:a|per|an|each) (?P<per>[^\W\d_]++)|/(?P<by>[^\W\d_]++)")
_CURRENCIES = frozenset(
    "€ $ £ euro euros eur dollar dollars usd pound pounds gbp cent cents".split()  # noqa: SIM905 - many
)
MEASURES = frozenset(
    "kg g km m m² cm mm gb mb tb gib mib kb ms kilo kilos w kw kwh v l ml k % percent".split()  # noqa: SIM905 - many
)
_DAYS_OF = {
    "day": 1.0, "days": 1.0, "d": 1.0, "night": 1.0, "nights": 1.0, "week": 7.0, "weeks": 7.0, "month": 30.0,
    "months": 30.0, "year": 365.0, "years": 365.0, "hour": 1 / 24, "hours": 1 / 24, "h": 1 / 24,
    "minute": 1 / 1440, "minutes": 1 / 1440, "min": 1 / 1440, "second": 1 / 86_400, "seconds": 1 / 86_400,
    "s": 1 / 86_400, "tage": 1.0, "tagen": 1.0, "wochen": 7.0, "stunden": 1 / 24, "minuten": 1 / 1440,
}  # fmt: skip
_NAMED_BY = lazy_pattern(
    r"\b(?:chapters?|sections?|interviews?|questions?|pages?|weeks?|days?|steps?|options?|keys?|versions?|phases?|"
    r"rooms?|gauges?|switch|platforms?|items?|paragraphs?|no|nr|numbers?|invoices?|orders?|tickets?|parts?|"
    r"levels?|groups?|lines?|ports?|year|issues?|pr|points?|figures?|tables?|units?|ch|v|kapitel|seite|"
    r"nummer)[.:]? ?#?$"
)
"""What is told apart by numbers: the number counts nothing."""
_STREET = lazy_pattern(
    r"(?:[^\W\d_-]{2,}(?:weg|straße|strasse|str\.|gasse|platz|allee|ufer|damm|steig|chaussee|straat|laan|gatan|vej)|"
    r"\b(?:calle|avenida|via|viale|rue|avenue|plaza|piazza) [^\d,;.]{2,30}) $"
)
"""A house has a number; it counts nothing."""
_SPAN_GOES_ON = lazy_pattern(r" ?[–—-] ?\d| (?:to|bis|until) (?:the )?\d")
_SPAN_BEFORE = lazy_pattern(r"\d(?:st|nd|rd|th)?(?: ?[–—-] ?| (?:to|bis|until) (?:the )?)$")
_ON_THE_MOVE = lazy_pattern(
    r"\b(?:go|goes|went|up|down|mov\w+|chang\w+|rais\w+|lower\w*|shift\w*|bump\w*|cut)\b[^,;.]{0,30}$"
)
"""`From 28 to 32` after such a word is no span."""
_UNKNOWN = "?"
"""The unit of `5xx`: it is no figure."""
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_CLAUSE_ENDS = lazy_pattern(
    r"[,;:–—]\s+|[.!?]\s+|\s-\s|\s(?:and|but|so|because|und|aber|weil|pero|mais)\s"
)
_SAYING_LITTLE = """
    jan feb mar apr jun jul aug sep sept oct nov dec
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday morning evening night afternoon day days week weeks month
    months year years hour hours minute minutes second seconds
    euro euros percent per max min about enough plenty fine give given put leave keep take set cap use call
    say said told tell want need better shall nah yeah yes nope please pls guess think sounds good great nice
    goes going make makes little lot thing things one ones will would get gets got him her them
    move moved moving change changed shift shifted raise raised lower lowered cut push pushed
    postpone postponed extend extended switch bump bumped update updated correct corrected later earlier
    wait actually sorry correction oops mixed went slip slips slipped uhr wurde wird verschoben geändert
    monat monate monats woche wochen tag tage tagen jahr jahre stunde stunden mes meses semana semanas
    año años mois semaine semaines jour jours
"""
_LITTLE_ROOTS = frozenset(map(root, (*_SAYING_LITTLE.split(), *_NUMBER_WORDS)))
"""Words by which something is set or changed, and not what."""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS_ELSEWHERE = {"mär": "mar", "mai": "may", "okt": "oct", "dez": "dec"}


class Figure(NamedTuple):
    """A figure, and where it stands in its sentence."""

    kind: str
    """`count`, `date`, `day`, `clock`."""
    key: str
    unit: str
    """What it counts, as far as that is known."""
    start: int
    end: int
    size: float = 0.0
    """Of what lasts, in days; else the number itself."""


class ToldFigure(NamedTuple):
    """A figure with the words it stands among."""

    figure: Figure
    sentence: str
    place: int
    """Which sentence of its text it is."""
    clause: str
    begins: int
    """Where the clause begins in the sentence."""
    about: frozenset[str]
    """What the clause speaks of."""
    whole: frozenset[str]
    """What the sentence speaks of."""
    asks: bool


def subject_roots(text: str) -> frozenset[str]:
    """What a text speaks of, but for its figures and for words that only set or change something."""
    told = roots(text) - _LITTLE_ROOTS
    return frozenset(each for each in told if not any(map(str.isdigit, each)))


def split_sentences(text: str) -> list[str]:
    """Its sentences; where a figure was taken out, none ends."""
    return [text[place.start : place.end] for place in stretches(text.replace(LOST, "[-]"))]


@lru_cache(maxsize=2_048)
def told_figures(text: str) -> tuple[ToldFigure, ...]:
    """The figures of a point, or of a message, in their order."""
    if not _FIGURE.search(text.lower()):
        return ()
    found = (figures_in(each, n) for n, each in enumerate(split_sentences(text)))
    return tuple(told for each in found for told in each)


@lru_cache(maxsize=2_048)
def figures_in(sentence: str, place: int = 0) -> tuple[ToldFigure, ...]:
    """The figures of one sentence."""
    step_aside()
    every = [*_read_figures(sentence.lower().replace("’", "'"))]
    if not every:
        return ()
    whole, asks = subject_roots(sentence), sentence.rstrip("\"') ").endswith(("?", "\uff1f"))
    ends = [0, *(found.end() for found in _CLAUSE_ENDS.finditer(sentence)), len(sentence)]
    told: list[ToldFigure] = []
    for figure in every:
        n = max(n for n, end in enumerate(ends[:-1]) if end <= figure.start)
        clause = sentence[ends[n] : ends[n + 1]]
        about = subject_roots(clause) - {figure.unit}
        told.append(ToldFigure(figure, sentence, place, clause, ends[n], about, whole, asks))
    return tuple(told)


def _read_figures(lower: str) -> Iterator[Figure]:
    for found in _FIGURE.finditer(lower):
        start, end = found.span()
        if _is_span(lower, start, end):
            continue
        kind = found.lastgroup if found.lastgroup != "tail" else "count"
        if kind == "count":
            count = _read_count(lower, found)
            if count is not None:
                yield count
        else:
            yield Figure(kind or "", _key(kind or "", found[0]), "", start, end)


def _is_span(lower: str, start: int, end: int) -> bool:
    before = lower[max(0, start - 60) : start]
    if _SPAN_BEFORE.search(before[-14:]) is None and _SPAN_GOES_ON.match(lower, end) is None:
        return False
    return _ON_THE_MOVE.search(before) is None


def _key(kind: str, text: str) -> str:
    digits = re.findall(r"\d+", text)
    if kind == "day":
        return text[:3]
    if kind == "clock":
        hour, minutes = int(digits[0]), digits[1] if len(digits) > 1 else "00"
        return f"{hour + 12 * (text.endswith('pm') and hour < 12)}:{minutes}"  # noqa: PLR2004 - noon
    if len(digits) > 1 and "." not in text:
        return text
    if len(digits) > 1:  # `31.3.`
        return f"{int(digits[0])} {_MONTHS[int(digits[1]) - 1]}"
    found = re.search(r"[a-zä]{3,}", re.sub(r"\d+(?:st|nd|rd|th)", "", text))
    month = found[0][:3] if found else ""
    return f"{int(digits[0])} {_MONTHS_ELSEWHERE.get(month, month)}".strip()


def _read_count(lower: str, found: re.Match[str]) -> Figure | None:
    """A number with its unit; nothing where it names a thing, or is a year."""
    text, (start, end) = found[0], found.span()
    digits = text.strip(" €$£").removesuffix(found["tail"] or "")
    small = text in _NUMBER_WORDS and _NUMBER_WORDS[text] <= LARGEST_WORD
    word = MONEY if text[0] in "€$£" else _unit(lower, end, (found["tail"] or ""))
    unit = LASTS if word in _DAYS_OF else word
    if text in _NUMBER_WORDS:
        digits = str(_NUMBER_WORDS[text])
    if (small or _YEAR.fullmatch(digits)) and not unit:
        return None
    named = unit != MONEY and _NAMED_BY.search(lower[max(0, start - 16) : start])
    named = named or (not unit and _STREET.search(lower[max(0, start - 50) : start]))
    if unit == _UNKNOWN or named:
        return None
    key = _plain_number(digits)
    return Figure("count", key, unit, start, end, _number(key) * _DAYS_OF.get(word, 1.0))


def _plain_number(digits: str) -> str:
    """`1,274` is 1274, and `7,5` is 7.5."""
    whole, mark, rest = digits.rpartition(",")
    if mark and len(rest) != 3:  # noqa: PLR2004 - thousands
        return f"{whole}.{rest}".replace(",", "")
    return digits.replace(",", "")


def _unit(lower: str, end: int, tail: str) -> str:
    if tail:
        return _one_unit(tail.strip()) or _UNKNOWN
    if rate := _RATE.match(lower, end):
        return f"per {rate['per'] or rate['by']}"
    after = _AFTER.match(lower, end)
    if after is None:
        return ""
    one = _one_unit(after["one"])
    if one or not after["two"] or not roots(after["one"]):
        return one
    return _one_unit(after["two"])


def _one_unit(word: str) -> str:
    if word in _CURRENCIES:
        return MONEY
    if word in _DAYS_OF or word in MEASURES:
        return word
    many = len(word) > 3 and word.endswith("s") and not word.endswith("ss")  # noqa: PLR2004 - `was`
    return root(word) if many and roots(word) else ""


def is_same(one: Figure, other: Figure) -> bool:
    """Is it the same value, as far as both tell?"""
    if one.kind != other.kind:
        return False
    if one.kind == "date":
        return _days_agree(one.key, other.key)
    if one.unit == other.unit == LASTS:
        return one.size == other.size
    return one.key == other.key and (not (one.unit and other.unit) or one.unit == other.unit)


def may_replace_figure(new: Figure, old: Figure) -> bool:
    """Is it another value of what may be the same thing?"""
    if new.kind != old.kind or is_same(new, old):
        return False
    if new.kind != "count":
        return True
    if new.unit == old.unit == LASTS:
        return True
    return (not (new.unit and old.unit) or new.unit == old.unit) and new.key != old.key


def is_other_measure(one: Figure, other: Figure) -> bool:
    """Is it another number of the same things: litres, beds, euros?"""
    return bool(one.unit) and one.unit == other.unit and may_replace_figure(one, other)


def _days_agree(one: str, other: str) -> bool:
    (day, _, month), (day2, _, month2) = one.partition(" "), other.partition(" ")
    return day == day2 and (month == month2 or not month or not month2)


def size_ratio(one: Figure, other: Figure) -> float:
    """By how much the larger is larger; 1 where that tells nothing."""
    if one.kind != "count":
        return 1.0
    alike_told = one.unit == other.unit
    sizes = [each.size if alike_told else _number(each.key) for each in (one, other)]
    return max(sizes) / min(sizes) if min(sizes) > 0 else 1000.0


def _number(key: str) -> float:
    try:
        return float(key)
    except ValueError:
        return 0.0


def are_close(new: Figure, old: Figure) -> bool:
    """Are they written alike, and not far apart?"""
    return ("." in new.key) == ("." in old.key) and size_ratio(new, old) <= CLOSE


def is_rare(figure: Figure) -> bool:
    """Does it hardly come up twice by chance: `6.90`, `1274`?"""
    if figure.kind != "count":
        return False
    digits = [char for char in figure.key if char.isdigit()]
    if "." in figure.key:
        return len(digits) >= LONG_NUMBER
    return len(digits) > LONG_NUMBER or (len(digits) == LONG_NUMBER and digits[-2:] != ["0", "0"])


def is_tiny(figure: Figure) -> bool:
    """Is it a number that every text is full of?"""
    return figure.kind == "count" and _number(figure.key) <= 3  # noqa: PLR2004 - as said


def echoes(one: Figure, other: Figure) -> bool:
    """Is it the same, or the same in other writing: `4` and `04:00`?"""
    if is_same(one, other):
        return True
    kinds = {one.kind, other.kind}
    return kinds == {"count", "clock"} and one.key.removesuffix(":00") == other.key.removesuffix(
        ":00"
    )


def alike(told: Sequence[ToldFigure], figure: Figure) -> list[ToldFigure]:
    """Those of its kind."""
    return [each for each in told if each.figure.kind == figure.kind]
