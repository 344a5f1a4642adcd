"""A choice that is given up for another by its name: `Forget asyncpg, we use psycopg 3`.

The first part gives up a thing, the second takes another. Both must be there: `forget the meeting` is no
choice, and `we use psycopg` may be for something else. Only what told to take the thing given up ends by it:
that MySQL listens on port 3306 stays as true as it was.
"""

from __future__ import annotations

from functools import lru_cache

from .patterns import lazy_pattern

LONGEST = 200
"""Characters of such a sentence."""

_GIVES = (
    r"(?:forget(?: about)?|scrap|drop|ditch|skip|cancel|abandon|throw out|no more|vergiss|streich\w*|oublie|"
    r"laisse tomber|olvida(?:te de)?)"
)
_TAKES = (
    r"(?:use|take|go(?:ing)? (?:with|for|back to)|(?:stay|stick)(?:ing)? (?:with|in|on|at)|return to|"
    r"switch(?:ing)? (?:back )?to|move (?:back )?to|keep|do|want|nehmen|verwenden|bleiben bei|prenons|usamos)"
)
_WHO = r"(?:we(?:'ll| will|'re| are)?|i(?:'ll| will|'d| want)?|let's|let us|wir|on|nous)"
_BEFORE = (
    r"(?:hm+|ok(?:ay)?|oh|no|actually|so|and|then|right|wait|sorry|well|please|we|let's)\b[\s,.!]*+"
)
_NO_THING = r"(?!(?:me|it|us|that|this|what|all|everything)\b)"
_FORM = lazy_pattern(
    rf"\W*+(?>(?:{_BEFORE})*){_GIVES} (?:the |our |that |this )?{_NO_THING}(?P<gone>\S+(?: \S+){{0,2}}?)"
    rf"(?:(?<![,;:–—-])\s*+[,;:–—-]++\s*+(?:and |then )?| and |\. )(?:{_WHO} )?{_TAKES} (?P<taken>\S.*)"
)
_CHOSE = lazy_pattern(
    r"\b(?:use|using|uses|take|go with|going with|pick|choose|chose|decided|settled on|let's (?:have|do)|"
    r"switch(?:ed)? to|moved? to|nehmen|verwenden|book|stay (?:in|at))\b"
)
NEAR = 40
"""Characters after the verb within which the thing is named that it takes."""


@lru_cache(maxsize=2_048)
def given_up(text: str) -> str:
    """The thing that is given up for another, in small letters; empty where nothing is."""
    if len(text) > LONGEST or text.rstrip().endswith("?"):
        return ""
    found = _FORM.match(text.lower().replace("’", "'"))
    gone = "" if found is None else found["gone"].strip(" ,;:.\"'`")
    return "" if not gone or found is None or gone in found["taken"] else gone


def is_given_up(new: str, old: str) -> bool:
    """Did the earlier text choose just what the later one gives up?"""
    gone = given_up(new)
    if not gone or given_up(old) == gone:
        return False
    lower = old.lower()
    return any(_names(lower[m.end() : m.end() + NEAR], gone) for m in _CHOSE.finditer(lower))


def _names(text: str, thing: str) -> bool:
    at = text.find(thing)
    ends = text[at + len(thing) : at + len(thing) + 1]
    return at > 0 and not text[at - 1].isalnum() and not ends.isalnum()
