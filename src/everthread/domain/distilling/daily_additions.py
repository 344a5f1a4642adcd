"""What is new in a summary. Each carries forward all that those before it told, and a day's file, which
keeps every one of them, would say the same again and again."""

from __future__ import annotations

from collections.abc import Iterator

from everthread.domain.gleaning.digest import Digest, Point, Trace

from .summaries_lines import Style, style_of

Lines = dict[Style, dict[Point | Trace, str]]
"""Lines that were made, for whoever asks of many summaries that carry the same."""


def new_lines(summary: str, now: Digest, before: Digest, made: Lines | None = None) -> str:
    """The summary without the lines of what was carried already, and how many those are."""
    style = style_of(now)
    lines_of = ({} if made is None else made).setdefault(style, {})
    carried = (*before.points, *before.ledger)
    known = {lines_of.get(i) or lines_of.setdefault(i, style.line(i)) for i in carried}
    lines = summary.split("\n")
    again = sum(line in known for line in lines)
    if not again:
        return summary
    kept = list(_unknown_lines(lines, known))
    ends = (n for n, line in enumerate(kept) if _is_heading(line) or line.startswith("</"))
    first = next(ends, len(kept))
    plural = "" if again == 1 else "s"
    told = f"What an earlier distillation told is not repeated here: {again} line{plural}."
    return "\n".join([*kept[:first], told, *kept[first:]])


def _unknown_lines(lines: list[str], known: set[str]) -> Iterator[str]:
    """The lines that are not known; a heading only where something is left below it."""
    waiting: list[str] = []
    for line in lines:
        if line.startswith("## "):
            waiting = [line]
        elif _is_heading(line):
            waiting = [*(each for each in waiting if each.startswith("## ")), line]
        elif line.startswith("<"):
            yield line  # the frame of the whole
        elif line not in known:
            yield from waiting
            waiting = []
            yield line


def _is_heading(line: str) -> bool:
    return line.startswith("## ") or (line.endswith(":") and line[:2] != "- ")
