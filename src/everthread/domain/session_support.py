"""Is a sentence of a session's summary borne out? Rules beyond those of every summary's sentences.

The verb by which somebody's words are reported is the summary's own, so it counts neither for nor
against; but who is said to have decided must have decided, and numbers in words are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .messages import Message, Origin
from .sentences import stretches
from .speech import decides, heard
from .support import verdict

_REPORTED = re.compile(
    r"\A(?P<who>The (?:user|agent)|They|It) (?:also |then )?"
    r"(?P<verb>asked|decided|wanted|intended|needed|chose|agreed|planned)\b(?: for)?"
)
_CHOOSING = frozenset(("decided", "chose", "agreed"))
_NUMBERS = """
    two three four five six seven eight nine ten eleven twelve thirteen fifteen sixteen twenty thirty
    forty fifty sixty seventy eighty ninety hundred thousand million dozen twice thrice half quarter
    second third fourth fifth
"""
_NUMBER = frozenset(_NUMBERS.split())
_WORD = re.compile(r"[^\W\d_]+")


def borne_out(text: str, sources: Sequence[Message], *, by: Origin, verbatim: bool = False) -> bool:
    """Do these messages say so? `verbatim`: it claims to be their words."""
    found = None if verbatim else _REPORTED.match(text)
    told = text if found is None else f"{found['who']} said{text[found.end() :]}"
    if not verdict(told, sources, by=by, verbatim=verbatim).supported:
        return False
    mine = [message.text for message in sources if message.origin == by]
    if found is not None and found["verb"] in _CHOOSING and not any(map(_decides, mine)):
        return False
    return _numbers(text) <= {word for said in mine for word in _numbers(said)}


def _decides(text: str) -> bool:
    return any(decides(heard(text[place.start : place.end])) for place in stretches(text))


def _numbers(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} & _NUMBER
