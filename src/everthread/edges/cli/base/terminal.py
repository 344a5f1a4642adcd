"""What people see: tables and bars on a terminal, plain text elsewhere. Rich is loaded on first use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from everthread.domain.times import moment_of

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

# Nobody's terminal is so wide, so that what is piped is never cut or folded.
PIPED_WIDTH = 10_000
NARROW, USUAL, WIDE = 50, 80, 100
BAR = 10
GAP = 2
"""Blanks between two columns of a table."""
LEAST_FOLDED = 16
"""Cells in which a text that breaks can still be read."""

_UNSEEN = re.compile(
    "[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""What JSON leaves as it is, and a terminal would not show but heed."""
_KEPT = {"\n": "\n", "\t": "    ", "\u00a0": " ", "\u200c": "\u200c", "\u200d": "\u200d"}


PLAIN_SIGNS = str.maketrans({"→": "->", "…": "...", "–": "-", "—": "-", "·": "|"})
"""Signs of our own where they cannot be said: a cut has its mark there too."""


class Column(NamedTuple):
    """A column of a table. It is left out of terminals narrower than `room`; only `folds` may break.

    One with `room` also gives way where ids and figures would be cut: the widest `room` first.
    """

    name: str
    room: int = 0
    right: bool = False
    folds: bool = False
    style: str = ""


def console(stream: TextIO | None = None) -> Console:
    """A console on stdout that colours only what a person sees."""
    from rich.console import Console

    out = sys.stdout if stream is None else stream
    seen = out.isatty()
    return Console(
        file=out,
        force_terminal=seen,
        width=None if seen else PIPED_WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
    )


def show(*parts: RenderableType) -> None:
    """Print what was drawn: styled on a terminal, without trailing blanks elsewhere."""
    drawn = console()
    with drawn.capture() as capture:
        for part in parts:
            drawn.print(part)
    # Rich would end the program when the reader goes away; writing is ours, and so is that case.
    text = capture.get()
    if not drawn.is_terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    click.echo(_speakable(text), nl=False)


def say(text: str, *, raw: bool = False, verbatim: bool = False) -> None:
    """Plain lines, never folded: what is to be copied must stay whole.

    `raw`: with its secrets. `verbatim`: also with what could command a terminal; only for what is piped.
    """
    told = text if raw else _redacted(text)
    click.echo(_speakable(told if verbatim else _escape_but_blanks(told)), color=verbatim or None)


def print_warnings() -> None:
    """What the library warns of, where nobody listens to its log, is said as the command's own word."""
    import logging

    class Told(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            text = clean(super().format(record))
            return text if text.startswith("[everthread]") else f"everthread: {text}"

    if logging.lastResort is not None:
        logging.lastResort.setFormatter(Told())


def say_if_more(*, more: bool) -> None:
    """A list that was cut says so."""
    if more:
        say("\n… there are more than these; --limit shows them")


def show_list(
    answer: Mapping[str, Any],
    name: str,
    drawn: Callable[[Any], RenderableType],
    none: str,
    *,
    as_json: bool,
    raw: bool = False,
) -> None:
    """What was asked for, by its name in the answer: drawn, and where nothing is there, that it is not."""
    if as_json:
        show_json(answer, raw=raw)
    elif answer[name]:
        show(drawn(answer[name]))
        say_if_more(more=answer.get("more", False))
    else:
        say(none)


def confirm(question: str) -> bool:
    """Yes or no, by a person. Whoever says neither is told what to say."""
    while True:
        said = click.prompt(f"{question} [y/N]", default="", show_default=False, err=True)
        if said.strip().lower() in ("y", "yes"):
            return True
        if said.strip().lower() in ("", "n", "no"):
            return False
        click.echo("everthread: answer y for yes, n for no", err=True)


def show_json(document: object, *, raw: bool = False) -> None:
    """One JSON document without secrets; readable, and in ASCII where the stream can say no more.

    `raw`: with its secrets.
    """
    from everthread.domain.conversation.legal_json import write_json
    from everthread.domain.redaction.json_values import Redactor

    document = document if raw else Redactor().value(document)
    text = write_json(document, in_ascii=False, indent=2)
    if not _fits(text):
        text = write_json(document, in_ascii=True, indent=2)
    # All of these stand within strings, and mean the same there by their numbers.
    click.echo(_UNSEEN.sub(_unicode_escapes, text))


def _unicode_escapes(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]]) -> RenderableType:
    """Rows under headings, never wider than the terminal."""
    from rich.table import Table

    drawn = console()
    kept = _fitting(columns, rows, drawn.width)
    grid = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    for i in kept:
        column = columns[i]
        side = "right" if column.right else "left"
        grid.add_column(
            column.name,
            justify=side,
            style=column.style,
            overflow="fold" if column.folds else "ellipsis",
            no_wrap=not column.folds,
        )
    for row in rows:
        grid.add_row(*(clean(c) if isinstance(c := row[i], str) else c for i in kept))
    return grid


def _fitting(
    columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int
) -> list[int]:
    """Which columns a terminal of that width has room for; those that it is made for where none do."""
    made_for = [i for i, column in enumerate(columns) if width >= column.room]
    if width >= PIPED_WIDTH:
        return made_for
    needs = {i: _least_cells(columns[i], [row[i] for row in rows]) for i in made_for}
    kept = list(made_for)
    while sum(needs[i] for i in kept) + GAP * (len(kept) - 1) > width:
        if not any(columns[i].room for i in kept):
            return made_for
        kept.remove(max(kept, key=lambda i: columns[i].room))
    return kept


def _least_cells(column: Column, cells: Sequence[str | Text]) -> int:
    """As wide as it has to be: what may break needs less."""
    from rich.cells import cell_len

    lines = [line for cell in (column.name, *cells) for line in str(cell).split("\n")]
    widest = max(map(cell_len, lines))
    return min(widest, LEAST_FOLDED) if column.folds else widest


def pairs(rows: Sequence[tuple[str, str | Text]]) -> RenderableType:
    """Names and values, two columns without headings."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, clean(value) if isinstance(value, str) else value)
    return grid


def hanging(lead: str, text: str, style: str = "") -> RenderableType:
    """A text behind its lead; where it breaks, it goes on below its beginning."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=style)
    grid.add_column(overflow="fold", style=style)
    grid.add_row(lead, clean(text))
    return grid


def styled(*parts: tuple[str, str]) -> Text:
    """A line made of (text, style)."""
    from rich.text import Text

    return Text.assemble(*((clean(text), style) for text, style in parts), overflow="fold")


def meter(part: int, whole: int, told: str | None = None) -> Text:
    """A bar of a whole with its figures: `███░░░░░░░  12,345  6 %`; `told`: the part in other words.

    A bar ends at the whole, its figure does not: what is over it is told.
    """
    share = part / whole if whole else 0.0
    full = min(max(round(share * BAR), 1 if part else 0), BAR)
    ink, blank = ("█", "░") if _fits("█░") else ("#", "-")
    level = "green" if share < 0.6 else "yellow" if share < 0.8 else "red"  # noqa: PLR2004 - thirds
    percent = f"{100 * share:,.0f}" if share >= 0.1 else f"{100 * share:.1f}"  # noqa: PLR2004 - digits
    return styled(
        (ink * full, level),
        (blank * (BAR - full), "dim"),
        (f" {told or f'{part:,}'} ({percent} %)", ""),
    )


def shares(parts: Sequence[tuple[float, str, str]], *, width: int = 2 * BAR) -> Text:
    """A bar of several shares that make up a whole: (share, style, sign where no blocks can be drawn)."""
    blocks = _fits("█▓░")
    ends = [round(width * end) for end in accumulate(share for share, _, _ in parts)]
    cells = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    drawn = [
        ("█▓░"[min(n, 2)] * cell if blocks else sign * cell, style)
        for n, ((_, style, sign), cell) in enumerate(zip(parts, cells, strict=True))
    ]
    return styled(*drawn, (" " * (width - sum(cells)), ""))


def trend(values: Sequence[float]) -> str:
    """Shares as a row of small columns, from half upwards; empty where none can be drawn."""
    steps = "▁▂▃▄▅▆▇█"
    if not _fits(steps):
        return ""
    return "".join(steps[round(7 * max(0.0, 2 * min(value, 1.0) - 1))] for value in values)


def clean(text: str) -> str:
    """What was said, without secrets and the characters by which a text could command a terminal."""
    return escaped(_redacted(text))


def _escape_but_blanks(text: str) -> str:
    """Escaped, but for the blanks that a text keeps when it is copied."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT else _escape_character(c)
        for c in text.replace("\r\n", "\n")
    )


def escaped(text: str) -> str:
    """A text without the characters by which it could command a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _KEPT.get(c) or _escape_character(c) for c in text)


def _redacted(text: str) -> str:
    from everthread.domain.redaction.secrets import strip_secrets

    return strip_secrets(text)


def _escape_character(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def time_text(ms: int | None) -> str:
    """A time for people, UTC like everything."""
    return "–" if ms is None else f"{moment_of(ms):%Y-%m-%d %H:%M}"


def iso_time_text(text: str | None) -> str:
    """The same of a time as documents have it."""
    return "–" if text is None else f"{text[:10]} {text[11:16]}"


def bytes_text(size: float) -> str:
    """`4.2 MB`, in steps of a thousand."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:  # noqa: PLR2004 - the step
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def plural(number: int, one: str, many: str | None = None) -> str:
    """`1 thread`, `2 threads`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@contextmanager
def progress(label: str) -> Generator[Callable[[int, int], None] | None]:
    """A bar on stderr while something runs; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def tell_if_slow(line: str, *, seconds: float = 1.0) -> Generator[None]:
    """Say on stderr what is being done, if it takes longer than a moment."""
    import threading

    timer = threading.Timer(seconds, lambda: click.echo(line, err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _fits(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _speakable(text: str) -> str:
    if _fits(text):
        return text
    encoding = sys.stdout.encoding or "ascii"
    return text.translate(PLAIN_SIGNS).encode(encoding, "replace").decode(encoding)
