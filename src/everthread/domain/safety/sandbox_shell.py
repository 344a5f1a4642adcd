"""Is a line of shell only reading? Read strictly: what is not known to be harmless is denied.

A line is a chain of simple commands, each on the list, each option of it on its list. There is no
expansion, no redirection, no substitution and no variable: what we see is what would be run. A file may
be named like an option, so no word may begin with a pattern that the shell would expand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .sandbox_commands import COMMANDS, ReadCommand

LONGEST = 4_000

_SEPARATORS = ("&&", "||", "|", ";")
_ENDS_WORD = " \t|&;"
_FORBIDDEN = frozenset("<>(){}$`\\!#^\"'\n\r")
"""Outside of quotes; the quotes are handled before. `^` is a pattern to some shells."""
_IN_DOUBLE = frozenset("$`\\!")
_GLOB = frozenset("*?[")
_ASSIGNED = re.compile(r"\w+\+?=|=")
_PRINTS = re.compile(r"\d{1,7}(?:,\d{1,7})?p")


class ShellDenied(Exception):
    """The line is not known to read only; the text says why."""


class _Word(NamedTuple):
    text: str
    quoted: bool
    """Does any of it stand in quotes?"""
    pattern: bool
    """Does the shell put names of files in its place, however many there are?"""


def why_denied(line: str) -> str:
    """Why this line of shell may not run in a sandbox; empty if it only reads."""
    try:
        commands = _commands(line)
        for words in commands:
            _check(words)
    except ShellDenied as denied:
        return str(denied)
    return ""


def _commands(line: str) -> list[list[_Word]]:
    if len(line) > LONGEST:
        raise ShellDenied("the command is too long to be read")
    if not all(char.isprintable() or char == "\t" for char in line):
        raise ShellDenied("the command has more than one line, or signs that cannot be seen")
    found: list[list[_Word]] = [[]]
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        sign = next((each for each in _SEPARATORS if line.startswith(each, at)), "")
        if sign:
            if not found[-1]:
                raise ShellDenied("a command is missing before a separator")
            found.append([])
            at += len(sign)
            continue
        word, at = _word(line, at)
        found[-1].append(word)
    if not found[-1]:
        raise ShellDenied("there is no command, or one is missing after a separator")
    return found


def _word(line: str, at: int) -> tuple[_Word, int]:
    text = ""
    quoted = pattern = False
    while at < len(line) and line[at] not in _ENDS_WORD:
        char = line[at]
        if char in "\"'":
            char, at = _quotation(line, at)
            quoted = True
        elif char in _FORBIDDEN:
            raise ShellDenied(f"`{char}` may make the shell do more than it says")
        elif char in _GLOB and _could_be_option(text):
            raise ShellDenied("a pattern that begins a word may name a file like an option")
        else:
            pattern = pattern or char in _GLOB
            at += 1
        text += char
    if at < len(line) and line[at] == "&" and not line.startswith("&&", at):
        raise ShellDenied("`&` starts something that goes on")
    return _Word(text, quoted, pattern), at


def _could_be_option(before: str) -> bool:
    """Could what a pattern stands for be an option that is not written here?"""
    return not before or (before.startswith("-") and "=" not in before)


def _quotation(line: str, at: int) -> tuple[str, int]:
    sign = line[at]
    end = line.find(sign, at + 1)
    if end < 0:
        raise ShellDenied("a quotation mark is not closed")
    inside = line[at + 1 : end]
    if sign == '"' and not _IN_DOUBLE.isdisjoint(inside):
        raise ShellDenied("the shell expands `$`, `!`, a backslash or a backtick in double quotes")
    return inside, end + 1


def _check(words: list[_Word]) -> None:
    name, rest = words[0].text, [word.text for word in words[1:]]
    if words[0].quoted or _ASSIGNED.match(name):
        raise ShellDenied("a command must be named plainly, without variables before it")
    if name == "git":
        raise ShellDenied("`git` runs programs that the repository names; read its files instead")
    known = COMMANDS.get(name)
    if known is None:
        raise ShellDenied(f"`{name[:40]}` is not on the list of commands that only read")
    if known.most is not None and any(word.pattern for word in words):
        raise ShellDenied(f"a pattern may give `{name}` one argument more, and it writes to that")
    _check_options(name, known, rest)


def _check_options(name: str, known: ReadCommand, words: list[str]) -> None:
    special = _SPECIAL.get(name)
    if special is not None and special(words):
        return
    positional = 0
    for n, word in enumerate(words):
        if word == "--" and known.ends:
            positional += len(words) - n - 1
            break
        if word.startswith("-") and word != "-":
            if not known.takes(word):
                raise ShellDenied(f"`{name} {word[:40]}` is not known to read only")
        else:
            positional += 1
    if known.most is not None and positional > known.most:
        raise ShellDenied(f"`{name}` may write with so many arguments")


def _sed_reads(words: list[str]) -> bool:
    """`sed -n 10,20p FILE …` prints lines; every other script is denied."""
    if len(words) < 2 or words[0] != "-n" or not _PRINTS.fullmatch(words[1]):  # noqa: PLR2004 - -n 1p
        raise ShellDenied("`sed` reads only as `sed -n 10,20p FILE`")
    if any(word.startswith("-") for word in words[2:]):
        raise ShellDenied("`sed` with further options may write")
    return True


def _date_reads(words: list[str]) -> bool:
    """`date +%F` tells the time; another argument may set it."""
    if any(not word.startswith("+") and word not in {"-u", "-I"} for word in words):
        raise ShellDenied("`date` with such arguments may set the clock")
    return True


_SPECIAL: dict[str, Callable[[list[str]], bool]] = {"sed": _sed_reads, "date": _date_reads}
