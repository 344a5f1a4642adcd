"""Secrets in tables: what a column holds is told once, in the line above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .named_secrets import KINDS
from .numbers import Span
from .values import Place, Sort, Value, is_secret, sort_of

_HINTS = ("pass", "kennwort", "secret", "token", "pwd")
_SIGNS = ("|", "\t", ";", ",")
_SORTS = (Sort.PASSWORD, Sort.PASS, Sort.SECRET, Sort.TOKEN)
_COUNTED = ("fail", "skip", "total", "xfail")
"""Beside these `pass` counts tests."""
_FEWEST, _LONGEST_NAME = 2, 30
_LONGEST = 300
"""Characters of a line that names columns."""


def columns(text: str, lower: str) -> Iterator[Span]:
    """Secrets below a head such as `| service | user | password |` or `site,user,password`."""
    if "\n" not in text or not any(hint in lower for hint in _HINTS):
        return
    lines = text.splitlines(keepends=True)
    at = 0
    for number, line in enumerate(lines):
        at += len(line)
        if len(line) <= _LONGEST and any(hint in line.lower() for hint in _HINTS):
            for sign in _SIGNS:
                if sign in line:
                    yield from _below(line, sign, lines, number + 1, at)


def _below(head: str, sign: str, lines: Sequence[str], first: int, at: int) -> Iterator[Span]:
    names = [cell.strip(" *_`\"'\r\n") for cell in head.split(sign)]
    sorts = {n: sort for n, name in enumerate(names) if (sort := sort_of(name)) in _SORTS}
    if any(name.lower().startswith(_COUNTED) for name in names):
        sorts = {n: sort for n, sort in sorts.items() if sort is not Sort.PASS}
    if len(names) < _FEWEST or not sorts or max(map(len, names)) > _LONGEST_NAME:
        return
    for row in islice(lines, first, None):
        cells = row.split(sign)
        if len(cells) != len(names):
            return
        for number, sort in sorts.items():
            bare = cells[number].strip(" *_`\"'\r\n")
            if is_secret(_told(sort), Value(bare, Place.LOOSE)):
                start = (
                    at + sum(len(cell) + 1 for cell in cells[:number]) + cells[number].index(bare)
                )
                yield start, start + len(bare), KINDS[sort]
        at += len(row)


def _told(sort: Sort) -> Sort:
    """The head of a column is no verb: there `pass` means one."""
    return Sort.PASSWORD if sort is Sort.PASS else sort
