"""Where the sentences of a message stand, so that each can be quoted as it was said.

Only prose counts: fenced code, quoted lines, diffs, logs, tables and what was pasted are somebody's
data and no statement. A sentence is a stretch of the text, so several in a row are again a stretch of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from unicodedata import category

from .code_fences import CodeFences
from .pasted_text import Range, blank_out, pasted_ranges

HEAD, TAIL = 12_000, 6_000
"""Of a longer text both ends are read: who asks does so before what is pasted, or after it."""

MOST = 200
"""Sentences of one message that are looked at."""

SHORT = 1_000
"""Characters of a text that is taken apart once: whoever reads, weighs and scores a message does so anew."""

LONGEST_LINE = 5_000
"""A longer line is data; shorter than either end, so that a piece of such a line is still known as one."""

LEAD = 400
"""Characters of such a line in which somebody may say what to do with it."""

LONGEST_WORD_ALONE = 60
"""A message of one word was said, whatever it looks like, unless it is longer."""

LONGEST_WORD = 15
"""On average the words of prose are shorter."""

PROSE = 0.8
"""Of a line of prose, so much is letters, digits and blanks."""

WORDS_A_SIGN = 4
"""A line with a sign of code for so few words is code."""

FEWEST_SIGNS = 12
"""A shorter line is not judged by its signs."""

FULL = 60
"""A longer line may have been broken for its length."""

WIDEST = 100
"""Nobody breaks lines for their length that are longer."""

FENCE = "```"
_TICK = r"[✓-✘](?=\s+(?i:never|don['’]t|do not|nie|niemals|jamais|nunca)\b)"
"""A cross says no: it is left out only before a word that says so itself."""

_MARK = re.compile(
    rf"\s*(?:#{{1,6}}\s+)?(?:(?:[-*+•]|{_TICK}|=>|-->|//|\d{{1,3}}[.)])\s+(?:\[[ xX]\]\s+)?)?"
)
_LABELLED = (
    r"\(?[A-Ha-h]\)\s|"
    r"(?i:option|approach|alternative|variante?|möglichkeit|opción)\s[A-Z\d]\d?\s?[:–—-]"
)
_LIST = re.compile(
    rf"\s*(?:#{{1,6}}\s|[-*+•✓-✘]\s|(?:=>|-->|//)\s|\d{{1,3}}[.)]\s|\*\*|{_LABELLED})"
)
_ITEM = re.compile(rf"\s*(?:(?:[-*+•✓-✘]|\d{{1,3}}[.)])\s|{_LABELLED})")
_DATA = re.compile(
    r"""\s*+(?:
        [>|]\s? | [$%]\s | >>>\ | \.\.\.\s | @@ | [+-]{3}\s | <{4,} | ={4,} | -{3,} | [│┌└├╭╰─]
      | (?:diff|index)\ \S+\.\. | diff\ --git
      | (?:import|package)\ [\w.]+;?$ | from\ [\w.]+\ import\ | (?:async\ )?def\ \w+\( | class\ \w+[(:{]
      | func\ [\w(] | fn\ \w+ | (?:const|var|let)\ \w+\s*[:=] | return\b.*[;)]$ | \#include
      | @[\w.]+(?:\(.*)?\s*$
      | </?[a-zA-Z][^>]*>\s*$ | [{}\[\]()]+[,;]?\s*$ | .*[;{]\s*$
      | E\ \s+ | (?:FAILED|PASSED|ERROR|FAIL|PASS)\b.*(?:[\d/:]|\.\w) | ok(?:\ \ |\t|\ \d+\ -) | \S+:\d+:\s
      | (?!\w+://)\S*(?:/|\.(?:[jt]sx?|[cm]js|vue|svelte|html?|php|css)):\d+(?::\d+)?\s
      | File\ " | Traceback\ \( | \s*at\ \S+\( | \w+Error: | goroutine\ | panic:
      | \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d | \d\d:\d\d:\d\d\b | \w+\s*=\s*\S+$
      | "[^"]*"\s*:\s(?:.*,\s*$|-?\d|["{\[]|(?:true|false|null)\b)
      | (?:\d+[→|]|(?:\d{3,}|[3-9]\d|2[1-9]):|\d+:(?=.*[;{}=]|\s\s|\s\#))\s
      | (?:modified|new\ file|deleted|renamed|typechange):\s
      | [!-~]*(?:[/_\\][!-~]*|\.(?=[!-~]*\w)[!-~]*(?:(?![!-~])\w[!-~]*)?)\s*$
    )""",
    re.VERBOSE,
)
_TICKED = re.compile(r"`[^`\n]*`")
_CODE = re.compile(
    r"\w\.\w+\(|\w\(\w*\)|[=!<>]=|=>|->|::|\bself\.|[{}]|\w=\S|\S=\w|\[\d+/\d+\]|\S*/\S+/\S*|\S+\\\S+|--\s\w|"
    r"\w+-\d+\.\d+\.\d+"
)
_PLAIN = re.compile(r"(?:[aI]|[A-Za-z][a-z'’-]+)[.,:;?!]*")
"""A word as one writes it: `SELECT` is none, nor is `x`."""

_OPENS = re.compile(
    r"(?:please|never|always|only|don['’]t|do|why|how|what|where|should|can|could)\b", re.IGNORECASE
)
_JOINS = re.compile(
    r"\s(?:an?|the|this|that|these|those|its?|my|your|our|in|on|at|to|of|by|with|from|for|into|as|and|or|not|is|"
    r"are|does|did|do|when|where|why|every|all|please|never|always|only)(?=[\s.,?!]|$)"
)
_KEYWORD = re.compile(
    r"(?:if|elif|else|for|while|with|assert|raise|return|yield|await|async|try|except|finally|catch|case|switch|"
    r"del|print|echo|new|let|const|var|public|private|static|export|import|from|lambda|throw|sudo|select|update)\b",
    re.IGNORECASE,
)
"""With these, lines of code begin."""

_PIECE = re.compile(r"[\w./:~-]+(?:\(\w*\))?[.,:?!]?")
"""A path or a call, with nothing around it."""

_SIGNED = re.compile(r"[{}<>|;%\"]|\s[=+*/]=?\s")
_PROGRESS = re.compile(r"\w+(?:ing|ed)\b")
"""With these, what a program tells of itself: `Copying …`, `Created …`."""

_GOES_ON = re.compile(
    r"[,:;(/&+–—-]\s*$|\b(?:an?|the|to|of|and|or|but|with|for|in|on|at|by|from|as|is|are|was|were|be|that|this|"
    r"my|your|our|their|his|her|i|we|you|not|no|if|when|than|because|which|who|und|oder|der|die|das|ein|eine|mit|"
    r"für|zu|von|im|auf|de|la|le|el|que|et|y|en|con|para|pour)\s*$",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"\s*(?:without|unless|until|till|before|when|if|because|so that|that|which|who|to|for|with|in|on|at|of|"
    r"from|by|as|than|or|while|where|into|about|like|ohne|wenn|weil|dass|damit|bis|bevor|mit|für|von|sin|con|"
    r"para|que|sans|pour|avec)\b"
)
"""At the end of a line that is not yet a sentence, and at the beginning of one that is none by itself."""
_END = re.compile(
    r"[.!?…][\"'”’“»)\]*_`]*(?=\s)|[。！？][」』”’）]*|\n\s*\n"  # noqa: RUF001 - other scripts
)
_QUOTATION = re.compile(
    r"(?<!\w)\"(?=\S)[^\"\n]{2,300}(?<=\S)\"(?!\w)|“[^”\n]{2,300}”|«[^»\n]{2,300}»|„[^“”\n]{2,300}[“”]"
)
_LED = re.compile(r"[^\n]{3,}?[.!?:](?=\s)")
_LEANS = re.compile(
    r"\b(?:e\.g|i\.e|vs|cf|ca|approx|incl|fig|ch|chap|sec|evtl|ggf|inkl|z\.B|d\.h|bzw|mr|mrs|ms|mx|dr|prof|st|sr|sra|srta|mme|mlle|hr|fr|"
    r"gen|col|capt|lt|sgt|rev|hon|gov|sen)\.$",
    re.IGNORECASE,
)
"""What no sentence ends with: a name, or what it is short for, is still to come."""
_ABBREVIATED = re.compile(
    r"(?:\b(?:etc|usw|resp|no|nr|nos|núm|vol|p|pp|u\.a|inc|ltd|co|corp|jr|a\.m|p\.m|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)|\b[A-Z]|\.\.|\b\d{1,2})\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\b(?:am|der|die|das|den|dem|des|vom|zum|beim|im|bis|ab|seit|unser(?:e[mnrs]?)?|mein(?:e[mnrs]?)?)\s+\d{1,3}\.$",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b\d{1,2}\.$")
_MONTH = re.compile(
    r"\s*(?:Jan|Feb|Mär|Mar|Apr|Mai|May|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec)[^\W\d]{0,6}\b"
)
_ONE_LETTER = re.compile(r"\b[A-Z]\.$")


class Stretch(NamedTuple):
    """Where a sentence stands in its text."""

    start: int
    end: int
    opens: bool
    """Does a line or an item begin with it?"""
    apart: bool = False
    """Does code, or something pasted, stand between it and the sentence before?"""


def bound_text(text: str) -> str:
    """The text, or both ends of a very long one, cut between lines where there are any."""
    if len(text) <= HEAD + TAIL:
        return text
    head, tail = text[:HEAD], text[-TAIL:]
    head = head.rpartition("\n")[0] or head.rpartition(" ")[0] or head
    tail = tail.partition("\n")[2] or tail.partition(" ")[2] or tail
    if "```" not in text and "~~~" not in text:
        return f"{head}\n\n{tail}"
    # A cut through code would turn what is prose and what is none about.
    closed = f"{head}\n{FENCE}" if _ends_in_code(head) else head
    opened = f"{FENCE}\n{tail}" if _ends_in_code(text[: len(text) - len(tail)]) else tail
    return f"{closed}\n\n{opened}"


def _ends_in_code(text: str) -> bool:
    fences = CodeFences()
    for line in text.splitlines():
        fences.hold(line)
    return fences.inside


def stretches(
    text: str,
    *,
    own: bool = False,
    shown: tuple[Range, ...] = (),
    pause: Callable[[], None] = lambda: None,
) -> list[Stretch]:
    """The sentences of a text, in order. The caller bounds it.

    `own`: without what a person pasted; `shown`: nor what is known otherwise as somebody else's.
    """
    if len(text) <= SHORT:
        return [*_known(text, own=own, shown=shown)]
    return _found(text, own=own, shown=shown, pause=pause)


@lru_cache(maxsize=2_048)
def _known(text: str, *, own: bool, shown: tuple[Range, ...]) -> tuple[Stretch, ...]:
    return tuple(_found(text, own=own, shown=shown, pause=lambda: None))


def _found(
    text: str, *, own: bool, shown: tuple[Range, ...], pause: Callable[[], None]
) -> list[Stretch]:
    bare = blank_out(text, sorted((*pasted_ranges(text, own=own, pause=pause), *shown)))
    found: list[Stretch] = []
    at = 0
    for start, end in _paragraphs(bare):
        pause()
        opens = True
        parts = _by_lines(bare, start, end) if own else [(start, end)]
        for first, last in chain.from_iterable(_split(bare, *part) for part in parts):
            between = text[at:first]
            apart = at > 0 and ("```" in between or between != bare[at:first])
            found.append(Stretch(first, last, opens, apart))
            opens, at = False, last
        if len(found) >= MOST:
            break
    return found[:MOST] or list(_single(text))


def _single(text: str) -> Iterator[Stretch]:
    """A message of nothing but one word, a name or a sign: that was said, and is no line of data."""
    word = text.strip()
    if not 0 < len(word) <= LONGEST_WORD_ALONE or len(word.split()) > 1:
        return
    if any(char.isalnum() or category(char) == "So" for char in word):
        start = text.index(word)
        yield Stretch(start, start + len(word), opens=True)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of prose: lines that follow each other, each item of a list by itself."""
    at, fences, start, end = 0, CodeFences(), -1, -1
    item = ""
    for line in text.splitlines(keepends=True):
        here, at = at, at + len(line)
        code = fences.hold(line)
        if code or not _is_prose(line):
            if start >= 0:
                yield start, end
            start, item = -1, ""
            if not code and (lead := _lead(line)):
                yield here, here + lead
            continue
        if start < 0 or _LIST.match(line) or (item and _leaves_item(line, item)):
            if start >= 0:
                yield start, end
            marked = _MARK.match(line)
            start = here + (marked.end() if marked else 0)
            item = line if _ITEM.match(line) else ""
        end = at
    if start >= 0:
        yield start, end


def _by_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What a person typed on lines of their own, each a thought by itself, without a full stop.

    A line that was broken for its length, or in the middle of a sentence, goes on.
    """
    stop = text.find("\n", start, end)
    widest = max(map(len, text[start:end].splitlines())) if stop >= 0 else 0
    at = here = start
    while stop >= 0:
        line, after = text[here:stop].rstrip(), text[stop + 1 : min(end, stop + WIDEST)]
        word = after.split(maxsplit=1)[:1]
        full = FULL <= len(line) <= WIDEST and word and len(line) + 1 + len(word[0]) > widest
        if word and not full and not _GOES_ON.search(line[-20:]) and not _LEANS_BACK.match(after):
            yield at, stop
            at = stop
        here = stop + 1
        stop = text.find("\n", here, end)
    yield at, end


def _leaves_item(line: str, item: str) -> bool:
    """Is a line below an item none of it: `Which one?`

    What is only broken goes on in small letters, or after a line that was full.
    """
    bare = line.lstrip()
    if len(line) - len(bare) > len(item) - len(item.lstrip()) or len(item.rstrip()) > FULL:
        return False
    return not bare[:1].islower() or bare.rstrip().endswith(("?", "\uff1f"))


def _lead(line: str) -> int:
    """The first sentence of a line that is too long for prose: `Index this:` and then a book."""
    if len(line) <= LONGEST_LINE or (said := _LED.match(line[:LEAD])) is None:
        return 0
    return said.end() if " " in said[0].strip() and _is_prose(said[0]) else 0


def _is_prose(line: str) -> bool:
    bare = line.strip()
    if not bare or len(bare) > LONGEST_LINE or _DATA.match(line):
        return False
    if len(bare) < FEWEST_SIGNS or not bare.isascii():
        return any(map(str.isalpha, bare))
    if len(bare) > LONGEST_WORD * (bare.count(" ") + 3):
        return False
    plain = sum(map(str.isalnum, bare)) + bare.count(" ") + bare.count("`")
    return (plain >= PROSE * len(bare) and not _is_code(bare)) or _is_said(bare)


def _is_code(line: str) -> bool:
    """Is much of it code, paths or a program's own signs, outside of backticks?"""
    bare = _TICKED.sub("it", line) if "`" in line else line
    signs = len(_CODE.findall(bare))
    return signs > 0 and signs * WORDS_A_SIGN >= bare.count(" ") + 1


def _is_said(line: str) -> bool:
    """Is it a short sentence about a piece of code: `Never call eval().`, `look at src/app/main.py`?

    It is written as a sentence, or some words join the others, and as much of it are plain words: no
    program's line is like that, nor what a program tells of itself (`Copying …`).
    """
    words = line.split()
    plain = [_PLAIN.fullmatch(word) is not None for word in words]
    told, coded = sum(plain), sum(_CODE.search(word) is not None for word in words)
    if not coded or not any(plain[:2]) or _PROGRESS.match(line):
        return False
    if plain[0] and line[0].isupper() and line[-1] in ".?!" and not line.endswith(".."):
        return 2 * told >= coded
    if line[-1] in ":,(" or ":" in words[0] or _KEYWORD.match(line) or _SIGNED.search(line):
        return False
    if _JOINS.search(line) or _OPENS.match(line):
        return (
            told >= coded
            if plain[0]
            else told >= max(2, coded) and bool(_PIECE.fullmatch(words[0]))
        )
    return line[0].isupper() and told > coded - (coded == 1)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    quoted = [match.span() for match in _QUOTATION.finditer(text, start, end)]
    for stop in _END.finditer(text, start, end):
        while quoted and quoted[0][1] <= stop.start():
            del quoted[0]
        # What somebody quotes belongs to the sentence in which he does.
        if (quoted and quoted[0][0] < stop.start() < stop.end() < quoted[0][1]) or _is_inner_stop(
            text, at, stop
        ):
            continue
        yield from _trim(text, at, stop.end())
        at = stop.end()
    yield from _trim(text, at, end)


def _is_inner_stop(text: str, at: int, stop: re.Match[str]) -> bool:
    """Is this full stop part of an abbreviation, a title, a date, or a number that a list begins with?"""
    if stop[0][0] != ".":
        return False
    before = text[max(at, stop.start() - 20) : stop.start() + 1]
    if _ONE_LETTER.search(before) or _LEANS.search(before) or _ORDINAL.search(before):
        return True
    follows = text[stop.end() : stop.end() + 14]
    if _DAY.search(before) and _MONTH.match(follows):
        return True
    return bool(_ABBREVIATED.search(before)) and not follows[:2].lstrip()[:1].isupper()


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end and any(map(str.isalnum, text[start:end])):
        yield start, end
