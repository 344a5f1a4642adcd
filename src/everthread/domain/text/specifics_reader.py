"""The specifics of a text: files, commands, numbers, errors, identifiers, links, people.

A text is read line by line, and a line sentence by sentence, so that each specific keeps the
sentence it stands in. What stands in a fenced block is read as what it is: commands, output, code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from . import specifics_noise as noise
from . import specifics_shapes as shapes
from .local_links import local_links, without_targets
from .specifics_fence import Fence
from .specifics_forms import file_in, is_called, is_command, is_telling
from .specifics_people import name_in
from .specifics_shapes import LONGEST

HEAD, TAIL = 20_000, 20_000
"""Characters of a longer text that are read: its beginning and its end."""

OUTPUT = 15
"""Of what a tool printed, so many lines from either end are read; errors are found anywhere."""

MOST = 40
"""Of one kind, so many are taken from one message."""

FIGURES = 12
"""Numbers of one sentence that somebody may mean."""

LONGEST_ERROR = 200
SHORTEST_WORD = 2


class Specific(NamedTuple):
    """Something that prose would lose: a path, a command, a number, an error, a name."""

    kind: str
    """`file`, `command`, `number`, `error`, `identifier`, `url` or `person`."""
    text: str
    line: str
    """The sentence or line in which it stands."""
    note: str = ""
    """A command's outcome, what was done to a file, what a number counts; empty if that is not said."""
    of: str = ""
    """The command that printed an error, where it is known."""


class Reader:
    """Reads the texts of one message and gathers what is specific in them, each once."""

    def __init__(self, *, output: bool = False, pause: Callable[[], None] = lambda: None) -> None:
        """`pause` is called for each line: a long text takes some milliseconds."""
        self._output = output
        self._pause = pause
        self._found: dict[tuple[str, str], Specific] = {}
        self._linked: frozenset[str] = frozenset()
        """The labels of a sentence whose links say which files are meant."""
        self._count: dict[str, int] = {}

    def add(self, kind: str, text: str, line: str, note: str = "", of: str = "") -> None:
        """Keep it. Of the same thing twice, the one with a note is kept."""
        old = self._found.get((kind, text))
        if old is None:
            if self._count.get(kind, 0) >= MOST:
                return
            self._count[kind] = self._count.get(kind, 0) + 1
        elif old.note or not note:
            return
        self._found[kind, text] = Specific(kind, text, line[:LONGEST], note, of)

    def found(self) -> list[Specific]:
        return list(self._found.values())

    def read(self, text: str) -> None:
        """Take in a text."""
        if len(text) > HEAD + TAIL:
            text = f"{text[:HEAD]}\n{text[-TAIL:]}"
        lines = text.splitlines()
        telling = shapes.HINT.search(text) is not None
        fence = Fence()
        for at, line in enumerate(lines):
            if not line or line.isspace():
                continue
            self._pause()
            if fence.turns(line):
                continue
            if telling and not fence.code:
                self._error(line)
            within = self._output and OUTPUT <= at < len(lines) - OUTPUT
            if not within and not _heads_diff(lines, at):
                self._line(line, fence)
        for command in fence.commands:
            self.command(command, command)

    def _line(self, line: str, fence: Fence) -> None:
        if fence.code:
            self._code(line, fence)
        elif fence.shell:
            fence.typed(line)
        elif prompt := shapes.PROMPT.match(line):
            fence.commands.append(line[prompt.end() :].strip()[:LONGEST])
        else:
            fence.beside(line)
            self._prose(line, fenced=self._output or fence.within)

    def _code(self, line: str, fence: Fence) -> None:
        """Of code only what it defines, and which file it changes; all else is the file's, not ours."""
        if line.startswith("<<<<<<< SEARCH"):
            if name := file_in(fence.label):
                self.add("file", name, fence.label, "edited")
        elif (match := shapes.DEFINED.match(line)) and shapes.GLUED.search(match[1]):
            self.add("identifier", match[1], line.strip())

    def _prose(self, line: str, *, fenced: bool) -> None:
        if self._output and (number := shapes.NUMBERED.match(line)):
            line = line[number.end() :]
        line = line.strip()
        if fenced and (shapes.CODE.search(line) or (line[:1] == "<" and line[-1:] == ">")):
            return
        for sentence in _sentences(line):
            if "file://" in sentence:
                sentence = self._follow_links(sentence)  # noqa: PLW2901 - the same, as it reads
            # What a command is given is told by the command.
            rest = self._ticked(sentence, printed=fenced) if "`" in sentence else sentence
            if ":\\" in rest:
                rest = self._windows_paths(sentence, rest)
            self.sentence(sentence, rest)

    def _follow_links(self, sentence: str) -> str:
        """Take the files to which it links; the sentence with the labels alone."""
        links, read = local_links(sentence), without_targets(sentence)
        for link in links:
            at = max(read.find(link.label), 0)
            if shapes.ENDED.search(link.path):
                self.add("file", link.path, read, _deed(read, at, at + len(link.label)))
        self._linked = frozenset(link.label for link in links)
        return read

    def _windows_paths(self, sentence: str, rest: str) -> str:
        """Take the files that are named by a whole path with a drive; what else there is."""
        for match in shapes.WINDOWS.finditer(rest):
            path = match[0].rstrip(".")
            if file_in(path.rpartition("\\")[2]):
                self.add("file", path, _text_around(sentence, match.start()))
            rest = f"{rest[: match.start()]}{' ' * len(match[0])}{rest[match.end() :]}"
        return rest

    def sentence(self, sentence: str, rest: str) -> None:
        """What one sentence holds, in what is not read yet of it."""
        tokens = list(shapes.TOKEN.finditer(rest))
        # A row of figures is data: what it says, it says in its place.
        rows = sum(token[0][0].isdigit() for token in tokens) > FIGURES
        for token in tokens:
            if not (rows and token[0][0].isdigit()):
                self._token(sentence, token)
        for name in shapes.NAMES.finditer(rest):
            if named := name_in(sentence, name):
                self.add(*named, _text_around(sentence, name.start()))

    def _token(self, sentence: str, token: re.Match[str]) -> None:
        word = noise.unmarked(token[0].rstrip(".:?*=&-\\").lstrip("*=&:?"))
        if (len(word) < SHORTEST_WORD and not word.isdigit()) or not word.strip("_"):
            return  # by one letter, nor by a rule that a program drew
        around = _text_around(sentence, token.start())
        word = noise.bare_key(word, sentence[token.end() :])
        if (name := file_in(word)) and not is_called(sentence, token.end(), word):
            if word not in self._linked:
                self.add("file", name, around, _deed(sentence, token.start(), token.end()))
            return
        shape = shapes.SHAPE.fullmatch(word)
        kind = shape.lastgroup if shape else None
        if kind == "url" or (kind == "person" and noise.is_address(word)):
            if kind == "person" or noise.is_link(word, token):
                self.add(kind, word, around)
        elif kind == "number":
            self._number(word, sentence, token, around)
        elif kind in ("uuid", "ticket", "flag") or (
            is_telling(word) and not noise.names_error(token)
        ):
            self.add("identifier", word, around)

    def _number(self, word: str, sentence: str, token: re.Match[str], around: str) -> None:
        if shapes.COMMIT.fullmatch(word) and not word.isdigit():
            self.add("identifier", word, around)
            return
        counted = _counted_word(sentence, token.start(), token.end())
        # What is counted makes a lone digit, or a figure that a tool printed, worth keeping.
        needs = self._output or (word.isdigit() and len(word) == 1)
        placed = self._output and (
            counted in ("line", "lines", "code") or shapes.PROGRESS.match(sentence) is not None
        )
        if not placed and not noise.is_label(sentence, token) and (counted or not needs):
            self.add("number", word, around, counted)

    def _ticked(self, sentence: str, *, printed: bool) -> str:
        """What stands between backticks is meant word for word; the sentence without the commands.

        A command that a program names in what it prints was not run, nor proposed by anybody.
        """
        rest = sentence
        for match in shapes.TICKED.finditer(sentence):
            text = noise.unquoted(match[1].strip())
            alone = len(match[0]) == len(sentence)
            if is_command(text, alone=alone):
                rest = f"{rest[: match.start()]}{' ' * len(match[0])}{rest[match.end() :]}"
                if not printed:
                    self.command(text, _text_around(sentence, match.start()))
            elif " " not in text and file_in(text) is None and noise.is_worth(text):
                self.add("identifier", noise.one_name(text), _text_around(sentence, match.start()))
        return rest

    def command(self, text: str, line: str, note: str = "") -> None:
        """A command, and the files that it makes or removes."""
        if not (text := text.strip()[:LONGEST]):
            return
        self.add("command", text, line, note)
        deed = {"rm": "deleted", "touch": "created", "mkdir": "created"}.get(text.split()[0], "")
        for word in text.split()[1:12]:
            if name := file_in(word.strip("'\"")):
                self.add("file", name, text, deed)

    def _error(self, line: str) -> None:
        if not shapes.HINT.search(line):
            return
        if self._output and (number := shapes.NUMBERED.match(line)):
            line = line[number.end() :]
        if (match := shapes.ERROR.search(line[: 2 * LONGEST].rstrip())) and match.lastgroup:
            text = match[match.lastgroup].strip(" `").rstrip(" \\")
            if noise.is_no_error(text):
                return
            if not self._output:
                # Who tells of an error goes on in words of the own.
                text = shapes.SENTENCE.split(text, maxsplit=1)[0].rstrip(".")
            self.add("error", text[:LONGEST_ERROR], line.strip())


def _heads_diff(lines: list[str], at: int) -> bool:
    """Does it only count what the diff below it shows?"""
    if not noise.is_caption(lines[at]):
        return False
    after = (line.lstrip() for line in lines[at + 1 : at + 3])
    return next((line for line in after if line), "").startswith("```diff")


def _sentences(line: str) -> Iterator[str]:
    if len(line) < 80:  # noqa: PLR2004 - one sentence or two short ones: together they say more
        yield line
        return
    yield from (part for part in shapes.SENTENCE.split(line) if part)


def _text_around(sentence: str, at: int) -> str:
    """The sentence, or of a very long one what is around this place."""
    if len(sentence) <= LONGEST:
        return sentence
    begin = max(0, min(at - LONGEST // 2, len(sentence) - LONGEST))
    return sentence[begin : begin + LONGEST]


def _counted_word(sentence: str, start: int, end: int) -> str:
    """The word after a number, or else the one before it: `12 tests`, `port 8080`."""
    after = shapes.WORD.match(sentence, end + 1) if sentence[end : end + 1] == " " else None
    if after is not None and after[0].lower() not in _FUNCTION:
        return after[0]
    before = sentence[max(0, start - 40) : start].split()
    word = before[-1].strip("(:,`\"'=*") if before else ""
    return word if word.isalpha() and word.lower() not in _FUNCTION else ""


_LITTLE = """
    a an and are as at be by for from had has have if in into is it of on or so than that the then
    this to was were when which while will with not no only about over under up out but
    since until after before per via
"""
_FUNCTION = frozenset(_LITTLE.split())


def _deed(sentence: str, start: int, end: int) -> str:
    """What the sentence says was done to the file; nothing if it only wants or denies it."""
    if not any(verb in sentence for verb in _VERBS):
        return ""
    found = list(shapes.DEEDS.finditer(sentence[:600]))
    before = [deed for deed in found if deed.end() <= start]
    deed = before[-1] if before else (found[0] if found else None)
    if deed is None or deed.lastgroup is None or shapes.UNDONE.search(sentence, 0, deed.end()):
        return ""
    if deed.lastgroup != "added":
        return deed.lastgroup
    if shapes.JOINED.match(sentence, end):
        return "read"
    return "edited" if " to " in sentence[deed.end() : start] else "created"


_VERBS = ("ed", "rote", "read", "ritten")
