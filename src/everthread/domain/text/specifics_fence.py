"""Commands that were typed in the fenced blocks of a text."""

from __future__ import annotations

from . import specifics_shapes as shapes
from .patterns import lazy_pattern
from .specifics_forms import is_command
from .specifics_shapes import LONGEST

_NO_COMMAND = lazy_pattern(r"\\\w|[A-Z]{3,}(?:[ ;]|$)")
"""What is typed into a program that a command started: `\\q`, `SELECT 1;`."""


class Fence:
    """Where in fenced blocks a reading stands, and the commands that were typed in them."""

    def __init__(self) -> None:
        self.code = self.shell = False
        self.label = ""
        """The line before the block: often the name of the file it changes."""
        self.commands: list[str] = []
        self.within = False
        self._bare: list[str] | None = None
        self._prompted = False
        self._until: str | None = None
        self._quote = ""
        """The sign that ends what a command goes on with."""
        self._first = 0
        """The place of the block's first command."""

    def turns(self, line: str) -> bool:
        """Does a block begin or end here?"""
        mark = line.lstrip()
        if not mark.startswith(("```", "~~~")) or (self.within and mark.strip("`~ ")):
            return False  # what ends a block has no tag
        if self.within:
            self._closed()
        else:
            tag = mark[3:].strip().lower().split(" ")[0]
            self.within, self._prompted, self._until = True, False, None
            self._quote, self._first = "", len(self.commands)
            self.shell = tag in shapes.SHELLS
            self.code = not self.shell and tag not in shapes.PLAIN
            self._bare = [] if tag == "" else None
        return True

    def beside(self, line: str) -> None:
        """A line that is neither code nor typed."""
        if not self.within:
            self.label = line.strip().strip("*`:# ")
        elif self._bare is not None and len(self._bare) < 3:  # noqa: PLR2004 - more is no command
            self._bare.append(line.strip())
            if line.startswith("<<<<<<< SEARCH"):
                self.code = True

    def typed(self, line: str) -> None:
        """A line of a block of commands."""
        if self._until is not None:
            self._until = None if line.strip() == self._until else self._until
            return
        if self._quote:
            self._quote = open_quote(line, self._quote)
            return
        if len(self.commands) > self._first and self.commands[-1].endswith("\\"):
            self.commands[-1] = f"{self.commands[-1][:-1].rstrip()} {line.strip()}"[:LONGEST]
            return
        if prompt := shapes.PROMPT.match(line):
            self._prompted = True
            line = line[prompt.end() :]
        elif self._prompted or line[:1] in "# \t" or _NO_COMMAND.match(line):
            return
        if heredoc := shapes.HEREDOC.search(line):
            self._until = heredoc[1]
        self._quote = "" if heredoc else open_quote(line)
        self.commands.append(line.strip()[:LONGEST])

    def _closed(self) -> None:
        # An unmarked block of one line is what somebody typed, or is to type.
        if self._bare and len(self._bare) == 1 and is_command(self._bare[0], alone=True):
            self.commands.append(self._bare[0][:LONGEST])
        self.within = self.code = self.shell = False
        self._bare = None


def open_quote(line: str, quote: str = "") -> str:
    """The quote that a line leaves open, or nothing; `quote` is the one that is open before it."""
    escaped = False
    for at, sign in enumerate(line):
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = quote != "'"
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and not line[max(at - 1, 0) : at].isalnum():
            quote = sign
        elif sign == "#" and line[at - 1 : at] in ("", " "):
            return ""
    return quote
