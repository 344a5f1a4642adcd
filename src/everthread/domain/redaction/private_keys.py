"""Private keys in their lines, also where each line has something before it.

A mail quotes them with `>`, a script has them in comments, a diff takes them out with `-`, and who shows a
file numbers its lines. The first or the last line alone says what the others are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from everthread.domain.text.patterns import lazy_pattern

from .numbers import Span

KIND = "private key"

_MASKED = re.compile(r"(.)\1{7}|x{5}|X{5}|\*{3}|\.{3}")


def is_unmasked(text: str) -> bool:
    """Not a key whose inside was blotted out, such as documentation shows."""
    return not _MASKED.search(text)


_MARGIN = (
    r"(?:[ \t]{0,8}(?:[>#*|;%+-]{1,3}|//|\d{1,6}(?=[:|.)\t ]|\u2192)[ \t]{0,4}[:|.)]?\u2192?))"
)
_BREAK = rf"(?:(?<=\n){_MARGIN}|\\[rn]|\s)"

KEY_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    # up to its last line; where that was cut off, as far as the lines are long
    r"(?:(?>[^-]*(?:-(?!----)[^-]*)*)-{5,6}END [A-Z0-9 ]{0,40}-----"
    rf"|(?>(?:{_BREAK}*[A-Za-z0-9+/=]{{20,}})+))"
)

_BODY = lazy_pattern(
    rf"-----BEGIN [A-Z0-9 ]+-----(?>(?:{_BREAK}"
    r"|[A-Z][A-Za-z-]+: (?>(?:(?!\\n)[^\n])*))*)([A-Za-z0-9+/=]{20,})"
)


def holds_key(text: str) -> bool:
    """A program that looks for keys names the first line, and documentation leaves the rest out."""
    body = _BODY.match(text)
    return body is not None and is_unmasked(body[1])


_LAST = "-----END "
_LAST_LINE = lazy_pattern(r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY")
_LINE = lazy_pattern(rf"{_MARGIN}?[ \t]*[A-Za-z0-9+/=]{{4,128}}[ \t\r]*\Z")
_LONG = lazy_pattern(r"[A-Za-z0-9+/]{40}")


def key_tails(text: str) -> Iterator[Span]:
    """The lines before a last line, where the first was left out."""
    at = text.find(_LAST)
    while at >= 0:
        if _LAST_LINE.match(text, at):
            end = text.rfind("\n", 0, at) + 1
            start = _first_line(text, end)
            if start < end and _LONG.search(text, start, end):
                yield start, end - 1, KIND
        at = text.find(_LAST, at + 1)


def _first_line(text: str, end: int) -> int:
    """Where the lines begin that could be of a key, up to `end`."""
    while end:
        start = text.rfind("\n", 0, end - 1) + 1
        if not _LINE.match(text[start : end - 1]):
            break
        end = start
    return end
