"""Who speaks in a line that stands between those of a program: the person, or the program itself.

Programs print sentences too. A person is known by what programs do not do: to speak of herself, to ask
in small letters, to begin with `and` or `but`, to write in another language than most programs speak.
In doubt, what stands by itself and reads like plain prose is hers: to hear a program's line as her
statement does less harm than to lose one of hers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .patterns import lazy_pattern

APART, BESIDE, WITHIN = range(3)
"""Where the lines stand: by themselves, right before or right after a program's line, or between two."""

FEWEST = 3
"""Words of a line in small letters that say something."""

SMALL = 2
"""So many of a language's small words make prose of it."""

SIGNS = 2
"""Letters of another script that make a line one of that script; one may be a sign."""

_SELF = lazy_pattern(
    r"(?<![\w./'\"-])(?:i|i['’](?:m|ve|d|ll))(?= [a-z'])|(?<![\w./'\"-])my(?= [a-z])"
    r"|\b(?:ich|mir|mich|je|j['’]ai|yo)(?= \w)",
    re.IGNORECASE,
)
_SPEAKS = lazy_pattern(
    r"\?\s*$|\b(?:i|i['’]m|i['’]ve|i['’]d|we|we['’]re|my|our|please|pls|let['’]s|can you|could you|"
    r"ich|wir|bitte|je|nous|yo|nosotros)\b",
    re.IGNORECASE,
)
_PROMPTS = lazy_pattern(
    r"\s*(?:Did you mean|Would you like|Do you want|Are you sure|Is this ok|Ok to proceed)\b"
    r"|.*\?\s*[\[(][Yy](?:es)?/[Nn]o?[\])]",
    re.IGNORECASE,
)
"""What programs ask."""

_GOES_ON = lazy_pattern(
    r"(?:and|but|so|then|also|now|still|again|same|here['’]?s?|after that|before that|instead|"
    r"und|aber|dann|jetzt|et|mais|puis|y|pero|luego|ahora)\b",
    re.IGNORECASE,
)
"""How a person goes on after she showed something."""

_TELLS = lazy_pattern(r"(?:the|it|it['’]s|that|this|there['’]s)\s", re.IGNORECASE)
_OWN_LIST = lazy_pattern(r"(?:[-*+]|\d{1,3}[.)]|#{1,6})\s+\S")
_TICKED = lazy_pattern("[\u2705\u2611\u274c\u2714\u2717]")
_PROSE = lazy_pattern(r"[^\W\d_][\w'’]*,?\s")
_SMALL_LETTERS = lazy_pattern(r"[^\W\d_A-Z]+[,.!]?(?:\s+[^\W\d_][^\s]*){2,}")
_CODE = lazy_pattern(
    r"(?<!\w)['\"`][^'\"`\n]+['\"`]|[a-z]\w*[A-Z]\w*|\w_\w|\S/\S|\w\.\w|\w\(|@\d|[\[\]{}<>=|\\]|\w:\w|"
    r"\b[0-9a-f]{8,}\b|\S:$"
)
"""What makes a sentence one about code: a program's, as often as not."""

_LETTERS = lazy_pattern(r"[^\W\d_]+")
_SCRIPT = lazy_pattern("[\u0370-\u1fff\u2e80-\u9fff\ua000-\uabff\uac00-\ud7af]")
_WORDS = tuple(
    frozenset(words.split())
    for words in (
        "the a an and is are was be to of it you that this for with not can in on at has have does when "
        "after all but as only just like if there they them",
        "der die das und ist nicht wir ein eine einen mit für auf zu es den dem im nach beim wenn aber "
        "sich kein keine auch noch nur hier so",
        "le la les et est pas nous un une avec pour sur des du que dans il elle mais ne se au ce cette",
        "el los las y es no un una con para por que en de lo se al del pero este esta",
        "il gli e non un una con per che di del della sono è ma si nel lo",
        "o os as e não um uma com para que do da em é mas se no na",
        "de het en is niet we een met voor op te van dat maar als er",
    )
)
"""English, and others: their smallest words."""


def asks_small(line: str) -> bool:
    """A question that begins in small letters: no program asks so."""
    bare = line.strip()
    return bare.endswith(("?", "\uff1f")) and bare[:1].islower()


def prompts(line: str) -> bool:
    """Does a program ask whoever sits before it?"""
    return _PROMPTS.match(line) is not None


def speaks_of_code(line: str) -> bool:
    """Does it speak of code, as programs do?"""
    return _CODE.search(line) is not None


def is_person(lines: Sequence[str], place: int) -> bool:
    """Does the person speak in these lines, which follow each other without a blank one?"""
    if place == WITHIN:
        return any(asks_small(line) or speaks_of_self(line) or is_foreign([line]) for line in lines)
    if any(_SPEAKS.search(line) and not prompts(line) for line in lines):
        return True
    return is_foreign(lines) or _is_prose(lines, place)


def repeats(line: str) -> bool:
    """Of a line that stands there again and again: is it she who repeats herself?"""
    goes_on = _GOES_ON.match(line) or _SMALL_LETTERS.match(line) or _OWN_LIST.match(line)
    return (
        goes_on is not None
        or (_SPEAKS.search(line) is not None and not prompts(line))
        or is_foreign([line])
    )


def is_foreign(lines: Sequence[str]) -> bool:
    """Is it in another script, or another language than the one that programs mostly speak?"""
    text = " ".join(lines)
    if not text.isascii() and len(_SCRIPT.findall(text)) >= SIGNS:
        return True
    english, *others = _small_words(text)
    return max(others) > max(SMALL, english)


def speaks_of_self(line: str) -> bool:
    """`I` as a person says it, and no variable of a program."""
    found = _SELF.search(line)
    return found is not None and not _CODE.search(line[: found.start()])


def _is_prose(lines: Sequence[str], place: int) -> bool:
    """Plain words, by themselves."""
    first = lines[0]
    if _OWN_LIST.match(first) or (len(lines) > 1 and all(map(_TICKED.match, lines))):
        return True
    if not _PROSE.match(first):
        return False
    if _GOES_ON.match(first) or (place == APART and _SMALL_LETTERS.match(first)):
        return True
    text = " ".join(lines)
    if max(_small_words(text)) < SMALL:
        return False
    return not _CODE.search(text) or (
        place == APART and len(lines) == 1 and _TELLS.match(first) is not None
    )


def _small_words(text: str) -> list[int]:
    """How many small words of each language it holds, each word once."""
    words = {found.lower() for found in _LETTERS.findall(text)}
    return [len(words & known) for known in _WORDS]
