"""What a program printed, inside of a person's message: a console, a log, a stack, a piece of code.

Line by line much of it reads like prose: `app crashed - waiting for file changes`. But a program's
lines come together. All from the first that is known by its shape to the last is one printing, blank
lines or not, up to the lines in which the person speaks again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from . import printout_shapes as shapes
from . import voices
from .acts.speech import parse_sentence, rules
from .voices import APART, BESIDE, WITHIN

Range = tuple[int, int]

LONGEST = 200
"""So much of a line is read to hear who speaks."""

GAP = 6
"""So many lines between two of a program's are its own as well, if nothing says otherwise."""

OFTEN = 3
"""So many lines that are the same, or begin with the same mark, are a program's."""

LONG = 20
"""Characters of a line that nobody writes three times."""

INSIDE = 80
"""Lines between a bracket and the one that closes it."""

DEEP = 2
"""Keys over a key that make a configuration."""

FEWEST = 2
"""Lines known by their shape that make a printing; most, alone, may as well be the person's."""


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    said: bool = False
    """Is it what a person says, in one line with what a program printed?"""

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    def weight(self) -> int:
        """How surely a program wrote it, by its shape: not known, likely, certain."""
        if self.blank or self.said:
            return 0  # of code that was taken out, empty lines are left
        if shapes.CERTAIN.match(self.text):
            return FEWEST
        if (
            shapes.SHAPED.match(self.text)
            or shapes.TIMED.search(self.text)
            or shapes.VALUE.match(self.text)
        ):
            return 1
        mark = shapes.MARKED.match(self.text)
        return int(mark is not None and not _tells_to_act(self.text[mark.end() :]))


def printouts(text: str, pause: Callable[[], None] = lambda: None) -> Iterator[Range]:
    """The stretches of a person's message that a program printed; the caller bounds it.

    Whole lines, but for a first that begins, or a last that ends, with the person's own words.
    """
    lines = _lines(text)
    sure = [line.weight() for line in lines]
    pause()
    for n in (
        *_aligned_lines(lines),
        *_repeated_lines(lines),
        *_comment_lines(lines),
        *_nested_keys(lines),
        *_bracketed_lines(lines, sure),
    ):
        sure[n] = max(sure[n], 1)
    if not any(sure):
        return
    shaped = _line_weights(lines, sure)
    at = 0
    while at < len(lines):
        if not shaped[at]:
            at += 1
            continue
        last, known = _run(lines, shaped, at)
        if known >= FEWEST and any(sure[at : last + 1]):
            first, last = _first_line(lines, at), _last_line(lines, shaped, last)
            yield lines[first].start, lines[last].end
        pause()
        at = last + 1


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at = 0
    for line in text.splitlines(keepends=True):
        begun = shapes.MIDWAY.search(line)
        first = begun.start() if begun and not _Line(0, 0, line).weight() else 0
        ended = shapes.TAIL.search(line, first)
        last = ended.end() if ended else len(line)
        for start, end in ((0, first), (first, last), (last, len(line))):
            if start < end:
                found.append(_Line(at + start, at + end, line[start:end], said=start != first))
        at += len(line)
    return found


def _line_weights(lines: Sequence[_Line], sure: Sequence[int]) -> list[int]:
    """How surely each line is a program's, with those that people write as well, where surer ones are near.

    What tells somebody what to do is hers, unless it stands right between a program's lines, or set in
    below one, or over one that is certain, or is a comment over code.
    """
    shaped = list(sure)
    for start, end in _groups(lines):
        found = ((n, shapes.WEAK.match(lines[n].text)) for n in range(start, end) if not sure[n])
        told = {
            n: _tells_to_act(lines[n].text[mark.end() :]) for n, mark in found if mark is not None
        }
        among = any(sure[start:end])
        if not among and len(told) > 1:
            continue  # a list of hers; one alone may be the first or the last line of a printing
        for n, tells in told.items():
            shaped[n] = int(not tells)
        for n in reversed(told) if among else ():
            text, above = lines[n].text, n > start and shaped[n - 1]
            below = shaped[n + 1] if n + 1 < end else 0
            over = below and (below >= FEWEST or shapes.COMMENT.match(text))
            if told[n] and (over or (above and (below or text[0].isspace()))):
                shaped[n] = 1
    return shaped


def _aligned_lines(lines: Sequence[_Line]) -> Iterator[int]:
    """Three lines in a row with columns are a table, or what `--help` prints."""
    run: list[int] = []
    for n, line in enumerate((*lines, _Line(0, 0, "."))):
        if shapes.COLUMNS.search(line.text.strip()):
            run.append(n)
            continue
        if len(run) > FEWEST:
            yield from run
        run = []


def _repeated_lines(lines: Sequence[_Line]) -> Iterator[int]:
    """Lines among others that stand there several times, or begin with one mark: `web:build: done`.

    A mark has a sign in it, for people too write `note: ...` in line after line; and of what follows
    it little tells somebody what to do.
    """
    bare = [line.text.strip() for line in lines]
    often = {
        line
        for line, count in Counter(bare).items()
        if count >= OFTEN and len(line) >= LONG and not voices.repeats(line)
    }
    for n, line in enumerate(bare):
        if line in often and "".join((*bare[max(0, n - 1) : n], *bare[n + 1 : n + 2])):
            yield n
    marked: dict[str, list[int]] = {}
    for n, line in enumerate(lines):
        found = shapes.TOKEN.match(line.text)
        if found and shapes.SIGN.search(found[1][:-1] if found[1][-1] == ":" else found[1]):
            marked.setdefault(found[1], []).append(n)
    for mark, found_in in marked.items():
        if len(found_in) >= OFTEN:
            told = sum(_tells_to_act(bare[n].removeprefix(mark)) for n in found_in[:INSIDE])
            if 2 * told < min(len(found_in), INSIDE):
                yield from found_in


def _comment_lines(lines: Sequence[_Line]) -> Iterator[int]:
    """A message of nothing but lines that begin with `# ` is a comment in code: nobody heads nothing but
    headings. Between her words a few such lines are part of what she says."""
    said = [n for n, line in enumerate(lines) if not line.blank]
    if len(said) > 1 and all(lines[n].text.startswith("# ") for n in said):
        told = sum(_tells_to_act(lines[n].text[2:]) for n in said[:INSIDE])
        yield from said if 2 * told < min(len(said), INSIDE) else ()


def _nested_keys(lines: Sequence[_Line]) -> Iterator[int]:
    """A configuration: keys below a key that itself stands below one. A list of wishes is not so deep."""
    found = [(n, key) for n, line in enumerate(lines) if (key := shapes.KEY.match(line.text))]
    above: list[int] = []
    deepest = 0
    for n, key in found:
        margin = len(key[1])
        while above and margin <= above[-1]:
            above.pop()
        deepest = max(deepest, len(above))
        if not lines[n].text[key.end() :].strip():
            above.append(margin)
    if deepest >= DEEP:
        yield from (n for n, _ in found)


def _bracketed_lines(lines: Sequence[_Line], shaped: Sequence[int]) -> Iterator[int]:
    """What stands further in, between a bracket at the end of a program's line and the closing one."""
    opened: list[int] = []
    for n, line in enumerate(lines):
        bare = line.text.strip()
        while opened and n - opened[-1] > INSIDE:
            opened.clear()
        if opened and bare[:1] in (")", "]", "}") and bare:
            yield from _lines_inside(lines, opened.pop(), n)
        if bare.endswith(("{", "[", "(")) and (shaped[n] or len(bare) == 1):
            opened.append(n)


def _lines_inside(lines: Sequence[_Line], first: int, last: int) -> Iterator[int]:
    between = lines[first + 1 : last]
    margin = min((_margin(line.text) for line in between if not line.blank), default=0)
    said = [line.text for line in between if not line.blank]
    if margin > _margin(lines[first].text) and not voices.is_person(said, WITHIN):
        yield from (n for n in range(first, last + 1) if not lines[n].blank)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _run(lines: Sequence[_Line], shaped: Sequence[int], first: int) -> tuple[int, int]:
    """The last line of a printing, and how surely it is one."""
    last, known = first, shaped[first]
    for n in range(first + 1, len(lines)):
        if not shaped[n]:
            continue
        if n - last > 1:
            timed = shapes.CLOCK.match(lines[last].text) and shapes.CLOCK.match(lines[n].text)
            if _person_speaks(lines[last + 1 : n], timed=timed is not None):
                break
        last, known = n, known + shaped[n]
    return last, known


def _person_speaks(between: Sequence[_Line], *, timed: bool = False) -> bool:
    """Does the person speak between two lines of a program, or is there too much of which nobody knows?

    `timed`: between two lines of a log that tells the time.
    """
    unknown = 0
    for start, end in _groups(between):
        said = [line.text for line in between[start:end]]
        touches = (start == 0) + (end == len(between))
        if any(line.said for line in between[start:end]):
            return True
        if voices.is_person(said, (APART, BESIDE, WITHIN)[touches]):
            return True
        if any(
            shapes.WEAK.match(line) or _is_order(line, rule=not timed) for line in said[:INSIDE]
        ):
            return True
        unknown += sum(not (shapes.FAINT.match(line) or shapes.SIGNED.match(line)) for line in said)
    return unknown > GAP


def _groups(lines: Sequence[_Line], at: int = 0) -> Iterator[Range]:
    """From where to where lines follow each other without a blank one."""
    start = at
    for n in range(at, len(lines) + 1):
        if n == len(lines) or lines[n].blank:
            if n > start:
                yield start, n
            start = n + 1


def _tells_to_act(line: str) -> bool:
    """Does it tell somebody what to do?"""
    said = parse_sentence(line.strip()[:LONGEST])
    return said.orders or said.asks or rules(said)


def _is_order(line: str, *, rule: bool) -> bool:
    """Is it an order or a rule in plain words? Programs give orders too, but few rules: `rule`."""
    first = line.split(None, 1)[0]
    if (
        not line[0].isalpha()
        or first.isupper()
        or shapes.MARKED.match(line)
        or voices.speaks_of_code(line)
    ):
        return False
    said = parse_sentence(line.strip()[:LONGEST])
    return rules(said) or (said.orders and not rule)


def _first_line(lines: Sequence[_Line], first: int) -> int:
    """Before the first known line: what bears a program's mark, though it tells what to do; what stands
    right above and is nobody's prose; and what follows the command that a program repeats: `> next build`."""
    while first and (shapes.MARKED.match(lines[first - 1].text) or _is_head(lines, first - 1)):
        first -= 1
    above = max(0, first - 2 * GAP)
    echoed = [n for n in range(above, first) if lines[n].text.startswith("> ")]
    if not echoed or any(_tells_to_act(line.text) for line in lines[echoed[-1] + 1 : first]):
        return first
    return first if _person_speaks(lines[echoed[-1] + 1 : first]) else echoed[0]


def _is_head(lines: Sequence[_Line], n: int) -> bool:
    """Right above a program's line: is it one of its own? With the first words of a message she leads over
    to what she shows, unless they speak of code."""
    line = lines[n]
    bare = line.text.strip()
    if not bare or line.said or _sounds_human(bare) or (bare[0].islower() and " " in bare):
        return False
    return voices.speaks_of_code(bare) or any(not above.blank for above in lines[:n])


def _last_line(lines: Sequence[_Line], shaped: Sequence[int], last: int) -> int:
    """After the last known line: what follows it at once and does not sound like a person.

    And further on, over blank lines, what looks like more of it, up to the last such lines.
    """
    at, timed = last + 1, shapes.CLOCK.match(lines[last].text) is not None
    while at < len(lines) and not lines[at].blank and not shaped[at]:
        if _is_hers_below(lines, at, timed=timed):
            return at - 1
        at += 1
    last, unknown = at - 1, 0
    for start, end in _groups(lines, at):
        if any(shaped[start:end]):
            break
        said = [line.text for line in lines[start:end]]
        if more := _count_more(said):
            last, unknown = start + more - 1, 0
            if more < len(said):
                break
            continue
        unknown += len(said)
        if unknown > GAP or voices.is_person(said, APART):
            break
    return last


def _is_hers_below(lines: Sequence[_Line], n: int, *, timed: bool) -> bool:
    """Right after a program's line: does she speak? Programs give advice, and lead over to what is set in."""
    line = lines[n]
    if line.said:
        return True
    below = lines[n + 1].text.expandtabs(4) if n + 1 < len(lines) else ""
    leads = line.text.rstrip().endswith(":") and _margin(below) > _margin(line.text) + 1
    if leads and not voices.is_person([line.text], WITHIN):
        return False
    return _sounds_human(line.text) or (timed and _is_order(line.text, rule=False))


def _count_more(said: Sequence[str]) -> int:
    """How many of these lines look like more of a printing: all, or those before she is heard."""
    faint = 0
    for n, line in enumerate(said):
        known = shapes.FAINT.match(line) is not None
        if voices.is_person([line.strip()], APART) or not (known or shapes.SIGNED.match(line)):
            return n if faint and _sounds_human(line.strip()) else 0
        faint += known
    return len(said) if faint else 0


def _sounds_human(line: str) -> bool:
    """Right after a program's line: does it sound like a person?"""
    if voices.prompts(line):
        return False
    return (
        shapes.VOICE.search(line) is not None
        or voices.is_person([line], BESIDE)
        or shapes.WEAK.match(line) is not None
        or _is_order(line, rule=True)
    )
