"""Texts on which a pattern has most to do, made of the pattern itself.

Work grows out of hand in a part that repeats, where a stretch of text fits it in two ways. So each such
part is led to, and then goes on and on: with each of its words, alone and two by two, and with an end at
which all was in vain.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

# What a pattern is taken apart into; `re` shows it nowhere else.
_parser = importlib.import_module("re._parser")
_codes = importlib.import_module("re._constants")

Part = tuple[Any, Any]
Way = tuple[tuple[int, int], ...]
"""Down to a part: which one, and which of its own."""

_REPEATS = {_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT}
_LOOKS = (_codes.ASSERT, _codes.ASSERT_NOT)
_HELD_AT = {_codes.SUBPATTERN: 3, **dict.fromkeys(_LOOKS, 1)}
_SIGNS = (_codes.IN, _codes.ANY, _codes.NOT_LITERAL)
_TRIED = "a1 ,-.\"'b(\n/é"
_KINDS = {
    _codes.CATEGORY_DIGIT: str.isdigit,
    _codes.CATEGORY_SPACE: str.isspace,
    _codes.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    _codes.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    _codes.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    _codes.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}
_ENDS = (" x", " x", "x", "!", "\n")
"""At most of them a pattern that wants the end sees that it has not come to it."""
PLAIN = (
    " ",
    "a",
    "a ",
    "-",
    "`",
    '"',
    "1",
    "1,",
    ". ",
    ", ",
    "no ",
    "and no a ",
    "a-",
    "'a",
    "(",
    "\n",
)
"""What anybody may type for ever."""


def taken_apart(pattern: str, flags: int) -> list[Part]:
    return list(_parser.parse(pattern, flags))


def repeating(parts: Sequence[Part], way: Way = ()) -> Iterator[Way]:
    """The ways to what may come three times and more."""
    for n, (code, more) in enumerate(parts):
        if code in _REPEATS and more[1] > 2:
            yield (*way, (n, 0))
        for m, inner in enumerate(_inner(code, more)):
            yield from repeating(inner, (*way, (n, m)))


def _inner(code: Any, more: Any) -> list[Sequence[Part]]:
    if code in _REPEATS:
        return [more[2]]
    if code is _codes.BRANCH:
        return list(more[1])
    if code is _codes.ATOMIC_GROUP:
        return [more]
    if code in _HELD_AT:
        return [more[_HELD_AT[code]]]
    return [each for each in more[1:] if each] if code is _codes.GROUPREF_EXISTS else []


class Hostile:
    """Texts against one pattern, the same ones each time."""

    def __init__(self, pattern: str, flags: int = 0, seed: int = 0) -> None:
        self._parts = taken_apart(pattern, flags)
        self._chance = Random(f"{seed} {pattern}")
        self._groups: dict[Any, str] = {}
        self._signs: dict[int, list[str]] = {}

    def short(self, most: int, times: int = 40, size: int = 400) -> Iterator[str]:
        """What takes for ever where the ways double with each time; `most` for each part that repeats."""
        for way in repeating(self._parts):
            lead, inner = self._down(self._parts, way)
            units = list(dict.fromkeys(self._units(inner)))
            self._chance.shuffle(units)
            pairs = [one + other for one, other in pairwise(units)]
            for unit in (*units[:most], *pairs[: most // 2]):
                yield lead + (unit * times)[:size] + self._chance.choice(_ENDS)

    def long(self, size: int, most: int) -> Iterator[str]:
        """What takes long where each sign costs a look at all others, and at all of these again."""
        ways = list(repeating(self._parts))
        for way in self._chance.sample(ways, min(most, len(ways))):
            lead, inner = self._down(self._parts, way)
            unit = self._fill(inner) or "a"
            yield (lead + unit * size)[:size] + self._chance.choice(_ENDS)
        for unit in self._chance.sample(PLAIN, 2):
            yield (unit * size)[:size]

    def _down(self, parts: Sequence[Part], way: Way) -> tuple[str, Sequence[Part]]:
        """What stands before the repeating part, and what is repeated."""
        (n, m), rest = way[0], way[1:]
        before = self._fill(parts[:n], least=True)
        inner = _inner(*parts[n])[m]
        if not rest:
            return before, inner
        deeper, found = self._down(inner, rest)
        return before + deeper, found

    def _units(self, parts: Sequence[Part]) -> Iterator[str]:
        """Fillings of these parts, so that each of the words they name comes once."""
        yield self._fill(parts, least=True) or "a"
        for n, (code, more) in enumerate(parts):
            for inner in _inner(code, more):
                if code not in _LOOKS:
                    for unit in self._units(inner):
                        yield self._fill(parts[:n]) + unit + self._fill(parts[n + 1 :])

    def _fill(self, parts: Sequence[Part], *, least: bool = False) -> str:
        return "".join(self._one(code, more, least) for code, more in parts)

    def _one(self, code: Any, more: Any, least: bool) -> str:
        inner = [] if code in _LOOKS else _inner(code, more)
        if code in _REPEATS:
            few = more[0] if least else min(more[1], more[0] + self._chance.choice((0, 1, 1, 2)))
            return "".join(self._fill(inner[0], least=least) for _ in range(few))
        if inner:
            filled = self._fill(self._chance.choice(inner), least=least)
            if code is _codes.SUBPATTERN:
                self._groups[more[0]] = filled
            return filled
        if code is _codes.LITERAL:
            return chr(more)
        if code is _codes.GROUPREF:
            return self._groups.get(more, "")
        if code is _codes.IN:
            if id(more) not in self._signs:  # a part of ours: it lives as long as we do
                self._signs[id(more)] = _signs(more)
            return self._chance.choice(self._signs[id(more)])
        signs = [sign for sign in "a ," if ord(sign) != more]
        return self._chance.choice(signs) if code in _SIGNS else ""


def _signs(members: Sequence[Part]) -> list[str]:
    """Some signs of a class."""
    denied = members[0][0] is _codes.NEGATE
    named = [chr(more) for code, more in members if code is _codes.LITERAL]
    named += [chr(more[0]) for code, more in members if code is _codes.RANGE]
    tried = dict.fromkeys((*([] if denied else named), *_TRIED))
    held = [sign for sign in tried if any(_holds(member, sign) for member in members) is not denied]
    return held or ["\u4e00"]


def _holds(member: Part, sign: str) -> bool:
    code, more = member
    if code is _codes.LITERAL:
        return ord(sign) == more
    if code is _codes.RANGE:
        return more[0] <= ord(sign) <= more[1]
    return code is _codes.CATEGORY and bool(_KINDS[more](sign))
