"""A section of ours in a harness's instruction file, between two markers; the rest is untouched."""

from __future__ import annotations

import re
from pathlib import Path

from .assets import asset
from .changes import Made, content
from .parts import Entries

BEGIN = "<!-- everthread: begin, written by `everthread install --instructions` -->"
END = "<!-- everthread: end -->"

_SECTION = re.compile(
    r"(?:\r?\n)?<!-- everthread: begin.*?<!-- everthread: end -->(?:\r?\n|$)", re.DOTALL
)


def section(path: Path, *, wanted: bool) -> Entries:
    """The section in this file. Where it was not asked for, one that is there is kept current."""
    wanted = (
        wanted or _SECTION.search((content(path) or b"").decode("utf-8", "replace")) is not None
    )

    def add(text: str) -> tuple[str, Made]:
        if not wanted:
            return text, ()
        return _with(text), ()

    def remove(text: str, _made: Made) -> str:
        return _SECTION.sub("", text)

    return Entries(path, "teaches the model when to call us", add, remove)


def _with(text: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{asset('instructions.md')}{END}\n".replace("\n", end)
    there = list(_SECTION.finditer(text))
    if there:
        first = there[0]
        lead = end if first[0].startswith(("\n", "\r\n")) else ""
        rest = _SECTION.sub("", text[first.end() :])
        return text[: first.start()] + lead + block + rest
    if not text:
        return block
    return text + ("" if text.endswith("\n") else end) + end + block
