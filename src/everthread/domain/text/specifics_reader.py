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
from .specifics_people import name_in
from .specifics_shapes import LONGEST

HEAD, TAIL = 20_000, 20_000
"""Characters of a longer text that are read: its beginning and its end."""

OUTPUT = 15
"""Of what a tool printed, so many lines from either end are read; errors are found anywhere."""

MOST = 40
"""Of one kind, so many are taken from one message."""

LONGEST_ERROR = 200

FEW = 6
"""Words of a command that is known as one only by standing alone."""


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
            if self._output and OUTPUT <= at < len(lines) - OUTPUT:
                continue
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
            if "`" in sentence:
                self._ticked(sentence)
            self.sentence(sentence)

    def sentence(self, sentence: str) -> None:
        """What one sentence holds."""
        for token in shapes.TOKEN.finditer(sentence):
            self._token(sentence, token)
        for name in shapes.NAMES.finditer(sentence):
            if named := name_in(sentence, name):
                self.add(*named, _text_around(sentence, name.start()))

    def _token(self, sentence: str, token: re.Match[str]) -> None:
        word = token[0].rstrip(".:?*=&-\\").lstrip("*=&:?")
        if len(word) < 2 and not word.isdigit():  # noqa: PLR2004 - one letter tells nothing
            return
        around = _text_around(sentence, token.start())
        word = noise.bare_key(word, sentence[token.end() :])
        if (name := file_in(word)) and not _is_called(sentence, token.end(), word):
            self.add("file", name, around, _deed(sentence, token.start(), token.end()))
            return
        shape = shapes.SHAPE.fullmatch(word)
        kind = shape.lastgroup if shape else None
        if kind == "url" or (kind == "person" and noise.is_address(word)):
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

    def _ticked(self, sentence: str) -> None:
        """What stands between backticks is meant word for word."""
        for match in shapes.TICKED.finditer(sentence):
            text = match[1].strip(" \"'")
            alone = len(match[0]) == len(sentence)
            if is_command(text, alone=alone):
                self.command(text, _text_around(sentence, match.start()))
            elif " " not in text and file_in(text) is None and noise.is_worth(text):
                self.add("identifier", noise.one_name(text), _text_around(sentence, match.start()))

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
            if not self._output:
                # Who tells of an error goes on in words of the own.
                text = shapes.SENTENCE.split(text, maxsplit=1)[0].rstrip(".")
            self.add("error", text[:LONGEST_ERROR], line.strip())


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

    def turns(self, line: str) -> bool:
        """Does a block begin or end here?"""
        mark = line.lstrip()
        if not mark.startswith(("```", "~~~")):
            return False
        if self.within:
            self._closed()
        else:
            tag = mark[3:].strip().lower().split(" ")[0]
            self.within, self._prompted, self._until = True, False, None
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
        if prompt := shapes.PROMPT.match(line):
            self._prompted = True
            line = line[prompt.end() :]
        elif self._prompted or line[:1] in "# \t":
            return
        if heredoc := shapes.HEREDOC.search(line):
            self._until = heredoc[1]
        if self.commands and self.commands[-1].endswith("\\"):
            self.commands[-1] = f"{self.commands[-1][:-1].rstrip()} {line.strip()}"[:LONGEST]
        else:
            self.commands.append(line.strip()[:LONGEST])

    def _closed(self) -> None:
        # An unmarked block of one line is what somebody typed, or is to type.
        if self._bare and len(self._bare) == 1 and is_command(self._bare[0], alone=True):
            self.commands.append(self._bare[0][:LONGEST])
        self.within = self.code = self.shell = False
        self._bare = None


def file_in(word: str) -> str | None:
    """The file that the word names, without the place in it; None if it names none."""
    word = shapes.PLACE.sub("", word)
    if len(word) > LONGEST or "://" in word or "@" in word or not word or " " in word:
        return None
    last = word.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = last.rpartition(".")
    known = bool(dot) and extension.lower() in shapes.EXTENSIONS
    if "/" not in word and "\\" not in word:
        if known and (stem or extension in ("env", "lock", "bash")):
            return None if _is_code_name(word, stem, extension) else word
        return word if word in shapes.BARE or _is_hidden_file(word) else None
    if any(sign in word for sign in "*?=$%&+") and not known:
        return None
    return word if known or noise.is_path(word, last) else None


def _is_code_name(word: str, stem: str, extension: str) -> bool:
    """`Vue.js`, `process.env`, `docHandle.doc`, `A.diff`: spelt like a file."""
    if word.lower() in shapes.NO_FILES:
        return True
    if extension == "js":
        return stem[:1].isupper() and stem.isalpha()
    return extension in shapes.WORDS and (
        len(stem) == 1 or (shapes.GLUED.search(stem) is not None and "_" not in stem)
    )


def _is_called(sentence: str, end: int, word: str) -> bool:
    """Does a bracket follow at once, as after a method's name? `main.c(12)` is a place in a file."""
    after = sentence[end : end + 2]
    return after[:1] == "(" and not after[1:].isdigit() and "/" not in word


def _is_hidden_file(word: str) -> bool:
    """`.gitignore`, `.bashrc`, but not the `.join` of a line of code."""
    return word[0] == "." and word.endswith(("ignore", "rc", ".env", "config", "attributes"))


def is_command(text: str, *, alone: bool) -> bool:
    """Is this what one types into a shell? What stands alone on its line needs less to say so."""
    first, _, rest = text.lstrip("!$ ").partition(" ")
    program = first.rpartition("/")[2]
    if program in shapes.PROGRAMS or first.startswith(("./", "bin/", "scripts/")):
        return bool(rest) or (alone and program in shapes.PROGRAMS)
    if not re.fullmatch(r"[a-z][a-z0-9_.+-]*", program) or not rest:
        return False
    return (
        (alone and _is_arguments(rest)) or " --" in text or bool(re.search(r" -[a-zA-Z]\b", text))
    )


def _is_arguments(rest: str) -> bool:
    """Arguments, not the rest of a sentence: few words, and one that names something."""
    words = rest.split()
    if len(words) > FEW or rest[-1] in ".:?":
        return False
    return any(file_in(word) or not word.isalpha() for word in words)


def is_telling(word: str) -> bool:
    """Does its spelling say that a program, or a project, knows it by this name?"""
    if word in noise.NO_NAMES or word in shapes.FORMS or ("/" in word and noise.is_choice(word)):
        return False
    if word[:1] == "/" and noise.ROUTE.fullmatch(word):
        return True
    return bool(shapes.GLUED.search(word) or shapes.CAPITALS.fullmatch(word)) or (
        shapes.COMMIT.fullmatch(word) is not None
    )


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
