"""Where the sentences of a message stand, so that each can be quoted as it was said.

Only prose counts: fenced code, quoted lines, diffs, logs and tables are somebody's data and no
statement. A sentence is a stretch of the text, so several in a row are again a stretch of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HEAD, TAIL = 12_000, 6_000
"""Of a longer text both ends are read: who asks does so before what is pasted, or after it."""

MOST = 200
"""Sentences of one message that are looked at."""

LONGEST_LINE = 6_000
"""A longer line is data, not something that a person or an agent said."""

LONGEST_WORD = 15
"""On average the words of prose are shorter."""

PROSE = 0.8
"""Of a line of prose, so much is letters, digits and blanks."""

WORDS_A_SIGN = 4
"""A line with a sign of code for so few words is code."""

FEWEST_SIGNS = 12
"""A shorter line is not judged by its signs."""

_FENCE = re.compile(r"\s*(?:```|~~~)")
_MARK = re.compile(r"\s*(?:#{1,6}\s+)?(?:(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?")
_LIST = re.compile(r"\s*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\*\*)")
_DATA = re.compile(
    r"""\s*(?:
        [>|$%]\s? | >>>\ | \.\.\.\s | @@ | [+-]{3}\s | <{4,} | ={4,} | -{3,} | [│┌└├╭╰─]
      | (?:diff|index)\ \S+\.\. | diff\ --git
      | (?:import|package)\ [\w.]+;?$ | from\ [\w.]+\ import\ | (?:async\ )?def\ \w+\( | class\ \w+[(:{]
      | func\ [\w(] | fn\ \w+ | (?:const|var|let)\ \w+\s*[:=] | return\b.*[;)]$ | \#include | @\w+\(?
      | </?[a-zA-Z][^>]*>\s*$ | [{}\[\]()]+[,;]?\s*$ | .*[;{]\s*$
      | E\ \s+ | (?:FAILED|PASSED|ERROR|FAIL|ok|PASS)\b.*[\d/:.] | \S+:\d+:\s
      | File\ " | Traceback\ \( | \s*at\ \S+\( | \w+Error: | goroutine\ | panic:
      | \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d | \d\d:\d\d:\d\d\b | \w+\s*=\s*\S+$
      | "[^"]*"\s*:\s | \d+[→|:]\s | (?:modified|new\ file|deleted|renamed|typechange):\s
      | [!-~]*[/_.\\][!-~]*\s*$
    )""",
    re.VERBOSE,
)
_TICKED = re.compile(r"`[^`\n]*`")
_CODE = re.compile(
    r"\w\.\w+\(|\w\(\w*\)|[=!<>]=|=>|->|::|\bself\.|[{}]|\w=\S|\S=\w|\[\d+/\d+\]|\S*/\S+/\S*|\S+\\\S+|--\s\w|"
    r"\w+-\d+\.\d+\.\d+"
)
_END = re.compile(r"[.!?…][\"'”’)\]*_`]*(?=\s)|[。！？][」』”’）]*|\n\s*\n")  # noqa: RUF001 - other scripts
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|incl|no|nr|fig|dr|mr|mrs|ms|st|prof|z\.B|d\.h|u\.a|bzw)"
    r"|\b[A-Z]|\.\.|\b\d{1,2})\.$",
    re.IGNORECASE,
)
_ONE_LETTER = re.compile(r"\b[A-Z]\.$")


class Stretch(NamedTuple):
    """Where a sentence stands in its text; `opens` says that a line or an item begins with it."""

    start: int
    end: int
    opens: bool


def bounded(text: str) -> str:
    """The text, or both ends of a very long one, cut between lines where there are any."""
    if len(text) <= HEAD + TAIL:
        return text
    head, tail = text[:HEAD], text[-TAIL:]
    head = head.rpartition("\n")[0] or head.rpartition(" ")[0] or head
    tail = tail.partition("\n")[2] or tail.partition(" ")[2] or tail
    return f"{head}\n\n{tail}"


def stretches(text: str) -> list[Stretch]:
    """The sentences of a text, in order. The caller bounds the text."""
    found: list[Stretch] = []
    for start, end in _paragraphs(text):
        opens = True
        for first, last in _split(text, start, end):
            found.append(Stretch(first, last, opens))
            opens = False
        if len(found) >= MOST:
            break
    return found[:MOST]


def flat(text: str) -> str:
    """On one line, one blank between two words."""
    return " ".join(text.split())


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of prose: lines that follow each other, each item of a list by itself."""
    at, fenced, start, end = 0, False, -1, -1
    for line in text.splitlines(keepends=True):
        here, at = at, at + len(line)
        fence = _FENCE.match(line) is not None
        fenced ^= fence
        if fence or fenced or not _is_prose(line):
            if start >= 0:
                yield start, end
            start = -1
            continue
        if start < 0 or _LIST.match(line):
            if start >= 0:
                yield start, end
            marked = _MARK.match(line)
            start = here + (marked.end() if marked else 0)
        end = at
    if start >= 0:
        yield start, end


def _is_prose(line: str) -> bool:
    bare = line.strip()
    if not bare or len(bare) > LONGEST_LINE or _DATA.match(line):
        return False
    if len(bare) < FEWEST_SIGNS or not bare.isascii():
        return any(map(str.isalpha, bare))
    if len(bare) > LONGEST_WORD * (bare.count(" ") + 3):
        return False
    plain = sum(map(str.isalnum, bare)) + bare.count(" ") + bare.count("`")
    return plain >= PROSE * len(bare) and not _is_code(bare)


def _is_code(line: str) -> bool:
    """Is much of it code, paths or a program's own signs, outside of backticks?"""
    bare = _TICKED.sub("it", line) if "`" in line else line
    signs = len(_CODE.findall(bare))
    return signs > 0 and signs * WORDS_A_SIGN >= bare.count(" ") + 1


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for stop in _END.finditer(text, start, end):
        if _inside(text, at, stop):
            continue
        yield from _trimmed(text, at, stop.end())
        at = stop.end()
    yield from _trimmed(text, at, end)


def _inside(text: str, at: int, stop: re.Match[str]) -> bool:
    """Is this full stop part of an abbreviation, or of a number that a list begins with?"""
    if stop[0][0] != ".":
        return False
    before = text[max(at, stop.start() - 12) : stop.start() + 1]
    if _ONE_LETTER.search(before):
        return True
    follows = text[stop.end() : stop.end() + 2].lstrip()
    return bool(_ABBREVIATED.search(before)) and not follows[:1].isupper()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end and any(map(str.isalnum, text[start:end])):
        yield start, end
