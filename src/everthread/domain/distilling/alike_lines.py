"""Lines of tools that differ in figures and names alone: timings, progress, a listing.

Each has a number of its own, and a hundred of them would be most of what is asked for. The last of such a
run stands for all of it, as it does for who looks at the output.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

ALIKE = 3
"""So many lines alike are a run."""

MOST_RUNS = 500
"""Kinds of lines that are known at a time; of more the one that was not seen for longest is let go."""

KINDS = frozenset({"numbers", "names"})
"""Of files and errors each tells something else, however alike the lines are."""

_OTHER = "#"
_SETTING = lazy_pattern(r"""\s*(?:export\s+)?["']?([^\W\d]+(?:[.-][^\W\d]+)*)["']?\s*(?:=|:\s)""")
_AROUND = ".,:;!?()[]{}<>|=*\"'`-"


class _Run(NamedTuple):
    lines: int = 0
    last: str = ""
    ranks: tuple[int, ...] = ()


class AlikeLines:
    """The runs so far, and what was drawn off their lines."""

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[str, str], _Run] = OrderedDict()

    def replaced(self, kind: str, line: str, rank: int) -> list[int]:
        """What was drawn off lines like this one, where they are a run, and this now stands for."""
        key = kind, shape_of(line)
        run = self._runs.pop(key, _Run())
        lines = run.lines + (line != run.last)
        old = run.ranks if lines >= ALIKE else ()
        held = rank, *(each for each in run.ranks if each != rank and each not in old)
        self._runs[key] = _Run(lines, line, held)
        if len(self._runs) > MOST_RUNS:
            self._runs.popitem(last=False)
        return [each for each in old if each != rank]


def shape_of(line: str) -> str:
    """The words of a line, and where something else stands among them.

    What a setting is called tells it from the others: `DB_PORT=5432` is not `SMTP_PORT=2525`.
    """
    named = _SETTING.match(line)
    shape = [named[1].lower()] if named else []
    for part in line[named.end() if named else 0 :].split():
        word = part.strip(_AROUND)
        told = word.lower() if word.isalpha() else _OTHER
        if told != _OTHER or shape[-1:] != [_OTHER]:
            shape.append(told)
    return " ".join(shape)
