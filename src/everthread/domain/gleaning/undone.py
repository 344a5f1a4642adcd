"""What an agent leaves to be done, or asks: in its own words, and of the work, not of some thing.

`Next steps:` announces, a heading names, a quotation tells what a text says, and `files that haven't
been read` are a kind of files. None of them is left open.
"""

from __future__ import annotations

import re

from everthread.domain.text import speech
from everthread.domain.text import speech_forms as forms
from everthread.domain.text.patterns import late
from everthread.domain.text.speech import heard

from .headings import heading
from .said import Said

_COLONS = (":", "\uff1a")
_MARKS = ("?", "\uff1f", "\u061f")
_KIND = late(
    r"\b(?:that|which|who|whose|where|whatever|anything|everything|die|welche|qui|que)\s+(?:\w+\s+)?$|"
    r"\b(?:after|before|by|without|while|of|from|for|instead of)\s+(?:\w+ly\s+)?$"
)
"""What stands after these tells of what kind something is, or when something is done."""


def left_undone(said: Said, text: str) -> bool:
    """Does this sentence of the message leave something to be done?"""
    at = next((n for n, each in enumerate(said.sentences) if each.text == text), None)
    if text.endswith(_COLONS) or (at is not None and heading(said.text, said.places[at], text)):
        return False
    own = heard(forms.QUOTATION.sub("it", text))
    if not speech.leaves_open(own):
        return False
    found: list[re.Match[str]] = [*forms.OPEN.finditer(own.lower)]
    return not found or any(_KIND.search(own.lower[: one.start()]) is None for one in found)


def asks_itself(question: str) -> bool:
    """Is it a question of the agent's own, and none that it quotes or only begins like one?"""
    own = forms.QUOTATION.sub("it", question.replace("“", '"').replace("”", '"'))
    return own.rstrip("*_`)] ").endswith(_MARKS)
