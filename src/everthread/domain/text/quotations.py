"""Whether a text says some words as they are, from where a word begins to where one ends.

`Ann works with Tom` stands in `Ann works with Tom and Eve`, and not in `Ann works with Tomas`; nor does
`at 4` stand in `at 4:30`. Scripts without blanks show no such ends: there any stretch will do.
"""

from __future__ import annotations

from unicodedata import category

from .patterns import lazy_pattern

_JOINING = frozenset("-_/\\@+\u2010\u2011\u00ad\u200c\u200d")
"""Between two signs of a word they make one of both: `Friday-named`, `src/old`."""
_IN_NUMBERS = frozenset(".,:'’–\u066b\u066c\uff1a\uff0e")
"""Between two digits they make one number: 3.12, 1,500, 4:30."""
_BEHIND = frozenset("+#")
"""C is neither C++ nor C#."""
_APOSTROPHES = frozenset("'’")
"""`Tom's` is not Tom. Before a word they end another: `qu'Ann`."""

_UNSPACED = lazy_pattern(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Written without blanks, or with endings that are no part of the word."""
_PREFIXED = lazy_pattern("[\u0590-\u05ff\u0600-\u06ff]")
"""Here `and` and `the` are written onto the word that follows."""

_GROUP_ENDS = lazy_pattern(r"(?<![\d.,])\d{1,3} ?$")
_GROUP = lazy_pattern(r" ?\d{3}(?!\d)")
"""Of a number with blanks between its thousands."""
_LONGEST_GROUP = 5
"""With what stands beside it."""


def stands_in(words: str, text: str, *, cut: bool = False) -> bool:
    """Does the text say these words, in whatever case? `cut`: they may end in the midst of one."""
    wanted, said = words.casefold(), text.casefold()
    at = said.find(wanted)
    while at >= 0 and wanted:
        end = at + len(wanted)
        if not _goes_before(said, at) and (cut or not _goes_on(said, end, text)):
            return True
        at = said.find(wanted, at + 1)
    return not wanted


def _goes_before(said: str, at: int) -> bool:
    """Is what begins here the rest of a word or number?"""
    first, before, further = said[at], said[max(0, at - 1) : at], said[max(0, at - 2) : at - 1]
    if not before or not _is_of_word(first):
        return False
    if _is_of_word(before):
        return not _PREFIXED.match(first)
    if before in _JOINING:
        return _is_of_word(further)
    if first.isdigit():
        near = said[max(0, at - _LONGEST_GROUP) : at]
        return (before in _IN_NUMBERS and further.isdigit()) or (
            before == " " and _are_grouped(near, said[at : at + _LONGEST_GROUP])
        )
    return False


def _goes_on(said: str, end: int, text: str) -> bool:
    """Does the word or number that ends here go on?"""
    last, after, further = said[end - 1], said[end : end + 1], said[end + 1 : end + 2]
    if not after or not _is_of_word(last):
        return False
    if _is_of_word(after) or after in _BEHIND:
        return True
    if after in _JOINING or after in _APOSTROPHES:
        return _is_of_word(further)
    if last.isdigit():
        near = said[max(0, end - _LONGEST_GROUP) : end]
        return (after in _IN_NUMBERS and further.isdigit()) or (
            after == " " and _are_grouped(near, said[end : end + _LONGEST_GROUP])
        )
    return after == "." and further.isalpha() and not _is_capital(text, said, end + 1)


def _is_of_word(sign: str) -> bool:
    """A letter or a digit, or what is put onto one; not where words have no ends that could be seen."""
    if sign.isascii():
        return sign.isalnum()
    return (sign.isalnum() or category(sign)[0] == "M") and not _UNSPACED.match(sign)


def _are_grouped(before: str, after: str) -> bool:
    """Is it one number, 1 500 000?"""
    return bool(_GROUP.match(after) and _GROUP_ENDS.search(before))


def _is_capital(text: str, said: str, at: int) -> bool:
    """Does a sentence begin here, though without a blank? Some letters are folded to two: then who knows."""
    return len(text) == len(said) and text[at].isupper()
