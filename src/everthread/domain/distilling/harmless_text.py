"""What was said, as it stands in a file that people read: nothing in it begins or ends a part of the file."""

from __future__ import annotations

import re

from everthread.domain.text.fences import neutralize
from everthread.domain.text.patterns import lazy_pattern

LONGEST_LINE = 1_000
"""Characters of one item. Whoever wants more of it asks for its source."""

_HEADING = lazy_pattern(r"^ {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_RULE = lazy_pattern(r"^[ \t]*(?:(?:-[ \t]*)+|=+|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$", re.MULTILINE)
_FRAME = lazy_pattern(r"^[ \t]*</?summary>[ \t]*(?:\n|\Z)", re.MULTILINE)


def harmless_line(text: str) -> str:
    """On one line, and not too long."""
    line = " ".join(_make_harmless(text).split())
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def harmless_prose(text: str) -> str:
    """A summary inside a section: without its frame, headings and rules, which the file has of its own."""
    text = _RULE.sub("", _HEADING.sub(r"**\1**", _make_harmless(_FRAME.sub("", text))))
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _make_harmless(text: str) -> str:
    """No marker, no comment and no code fence begins or ends in it."""
    return neutralize(text).replace("<!--", "(!--").replace("-->", "--)")
