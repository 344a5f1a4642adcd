"""What an agent leaves to be done, or asks: in its own words, and of the work, not of some thing.

`Next steps:` announces, a heading names, a quotation tells what a text says, and `files that haven't
been read` are a kind of files. What it names on its way to the next step is what that step deals with.
None of them is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from everthread.domain.gleaning.headings import is_heading
from everthread.domain.gleaning.list_context import places_of
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Excerpt, Utterance
from everthread.domain.text.acts import sentence_forms as forms
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern

from .long_replies import LONG, goes_about, names_half, tells_work
from .reported_items import UNDONE

_COLONS = (":", "\uff1a")
_BOLD = ("**", "__", "#")
_MARKS = ("?", "\uff1f", "\u061f")
_KIND = lazy_pattern(
    r"\b(?:that|which|who|whose|where|whatever|anything|everything|die|welche|qui|que)\s+(?:\w+\s+)?$|"
    r"\b(?:whether|ob)\s[^,.;:]*$|"
    r"\b(?:after|before|by|without|while|of|from|for|instead of)\s+(?:\w+ly\s+)?$"
)
"""What stands after these tells of what kind something is, or when something is done."""


_WAITS = lazy_pattern(
    r"\bstill (?:needs? |has |have )?(?:to (?:do|be)|missing|open|outstanding|waiting|pending|"
    r"blocked)\b|"
    r"\bto[- ]do:|\bleft to do\b|\bremain(?:s|ing)? (?:to (?:do|be)|open)\b|"
    r"(?:\bnot|n't) (?:[\w'-]+ ){0,7}?yet\b|"
    r"\b(?:postponed|deferred|put off|outstanding)\b|\b(?:blocked (?:on|by)|await(?:s|ing))\b|"
    r"\b(?:wait(?:s|ing) (?:for|on)|is pending|are pending|on hold)\b|\bstill (?:needs?|have to|"
    r"has to)\b|"
    r"\b(?:steht|stehen) (?:\w+ )?noch aus\b|\bnoch (?:offen|zu (?:tun|erledigen)|ausstehend)\b|"
    r"\b(?:fehlt|fehlen) noch\b|\bverschoben\b|\breste(?:nt)? à\b|\breporté\w*\b|"
    r"\b(?:qued(?:a|an) pendientes?|falta(?:n)? por|aplazad[oa])\b|待办|还没|尚未|推迟|まだ|保留|아직"
)
_OFFERS = lazy_pattern(
    r"\b(?:next steps?|optional(?:ly)?|nice[- ]to[- ]have|if you(?:'d| would| want| like| need|"
    r" prefer)?\b|you (?:can|could|"
    r"may|might)|we could|could also|would you|let me know|want me to|feel free|consider|"
    r"follow[- ]ups?)\b"
)
"""What a person may take up or leave: nobody waits for it."""

_POINTS = lazy_pattern(r"\b(?:it|that|this|these|those|them|one|ones)\b")
_VAGUE = UNDONE | roots("quite really entirely fully completely answer short done status")
"""Words that tell that something is not done, and not what."""

_WONDERS = lazy_pattern(
    r"^\W*(?:(?:so|but|and|then|now)\b[\s,]*)*(?:why|how|what|where|when|who)\b(?!.*\b(?:you|your|you'd|i|we)\b)"
    r"(?! (?:about|if|else)\b)"
)


def tells_missing(text: str) -> bool:
    """Does it say that something is missing, still to be done, or put off, and not only what could be?"""
    lower = text.lower().replace("’", "'")
    return _WAITS.search(lower) is not None and _OFFERS.search(lower) is None


STEP = 2
"""Telling words of a step that is known again."""


def left_finds(said: Utterance, finds: Sequence[Excerpt], asked: str) -> list[Excerpt]:
    """What was read off an agent's message, without what is not left open by it."""
    return [f for f in finds if f.kind != "open_item" or left_undone(said, f.text, asked)]


def left_undone(said: Utterance, text: str, asked: str = "") -> bool:
    """Does this sentence of the message leave something to be done? `asked`: what the person had said."""
    at = next((n for n, each in enumerate(said.sentences) if each.text == text), None)
    if text.endswith(_COLONS) or not roots(text.rpartition(": ")[2]) - _VAGUE:
        return False
    if at is not None and (
        is_heading(said.text, said.places[at], text)
        or any(_deals_with(each, text) for each in said.sentences[at + 1 :])
        or not _tells_end(said, at, asked)
    ):
        return False
    own = parse_sentence(forms.QUOTATION.sub("it", text))
    if not speech.leaves_open(own):
        return False
    found: list[re.Match[str]] = [*forms.OPEN.finditer(own.lower)]
    return not found or any(_is_told(own.lower, one) for one in found)


def _deals_with(each: ParsedSentence, left: str) -> bool:
    """Does the agent go about that very thing: `Let me add the page:`?"""
    if not goes_about(each):
        return False
    return _POINTS.search(each.lower) is not None or not roots(each.text).isdisjoint(roots(left))


def _tells_end(said: Utterance, at: int, asked: str) -> bool:
    """Where much is told, does it stand where one tells how far the work is, or name what was asked for?"""
    if not tells_work(said.sentences) or at == 0 or at >= len(said.sentences) - LONG:
        return True
    lead = places_of(said)[at].lead
    if lead is not None and (speech.leaves_open(lead) or tells_missing(lead.text)):
        return True
    return names_half(roots(asked), roots(said.sentences[at].text))


def _is_told(lower: str, found: re.Match[str]) -> bool:
    """Not of some kind of things; and of a next step it is told which: `a natural next step` is praise."""
    if _KIND.search(lower[: found.start()]):
        return False
    return "next step" not in found[0] or len(roots(lower.replace(found[0], " "))) >= STEP


def asks_itself(question: str, said: Utterance | None = None) -> bool:
    """Is it a question of the agent's own, and none that it quotes or only begins like one?

    `said`: where it stands. What heads a passage is answered by that: `**Why two lamps?** Because …`
    """
    last = said is None or said.sentences[-1].text == question
    if not last and question.startswith(_BOLD) and asks_nobody(question):
        return False
    own = forms.QUOTATION.sub("it", question.replace("“", '"').replace("”", '"'))
    return own.rstrip("*_`)] ").endswith(_MARKS)


def asks_nobody(question: str) -> bool:
    """Does it look for a cause or a way, and ask no person for her will?"""
    return _WONDERS.match(question.lower()) is not None
