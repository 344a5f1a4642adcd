"""What stands inside a pattern, read as Python reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from re import _constants as codes
from re import _parser as parser
from typing import Any

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_KEEPS = (codes.POSSESSIVE_REPEAT, codes.ATOMIC_GROUP)


def captures_in_what_is_kept(pattern: str | bytes, flags: int) -> bool:
    """Is something captured inside of `(…)++` or `(?>…)`? CPython 3.11 may then raise a SystemError."""
    return any(
        _captures(part)
        for item in _every(parser.parse(pattern, flags))
        if item[0] in _KEEPS
        for part in _parts(item)
    )


_ONE_SIGN = (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY, codes.CATEGORY)


def keeps_repeated_group(pattern: str | bytes, flags: int) -> bool:
    """Is a group repeated as in `(…)++`? CPython before 3.11.5, that of Debian 12 for one, may give a
    shorter match, or an empty one; `(?>(…)+)` says the same everywhere."""
    return any(
        code is codes.POSSESSIVE_REPEAT and not (len(given[2]) == 1 and given[2][0][0] in _ONE_SIGN)
        for code, given in _every(parser.parse(pattern, flags))
    )


def _every(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        yield item
        for part in _parts(item):
            yield from _every(part)


def _captures(items: Iterable[Any]) -> bool:
    return any(code is codes.SUBPATTERN and given[0] is not None for code, given in _every(items))


def _parts(item: Any) -> list[Any]:
    code, given = item
    if code is codes.SUBPATTERN:
        return [given[3]]
    if code in _REPEATS:
        return [given[2]]
    if code is codes.BRANCH:
        return list(given[1])
    if code is codes.ATOMIC_GROUP:
        return [given]
    if code is codes.GROUPREF_EXISTS:
        return [part for part in given[1:] if part is not None]
    return [given[1]] if code in (codes.ASSERT, codes.ASSERT_NOT) else []
