"""Secrets beside their name with no sign between: `password kiwi-Lamp-93`, `use token 9f86…`.

Here nothing but the form tells a value from the next word of the sentence, so only what can be no word
counts. Where a name is too common by itself (`pass`, `clave`), the same holds behind a sign.
"""

# ruff: noqa: RUF001 - signs as they are written elsewhere

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.text.patterns import lazy_pattern

from .forms import is_generated, is_no_word, is_unlike_words
from .spoken_secrets import IS
from .values import Sort

Span = tuple[int, int]

# What may still belong to the name: `token de acceso`, `password (prod)`. In brackets may stand either.
_REST = r"(?:[ ](?:de[ ]acceso|d['’]acc[èe]s|de[ ](?:la[ ])?api|api|prod|production|staging|dev|value)\b)?"
_BRACKETS = lazy_pattern(r"[ ]?[(（][\w .@-]{1,24}[)）]")
_OPEN = r"[\"'`*_(（\[«„“‘]{0,3}"
_GAP = lazy_pattern(
    rf"{_REST}(?:(?P<comma>,[ \t](?![\"']))|[ \t]{{1,4}}(?:[-–—][ \t]{{1,2}})?|(?<=[^\x00-\x7f])){_OPEN}"
)
_SIGN = lazy_pattern(rf"{_REST}(?:[ \t]*[:=：][ \t]*|[ ]{IS}:?[ ]){_OPEN}")
_VALUE = lazy_pattern(r"""[^\s"'`<>,;|。、，»“”‘’]{6,200}""")
_ENDS = ".:)]}*?"
_BRACKET = ("(", "（", "[")
_YEAR = lazy_pattern(r"[A-Za-z]+[-_]?(?:19|20)\d\d\Z")
# `the sha256 of the secret …`, `next page token …`: before such a name stands what its value is.
_OTHER = lazy_pattern(
    r"(?i)\b(?:hash(?:es|ed)?|sha-?\d*|md5|digest|checksum|fingerprint|thumbprint|commit|revision|uuid|pages?|next|"
    r"prev(?:ious)?|continuation|cursor|pad|eos|bos|cls|sep|mask|nft|erc-?\d+|contract|mint)\b[^\n.;:!?]{0,24}\Z"
)
_BEFORE = 48
# `the password, …, has expired`: such a word is no item of a list.
_TOLD_OF = lazy_pattern(
    r"[\"'`*_)»”’]{0,3},[ ](?:is|was|has|had|does|did|will|no|not|still|which|that|ist|war|hat|gilt|wurde|"
    r"nicht|est|était|a|ne|es|era|ya|ha)\b"
)
# `forgot-password Figma-Frame-12`: so a page is called, or a command.
_PAGE = lazy_pattern(
    r"(?i)\b(?:forgot(?:ten)?|lost|reset|change|update|recover|confirm)-(?=[a-z-]*+\Z)"
)
_TITLE = lazy_pattern(r"[A-Z][a-z]+(?:19|20)\d\d\Z")
_GOES_ON = lazy_pattern(r"[ ][a-zà-ÿ]")
# What has one of these in it is rather a place in a file or a test than a password.
_PLACE = lazy_pattern(r"[/#]|::")


def value_beside(text: str, start: int, end: int, sort: Sort) -> Iterator[Span]:
    """From where to where the value stands beside a name, which reaches from `start` to `end`."""
    found = _value_from(text, start, end, end, sort)
    brackets = None if found else _BRACKETS.match(text, end)
    if brackets is not None:
        found = _value_from(text, start, end, brackets.end(), sort)
    if found is None or _OTHER.search(text, max(0, start - _BEFORE), start):
        return
    if not _PAGE.search(text[max(0, start - _BEFORE) : end]) and not _is_key_to(
        text, start, end, found
    ):
        yield found


def _value_from(text: str, start: int, end: int, at: int, sort: Sort) -> Span | None:
    gap = (_SIGN if sort is Sort.PASS else _GAP).match(text, at)
    value = None if gap is None else _VALUE.match(text, gap.end())
    if gap is None or value is None:
        return None
    word = value[0].rstrip(_ENDS)
    until = value.start() + len(word)
    if text[until : until + 1] == "(" or (gap[0].endswith(_BRACKET) and _YEAR.match(word)):
        return None  # a call; a product, as in `password (Windows2022)`
    listed = bool(gap.groupdict().get("comma")) and not _TOLD_OF.match(text, until)
    if _fits(word, sort, listed=listed or _is_outcome(text[start:end], gap[0])):
        return value.start(), until
    return None


def _is_key_to(text: str, start: int, end: int, found: Span) -> bool:
    """`La clave: Proyecto2024 va bien`: in Spanish, what it all hangs on is a key as well."""
    titled = text[start:end].lower() == "clave" and _TITLE.match(text[slice(*found)])
    return bool(titled and _GOES_ON.match(text, found[1]))


def _is_outcome(name: str, sign: str) -> bool:
    """`PASS: …` is what a test is reported with."""
    return name == "PASS" and ":" in sign


def _fits(word: str, sort: Sort, *, listed: bool) -> bool:
    """Could it be anything else? In a list even two words with a number are no more than the next item."""
    if sort not in (Sort.PASSWORD, Sort.PASS):
        return is_generated(word)
    bare = word.rstrip("!")
    if sort is Sort.PASS and _PLACE.search(bare):
        return False
    if listed:
        return is_generated(bare) or is_unlike_words(bare)
    return is_no_word(bare)
