"""Does a sentence take what it names by a label? To speak of an option is not to choose it.

`2`, `let's go with B` and `option 2, because it scales` choose; `option 2 is too far`, `neither 1 nor 2`
and `1 costs more than 2` do not. Where it cannot be told, nothing is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

LONGEST = 600
"""Characters of a sentence that chooses."""

NAMES = "option|approach|alternative|choice|variant|variante|opción|opcion|möglichkeit|solution"
PLACES = (
    "first former erste ersten ersteres erstere ersterer première premier primera primero",
    "second zweite zweiten deuxième seconde segunda segundo",
    "third dritte dritten troisième tercera tercero",
    "fourth vierte vierten quatrième cuarta",
)
LASTS = "last latter letzte letzten letzteres letztere letzterer dernière dernier última último"

NUMBERS = (
    "one uno una eins un une один",
    "two dos zwei deux два",
    "three tres drei trois три",
    "four cuatro vier quatre четыре",
)
"""After `option` a label, too."""

_LABEL = r"\#?(?:\d{1,2}|[a-h])(?![\w'-]|[.:]\d)"
_THE = r"(?:the|der|die|das|den|la|le|el)\s+"
_WORD = "|".join(" ".join((*PLACES, LASTS)).split())
_ONE = rf"\s+(?:one|{NAMES})\b"
_LED = (
    r"(?:ok|okay|yes|yeah|yep|sure|no|wait|actually|sorry|hm+|oh|let's|lets|let us|please|and|but|then|so|"
    r"therefore|well|just|rather|i'd|i'll|i'm|we'd|we'll|we're|i|we|me|am|are|would|will|say|prefer|like|want|"
    r"think|vote|for|number|nr|the|my|our|answer|decision|is|also|dann|ich|wir|je|"
    r"go(?:ing)? (?:ahead )?(?:with|for)|went with|do|take|use|choose|pick|try|implement|"
    r"(?:start|begin|proceed|continue|stick|stay) with|opt for|settle on|switch to|"
    r"nehme|nimm|nehmen|mach|mache|prends|prenons|fais|faisons|elijo|tomo|haz|hagamos|prefiero|quiero|"
    r"ja|oui|sí|si|ya|vale|bueno|entonces|la|el|die|le|con|mit)"
)
_VERB = (
    r"(?:go(?:ing)? (?:ahead )?(?:with|for)|do|take|use|choose|pick|try|implement|"
    r"(?:start|begin|proceed|continue|stick|stay) with|opt for|settle on|switch to|"
    r"nehme|nimm|nehmen|mach|mache|prends|prenons|fais|faisons|elijo|tomo|haz|hagamos|prefiero)"
)
_BEFORE = lazy_pattern(rf"\W*(?:{_LED}\W+)*")
_ORDERED = lazy_pattern(
    rf"(?:^\W*(?:{_LED}\W+)*|\b(?:let's|let us|i'll|we'll|i will|we will|please)\s+(?:just\s+|then\s+)?)"
    rf"{_VERB}\s+(?:number\s+|the\s+)?$|^\W*(?:so|then|therefore|dann)\s+$"
)
_SPELLED: Mapping[str, str] = {
    word: str(n) for n, words in enumerate(NUMBERS, start=1) for word in words.split()
}
_SPELT = "|".join(_SPELLED)
_NAMED = lazy_pattern(rf"\b(?:{NAMES})\s*(?P<label>{_LABEL}|(?<=\s)(?:{_SPELT})\b(?!['’-]))")
_BARE = lazy_pattern(rf"(?P<label>{_LABEL})")
_HINT = lazy_pattern(rf"(?<!\w)(?:\d{{1,2}}|[a-h]|{_WORD}|{_SPELT})(?!\w)")
_PLACE = lazy_pattern(
    rf"{_THE}(?P<the>{_WORD})\b(?:{_ONE})?|(?P<one>{_WORD}){_ONE}|(?P<alone>{_WORD})(?=\W*$)"
)
_ARTICLE = lazy_pattern(r"\b(?:the|der|die|das|den)\s")
_SAID = lazy_pattern(r"\w+")
_PARTS = lazy_pattern(
    r"\n\s*|[,;]\s*|[:–—()!]\s*|\.\s+|\s-+\s|"
    rf"\s+(?:and|so|then|&|\+|und|et|y)\s+(?=(?:(?:{NAMES})\s*)?{_LABEL}(?!\s+(?:lot|few|bit)\b)|let's\b)"
)
_FINITE = (
    r"(?:is|are|was|were|has|have|had|does|did|would|could|should|can|might|may|seems?|looks?|costs?|"
    r"ist|sind|wäre|est|sont|es|son)"
)
_PRAISED = (
    r"(?:it is|it's|(?:is|are|sounds?|looks?|seems?|works?|would be|wins?|suits)"
    r"(?:\s+(?:really|very|just|totally|perfectly|definitely|clearly|by far|much|the|absolutely|pretty))*"
    r"(?:\s+(?:fine|good|great|perfect|best|better|right|ok|okay|nice|ideal|lovely|excellent|cool|"
    r"reasonable|sensible|safest|simplest|cleanest|one|way|choice|me|us))+|works|wins)"
)
_POLITE = (
    r"(?:please|thanks|thank you|then|now|yes|ok|okay|sure|go ahead|definitely|of course|obviously|instead|"
    r"after all|it is|bitte|danke|merci|gracias|por favor)"
)
_BECAUSE = (
    r"(?:because|since|as(?! (?:well|long))|for|but|so|i think|weil|da|car|parce que|porque|denn)"
)
_AFTER = lazy_pattern(
    rf"\W*(?:{_PRAISED}(?:\s+(?:to|here|in|on)\b[^,]*)?\W*)?(?:{_POLITE}\W*)*(?:{_BECAUSE}\b.*)?",
    re.DOTALL,
)
_SAYS_NO_MORE = lazy_pattern(rf"\W*(?:{_POLITE}\W*)*")
_REASONED = lazy_pattern(rf"\W*{_BECAUSE}\b")
_OPEN_END = lazy_pattern(rf"\W*(?:or|oder|ou|if|unless|when|once|only|{_FINITE})\b")
_REFUSED = lazy_pattern(rf"\W*(?:{_FINITE}|isn't|aren't|doesn't|won't|can't)\b")
_UNCLEAN = lazy_pattern(
    r"n't\b|\b(?:no|not|never|none|neither|nor|cannot|nothing|nobody|too|out|full|fully|booked|gone|"
    r"unavailable|closed|expensive|wrong|bad|worse|worst|hate|dislike|overkill|broken|breaks|impossible|"
    r"rejected|unfortunately|sadly|problem|than|versus|vs|compared|or|unlike|whereas|though|however|"
    r"nicht|kein\w*|weder|nie|zu|leider|oder|pas|jamais|ni|aucune?|trop|nunca|tampoco|demasiado|ou)\b"
)
_DOUBTS = lazy_pattern(
    r"\b(?:not sure|unsure|undecided|dunno|depends|maybe|perhaps|vielleicht|peut-être|quizás?|"
    r"(?:can't|cannot|can not|couldn't) (?:say|decide|tell|choose)|(?:don't|do not) know|as long as|unless)\b"
)
_MANNERS = lazy_pattern(
    r"\W*(?:(?:no|nope|nah|hm+|oh|well|ok|okay|yes|yeah|sure|wait|actually|sorry|please|thanks|thank you|"
    r"on second thoughts?|i changed my mind|instead)\b\W*)*"
)
_BACK = lazy_pattern(
    r"^\W*(?:no|nope|nein|non)(?:,|\W*$)|"
    r"\b(?:no,? wait|wait|actually|sorry|instead|rather|on second thoughts?|changed my mind|after all|"
    r"scratch that|doch lieber|stattdessen|lieber|finalement|plutôt|mejor)\b"
)
_CHOOSES = lazy_pattern(
    r"\b(?:let'?s|let us|i'll|we'll|i will|we will|i'd rather|we'd rather|i want to|please|"
    r"i(?:'m| am)|we(?:'re| are))\s+(?:just\s+|rather\s+|then\s+)?"
    r"(?:go(?:ing)? (?:with|for)|take|use|choose|pick|opt for|switch to|have|do)\b(?! it\b)"
)


class TakenLabel(NamedTuple):
    """What was named, in small letters."""

    label: str
    """A number, a letter, or a place: `second`."""
    named: bool
    """Was it called an option? A number alone may count something."""


def taken_labels(lower: str, *, bare: bool = True, told: str = "") -> list[TakenLabel]:
    """What the sentence chooses by its label: all that it names, or nothing.

    After the label it may be told again what stands under it.
    """
    kept: dict[str, list[TakenLabel]] = {"ordered": [], "plain": []}
    against = False
    for part, found, how in _parts(lower, bare=bare, told=told):
        if how == "unclear":
            return []
        if found is not None and how in kept:
            kept[how].append(found)
        elif found is not None or not _MANNERS.fullmatch(part):
            against = against or found is not None or _UNCLEAN.search(part) is not None
        elif _BACK.search(part):
            kept = {"ordered": [], "plain": []}
    if (against and kept["plain"]) or _DOUBTS.search(lower):
        return []
    return [*kept["ordered"], *kept["plain"]]


def refuses(lower: str) -> bool:
    """Does it judge or turn down what it names by a label, and choose nothing?"""
    return not taken_labels(lower) and any(how == "refused" for *_, how in _parts(lower, bare=True))


def names_label(lower: str) -> bool:
    """Does it say something of a label, whatever it says?"""
    return any(how for *_, how in _parts(lower, bare=True))


def is_only_label(lower: str) -> bool:
    """Does it take an option, and say no more: `I prefer option 2, please`?"""
    match = _NAMED.search(lower) if len(lower) <= LONGEST else None
    if match is None:
        return False
    before, rest = lower[: match.start()], lower[match.end() :]
    led = _BEFORE.fullmatch(before) or _ORDERED.search(before)
    return led is not None and _SAYS_NO_MORE.fullmatch(rest) is not None


def doubts(lower: str) -> bool:
    """Does it leave open what it chooses?"""
    return _DOUBTS.search(lower) is not None


def takes_back(lower: str) -> bool:
    """Does it put something in the place of what was chosen before?"""
    return _BACK.search(lower) is not None


def chooses_anew(lower: str) -> bool:
    """Does it choose something by its name, in the place of something else?"""
    return takes_back(lower) and _CHOOSES.search(lower) is not None and not _DOUBTS.search(lower)


def _parts(
    lower: str, *, bare: bool, told: str = ""
) -> Iterator[tuple[str, TakenLabel | None, str]]:
    if len(lower) > LONGEST or not _HINT.search(lower):
        return
    parts = [part for part in _PARTS.split(lower) if part.strip()]
    for part in parts:
        match = _NAMED.search(part) or (
            _leading_label(part, alone=len(parts) == 1) if bare else None
        )
        found, how = (None, "") if match is None else _read_label(part, match, told)
        yield part, found, how


def _read_label(part: str, match: re.Match[str], told: str) -> tuple[TakenLabel | None, str]:
    """The first label of a part of a sentence, and what is said of it."""
    named = match.re.pattern == _NAMED.pattern
    label = next(filter(None, match.groupdict().values())).lstrip("#")
    label = _SPELLED.get(label, label) if named else label
    before, rest = part[: match.start()], part[match.end() :]
    again = named and bool(told) and {*_SAID.findall(rest)} <= {*_SAID.findall(told.lower())}
    fits = (again or _AFTER.fullmatch(rest) is not None) and not _UNCLEAN.search(rest)
    found = TakenLabel(label, named)
    if _ORDERED.search(before) and not _UNCLEAN.search(before.removeprefix("no ")):
        return found, "ordered" if fits or (named and not _OPEN_END.match(rest)) else "unclear"
    if fits and _BEFORE.fullmatch(before):
        return found, "plain"
    if _REASONED.match(rest) and _BEFORE.fullmatch(before):
        return found, "unclear"
    if named or _REFUSED.match(rest):
        return found, "refused"
    # `a queue` and `3 rooms` name no option, and neither is one chosen beside them by a number.
    return (None, "") if label in {"a", "e"} else (found, "unclear")


def _leading_label(part: str, *, alone: bool) -> re.Match[str] | None:
    """A label by which the part begins, after words that lead to it."""
    begin = _BEFORE.match(part)
    end = begin.end() if begin else 0
    starts = (end, *(each.start() for each in _ARTICLE.finditer(part, 0, end)))
    for pattern in (_BARE, _PLACE):
        for match in filter(None, (pattern.match(part, at) for at in starts)):
            if alone or not match.groupdict().get("alone"):
                return match
    return None
