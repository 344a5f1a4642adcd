"""Find the object in what a model wrote, although it may be wrapped, badly quoted or cut off.

A tolerant reader and not a chain of repairs: it takes what is there and stops where nothing more is.
A value that was cut off in the middle is left out, since half a sentence may say the opposite.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from everthread.domain.text.patterns import lazy_pattern

Json: TypeAlias = dict[str, Any]

LONGEST = 1_000_000
DEPTH = 16
TRIES = 40

_THOUGHTS = lazy_pattern(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPENING = lazy_pattern(r"[{\[]")
_BLANK = lazy_pattern(r"[\s,]*")
_BARE = lazy_pattern(r"[^\s,:\]}{\[\"']+")
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
_NUMBER = lazy_pattern(r"-?\d{1,18}(\.\d{1,18})?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = lazy_pattern(r"[0-9a-fA-F]{4}")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ENDS = ("", ",", ":", "]", "}")


def object_with(key: str, text: str) -> Json | None:
    """The first object in the text that has such a list; a bare list of objects counts as that list."""
    text = _THOUGHTS.sub(" ", text[:LONGEST]).strip()
    whole = _strict(text)
    if whole is not None and isinstance(whole.get(key), list):
        return whole
    for tried, opening in enumerate(_OPENING.finditer(text)):
        if tried == TRIES:
            break
        found = _as_object(key, _Reader(text, opening.start()).value())
        if found is not None:
            return found
    return None


def error_in(text: str) -> bool:
    """Is this an object that tells of an error, where an answer should be?"""
    whole = _strict(text.strip()[:LONGEST])
    return whole is not None and bool(whole.get("error") or whole.get("type") == "error")


def _strict(text: str) -> Json | None:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Json, whole) if isinstance(whole, dict) else None


def _as_object(key: str, value: object) -> Json | None:
    if isinstance(value, dict):
        found = cast(Json, value)
        return found if isinstance(found.get(key), list) else None
    if isinstance(value, list):
        items = cast("list[object]", value)
        if items and all(isinstance(item, dict) for item in items):
            return {key: items}
    return None


class _Cut(Exception):
    """The text ended inside a value."""


class _Reader:
    """Reads one value from a place on. Linear: no character is looked at more than a few times."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._depth = 0

    def value(self) -> object:
        try:
            return self._value()
        except _Cut:
            return None

    def _value(self) -> object:
        head = self._text[self._at : self._at + 1]
        if head == "{":
            return self._nested(self._object)
        if head == "[":
            return self._nested(self._list)
        if head in _QUOTES and head:
            return self._string(_QUOTES[head])
        return self._bare()

    def _nested(self, read: Callable[[], object]) -> object:
        self._depth += 1
        if self._depth > DEPTH:
            raise _Cut
        self._at += 1
        found = read()
        self._depth -= 1
        return found

    def _object(self) -> Json:
        found: Json = {}
        try:
            while self._next() not in ("}", "]"):
                name = self._value()
                self._skip(":")
                value = self._value()
                found[str(name)] = value
            self._at += 1
        except _Cut:
            self._at = len(self._text)
        return found

    def _list(self) -> list[object]:
        found: list[object] = []
        try:
            while self._next() not in ("}", "]"):
                found.append(self._value())
            # A list that ends with a brace was not closed: the brace belongs to the object around it.
            self._at += self._text[self._at] == "]"
        except _Cut:
            self._at = len(self._text)
        return found

    def _next(self) -> str:
        """The next character that means something; commas are passed over, too few or too many."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        if self._at >= len(self._text):
            raise _Cut
        return self._text[self._at]

    def _skip(self, mark: str) -> None:
        if self._next() != mark:
            raise _Cut
        self._at += 1
        self._next()

    def _string(self, quote: str) -> str:
        self._at += 1
        parts: list[str] = []
        while self._at < len(self._text):
            c = self._text[self._at]
            self._at += 1
            if c == "\\":
                parts.append(self._escape())
            elif c == quote and self._ends(quote):
                return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            else:
                parts.append(c)
        raise _Cut

    def _ends(self, quote: str) -> bool:
        """A double quote ends a string. A single one may be an apostrophe, and is where a word goes on."""
        if quote == '"':
            return True
        return self._text[self._at : self._at + 8].lstrip()[:1] in _ENDS

    def _escape(self) -> str:
        c = self._text[self._at : self._at + 1]
        self._at += 1
        if c != "u":
            return _ESCAPES.get(c, c)
        digits = _HEX.match(self._text, self._at)
        if digits is None:
            return ""
        self._at += 4
        return chr(int(digits[0], 16))

    def _bare(self) -> object:
        word = _BARE.match(self._text, self._at)
        if word is None:
            raise _Cut
        self._at = word.end()
        if self._at == len(self._text):
            raise _Cut  # a number at the very end may have had more digits
        number = _NUMBER.fullmatch(word[0])
        if number is not None:
            return float(word[0]) if number[1] else int(word[0])
        return _LITERALS.get(word[0].lower(), word[0])
