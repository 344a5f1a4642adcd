"""What a word is by its spelling: a file, a command, a name that a program knows."""

from __future__ import annotations

import re

from . import specifics_noise as noise
from . import specifics_shapes as shapes
from .patterns import lazy_pattern
from .specifics_shapes import LONGEST

FEW = 6
"""Words of a command that is known as one only by standing alone."""

_FLAG = lazy_pattern(r"^[/-][A-Za-z]+:(?=[\w.])")
"""Before a file that a program is told to write: `/out:bin/app.exe`."""

_SLIP = lazy_pattern(r"[A-Z]{2}[a-z]+")
_PLACE = lazy_pattern(r"L\d+(?:-L?\d+)?")
"""A line of a file."""

_HOST = lazy_pattern(r"\w@(?!v?\d)")
"""Who is where, as a prompt shows it; but not `checkout@v4`."""


def file_in(word: str) -> str | None:
    """The file that the word names, without the place in it; None if it names none."""
    word = _FLAG.sub("", shapes.PLACE.sub("", word), count=1)
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
    if known and all(part.lower() in shapes.NO_FILES for part in word.split("/")):
        return None
    return word if known or _is_hidden_file(last) or noise.is_path(word, last) else None


def _is_code_name(word: str, stem: str, extension: str) -> bool:
    """`Vue.js`, `process.env`, `docHandle.doc`, `A.diff`: spelt like a file."""
    if word.lower() in shapes.NO_FILES:
        return True
    if extension == "js":
        return stem[:1].isupper() and stem.isalpha()
    return extension in shapes.WORDS and (
        len(stem) == 1 or (shapes.GLUED.search(stem) is not None and "_" not in stem)
    )


def is_called(sentence: str, end: int, word: str) -> bool:
    """Does a bracket follow at once, as after a method's name? `main.c(12)` is a place in a file."""
    after = sentence[end : end + 2]
    return after[:1] == "(" and not after[1:].isdigit() and "/" not in word


def _is_hidden_file(word: str) -> bool:
    """`.gitignore`, `.bashrc`, `.env.local`, but not the `.join` of a line of code."""
    ends = ("ignore", "rc", ".env", "config", "attributes")
    return word.startswith((".env.", "env.example")) or (word[:1] == "." and word.endswith(ends))


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
    if _names_nothing(word):
        return False
    if word[:1] == "/" and noise.ROUTE.fullmatch(word):
        return True
    return bool(shapes.GLUED.search(word) or shapes.CAPITALS.fullmatch(word)) or (
        shapes.COMMIT.fullmatch(word) is not None
    )


def _names_nothing(word: str) -> bool:
    """`L12`, `me@laptop`, and `WHere` of who typed in haste."""
    if _PLACE.fullmatch(word) or _HOST.search(word):
        return True
    return _SLIP.fullmatch(word) is not None and (
        noise.is_opener(word) or noise.is_plain(word.lower())
    )
