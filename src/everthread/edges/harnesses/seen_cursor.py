"""Cursors of sources that state what they said before again: beside the place, what was seen.

Nobody but the dialect reads a cursor. The names are shortened: their number is what counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from everthread.domain.harness.happenings import Line, Reading

MOST_SEEN = 4_000
SHORT = 5

Seen = dict[str, None]
"""The names, in the order in which they came."""


def seen_in(cursor: str) -> tuple[str, Seen]:
    """The place that a cursor holds, and what was seen up to it."""
    if not cursor:
        return "", {}
    try:
        where, names = cast("list[Any]", json.loads(cursor))
        return str(where), dict.fromkeys(map(str, names))
    except (ValueError, TypeError):
        return "", {}


def with_seen(where: str, seen: Iterable[str], *, most: int = MOST_SEEN) -> str:
    names = list(seen)[-most:]
    return json.dumps([where, names]) if where or names else ""


def new_lines(lines: Iterable[Line], seen: Seen) -> tuple[list[Line], Seen]:
    """The lines that were not seen, and all that is seen now. Each counts once."""
    known, new = dict(seen), list[Line]()
    for line in lines:
        name = short(str(line.entry["id"]))
        if name not in known:
            known[name] = None
            new.append(line)
    return new, known


def reader_of_lines(lines: Sequence[Line]) -> Callable[[str, str], Reading]:
    """Reads lines that an event brought; they repeat what earlier events did."""

    def reading(_place: str, cursor: str) -> Reading:
        where, seen = seen_in(cursor)
        new, known = new_lines(lines, seen)
        return Reading(new, with_seen(where, known))

    return reading


def short(ident: str) -> str:
    return hashlib.blake2b(ident.encode("utf-8", "replace"), digest_size=SHORT).hexdigest()
