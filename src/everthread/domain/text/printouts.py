"""What a program printed, inside of a person's message: a console, a log, a stack, a piece of code.

Line by line much of it reads like prose: `app crashed - waiting for file changes`. But a program's
lines come together. Where one is known by its shape, its neighbours are taken to be of the same
printing, up to the line in which the person speaks again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .patterns import late
from .speech import heard, rules

Range = tuple[int, int]

LONGEST = 200
"""So much of a line is read to hear who speaks."""

GAP = 3
"""So many lines between two of a program's are its own as well."""

FEWEST = 2
"""Lines known by their shape that make a printing; most, alone, may as well be the person's."""

_CERTAIN = late(
    r"""\s*(?:
        [\u2500-\u257f\u276f\u279c\u2800-\u28ff]\s*\S                      # a prompt, a tree
      | [\w.-]+@[\w.-]+[: ][^\s,]*\s?[$%\#>]\s | \([\w.-]+\)\s[\w~/.:@-]*\s?[$%\#>\u276f\u279c]
      | PS\s[A-Z]:\\ | [A-Z]:\\\S*> | \(\w+:\d+\)\s
      | (?:npm|yarn|pnpm|pip|cargo|gradle)\s(?:ERR!|WARN|warn|error|notice|info)\b
      | at\s+\S+.*[(:]\S*:\d+ | at\s(?:async|new|Object|Module|Function)\b
      | File\s"[^"]+",\sline\s\d+
    )""",
    re.VERBOSE,
)
"""Nobody writes so by hand: one such line is enough."""

_SHAPED = late(
    r"""\s*(?:
        [\u03bb\u2139\u25b2\u26a0\u2713-\u2718\u2a2f]\s*\S | \$\s[a-z./] | >\s\S+@\d | \?\s[A-Z]
      | \[?(?:\d{4}[-/]\d\d[-/]\d\d[T\s])?\d\d:\d\d:\d\d[\w.,:+\]-]*\s+\S | \[\+\]\s
      | (?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)(?:\s{2,}|\s+[\[(\d|-]|:\s{2,}|:\s*\[|\s?\|)
      | (?:\#\d+\s+)?\d+\.\d{2,}s?\s\S | =>\s | \#\d+\s+(?:\[|\d|DONE|CACHED|ERROR)
      | (?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s/\S*\s+(?:HTTP\S*\s+)?\d{3}\b
      | (?:[A-Za-z_][\w.]*\.)?(?:[A-Z]\w*)?(?:Error|Exception|Warning)(?:\s\[\w+\])?:\s
      | Uncaught\b | Unhandled\s | Caused\sby: | Traceback\s | During\shandling\sof
      | \S+\.\w{1,5}[:(]\d+[:,)]\d* | \S+\(\d+,\d+\):
      | >?\s*\d*\s?\|\s\S | [\^~]+\s*$ | -->\s\S | Node\.js\sv\d         # a frame of code
      | //\s | /\*\*?\s | \*/ | <!-- | \#!/                             # a comment in code
      | (?:added|removed|changed|audited|found)\s\d+\s(?:packages?|vulnerabilit)
      | Step\s\d+/\d+ | \d+\s(?:passing|failing|passed|failed)\b
      | (?:const|let|var|import|export|function|class|def|return|from|async|await|public|private|CREATE|
          SELECT|INSERT|UPDATE|ALTER|DROP)\s.*[;{(=]\s*$
      | [\w.$\[\]'"]+\s?[=:]\s?\S.*[;{(\[]\s*$ | ["'][^"']+["']\s?:\s\S | [)}\]]+[,;)}\]]*\s*$
      | [\w.$]+\([^()]*\)[;,{]\s*$
    )""",
    re.VERBOSE,
)
_MARKED = late(
    r"""\s*(?:\[[\w:./@\s+-]{2,40}\]\s*:?\s | [\w-]+\]\s
      | (?:INFO|WARNING|ERROR|DEBUG|FATAL|CRITICAL|NOTICE):\s
      | (?:error|warning|fatal|panic)(?:\[\w+\]|\s[A-Z]+\d+)?:\s
      )(?=\S)""",
    re.VERBOSE,
)
"""Programs begin their lines so: `[nodemon] starting`. People do too: `[backend] use one queue`."""

_TIMED = late(r"\s\d+(?:\.\d+)?\s?m?s\s*$|\b[0-9a-f]{32,}\b|\bsha256:")
_COLUMNS = late(r"\S(?: {3,}|\t+)\S")
_VOICE = late(
    r"\?\s*$|\b(?:i|i['’]m|i['’]ve|i['’]d|we|we['’]re|my|our|me|please|pls|let['’]s|can you|could you|"
    r"why|how|what|still|again|now|same|hmm+|ok(?:ay)?|great|nice|good|thanks|wait|so|but|and|it['’]s|"
    r"this|that|there['’]s|here['’]s|fix|try|look|see|read|check|use|make|add|remove|ich|wir|bitte|warum|wie|"
    r"je|nous|pourquoi|yo|por)\b",
    re.IGNORECASE,
)
_PROMPTS = late(
    r"\s*(?:Did you mean|Would you like|Do you want|Are you sure|Is this ok)\b", re.IGNORECASE
)
"""What programs ask."""

_SPEAKS = late(
    r"\?\s*$|\b(?:i|i['’]m|i['’]ve|i['’]d|we|we['’]re|my|our|please|pls|let['’]s|can you|could you|"
    r"ich|wir|bitte|je|nous|yo|nosotros)\b",
    re.IGNORECASE,
)


class _Line(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    def weight(self) -> int:
        """How surely a program wrote it, by its shape: not known, likely, certain."""
        if self.blank:
            return 0  # of code that was taken out, a line is left for each of its signs
        if _CERTAIN.match(self.text):
            return FEWEST
        if _SHAPED.match(self.text) or _TIMED.search(self.text):
            return 1
        mark = _MARKED.match(self.text)
        return int(mark is not None and not _told(self.text[mark.end() :]))


def printouts(text: str) -> Iterator[Range]:
    """The stretches of a person's message that a program printed. Whole lines; the caller bounds it."""
    lines = _lines(text)
    shaped = [line.weight() for line in lines]
    for n in _aligned(lines):
        shaped[n] = max(shaped[n], 1)
    at = 0
    while at < len(lines):
        if not shaped[at]:
            at += 1
            continue
        last, known = _run(lines, shaped, at)
        if known >= FEWEST:
            last = _ends(lines, shaped, last)
            yield lines[at].start, lines[last].end
        at = last + 1


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at = 0
    for line in text.splitlines(keepends=True):
        found.append(_Line(at, at + len(line), line))
        at += len(line)
    return found


def _aligned(lines: Sequence[_Line]) -> Iterator[int]:
    """Three lines in a row with columns are a table, or what `--help` prints."""
    run: list[int] = []
    for n, line in enumerate((*lines, _Line(0, 0, "."))):
        if _COLUMNS.search(line.text.strip()):
            run.append(n)
            continue
        if len(run) > FEWEST:
            yield from run
        run = []


def _run(lines: Sequence[_Line], shaped: Sequence[int], first: int) -> tuple[int, int]:
    """The last line of a printing, and how surely it is one."""
    last, known = first, shaped[first]
    for n in range(first + 1, len(lines)):
        if not shaped[n]:
            continue
        between = lines[last + 1 : n]
        if sum(not line.blank for line in between) > GAP or _spoken(between):
            break
        last, known = n, known + shaped[n]
    return last, known


def _spoken(between: Sequence[_Line]) -> bool:
    """Does the person speak there? Apart from the program's lines, and as people do."""
    if not between or not (between[0].blank or between[-1].blank):
        return any(_asks(line.text) for line in between)
    said = (line.text for line in between if not line.blank)
    return any(_SPEAKS.search(line) and not _PROMPTS.match(line) for line in said)


def _told(line: str) -> bool:
    """Does it tell somebody what to do?"""
    said = heard(line.strip()[:LONGEST])
    return said.orders or said.asks or rules(said)


def _asks(line: str) -> bool:
    bare = line.strip()
    return bare.endswith("?") and bare[:1].islower()


def _ends(lines: Sequence[_Line], shaped: Sequence[int], last: int) -> int:
    """After the last known line: what follows it at once and does not sound like a person."""
    for n in range(last + 1, len(lines)):
        text = lines[n].text
        if lines[n].blank or shaped[n] or (_VOICE.search(text) and not _PROMPTS.match(text)):
            break
        last = n
    return last
