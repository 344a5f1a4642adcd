"""What a text tells, as a row: its words and signs in their order, without what carries nothing.

Two texts say the same only if their rows agree. A minus, an operator, a negator and where it stands, an
identifier as it is spelt: each of them tells. Little does not: articles and the like before another word,
punctuation behind a word, quotation marks, how a sentence begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple
from unicodedata import category

from .patterns import lazy_pattern

Person = Literal["", "i", "user"]
"""Who does it, where that is whose memory it is."""

_PIECE = lazy_pattern(
    r"""[^\W\d_]+(?:'[^\W\d_]+)+             # don't, user's
      | [\w#@$]+(?:[-./:\\@+][\w]+)*[+#]*    # src/a.py, 3.12, C++, well-known
      | \S""",
    re.VERBOSE,
)
_MARKUP = lazy_pattern(
    r"(?<!\S)(\*{1,3}|_{1,3})(?=[^\s*_])([^\n]{0,80}?[^\s*_])\1(?=[\s.,;:!?)]|$)"
)
"""`**so**`: set off from the rest."""
_BULLET = lazy_pattern(r"^[ \t]*(?:[-*>](?![ \t]*\d)|•|#{1,6})(?=[ \t])", re.MULTILINE)
"""Before a figure it may be a minus, or `more than`."""

_CLOSING = frozenset(".,;:!…")
_WIDE = frozenset("\u3002\u3001\uff0c\uff1b\uff1a\uff01")
"""Between signs of a script without blanks."""
_QUOTES = frozenset("\"'`“”„‘\u201a«»\u2039\u203a\u300c\u300d\u300e\u300f")
_EMPTY = ('""', "''")
_PRIMES = frozenset("\"'")
"""Behind a digit: minutes, feet, inches."""
_DASHES = frozenset("-–—")
"""Between blanks a long one is a pause; a short one may be a minus."""
_ASKING = frozenset("?\uff1f")
_BEHIND = _CLOSING | _QUOTES | _ASKING | frozenset(") ")
_SENTENCE_ENDS = frozenset(".!?:…\u3002\uff1f\uff01\uff1a")
_VARIANT = "\ufe0f"

_BEFORE = frozenset(("a", "an", "the", "am", "is", "are", "be", "that", "do", "does"))
"""Carry nothing before another word; at the end they may be all that is told."""
_ADVERBS = frozenset(("please", "kindly", "also", "really", "very", "just", "now", "currently"))
_ONE_FORM = {"i'm": "i", "user's": "my"}
_VERBS = """
    is was has had does did will would can could should must might may not never always often usually also
    really now currently just only
"""
_DOES = frozenset(_VERBS.split())
"""Behind `the user` these tell what that one does; other words make a user table of it."""
_DAYS = """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
"""
_DATED = frozenset(_DAYS.split())
"""Written large or small, by habit."""


class Piece(NamedTuple):
    """A word or sign that tells, as it is written."""

    raw: str
    low: str
    first: bool
    """Does a sentence begin with it?"""


class TellingRow(NamedTuple):
    """What a text tells, and how it is written."""

    pieces: tuple[Piece, ...]
    person: Person
    loud: bool
    """Is all of it in capitals?"""
    small: bool
    """Is there no capital in it?"""
    large: bool
    """Does it begin with one?"""


def telling_row(text: str) -> TellingRow:
    """The row of a statement."""
    row = whole_row(text)
    pieces = list(_telling_words(row))
    person = _person(pieces)
    return row._replace(pieces=tuple(pieces[person != "" :]), person=person)


def whole_row(text: str) -> TellingRow:
    """The row of a text with those words that carry nothing in a statement."""
    even = _BULLET.sub(" ", _MARKUP.sub(r"\2", text.replace("’", "'")))
    even = "\n".join(map(_without_dashes, even.split("\n")))
    pieces = tuple(_pieces(even))
    letters = [piece.raw for piece in pieces if piece.raw.isalpha() and len(piece.raw) > 1]
    loud = len(letters) > 1 and all(map(str.isupper, letters))
    small = not any(map(str.isupper, even))
    large = bool(pieces) and pieces[0].raw[0].isupper()
    return TellingRow(pieces, "", loud=loud, small=small, large=large)


def rows_agree(one: TellingRow, other: TellingRow, *, cased: bool = True) -> bool:
    """Is the same told, word by word and sign by sign? Without `cased`, however they are spelt."""
    return len(one.pieces) == len(other.pieces) and row_begins(one, other, cased=cased)


def row_begins(long: TellingRow, short: TellingRow, *, cased: bool = True) -> bool:
    """Does the first tell all that the second tells, in its order, before anything else?"""
    if len(short.pieces) > len(long.pieces) or not _same_person(long, short):
        return False
    turned, habit = long.person != short.person, _habits_differ(long, short)
    loud = not cased or long.loud != short.loud
    return all(
        (_told_of_another(one.low, other.low) if turned else one.low == other.low)
        and (loud or _cased_alike(one, other, habit=habit))
        for one, other in zip(long.pieces, short.pieces, strict=False)
    )


def without_s(word: str) -> str:
    """Without the s of plural and third person; tenses stay apart, since they tell of other times."""
    if len(word) > 3 and word.endswith("s") and word.isalpha():  # noqa: PLR2004 - his, was, bus
        if word.endswith("ies"):
            return word[:-3] + "y"
        if not word.endswith(("ss", "us", "is")):
            return word[:-1]
    return word


def _without_dashes(line: str) -> str:
    """Without those behind all words, set off from them."""
    bare = line.rstrip("-–— \t")
    return bare if not bare or line[len(bare) : len(bare) + 1] in " \t" else line


def _pieces(even: str) -> Iterator[Piece]:
    first, end = True, 0
    alone = frozenset(sign for sign in _PRIMES if even.count(sign) % 2)
    for found in _PIECE.finditer(even):
        raw, start = found[0], found.start()
        first = first or "\n" in even[end:start]
        end = found.end()
        if not _is_empty_sign(even, start, end, alone):
            low = raw.lower()
            yield Piece(raw, _ONE_FORM.get(low, low), first)
            first = False
        first = first or raw in _SENTENCE_ENDS


def _is_empty_sign(even: str, start: int, end: int, alone: frozenset[str]) -> bool:
    """Does a single sign tell nothing where it stands? `alone`: quotation marks that are no pair."""
    sign = even[start]
    if end - start > 1 or sign.isalnum():
        return False
    before, after = even[max(0, start - 1) : start].strip(), even[end : end + 1].strip()
    if sign in _CLOSING:  # between quotation marks it is what is told: `','`
        return not after or (after in _BEHIND and not (before in _QUOTES and after in _QUOTES))
    if sign in _QUOTES:
        return not (sign in alone and before.isdigit()) and even[start : end + 1] not in _EMPTY
    if sign in _DASHES:
        minus = sign == "-" or even[end : end + 2].strip().isdigit()
        return not minus and not before and not after
    if sign in _ASKING:  # of several the last one tells
        return even[end : end + 2].lstrip("!\uff01")[:1] in _ASKING
    return _is_aside(sign, before, after) or sign in _WIDE or _is_unseen(sign)


def _is_unseen(sign: str) -> bool:
    return sign == _VARIANT or category(sign) == "Cf"


def _is_aside(sign: str, before: str, after: str) -> bool:
    """A bracket around words; one at a word or an operator belongs to a call or a formula."""
    if sign == "(":
        return (not before or before in _QUOTES) and after != ")"
    return sign == ")" and (not after or after in _BEHIND) and before != "("


def _telling_words(row: TellingRow) -> Iterator[Piece]:
    for piece, after in zip_longest(row.pieces, row.pieces[1:]):
        # `BE` is a code, `Plan A` a name.
        large = piece.raw[piece.first :] != piece.raw[piece.first :].lower() and not row.loud
        if not large and piece.low in _ADVERBS:
            continue
        if large or piece.low not in _BEFORE or after is None or not after.raw[0].isalnum():
            yield piece


def _person(pieces: Sequence[Piece]) -> Person:
    lead = [piece.low for piece in pieces[:2]]
    if lead[:1] == ["i"] and len(lead) > 1:
        return "i"
    if lead[:1] != ["user"] or len(lead) == 1:
        return ""
    does = lead[1] in _DOES or lead[1].endswith("ed") or without_s(lead[1]) != lead[1]
    return "user" if does else ""


def _same_person(one: TellingRow, other: TellingRow) -> bool:
    """`Prefers tabs` tells what the user does; `Prefer tabs` asks for it."""
    silent = [row for row in (one, other) if not row.person]
    if len(silent) != 1:
        return True
    lead = silent[0].pieces[:1]
    return any(without_s(piece.low) != piece.low for piece in lead)


def _told_of_another(one: str, other: str) -> bool:
    """Is it the same word but for the s that goes with who speaks?"""
    return without_s(one) == without_s(other)


def _cased_alike(one: Piece, other: Piece, *, habit: bool) -> bool:
    """Is it the same word for all that case tells? `DEBUG` is not `debug`, nor `A.py` `a.py`."""
    a, b = one.raw, other.raw
    if a == b or a.lower() != b.lower():
        return True
    if a[:1].lower() + a[1:] != b[:1].lower() + b[1:] or not a.replace("'", "").isalpha():
        return False
    return habit or one.first or other.first or one.low in _DATED


def _habits_differ(one: TellingRow, other: TellingRow) -> bool:
    """Has one of them no capital although the other even begins with one? Some write so."""
    return (one.small and other.large) or (other.small and one.large)
