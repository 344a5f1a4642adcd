"""Words: what a text is found by, and what a question looks for.

The full-text index splits at everything that is neither letter nor digit and stems English. What
it cannot do is done here: names that are glued together (`parseConfigFile`) also count as their
parts, and scripts without spaces are cut into pairs of characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits

from .patterns import lazy_pattern

LIMIT = 12
"""Words of a question that are looked up: more cost time and add mostly what is common anyway."""

ENDS = 2_000
"""A longer question is read at both ends: what is pasted lies in between or at one of them."""

LONGEST = 64
"""A longer run of letters and digits is data (a hash, base64), not a word."""

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = lazy_pattern(f"[{_CJK}]+")
SIGN = 3
"""A sign of a script that is written without blanks says as much as so many letters."""

_ALIKE = {ascii_uppercase: "A", ascii_lowercase: "a", digits: "0"}
_SHAPES = {ord(one): shape for many, shape in _ALIKE.items() for one in many}
_SHAPE = "".join(_SHAPES.get(number, " ") for number in range(256)).encode()
_GLUED = b"aA"
_PART = lazy_pattern(r"[A-Z]+(?![a-z]{2})|[A-Z]?[a-z]+|[0-9]+|[A-Z]+")
_TOKEN = lazy_pattern(r"[^\W_]+")

_STOP = """
    a about across after again all also am an and any anything are aren as at be because been before
    being both but by came can cannot could couldn currently d did didn different do does doesn
    doing don done down during each ever everything far few for from further get gets give given go
    goes going got had hadn has hasn have haven having he help her here hers herself him himself his
    how i if in including into is isn it its itself just kind let like ll m make many me might more
    most much must my myself need needed no nor not now of off on once only or other ought our ours
    ourselves out over own please provide re really recently s same shall she should shouldn show so
    some something such t take than that the their theirs them themselves then there these they
    thing things this those through throughout to too tried try trying under until up upon us use
    various ve very want wanted wanting was wasn way we well were weren what when where which while
    who whom whose why will with without won would wouldn you your yours yourself yourselves
    aspects brought comprehensive conversation conversations discussed discussion discussions
    mention mentioned mentioning overview recap said say says summarize summary tell thorough
"""
STOP = frozenset(_STOP.split())
"""Words that say how a question is put, not what it is about."""


_VERBS = ("deploy", "redeploy", "undeploy", "employ", "pay", "repay", "prepay")
_KIN = {
    **{verb + end: f"{verb}ment" for verb in _VERBS for end in ("", "s", "ed", "ing")},
    **{f"{verb}ment{end}": verb for verb in _VERBS for end in ("", "s")},
}
"""Forms that the stemmers tell apart: they make `deploi` of `deploy`, and `deploy` of `deployment`."""


def length_in_letters(text: str) -> int:
    """How much a text holds, in letters: signs of a script that is written without blanks count more."""
    if text.isascii():
        return len(text)
    return len(text) + (SIGN - 1) * sum(map(len, _RUN.findall(text)))


def index_text(text: str) -> str:
    """What is handed to the full-text index for this text. Plain prose passes untouched."""
    if not text.isascii():
        text = _RUN.sub(_sign_pairs, text)
    shape = _shape(text)
    at = shape.find(_GLUED)
    if at < 0:
        return text
    found: list[str] = []
    while at >= 0:
        start = shape.rfind(b" ", 0, at) + 1
        end = shape.find(b" ", at)
        end = len(text) if end < 0 else end
        # What is longer is data, and would only fill the memory of names.
        if end - start <= LONGEST and (parts := _glued_parts(text[start:end])):
            found.append(parts)
        at = shape.find(_GLUED, end)
    return f"{text}\n{' '.join(found)}" if found else text


def query_words(text: str, limit: int = LIMIT) -> list[str]:
    """The words of a question that are worth looking up, in order, each once, in small letters.

    Of a question that has no other words, its longest are taken. Only letters and digits come out:
    whatever an index takes for syntax is gone.
    """
    words = _all_words(_both_ends(text))
    telling = [word for word in words if word not in STOP]
    if not telling:
        return sorted(words, key=len, reverse=True)[: min(3, limit)]
    return telling if len(telling) <= limit else _longest_words(telling, limit)


def _all_words(text: str) -> list[str]:
    found: dict[str, None] = {}
    for token in _TOKEN.findall(text):
        if len(token) > LONGEST:
            continue
        for piece in map(str.lower, _pieces(token)):
            found.setdefault(piece, None)
            if piece in _KIN:
                found.setdefault(_KIN[piece], None)
    return [word for word in found if _TOKEN.fullmatch(word)]


def _pieces(token: str) -> list[str]:
    if token.isascii():
        return [token, *_parts(token)]
    return _RUN.sub(_sign_pairs, token).split()


def _shape(text: str) -> bytes:
    """A byte a character: A, a or 0 for what names are made of, a space for all else.

    Asked of every text stored: to look for names in it is many times faster than by a pattern.
    """
    return text.encode("latin-1", "replace").translate(_SHAPE)


@lru_cache(maxsize=4_096)
def _glued_parts(word: str) -> str:
    """The parts of a glued name as they are indexed: the same names come again and again."""
    return " ".join(_parts(word))


def _parts(word: str) -> list[str]:
    """`parseConfigFile` is also parse, Config, File; a word that is not glued has no parts."""
    if len(word) > LONGEST or _GLUED not in _shape(word):
        return []
    return [part for part in _PART.findall(word) if len(part) > 1]


def _sign_pairs(run: re.Match[str]) -> str:
    """A run without spaces as overlapping pairs: 知识库 is 知识 and 识库."""
    text = run.group()
    pairs = [text[at : at + 2] for at in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "


def _both_ends(text: str) -> str:
    return text if len(text) <= 2 * ENDS else f"{text[:ENDS]} {text[-ENDS:]}"


def _longest_words(words: list[str], limit: int) -> list[str]:
    """The longest of too many, in their order: length is the cheapest sign of being rare."""
    kept = set(sorted(words, key=len, reverse=True)[:limit])
    return [word for word in words if word in kept][:limit]
